//! Trains the lexicon from an aligned corpus.

use std::path::Path;

use rayon::prelude::*;

use super::context::{ContextScope, SentenceContext};
use crate::corpus::pair::Pair;
use crate::corpus::pair_reader::{Files, PairReader};
use crate::error::Result;
use crate::selection::classifiers::model::format;
use crate::selection::classifiers::train::{push_match, write_classifiers, ClassifierSettings, Kind, Report};
use crate::selection::context::tag;
use crate::selection::rules::{side, TableNumbers, UNKNOWN_WORD};
use crate::store::runs::{Heap, Run, Runs, ONE};
use crate::store::vocab::Interner;
use crate::table::read::Table;
use crate::work::interrupt;

const CHUNK: usize = 16_384;
const PAIRS_PER_TASK: usize = 512;

/// The files of this model.
pub const KIND: Kind =
    Kind { format: format(b'W', "discriminative word lexicon", 1), options: "dwl", frequencies: true };

/// Trains and writes the lexicon. `files` must be the corpus that the table was built from. `progress` gets the name of
/// the current step and a count.
pub fn train(
    files: &Files,
    table: &Table,
    (settings, scope): (&ClassifierSettings, ContextScope),
    out: &Path,
    folder: &Path,
    progress: &dyn Fn(&str, u64) -> Result<()>,
) -> Result<Report> {
    let mut reader = PairReader::open(files)?;
    let (mut source, mut target) = (Interner::default(), Interner::default());
    let mut numbers = TableNumbers::new(table);
    let mut runs = Runs::new(folder, settings.budget);
    let mut report = Report::default();
    loop {
        let pairs = reader.read(CHUNK, &mut source, &mut target)?;
        if pairs.is_empty() {
            break;
        }
        numbers.grow(&source, &target);
        let tags: Vec<u32> = reader.tags.iter().map(tag).collect();
        let gather_chunk = |share: &[Pair]| gather(share, &tags, &numbers, scope);
        let made: Vec<Run> = pairs.par_chunks(PAIRS_PER_TASK).map(gather_chunk).collect();
        made.into_iter().try_for_each(|run| runs.push(run))?;
        report.pairs += pairs.len() as u64;
        progress("gathering words", report.pairs)?;
    }
    let told = |done| progress("estimating classifiers", done);
    write_classifiers(&mut runs, settings, &KIND, (out, folder), &mut report, &told)?;
    Ok(report)
}

/// Collects every source word of the table with its translation and its features.
fn gather(pairs: &[Pair], tags: &[u32], numbers: &TableNumbers<'_>, scope: ContextScope) -> Run {
    let mut heap = Heap::default();
    let (mut seen, mut record) = (Vec::new(), Vec::new());
    for pair in pairs.iter().filter(|pair| !pair.is_too_long()) {
        interrupt::point();
        let words: Vec<u32> = pair.source.iter().map(|&word| numbers.source_word(word)).collect();
        let tags: Vec<u32> = pair.tags.iter().map(|&one| tags[one as usize]).collect();
        let context = SentenceContext { words: &words, tags: &tags, heads: &pair.heads };
        let mut points = pair.points.clone();
        points.sort_unstable();
        points.dedup();
        let mut rest = &points[..];
        for (position, &word) in words.iter().enumerate() {
            let own = rest.iter().take_while(|&&(s, _)| usize::from(s) == position).count();
            let (linked, others) = rest.split_at(own);
            rest = others;
            if word != UNKNOWN_WORD {
                let target_word = |&(_, t): &(u16, u16)| numbers.target_word(pair.target[usize::from(t)]);
                let translation = side(linked.iter().map(target_word));
                context.features(position, scope, &mut seen);
                push_match(&mut heap, &mut record, side([word].into_iter()), translation, &seen, ONE);
            }
        }
    }
    heap.into_run()
}
