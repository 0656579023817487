//! Trains classifiers from an aligned corpus.

use std::path::Path;

use rayon::prelude::*;

use super::context::{features, tag};
use super::model::FORMAT;
use crate::corpus::pair::Pair;
use crate::corpus::pair_reader::{Files, PairReader};
use crate::error::{Error, Result};
use crate::extract::extractor::Extractor;
use crate::extract::train::vocabularies;
use crate::maxent;
use crate::maxent::multiclass::Examples;
use crate::rule::record::Context;
use crate::selection::parts::parts;
use crate::selection::rules::{occurrences, table_sides, TableNumbers};
use crate::store::deferred::DeferredSection;
use crate::store::hashing::{FastMap, FastSet};
use crate::store::mapped::Writer;
use crate::store::runs::{number, Heap, Occurrence, Run, Runs};
use crate::table::read::Table;
use crate::work::interrupt;

const CHUNK: usize = 16_384;
const PAIRS_PER_TASK: usize = 512;
/// The number of classifiers estimated at a time.
const BATCH: usize = 4096;
/// Bytes of an example without its features.
const EXAMPLE: usize = std::mem::size_of::<(u64, Vec<u64>, f64)>();

#[derive(Clone, Copy, Debug)]
pub struct LrsmSettings {
    /// Source sides with fewer occurrences get no classifier.
    pub occurrences: f64,
    /// The highest number of target sides with a class of their own; the others share one class.
    pub classes: usize,
    /// Features seen less often with a source side are dropped.
    pub features: f64,
    pub maxent: maxent::MaxentSettings,
    /// Bytes of matches kept in memory.
    pub budget: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    pub pairs: u64,
    pub classifiers: u64,
    pub weights: u64,
}

/// Trains and writes the model. `files` must be the corpus and options that the table was built from. `progress` gets
/// the name of the current step and a count.
pub fn train<E: Extractor>(
    files: &Files,
    extractor: &E,
    table: &Table,
    settings: &LrsmSettings,
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
    let mut writer = ClassifierWriter::create(folder)?;
    let mut batch: Vec<SourceMatches> = Vec::new();
    let mut held = 0;
    let mut merge = runs.merge()?;
    while let Some((record, counts)) = merge.next()? {
        let eight = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&record[at..at + 8]);
            u64::from_be_bytes(bytes)
        };
        let key = eight(0);
        if batch.last().is_none_or(|side| side.source != key) {
            // A classifier needs all matches of its source side at once; apart from that the budget applies here too.
            if batch.len() == BATCH || held > settings.budget {
                estimate(&mut batch, settings, &mut writer)?;
                progress("estimating classifiers", writer.sources.len() as u64)?;
                held = 0;
            }
            batch.push(SourceMatches { source: key, ..SourceMatches::default() });
        }
        if let Some(side) = batch.last_mut() {
            let seen: Vec<u64> = (2..record.len() / 8).map(|k| eight(8 * k)).collect();
            held += EXAMPLE + std::mem::size_of_val(&seen[..]);
            side.examples.push((eight(8), seen, number(counts.occurrences)));
        }
    }
    estimate(&mut batch, settings, &mut writer)?;
    report.classifiers = writer.sources.len() as u64;
    report.weights = writer.ends[2];
    writer.finish(out)?;
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
                record.clear();
                record.extend_from_slice(&source.to_be_bytes());
                record.extend_from_slice(&target.to_be_bytes());
                seen.iter().for_each(|feature| record.extend_from_slice(&feature.to_be_bytes()));
                heap.push(&record, Occurrence { weight, orientation: Heap::NONE });
            }
            Ok(())
        })?;
    }
    Ok(heap.into_run())
}

/// The matches of a source side: target side, features, count.
#[derive(Default)]
struct SourceMatches {
    source: u64,
    examples: Vec<(u64, Vec<u64>, f64)>,
}

/// A trained classifier, before it is writer.
struct TrainedClassifier {
    classes: Vec<u64>,
    others: u32,
    features: Vec<u64>,
    weights: Vec<f32>,
}

