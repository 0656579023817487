//! Trains a model from the files of an aligned corpus, and evaluates models.

use std::path::Path;

use rayon::prelude::*;

use super::collect::{Collector, Counted};
use super::examples::{examples, BlockLimits, Ends, Example};
use super::features::Features;
use super::model::{inverted, straight, write, Reordering, UNKNOWN};
use crate::corpus::pair::Pair;
use crate::corpus::pair_reader::{Files, PairReader};
use crate::error::{Error, Result};
use crate::maxent;
use crate::metric::random::Random;
use crate::store::vocab::{Interner, Words};

/// Pairs read at a time: enough work for every thread in little memory.
const CHUNK: usize = 4096;

/// The seed for choosing the held-out pairs; sampling of examples has another.
const HELD_OUT: u64 = 1;

#[derive(Clone, Copy, Debug)]
pub struct ReorderSettings {
    pub limits: BlockLimits,
    /// The highest number of examples kept; if there are more, a sample.
    pub max_examples: usize,
    /// Features of fewer examples are dropped.
    pub minimum: u64,
    pub conjunctions: bool,
    /// One of this many pairs is held out for evaluation; 0 for none.
    pub held_out: u64,
    pub maxent: maxent::MaxentSettings,
}

/// The quality of a model on examples.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scores {
    pub examples: u64,
    pub straight: u64,
    /// Mean of ln p(order).
    pub log_likelihood: f64,
    /// The fraction of examples whose order is the more probable one.
    pub accuracy: f64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    pub pairs: u64,
    pub too_long: u64,
    /// Examples found in the training pairs; `training` counts those kept.
    pub examples: u64,
    pub features: u64,
    pub iterations: usize,
    pub converged: bool,
    pub training: Scores,
    pub held_out: Scores,
}

/// Trains and writes the model. `progress` gets the name of the step, a count, and the total or 0 if it is unknown.
pub fn train(
    files: &Files,
    settings: &ReorderSettings,
    out: &Path,
    progress: &dyn Fn(&str, u64, u64) -> Result<()>,
) -> Result<Report> {
    let (mut source, mut target) = (Interner::default(), Interner::default());
    let mut collector = Collector::new(settings.limits, settings.max_examples);
    let mut held_out = Collector::new(settings.limits, settings.max_examples / 10);
    let pairs = each_chunk(files, &mut source, &mut target, |first, pairs| {
        let numbered = pairs.iter().enumerate().map(|(k, pair)| (first + k as u64, pair));
        // Held-out pairs are chosen at random, since corpora have patterns: in some, every other line is a longer
        // sentence.
        let held = |number: u64| {
            settings.held_out > 0 && Random::new(HELD_OUT, number).below(settings.held_out as usize) == 0
        };
        let (out, kept): (Vec<_>, Vec<_>) = numbered.partition(|&(number, _)| held(number));
        collector.add(&kept);
        held_out.add(&out);
        progress("collecting reordering examples", first + pairs.len() as u64, 0)
    })?;
    let mut report = Report {
        pairs,
        too_long: collector.too_long + held_out.too_long,
        examples: collector.seen,
        ..Report::default()
    };
    if collector.seen == 0 {
        return Err(Error::input("no adjacent blocks were found to train on.")
            .at(&files.alignment, None)
            .hint("The alignment may be empty or belong to another corpus."));
    }
    let all = collector.finish();
    let words = (source.len(), target.len());
    let (features, data) = Features::of(&all, words, settings.conjunctions, settings.minimum)?;
    let most = settings.maxent.search.max_iterations as u64;
    let made = data.train(features.number, &settings.maxent, |iterations, _| {
        progress("training the reordering model", iterations as u64, most)
    })?;
    report.training = measure(&all, |row, _| data.log_odds(row, &made.weights) as f32);
    drop(data);
    report.features = features.number as u64;
    report.iterations = made.outcome.iterations;
    report.converged = made.outcome.converged;
    write(out, &describe(&report, settings), (&source, &target), &features, &made.weights)?;
    drop(features);
    report.held_out = measure_model(&Reordering::open(out)?, &held_out.finish());
    Ok(report)
}

