//! Inspection of a table: the translations of a source side, and the source sides that contain a word.

use super::read::{Node, Table};
use crate::rule::bytes::Rule;

/// A source side and its rules as text.
#[derive(Clone, Debug)]
pub struct SourceSide {
    pub words: Vec<String>,
    pub joints: Vec<u16>,
    pub rules: Vec<(Rule, Vec<String>)>,
}

fn side(table: &Table, source: &[(u32, u16)], node: Node) -> SourceSide {
    let (known, target) = (table.source_words(), table.target_words());
    let mut rules = Vec::new();
    table.rules(node, |rule| {
        rules.push((rule.clone(), rule.target.iter().map(|&word| target.word(word).to_owned()).collect()));
    });
    SourceSide {
        words: source.iter().map(|&(word, _)| known.word(word).to_owned()).collect(),
        joints: source.iter().map(|&(_, joint)| joint).collect(),
        rules,
    }
}

/// The source sides with these words in this order, whatever their joints.
pub fn with_words(table: &Table, words: &[String]) -> Vec<SourceSide> {
    let numbers: Option<Vec<u32>> = words.iter().map(|word| table.source_words().get(word)).collect();
    let Some(numbers) = numbers else { return Vec::new() };
    let mut open: Vec<(Vec<(u32, u16)>, Node)> = match numbers.first().and_then(|&word| table.start(word)) {
        Some(node) => vec![(vec![(numbers[0], 0)], node)],
        None => Vec::new(),
    };
    for &word in &numbers[1.min(numbers.len())..] {
        let mut longer = Vec::new();
        for (path, node) in open {
            table.children_with(node, word, |joint, child| {
                let mut path = path.clone();
                path.push((word, joint));
                longer.push((path, child));
            });
        }
        open = longer;
    }
    open.iter()
        .filter(|(_, node)| table.has_rules(*node))
        .map(|(path, node)| side(table, path, *node))
        .collect()
}

/// The first `limit` source sides that contain a word, in table order.
pub fn containing(table: &Table, word: &str, limit: usize) -> Vec<SourceSide> {
    let Some(number) = table.source_words().get(word) else { return Vec::new() };
    let mut found = Vec::new();
    table.source_sides(|source, node| {
        if source.iter().any(|&(word, _)| word == number) {
            found.push((source.to_vec(), node));
        }
        found.len() < limit
    });
    found.iter().map(|(source, node)| side(table, source, *node)).collect()
}
