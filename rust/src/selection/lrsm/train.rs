//! Trains classifiers from an aligned corpus.

use std::path::Path;

use rayon::prelude::*;

use super::context::features;
use crate::corpus::pair::Pair;
use crate::corpus::pair_reader::{Files, PairReader};
use crate::error::Result;
use crate::extract::extractor::Extractor;
use crate::extract::train::vocabularies;
use crate::rule::record::Context;
use crate::selection::classifiers::model::format;
use crate::selection::classifiers::train::{push_match, write_classifiers, ClassifierSettings, Kind, Report};
use crate::selection::context::tag;
use crate::selection::rules::{occurrences, table_sides, TableNumbers};
use crate::store::hashing::{FastMap, FastSet};
use crate::store::runs::{Heap, Run, Runs};
use crate::table::read::Table;
use crate::work::interrupt;

const CHUNK: usize = 16_384;
const PAIRS_PER_TASK: usize = 512;

/// The files of this model.
pub const KIND: Kind =
    Kind { format: format(b'C', "rule selection model", 3), options: "lrsm", frequencies: false };

/// Trains and writes the model. `files` must be the corpus and options that the table was built from. `progress` gets
/// the name of the current step and a count.
pub fn train<E: Extractor>(
    files: &Files,
    extractor: &E,
    table: &Table,
    settings: &ClassifierSettings,
    out: &Path,
    folder: &Path,
    progress: &dyn Fn(&str, u64) -> Result<()>,
) -> Result<Report> {
    let wanted = ambiguous(table, settings.occurrences);
    let mut reader = PairReader::open(files)?;
    let (mut source, mut target) = vocabularies(extractor)?;
    let mut numbers = TableNumbers::new(table);
    let mut runs = Runs::new(folder, settings.budget);
    let mut report = Report::default();
    loop {
        let mut pairs = reader.read(CHUNK, &mut source, &mut target)?;
        if pairs.is_empty() {
            break;
        }
        for pair in &mut pairs {
            extractor.prepare(pair, &reader.tags, &mut source)?;
        }
        numbers.grow(&source, &target);
        let tags: Vec<u32> = reader.tags.iter().map(tag).collect();
        let gather_chunk = |share: &[Pair]| gather(share, &tags, extractor, &numbers, &wanted);
        let made: Vec<Result<Run>> = pairs.par_chunks(PAIRS_PER_TASK).map(gather_chunk).collect();
        for run in made {
            runs.push(run?)?;
        }
        report.pairs += pairs.len() as u64;
        progress("gathering matches", report.pairs)?;
    }
    drop(wanted);
    let told = |done| progress("estimating classifiers", done);
    // Rare source sides are left out already, by their counts in the table.
    let settings = ClassifierSettings { occurrences: 0.0, ..*settings };
    write_classifiers(&mut runs, &settings, &KIND, (out, folder), &mut report, &told)?;
    Ok(report)
}

/// The source sides of a table with several target sides and enough occurrences.
fn ambiguous(table: &Table, least: f64) -> FastSet<u64> {
    let mut seen: FastMap<u64, (u64, bool, f64)> = FastMap::default();
    table_sides(table, |source, target, rule| {
        if rule.context == Context::Any {
            let (first, several, count) = seen.entry(source).or_insert((target, false, 0.0));
            *several |= *first != target;
            *count += f64::from(rule.count);
        }
    });
    let chosen = seen.into_iter().filter(|(_, (_, several, count))| *several && *count >= least);
    chosen.map(|(source, _)| source).collect()
}

/// Collects source side, target side and features of every match.
fn gather<E: Extractor>(
    pairs: &[Pair],
    tags: &[u32],
    extractor: &E,
    numbers: &TableNumbers<'_>,
    wanted: &FastSet<u64>,
) -> Result<Run> {
    let (mut heap, mut scratch) = (Heap::default(), E::Scratch::default());
    let (mut seen, mut record) = (Vec::new(), Vec::new());
    for pair in pairs.iter().filter(|pair| !pair.is_too_long()) {
        interrupt::point();
        let words: Vec<u32> = pair.source.iter().map(|&word| numbers.source_word(word)).collect();
        let tags: Vec<u32> = pair.tags.iter().map(|&one| tags[one as usize]).collect();
        occurrences(extractor, pair, &mut scratch, numbers, |source, target, weight, place| {
            if wanted.contains(&source) {
                features(&words, &tags, place.span, place.holes, &mut seen);
                push_match(&mut heap, &mut record, source, target, &seen, weight);
            }
            Ok(())
        })?;
    }
    Ok(heap.take_run())
}
