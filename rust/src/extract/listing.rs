//! Every rule occurrence of a corpus as text, in the order of extraction: for looking at, and for comparing with
//! what other extractors write.

use super::corpus::Pair;
use super::initial::Aligned;
use super::reader::{Files, PairReader};
use super::record::{Context, Record};
use super::sentence::{extract, Settings};
use crate::bits::{NodeSet, Wide, MAX_WORDS};
use crate::error::Result;
use crate::links::{links, LinkKinds};
use crate::vocab::Interner;

/// Lines `source ||| target ||| alignment`, and for contextual rules `||| context nodes` behind it.
pub fn list(files: &Files, settings: &Settings, kinds: LinkKinds) -> Result<Vec<String>> {
    let mut reader = PairReader::open(files)?;
    let (mut source, mut target) = (Interner::default(), Interner::default());
    let mut lines = Vec::new();
    loop {
        let pairs = reader.read(1024, &mut source, &mut target)?;
        if pairs.is_empty() {
            return Ok(lines);
        }
        let words = (&source, &target);
        for pair in &pairs {
            match pair.source.len().max(pair.target.len()) {
                0..=64 => list_pair::<u64>(pair, settings, kinds, words, &mut lines),
                65..=MAX_WORDS => list_pair::<Wide>(pair, settings, kinds, words, &mut lines),
                _ => {}
            }
        }
    }
}

fn list_pair<B: NodeSet>(
    pair: &Pair,
    settings: &Settings,
    kinds: LinkKinds,
    (source, target): (&Interner, &Interner),
    lines: &mut Vec<String>,
) {
    let links = links::<B>(pair.source.len(), &pair.heads, kinds);
    let aligned = Aligned::new(links, pair.target.len(), &pair.points);
    extract(&pair.source, &pair.target, &aligned, settings, |bytes, _| {
        let record = Record::read(bytes);
        let from: Vec<&str> = record.source_words().map(|(word, _)| source.word(word)).collect();
        let to: Vec<&str> = record.target_words().map(|word| target.word(word)).collect();
        let points: Vec<String> = record.alignment().map(|(s, t)| format!("{s}-{t}")).collect();
        let mut line = format!("{} ||| {} ||| {}", from.join(" "), to.join(" "), points.join(" "));
        if let Context::Nodes(nodes) = record.context {
            let nodes: Vec<String> = (0..16).filter(|k| nodes >> k & 1 == 1).map(|k| k.to_string()).collect();
            line.push_str(" ||| ");
            line.push_str(&nodes.join(" "));
        }
        lines.push(line);
    });
}
