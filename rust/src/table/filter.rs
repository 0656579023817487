//! A table limited to what some sentences can use, to be carried around or looked at.

use std::path::Path;

use super::build::Builder;
use super::bytes::Rule;
use super::read::Table;
use crate::error::Result;
use crate::hashing::FastSet;
use crate::vocab::Interner;

/// Writes the rules whose source words all occur in one of the sentences, in this order and within the table's span;
/// returns how many. Words keep their numbers, so the vocabulary stays whole.
pub fn filter(table: &Table, sentences: &[Vec<String>], out: &Path) -> Result<u64> {
    let mut wanted: FastSet<Vec<u32>> = FastSet::default();
    for sentence in sentences {
        let words: Vec<Option<u32>> = sentence.iter().map(|word| table.source_words().get(word)).collect();
        gather(table, &words, &mut wanted);
    }
    let copy = |words: crate::vocab::Words<'_>| {
        let mut interner = Interner::default();
        (0..words.len() as u32).for_each(|word| {
            interner.intern(words.word(word));
        });
        interner
    };
    let mut builder = Builder::create(out, *table.settings())?;
    let mut written = 0;
    let mut failed = None;
    table.source_sides(|source, node| {
        let words: Vec<u32> = source.iter().map(|&(word, _)| word).collect();
        if wanted.contains(&words) {
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
    builder.finish(table.meta(), &copy(table.source_words()), &copy(table.target_words()))?;
    Ok(written)
}

/// All word sequences of source sides that a sentence holds, whatever joins the words there.
fn gather(table: &Table, words: &[Option<u32>], wanted: &mut FastSet<Vec<u32>>) {
    let span = table.settings().max_span as usize;
    for start in 0..words.len() {
        let Some(node) = words[start].and_then(|word| table.start(word)) else { continue };
        let end = words.len().min(start + span);
        let mut open = vec![(vec![start], node)];
        while let Some((path, node)) = open.pop() {
            if table.has_rules(node) {
                wanted.insert(path.iter().filter_map(|&p| words[p]).collect());
            }
            for (next, word) in words.iter().enumerate().take(end).skip(path[path.len() - 1] + 1) {
                let Some(word) = *word else { continue };
                table.children_with(node, word, |_, child| {
                    let mut longer = path.clone();
                    longer.push(next);
                    open.push((longer, child));
                });
            }
        }
    }
}
