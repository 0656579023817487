//! Trains classifiers whose matches are words in their sentences, rather than rules.

use std::path::Path;

use rayon::prelude::*;

use super::train::{push_match, write_classifiers, ClassifierSettings, Kind, Report};
use crate::corpus::pair::Pair;
use crate::corpus::pair_reader::{Files, PairReader};
use crate::error::Result;
use crate::selection::context::{tag, SentenceContext};
use crate::selection::rules::TableNumbers;
use crate::store::runs::{Heap, Run, Runs, ONE};
use crate::store::vocab::Interner;
use crate::table::read::Table;
use crate::work::interrupt;

const CHUNK: usize = 16_384;
const PAIRS_PER_TASK: usize = 512;

/// Finds the matches of one kind of model in a sentence pair. Numbers of words are those of the rule table.
pub trait Matches: Sync {
    /// Calls `found` with the source side, the target side and the features of each match.
    fn each(
        &self,
        pair: &Pair,
        context: &SentenceContext<'_>,
        numbers: &TableNumbers<'_>,
        found: &mut dyn FnMut(u64, u64, &[u64]),
    );
}

/// Trains and writes a model. `files` must be the corpus that the table was built from. `progress` gets the name of the
/// current step and a count.
pub fn train(
    files: &Files,
    table: &Table,
    matches: &impl Matches,
    (kind, settings): (&Kind, &ClassifierSettings),
    (out, folder): (&Path, &Path),
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
        let gather_chunk = |share: &[Pair]| gather(share, &tags, &numbers, matches);
        let made: Vec<Run> = pairs.par_chunks(PAIRS_PER_TASK).map(gather_chunk).collect();
        made.into_iter().try_for_each(|run| runs.push(run))?;
        report.pairs += pairs.len() as u64;
        progress("gathering words", report.pairs)?;
    }
    let told = |done| progress("estimating classifiers", done);
    write_classifiers(&mut runs, settings, kind, (out, folder), &mut report, &told)?;
    Ok(report)
}

fn gather(pairs: &[Pair], tags: &[u32], numbers: &TableNumbers<'_>, matches: &impl Matches) -> Run {
    let (mut heap, mut record) = (Heap::default(), Vec::new());
    for pair in pairs.iter().filter(|pair| !pair.is_too_long()) {
        interrupt::point();
        let words: Vec<u32> = pair.source.iter().map(|&word| numbers.source_word(word)).collect();
        let tags: Vec<u32> = pair.tags.iter().map(|&one| tags[one as usize]).collect();
        let context = SentenceContext { words: &words, tags: &tags, heads: &pair.heads };
        matches.each(pair, &context, numbers, &mut |source, target, features| {
            push_match(&mut heap, &mut record, source, target, features, ONE);
        });
    }
    heap.take_run()
}
