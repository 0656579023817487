//! Import and export of Moses' phrase tables and hierarchical rule tables: `source ||| target ||| scores ||| alignment
//! ||| counts`.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::build::Builder;
use super::read::Table;
use super::{moses_holes, Grammar, TableSettings};
use crate::corpus::pharaoh::{check_range, parse_line};
use crate::corpus::text::Lines;
use crate::error::{Error, Result};
use crate::rule::bytes::Rule;
use crate::rule::record::{Context, Identity, MAX_SIDE};
use crate::rule::symbols::label;
use crate::rule::SCORES;
use crate::store::compression::Packed;
use crate::store::draft::Draft;
use crate::store::vocab::Interner;
use crate::work::interrupt;

/// The longest training span of an imported hierarchical table, which is not recorded in the file.
const UNKNOWN_SPAN: u32 = 0;

/// The highest score that is accepted as a probability: rounding lifts some lexical weights slightly above 1.
const MAX_SCORE: f64 = 1.001;

/// The value for the logarithm of 0.
const LOG_ZERO: f32 = -100.0;

/// A source side with one of its rules.
type Entry = (Vec<(u32, u16)>, Rule);

/// Reads a phrase table into a rule table of continuous phrases, or a hierarchical rule table into one with holes (the
/// first line shows which it is); returns the number of rules. The lines may be in any order. The whole table is held
/// in memory.
pub fn import(path: &Path, out: &Path) -> Result<u64> {
    let mut lines = Lines::open(path)?;
    let (mut source, mut target) = (Interner::default(), Interner::default());
    let mut entries: Vec<Entry> = Vec::new();
    let mut longest = 0;
    let mut grammar = Grammar::Subgraphs;
    while let Some(line) = lines.next_line()? {
        let line = line.to_owned();
        if entries.is_empty() && moses_holes::is_rule(&line) {
            grammar = Grammar::Hierarchical;
        }
        let entry = entry(&line, grammar, &mut source, &mut target).map_err(|error| {
            error.at(path, Some(lines.number())).hint(match grammar {
                Grammar::Subgraphs => "A line is source ||| target ||| four scores ||| alignment ||| counts.",
                _ => "A line is source [X] ||| target [X] ||| four scores ||| alignment ||| counts, with holes [X][X].",
            })
        })?;
        longest = longest.max(entry.0.len());
        entries.push(entry);
    }
    if entries.is_empty() {
        return Err(Error::input("no phrase pairs.").at(path, None));
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.target.cmp(&b.1.target)));
    let settings = match grammar {
        Grammar::Subgraphs => TableSettings::subgraphs(Identity::Links, longest as u32, false),
        _ => TableSettings::strings(grammar, UNKNOWN_SPAN),
    };
    let mut builder = Builder::create(out, settings)?;
    let mut source_sides = 0;
    for alike in entries.chunk_by(|a, b| a.0 == b.0) {
        let rules: Vec<Rule> = alike.iter().map(|(_, rule)| rule.clone()).collect();
        builder.add(&alike[0].0, &rules)?;
        source_sides += 1;
    }
    let meta = match grammar {
        Grammar::Subgraphs => format!("{{\"basic\": {}}}", entries.len()),
        _ => {
            let of = |holes| entries.iter().filter(|(side, _)| holes_of(side, &source) == holes).count();
            let (lexical, one, two) = (of(0), of(1), of(2));
            format!(
                "{{\"source_sides\": {source_sides}, \"lexical\": {lexical}, \"one_hole\": {one}, \"two_holes\": {two}}}"
            )
        }
    };
    builder.finish(&meta, &source, &target)?;
    Ok(entries.len() as u64)
}

fn holes_of(side: &[(u32, u16)], words: &Interner) -> usize {
    side.iter().filter(|&&(symbol, _)| label(words.word(symbol)).is_some()).count()
}

fn entry(line: &str, grammar: Grammar, source: &mut Interner, target: &mut Interner) -> Result<Entry> {
    let mut fields = line.split("|||").map(str::trim);
    let mut field =
        |name: &str| fields.next().ok_or_else(|| Error::input(format!("the field of {name} is missing.")));
    let (from, to) = (field("source words")?, field("target words")?);
    let mut scores = [0.0f32; SCORES];
    let mut given = field("scores")?.split_ascii_whitespace();
    for score in &mut scores {
        let text = given.next().unwrap_or("nothing");
        let value: f64 = text.parse().map_err(|_| Error::input(format!("{text:?} is not a score.")))?;
        if !(0.0..=MAX_SCORE).contains(&value) {
            return Err(Error::input(format!("the score {text} is not a probability from 0 to 1.")));
        }
        *score = (value.ln() as f32).clamp(LOG_ZERO, 0.0);
    }
    if given.next().is_some() {
        return Err(Error::input("more than four scores."));
    }
    let mut links = Vec::new();
    parse_line(field("alignment").unwrap_or(""), false, &mut links)?;
    let count = count(field("counts").unwrap_or(""))?;
    let (words, to) = match grammar {
        Grammar::Subgraphs => (interned(from, source)?, interned(to, target)?),
        _ => moses_holes::read_sides((from, to), &mut links, source, target)?,
    };
    if words.is_empty() || words.len() > MAX_SIDE || to.len() > MAX_SIDE {
        return Err(Error::input(format!(
            "{} source and {} target symbols; a rule has 1 to {MAX_SIDE}.",
            words.len(),
            to.len()
        )));
    }
    check_range(&links, words.len() as u32, to.len() as u32)?;
    let rule = Rule {
        context: Context::Any,
        target: to[..].into(),
        alignment: links.iter().map(|link| (link.source as u8, link.target as u8)).collect(),
        count,
        scores,
        ..Rule::default()
    };
    // Each word of a phrase is linked only to the one before it; strings with holes have no links.
    let link = |k: usize| match grammar {
        Grammar::Subgraphs if k > 0 => 1 << (k - 1),
        _ => 0,
    };
    Ok((words.iter().enumerate().map(|(k, &word)| (word, link(k))).collect(), rule))
}