impl SourceMatches {
    fn estimate(&self, settings: &LrsmSettings) -> Result<Option<TrainedClassifier>> {
        let (mut of_class, mut of_feature): (FastMap<u64, f64>, FastMap<u64, f64>) = Default::default();
        for (target, seen, count) in &self.examples {
            *of_class.entry(*target).or_default() += count;
            seen.iter().for_each(|feature| *of_feature.entry(*feature).or_default() += count);
        }
        if of_class.len() < 2 {
            return Ok(None);
        }
        let mut classes: Vec<(u64, f64)> = of_class.into_iter().collect();
        classes.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let others = classes.len().saturating_sub(settings.classes) as u32;
        let classes: Vec<u64> = classes.into_iter().take(settings.classes).map(|(class, _)| class).collect();
        let mut features: Vec<u64> =
            of_feature.into_iter().filter(|one| one.1 >= settings.features).map(|one| one.0).collect();
        features.sort_unstable();
        let mut examples = Examples::default();
        for (target, seen, count) in &self.examples {
            let known = seen.iter().filter_map(|feature| features.binary_search(feature).ok());
            examples.rows.push(known.map(|at| at as u32));
            let class = classes.iter().position(|class| class == target).unwrap_or(classes.len());
            examples.classes.push((class as u32, *count as f32));
        }
        let number = classes.len() + usize::from(others > 0);
        let made = examples.train(features.len(), number, &settings.maxent, |_, _| Ok(()))?;
        let weights = made.weights.iter().map(|&weight| weight as f32).collect();
        Ok(Some(TrainedClassifier { classes, others, features, weights }))
    }
}

fn estimate(
    batch: &mut Vec<SourceMatches>,
    settings: &LrsmSettings,
    writer: &mut ClassifierWriter,
) -> Result<()> {
    let made: Vec<Result<Option<TrainedClassifier>>> =
        batch.par_iter().map(|side| side.estimate(settings)).collect();
    for (side, made) in batch.drain(..).zip(made) {
        if let Some(made) = made? {
            writer.add(side.source, &made)?;
        }
    }
    Ok(())
}

/// All classifiers. Their starts are held in memory (36 bytes each), their content in deferred sections.
struct ClassifierWriter {
    sources: Vec<u64>,
    starts: Vec<u64>,
    others: Vec<u32>,
    classes: DeferredSection,
    features: DeferredSection,
    weights: DeferredSection,
    /// The numbers of classes, features and weights so far.
    ends: [u64; 3],
}

impl ClassifierWriter {
    fn create(folder: &Path) -> Result<Self> {
        let deferred = || DeferredSection::create(folder);
        let (classes, features, weights) = (deferred()?, deferred()?, deferred()?);
        let (sources, starts, others) = Default::default();
        Ok(ClassifierWriter { sources, starts, others, classes, features, weights, ends: [0; 3] })
    }

    fn add(&mut self, source: u64, made: &TrainedClassifier) -> Result<()> {
        self.starts.extend(self.ends);
        self.sources.push(source);
        self.others.push(made.others);
        let lengths = [made.classes.len(), made.features.len(), made.weights.len()];
        self.ends.iter_mut().zip(lengths).for_each(|(end, length)| *end += length as u64);
        self.classes.add(made.classes.iter().map(|class| class.to_le_bytes()))?;
        self.features.add(made.features.iter().map(|feature| feature.to_le_bytes()))?;
        self.weights.add(made.weights.iter().map(|weight| weight.to_le_bytes()))
    }

    fn finish(mut self, out: &Path) -> Result<()> {
        if self.sources.is_empty() {
            return Err(Error::input("no source side is ambiguous and frequent enough for a classifier.")
                .hint("Lower the minimum number of occurrences in [lrsm]."));
        }
        self.starts.extend(self.ends);
        let mut writer = Writer::create(out, FORMAT)?;
        writer.section(&self.sources)?;
        writer.section(&parts(&self.sources))?;
        writer.section(&self.starts)?;
        writer.section(&self.others)?;
        self.classes.section(&mut writer)?;
        self.features.section(&mut writer)?;
        self.weights.section(&mut writer)?;
        writer.finish()
    }
}
