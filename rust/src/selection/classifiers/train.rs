//! Estimates classifiers from matches gathered in sorted runs, and writes them.
//!
//! A match is a record of big-endian numbers of 64 bits: its source side, its target side, and its features in ascending
//! order.

use std::path::Path;

use rayon::prelude::*;

use super::model::FREQUENCIES;
use crate::error::{Error, Result};
use crate::maxent;
use crate::maxent::multiclass::Examples;
use crate::selection::parts::parts;
use crate::store::deferred::DeferredSection;
use crate::store::hashing::FastMap;
use crate::store::mapped::{Format, Writer};
use crate::store::runs::{number, Heap, Occurrence, Runs};

/// The number of classifiers estimated at a time.
const BATCH: usize = 4096;
/// Bytes of an example without its features.
const EXAMPLE: usize = std::mem::size_of::<(u64, Vec<u64>, f64)>();

#[derive(Clone, Copy, Debug)]
pub struct ClassifierSettings {
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

/// What a model of classifiers is called, and what its classifiers keep.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub format: Format,
    /// The section of options that a user would change.
    pub options: &'static str,
    /// Whether classifiers keep the frequencies of their classes, see [`FREQUENCIES`].
    pub frequencies: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    pub pairs: u64,
    pub classifiers: u64,
    pub weights: u64,
}

/// Adds a match to a heap; `record` is a buffer.
pub fn push_match(
    heap: &mut Heap,
    record: &mut Vec<u8>,
    source: u64,
    target: u64,
    features: &[u64],
    weight: u64,
) {
    record.clear();
    for number in [source, target].iter().chain(features) {
        record.extend_from_slice(&number.to_be_bytes());
    }
    heap.push(record, Occurrence { weight, orientation: Heap::NONE });
}

/// Estimates the classifiers of all matches and writes the model; the numbers of classifiers and weights go into the
/// report. `progress` gets the number of classifiers so far.
pub fn write_classifiers(
    runs: &mut Runs,
    settings: &ClassifierSettings,
    kind: &Kind,
    (out, folder): (&Path, &Path),
    report: &mut Report,
    progress: &dyn Fn(u64) -> Result<()>,
) -> Result<()> {
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
                estimate(&mut batch, settings, kind, &mut writer)?;
                progress(writer.sources.len() as u64)?;
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
    estimate(&mut batch, settings, kind, &mut writer)?;
    report.classifiers = writer.sources.len() as u64;
    report.weights = writer.ends[2];
    writer.finish(kind, out)
}

/// The matches of a source side: target side, features, count.
#[derive(Default)]
struct SourceMatches {
    source: u64,
    examples: Vec<(u64, Vec<u64>, f64)>,
}

/// A trained classifier, before it is written.
struct TrainedClassifier {
    classes: Vec<u64>,
    others: u32,
    features: Vec<u64>,
    weights: Vec<f32>,
}

impl SourceMatches {
    fn estimate(&self, settings: &ClassifierSettings, kind: &Kind) -> Result<Option<TrainedClassifier>> {
        let (mut of_class, mut of_feature): (FastMap<u64, f64>, FastMap<u64, f64>) = Default::default();
        for (target, seen, count) in &self.examples {
            *of_class.entry(*target).or_default() += count;
            seen.iter().for_each(|feature| *of_feature.entry(*feature).or_default() += count);
        }
        let mut classes: Vec<(u64, f64)> = of_class.into_iter().collect();
        let total: f64 = self.examples.iter().map(|(_, _, count)| count).sum();
        if classes.len() < 2 || total < settings.occurrences {
            return Ok(None);
        }
        classes.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let others = classes.len().saturating_sub(settings.classes) as u32;
        let (kept, dropped) = classes.split_at(classes.len() - others as usize);
        let mut frequencies: Vec<f64> = kept.iter().map(|(_, count)| count / total).collect();
        if others > 0 {
            frequencies.push(dropped.iter().map(|(_, count)| count).sum::<f64>() / total);
        }
        let classes: Vec<u64> = kept.iter().map(|&(class, _)| class).collect();
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
        let mut weights: Vec<f32> = made.weights.iter().map(|&weight| weight as f32).collect();
        if kind.frequencies {
            features.push(FREQUENCIES);
            weights.extend(frequencies.iter().map(|frequency| frequency.ln() as f32));
        }
        Ok(Some(TrainedClassifier { classes, others, features, weights }))
    }
}

fn estimate(
    batch: &mut Vec<SourceMatches>,
    settings: &ClassifierSettings,
    kind: &Kind,
    writer: &mut ClassifierWriter,
) -> Result<()> {
    let made: Vec<Result<Option<TrainedClassifier>>> =
        batch.par_iter().map(|side| side.estimate(settings, kind)).collect();
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

    fn finish(mut self, kind: &Kind, out: &Path) -> Result<()> {
        if self.sources.is_empty() {
            return Err(Error::input("no source side is ambiguous and frequent enough for a classifier.")
                .hint(format!("Lower the minimum number of occurrences in [{}].", kind.options)));
        }
        self.starts.extend(self.ends);
        let mut writer = Writer::create(out, kind.format)?;
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
