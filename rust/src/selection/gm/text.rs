//! Pairs of neighbouring words in monolingual text.

use std::path::Path;

use rayon::prelude::*;

use super::pairs::{push_pairs, Pairs, NO_KEY};
use super::word_keys::WordKeys;
use crate::corpus::conllu::{MultiwordTokens, Reader as Trees};
use crate::corpus::text::Lines;
use crate::corpus::tokens::tokens;
use crate::corpus::trees::Column;
use crate::error::{Error, Result};
use crate::selection::classes::Class;
use crate::store::runs::{Heap, Run};
use crate::store::vocab::Interner;
use crate::work::interrupt;

/// Sentences read at a time: enough work for every thread in little memory.
pub const CHUNK: usize = 16_384;
/// Sentences per task of a thread.
pub const SENTENCES_PER_TASK: usize = 1024;

/// Counts the pairs of additional source text. Words that are not in the corpus are skipped: no rule contains them.
pub fn source_text(
    text: &Path,
    trees: &Path,
    words: &Interner,
    numbers: &WordKeys,
    window: usize,
    pairs: &mut Pairs,
    mut progress: impl FnMut(u64) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::open(text)?;
    let mut trees_read = Trees::open(trees, MultiwordTokens::Surface)?;
    loop {
        let chunk = trees_read.read(CHUNK)?;
        if chunk.is_empty() {
            return Ok(());
        }
        let mut sentences: Vec<Vec<u32>> = Vec::with_capacity(chunk.len());
        for k in 0..chunk.len() {
            let Some(line) = lines.next_line()? else {
                return Err(Error::input("fewer lines than trees.").at(text, None));
            };
            let classes = chunk.column(k, Column::Upos).map(Class::of);
            let number =
                |(word, class): (&str, Class)| words.get(word).map_or(NO_KEY, |id| numbers.of(id, class));
            sentences.push(tokens(line).zip(classes).map(number).collect());
        }
        count(&sentences, window, pairs)?;
        progress(sentences.len() as u64)?;
    }
}

/// Counts the pairs of content words of a target text, by their keys.
pub fn target_text(
    path: &Path,
    words: &Interner,
    keys: &[u32],
    window: usize,
    pairs: &mut Pairs,
    mut progress: impl FnMut(u64) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::open(path)?;
    loop {
        let mut sentences: Vec<Vec<u32>> = Vec::new();
        while sentences.len() < CHUNK {
            let Some(line) = lines.next_line()? else { break };
            let number = |word: &str| words.get(word).map_or(NO_KEY, |id| keys[id as usize]);
            sentences.push(tokens(line).map(number).collect());
        }
        if sentences.is_empty() {
            return Ok(());
        }
        count(&sentences, window, pairs)?;
        progress(sentences.len() as u64)?;
    }
}

fn count(sentences: &[Vec<u32>], window: usize, pairs: &mut Pairs) -> Result<()> {
    let run = |share: &[Vec<u32>]| {
        let mut heap = Heap::default();
        interrupt::point();
        share.iter().for_each(|sentence| push_pairs(sentence, window, &mut heap));
        heap.take_run()
    };
    let runs: Vec<Run> = sentences.par_chunks(SENTENCES_PER_TASK).map(run).collect();
    runs.into_iter().try_for_each(|run| pairs.push(run))
}