/// Evaluates a model on the examples of a corpus, at most `max_examples` of them.
pub fn evaluate(
    model: &Reordering,
    files: &Files,
    limits: &BlockLimits,
    max_examples: usize,
) -> Result<Scores> {
    let (mut source, mut target) = (Interner::default(), Interner::default());
    let mut collector = Collector::new(*limits, max_examples);
    each_chunk(files, &mut source, &mut target, |first, pairs| {
        let numbered: Vec<_> = pairs.iter().enumerate().map(|(k, pair)| (first + k as u64, pair)).collect();
        collector.add(&numbered);
        Ok(())
    })?;
    let numbers = |known: Words<'_>, words: &Interner| -> Vec<u32> {
        words.iter().map(|word| known.get(word).unwrap_or(UNKNOWN)).collect()
    };
    let source = numbers(model.source_words(), &source);
    let target = numbers(model.target_words(), &target);
    let mut all = collector.finish();
    for one in &mut all {
        for (place, word) in one.words.iter_mut().enumerate() {
            *word = if place % 4 < 2 { source[*word as usize] } else { target[*word as usize] };
        }
    }
    Ok(measure_model(model, &all))
}

/// An example with the end words of its blocks.
pub type ListedExample<'a> = ([&'a str; 4], [&'a str; 4], bool);

/// Every example of a corpus, pair by pair; for inspecting small corpora.
pub fn list(files: &Files, limits: &BlockLimits, mut found: impl FnMut(ListedExample<'_>)) -> Result<()> {
    let (mut source, mut target) = (Interner::default(), Interner::default());
    let mut all: Vec<Example> = Vec::new();
    each_chunk(files, &mut source, &mut target, |_, pairs| {
        pairs.iter().for_each(|pair| examples(pair, limits, |example| all.push(example)));
        Ok(())
    })?;
    let words = |[a, b, c, d]: Ends| [source.word(a), source.word(b), target.word(c), target.word(d)];
    all.iter().for_each(|one| found((words(one.left), words(one.right), one.straight)));
    Ok(())
}

/// Calls `work` with the number of the first pair and the pairs, chunk by chunk; returns the number of pairs.
fn each_chunk(
    files: &Files,
    source: &mut Interner,
    target: &mut Interner,
    mut work: impl FnMut(u64, &[Pair]) -> Result<()>,
) -> Result<u64> {
    let mut reader = PairReader::open(files)?;
    let mut number = 0;
    loop {
        let pairs = reader.read(CHUNK, source, target)?;
        if pairs.is_empty() {
            break;
        }
        work(number, &pairs)?;
        number += pairs.len() as u64;
    }
    if number == 0 {
        return Err(Error::input("no sentence pairs.").at(&files.source, None).hint("Is the file empty?"));
    }
    Ok(number)
}

fn measure_model(model: &Reordering, all: &[Counted]) -> Scores {
    measure(all, |_, one| {
        let ends = |from: usize| [0, 1, 2, 3].map(|k| one.words[from + k]);
        model.log_odds(&ends(0), &ends(4))
    })
}

/// The scores of examples, given the log-odds of each.
fn measure(all: &[Counted], log_odds: impl Fn(usize, &Counted) -> f32 + Sync) -> Scores {
    /// Sums over fixed chunks, so that the result does not depend on the number of threads.
    const CHUNK: usize = 1 << 12;
    let parts: Vec<(u64, u64, f64, u64)> = all
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(chunk, part)| {
            let (mut examples, mut ordered, mut sum, mut right) = (0, 0, 0.0, 0);
            for (row, one) in (chunk * CHUNK..).zip(part) {
                let odds = log_odds(row, one);
                let [turned, kept] = one.counts.map(u64::from);
                examples += turned + kept;
                ordered += kept;
                sum += kept as f64 * f64::from(straight(odds)) + turned as f64 * f64::from(inverted(odds));
                right += if odds >= 0.0 { kept } else { turned };
            }
            (examples, ordered, sum, right)
        })
        .collect();
    let mut scores = Scores::default();
    let (mut sum, mut right) = (0.0, 0);
    for part in parts {
        scores.examples += part.0;
        scores.straight += part.1;
        sum += part.2;
        right += part.3;
    }
    let total = scores.examples.max(1) as f64;
    Scores { log_likelihood: sum / total, accuracy: right as f64 / total, ..scores }
}

fn describe(report: &Report, settings: &ReorderSettings) -> String {
    format!(
        "{{\"pairs\": {}, \"examples\": {}, \"features\": {}, \"conjunctions\": {}, \"max_length\": {}}}",
        report.pairs, report.examples, report.features, settings.conjunctions, settings.limits.max_length
    )
}
