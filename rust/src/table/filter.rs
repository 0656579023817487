//! A table restricted to the rules that some sentences can use, for distribution or inspection.

use std::path::Path;

use super::build::Builder;
use super::read::{Node, Table};
use super::Grammar;
use crate::error::Result;
use crate::rule::bytes::Rule;
use crate::rule::symbols::label;
use crate::source::dependents::word_of_hole;
use crate::store::hashing::FastSet;
use crate::store::vocab::{Interner, Words};
use crate::work::interrupt;

/// Writes the rules whose source sides occur in one of the sentences; returns their number. Words keep their numbers,
/// so the vocabulary is copied completely.
///
/// A subgraph occurs where its words occur in this order and within the table's span; a string with holes where its
/// words occur with at least one word for every hole. Links, labels and structure are ignored, since they are not known
/// here.
pub fn filter(table: &Table, sentences: &[Vec<String>], out: &Path) -> Result<u64> {
    let mut wanted: FastSet<Node> = FastSet::default();
    let holes: Vec<u32> = holes(table.source_words());
    for sentence in sentences {
        interrupt::point();
        let words: Vec<Option<u32>> = sentence.iter().map(|word| table.source_words().get(word)).collect();
        match table.settings().grammar {
            Grammar::Subgraphs => gather_subgraphs(table, &words, &mut wanted),
            Grammar::HeadDependents => {
                let here: FastSet<&str> = sentence.iter().map(String::as_str).collect();
                let may_be = |&hole: &u32| {
                    word_of_hole(table.source_words().word(hole)).is_none_or(|word| here.contains(word))
                };
                let holes: Vec<u32> = holes.iter().copied().filter(may_be).collect();
                gather_strings(table, &words, &holes, &mut wanted);
            }
            _ => gather_strings(table, &words, &holes, &mut wanted),
        }
    }
    let mut builder = Builder::create(out, *table.settings())?;
    let mut written = 0;
    let mut failed = None;
    table.source_sides(|source, node| {
        interrupt::point();
        if wanted.contains(&node) {
            let mut rules: Vec<Rule> = Vec::new();
            table.rules(node, |rule| rules.push(rule.clone()));
            written += rules.len() as u64;
            failed = builder.add(source, &rules).err();
        }
        failed.is_none()
    });
    if let Some(error) = failed {
        return Err(error);
    }
    table.check()?;
    builder.finish(table.meta(), &copied(table.source_words())?, &copied(table.target_words())?)?;
    Ok(written)
}

/// A vocabulary with the same numbers.
pub fn copied(words: Words<'_>) -> Result<Interner> {
    let mut interner = Interner::default();
    for word in 0..words.len() as u32 {
        interner.intern(words.word(word))?;
    }
    Ok(interner)
}

/// The symbols that are holes.
fn holes(words: Words<'_>) -> Vec<u32> {
    (0..words.len() as u32).filter(|&symbol| label(words.word(symbol)).is_some()).collect()
}

/// The nodes of all subgraphs that may occur in a sentence, whatever their joints.
fn gather_subgraphs(table: &Table, words: &[Option<u32>], wanted: &mut FastSet<Node>) {
    let span = table.settings().max_span as usize;
    for start in 0..words.len() {
        let Some(node) = words[start].and_then(|word| table.start(word)) else { continue };
        let end = words.len().min(start + span);
        let mut seen: FastSet<(Node, usize)> = FastSet::default();
        let mut open = vec![(node, start)];
        while let Some((node, last)) = open.pop() {
            wanted.insert(node);
            let later = words.iter().enumerate().take(end).skip(last + 1);
            for (next, word) in later.filter_map(|(next, word)| Some((next, (*word)?))) {
                table.children_with(node, word, |_, child| {
                    if seen.insert((child, next)) {
                        open.push((child, next));
                    }
                });
            }
        }
    }
}

/// The nodes of all strings with holes that may occur in a sentence.
fn gather_strings(table: &Table, words: &[Option<u32>], holes: &[u32], wanted: &mut FastSet<Node>) {
    // A node and the position of its next symbol; where it started does not matter.
    let mut seen: FastSet<(Node, usize)> = FastSet::default();
    let mut open = Vec::new();
    let mut reach = |node: Node, ends: std::ops::RangeInclusive<usize>, open: &mut Vec<(Node, usize)>| {
        wanted.insert(node);
        open.extend(ends.map(|end| (node, end)).filter(|&state| seen.insert(state)));
    };
    for start in 0..words.len() {
        for hole in holes.iter().filter_map(|&hole| table.start(hole)) {
            reach(hole, start + 1..=words.len(), &mut open);
        }
        if let Some(node) = words[start].and_then(|word| table.start(word)) {
            reach(node, start + 1..=start + 1, &mut open);
        }
        while let Some((node, at)) = open.pop() {
            let Some(word) = words.get(at) else { continue };
            for &hole in holes {
                table.children_with(node, hole, |_, child| reach(child, at + 1..=words.len(), &mut open));
            }
            if let Some(word) = *word {
                table.children_with(node, word, |_, child| reach(child, at + 1..=at + 1, &mut open));
            }
        }
    }
}
