//! Every rule occurrence of a corpus as text, in the order of extraction, for inspection and for comparison with other
//! extractors.

use super::extractor::Extractor;
use super::train::vocabularies;
use crate::corpus::pair_reader::{Files, PairReader};
use crate::error::Result;
use crate::rule::record::{Context, Record};
use crate::rule::symbols::{shown_source, shown_target};
use crate::store::runs::number;
use crate::store::vocab::Interner;
use crate::table::Grammar;

/// Lines `source ||| target ||| alignment`, followed by `||| context nodes` for contextual rules and by `||| count` for
/// rules that share occurrences.
pub fn list<E: Extractor>(files: &Files, extractor: &E) -> Result<Vec<String>> {
    let mut reader = PairReader::open(files)?;
    let (mut source, mut target) = vocabularies(extractor)?;
    let mut scratch = E::Scratch::default();
    let shares = extractor.settings().grammar != Grammar::Subgraphs;
    let mut lines = Vec::new();
    loop {
        let mut pairs = reader.read(1024, &mut source, &mut target)?;
        if pairs.is_empty() {
            return Ok(lines);
        }
        for pair in &mut pairs {
            extractor.prepare(pair, &reader.tags, &mut source)?;
        }
        for pair in pairs.iter().filter(|pair| !pair.is_too_long()) {
            extractor.extract(pair, &mut scratch, |record, occurrence, _| {
                let mut text = line(&Record::read(record), &source, &target);
                if shares {
                    text.push_str(&format!(" ||| {:.6}", number(occurrence.weight)));
                }
                lines.push(text);
            });
        }
    }
}

fn line(record: &Record<'_>, source: &Interner, target: &Interner) -> String {
    let from: Vec<String> = record.source_words().map(|(word, _)| shown_source(source.word(word))).collect();
    let to: Vec<String> = record.target_words().map(|word| shown_target(target.word(word))).collect();
    let points: Vec<String> = record.alignment().map(|(s, t)| format!("{s}-{t}")).collect();
    let mut line = format!("{} ||| {} ||| {}", from.join(" "), to.join(" "), points.join(" "));
    if let Context::Nodes(nodes) = record.context {
        let nodes: Vec<String> = (0..16).filter(|k| nodes >> k & 1 == 1).map(|k| k.to_string()).collect();
        line.push_str(" ||| ");
        line.push_str(&nodes.join(" "));
    }
    line
}
