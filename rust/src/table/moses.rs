//! Moses' phrase tables: `source ||| target ||| scores ||| alignment ||| counts`, in and out.

use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use flate2::Compression;

use super::build::Builder;
use super::bytes::Rule;
use super::read::Table;
use super::{Settings, SCORES};
use crate::align::pharaoh::{check_range, parse_line};
use crate::corpus::text::Lines;
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::extract::record::{Context, Identity, MAX_SIDE};
use crate::vocab::Interner;

/// Reads a phrase table into a rule table of continuous phrases; returns the number of rules. The lines may come in
/// any order. Memory is that of the whole table.
pub fn import(path: &Path, out: &Path) -> Result<u64> {
    let mut lines = Lines::open(path)?;
    let (mut source, mut target) = (Interner::default(), Interner::default());
    let mut entries: Vec<(Vec<(u32, u16)>, Rule)> = Vec::new();
    let mut longest = 0;
    while let Some(line) = lines.next_line()? {
        let line = line.to_owned();
        let entry = entry(&line, &mut source, &mut target).map_err(|error| {
            error
                .at(path, Some(lines.number()))
                .hint("A line is source ||| target ||| four scores ||| alignment ||| counts.")
        })?;
        longest = longest.max(entry.0.len());
        entries.push(entry);
    }
    if entries.is_empty() {
        return Err(Error::input("no phrase pairs.").at(path, None));
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.target.cmp(&b.1.target)));
    let settings = Settings::subgraphs(Identity::Links, longest as u32, false);
    let mut builder = Builder::create(out, settings)?;
    for alike in entries.chunk_by(|a, b| a.0 == b.0) {
        let rules: Vec<Rule> = alike.iter().map(|(_, rule)| rule.clone()).collect();
        builder.add(&alike[0].0, &rules)?;
    }
    builder.finish(&format!("{{\"basic\": {}}}", entries.len()), &source, &target)?;
    Ok(entries.len() as u64)
}

fn entry(line: &str, source: &mut Interner, target: &mut Interner) -> Result<(Vec<(u32, u16)>, Rule)> {
    let mut fields = line.split("|||").map(str::trim);
    let mut field = |name: &str| fields.next().ok_or_else(|| Error::input(format!("no field of {name}.")));
    let words = interned(field("source words")?, source)?;
    let to = interned(field("target words")?, target)?;
    if words.is_empty() || words.len() > MAX_SIDE || to.len() > MAX_SIDE {
        return Err(Error::input(format!(
            "{} source and {} target words; a rule has 1 to {MAX_SIDE}.",
            words.len(),
            to.len()
        )));
    }
    let mut scores = [0.0f32; SCORES];
    let mut given = field("scores")?.split_ascii_whitespace();
    for score in &mut scores {
        let text = given.next().unwrap_or("nothing");
        let value: f64 = text.parse().map_err(|_| Error::input(format!("{text:?} is not a score.")))?;
        *score = (value.ln() as f32).max(-100.0);
    }
    if given.next().is_some() {
        return Err(Error::input("more than four scores."));
    }
    let mut links = Vec::new();
    parse_line(field("alignment").unwrap_or(""), false, &mut links)?;
    check_range(&links, words.len() as u32, to.len() as u32)?;
    let count = field("counts").unwrap_or("").split_ascii_whitespace().nth(2);
    let rule = Rule {
        context: Context::Any,
        target: to,
        alignment: links.iter().map(|link| (link.source as u8, link.target as u8)).collect(),
        count: count.and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0) as u32,
        scores,
        ..Rule::default()
    };
    // Each word of a phrase is linked to the one before it, and to that alone.
    let joined =
        words.iter().enumerate().map(|(k, &word)| (word, if k == 0 { 0 } else { 1 << (k - 1) })).collect();
    Ok((joined, rule))
}

fn interned(words: &str, vocabulary: &mut Interner) -> Result<Vec<u32>> {
    words.split_ascii_whitespace().map(|word| vocabulary.intern(word)).collect()
}

/// Writes the basic rules as a phrase table (gzip if the name ends so); returns the number of lines. Moses has no
/// discontinuous source sides: a table with gaps is refused.
pub fn export(table: &Table, path: &Path) -> Result<u64> {
    let failed = |error: std::io::Error| Error::io(path, &error);
    let (draft, file) = Draft::create(path)?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let lines = if path.extension().is_some_and(|end| end == "gz") {
        let mut zipped = GzEncoder::new(&mut out, Compression::fast());
        let lines = write_lines(table, path, &mut zipped)?;
        zipped.finish().map_err(failed)?;
        lines
    } else {
        write_lines(table, path, &mut out)?
    };
    out.flush().map_err(failed)?;
    drop(out);
    draft.finish()?;
    Ok(lines)
}

fn write_lines(table: &Table, path: &Path, out: &mut impl Write) -> Result<u64> {
    let (source_words, target_words) = (table.source_words(), table.target_words());
    let mut lines = 0;
    let mut failed = None;
    table.source_sides(|source, node| {
        let continuous = source.iter().enumerate().all(|(k, &(_, joint))| match table.settings().identity {
            Identity::Links => k == 0 || joint >> (k - 1) & 1 == 1,
            Identity::Gaps => joint == 0,
        });
        if !continuous {
            failed = Some(
                Error::input("this table has discontinuous source sides, which a phrase table cannot hold.")
                    .at(path, None)
                    .hint("Export a pbmt model."),
            );
            return false;
        }
        let source: Vec<&str> = source.iter().map(|&(word, _)| source_words.word(word)).collect();
        let source = source.join(" ");
        table.rules(node, |rule| {
            if rule.context != Context::Any || failed.is_some() {
                return;
            }
            let target: Vec<&str> = rule.target.iter().map(|&word| target_words.word(word)).collect();
            let scores: Vec<String> = rule.scores.iter().map(|&score| format!("{}", score.exp())).collect();
            let points: Vec<String> = rule.alignment.iter().map(|(s, t)| format!("{s}-{t}")).collect();
            let line = format!(
                "{source} ||| {} ||| {} ||| {} ||| 0 0 {} ||| |||\n",
                target.join(" "),
                scores.join(" "),
                points.join(" "),
                rule.count
            );
            lines += 1;
            failed = out.write_all(line.as_bytes()).map_err(|error| Error::io(path, &error)).err();
        });
        failed.is_none()
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(lines),
    }
}