/// The joint count of a pair: the third of the counts; 0 if there are fewer.
fn count(counts: &str) -> Result<f32> {
    let Some(text) = counts.split_ascii_whitespace().nth(2) else { return Ok(0.0) };
    let count: Option<f32> = text.parse().ok().filter(|count: &f32| *count >= 0.0 && count.is_finite());
    count.ok_or_else(|| Error::input(format!("{text:?} is not a count of 0 or more.")))
}

fn interned(words: &str, vocabulary: &mut Interner) -> Result<Vec<u32>> {
    words.split_ascii_whitespace().map(|word| vocabulary.intern(word)).collect()
}

/// Writes the basic rules as a phrase table, or the rules with holes as a hierarchical rule table (compressed as
/// the name says); returns the number of lines. Moses has no discontinuous source sides and no structure among the
/// symbols of a rule: tables with either are rejected.
pub fn export(table: &Table, path: &Path) -> Result<u64> {
    let failed = |error: std::io::Error| Error::io(path, &error);
    let (draft, file) = Draft::create(path)?;
    let mut out = Packed::named(path, BufWriter::with_capacity(1 << 20, file)).map_err(failed)?;
    let lines = write_lines(table, path, &mut out)?;
    out.finish().and_then(|mut out| out.flush()).map_err(failed)?;
    draft.finish()?;
    Ok(lines)
}

fn write_lines(table: &Table, path: &Path, out: &mut impl Write) -> Result<u64> {
    let mut lines = 0;
    let mut failed = None;
    table.source_sides(|source, node| {
        interrupt::point();
        failed = check_side(table, source).err();
        table.rules(node, |rule| {
            if rule.context != Context::Any || failed.is_some() {
                return;
            }
            lines += 1;
            let written = line(table, source, rule)
                .and_then(|line| out.write_all(line.as_bytes()).map_err(|error| Error::io(path, &error)));
            failed = written.err();
        });
        failed.is_none()
    });
    match failed {
        Some(error) => Err(error.at(path, None)),
        None => Ok(lines),
    }
}

/// Rejects source sides that Moses cannot represent.
fn check_side(table: &Table, source: &[(u32, u16)]) -> Result<()> {
    let settings = table.settings();
    let held = match (settings.grammar, settings.identity) {
        (Grammar::Subgraphs, Identity::Links) => {
            source.iter().enumerate().all(|(k, &(_, joint))| k == 0 || joint >> (k - 1) & 1 == 1)
        }
        (Grammar::Subgraphs, Identity::Gaps) | (Grammar::Hierarchical, _) => {
            source.iter().all(|&(_, joint)| joint == 0)
        }
        (Grammar::Fragments | Grammar::HeadDependents, _) => {
            return Err(Error::input(
                "the rules of this table have structure, which Moses' tables cannot represent.",
            )
            .hint("Export a pbmt or hpb model."));
        }
    };
    if !held {
        return Err(Error::input(
            "this table has discontinuous source sides, which a phrase table cannot represent.",
        )
        .hint("Export a pbmt model."));
    }
    Ok(())
}

fn line(table: &Table, source: &[(u32, u16)], rule: &Rule) -> Result<String> {
    let words = (table.source_words(), table.target_words());
    let (from, to, points) = match table.settings().grammar {
        Grammar::Subgraphs => {
            let from: Vec<&str> = source.iter().map(|&(word, _)| words.0.word(word)).collect();
            let to: Vec<&str> = rule.target.iter().map(|&word| words.1.word(word)).collect();
            let points: Vec<String> = rule.alignment.iter().map(|(s, t)| format!("{s}-{t}")).collect();
            (from.join(" "), to.join(" "), points.join(" "))
        }
        _ => moses_holes::write_sides(source, rule, words)?,
    };
    let scores: Vec<String> = rule.scores.iter().map(|&score| format!("{}", score.exp())).collect();
    Ok(format!("{from} ||| {to} ||| {} ||| {points} ||| 0 0 {} ||| |||\n", scores.join(" "), rule.count))
}
