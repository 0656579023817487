//! Trains the topic profiles of rules from an aligned corpus with topics.

use std::path::Path;

use rayon::prelude::*;

use super::model::{in_units, FORMAT};
use crate::corpus::pair::Pair;
use crate::corpus::pair_reader::{Files, PairReader};
use crate::error::{Error, Result};
use crate::extract::extractor::Extractor;
use crate::extract::train::vocabularies;
use crate::selection::parts::parts;
use crate::selection::rules::{occurrences, rule, TableNumbers};
use crate::store::deferred::DeferredSection;
use crate::store::hashing::{mix, FastMap};
use crate::store::mapped::Writer;
use crate::store::runs::{number, Heap, Occurrence, Run, Runs};
use crate::table::read::Table;
use crate::work::interrupt;

const CHUNK: usize = 16_384;
const PAIRS_PER_TASK: usize = 1024;

/// The output of a topic model on a corpus.
pub struct Topics {
    /// The number of topics of a side.
    pub number: usize,
    /// The document of each pair.
    pub documents: Vec<u32>,
    /// P(z|d), document by document, of the source and of the target side.
    pub source: Vec<f32>,
    pub target: Vec<f32>,
    /// The topic of each word of the corpus, sentence by sentence; negative for words without one.
    pub source_words: Vec<i16>,
    pub target_words: Vec<i16>,
}

impl Topics {
    fn check(&self) -> Result<()> {
        let documents = self.documents.iter().max().map_or(0, |&last| last as usize + 1);
        let topic = |&topic: &i16| topic < 0 || (topic as usize) < self.number;
        let fits = self.source.len() == documents * self.number
            && self.target.len() == documents * self.number
            && self.source_words.iter().all(topic)
            && self.target_words.iter().all(topic);
        if fits {
            Ok(())
        } else {
            Err(Error::input("the numbers of documents and topics do not match."))
        }
    }
}

/// Where counts go that exceed the memory for them.
pub struct Spill<'a> {
    pub folder: &'a Path,
    /// In bytes.
    pub budget: usize,
}

/// Counts of links between words of a source topic and of a target topic, grouped by target topic.
struct Projection {
    topics: usize,
    counts: Vec<u64>,
}

impl Projection {
    /// P(z_f | z_e) for each target topic; uniform if a target topic has no links.
    fn probabilities(&self) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.counts.len());
        for row in self.counts.chunks_exact(self.topics) {
            let sum: u64 = row.iter().sum();
            let even = 1.0 / self.topics as f64;
            all.extend(row.iter().map(|&n| if sum == 0 { even } else { n as f64 / sum as f64 }));
        }
        all
    }
}

/// Trains and writes the model; returns the number of rules. `files` must be the corpus and options that the table was
/// built from. `progress` gets the number of pairs read so far.
pub fn train<E: Extractor>(
    files: &Files,
    extractor: &E,
    table: &Table,
    topics: &Topics,
    out: &Path,
    spill: &Spill<'_>,
    mut progress: impl FnMut(u64) -> Result<()>,
) -> Result<u64> {
    topics.check()?;
    let mut reader = PairReader::open(files)?;
    let (mut source, mut target) = vocabularies(extractor)?;
    let mut numbers = TableNumbers::new(table);
    let mut runs = Runs::new(spill.folder, spill.budget);
    let mut projection = Projection { topics: topics.number, counts: vec![0; topics.number * topics.number] };
    let (mut read, mut words) = (0, (0, 0));
    loop {
        let mut pairs = reader.read(CHUNK, &mut source, &mut target)?;
        if pairs.is_empty() {
            break;
        }
        for pair in &mut pairs {
            extractor.prepare(pair, &reader.tags, &mut source)?;
            project(pair, topics, &mut words, &mut projection)?;
        }
        numbers.grow(&source, &target);
        let Some(documents) = topics.documents.get(read..read + pairs.len()) else {
            return Err(Error::input("fewer documents than sentences."));
        };
        let made: Vec<Result<Run>> = pairs
            .par_chunks(PAIRS_PER_TASK)
            .zip(documents.par_chunks(PAIRS_PER_TASK))
            .map(|(pairs, documents)| count(pairs, documents, extractor, &numbers))
            .collect();
        for run in made {
            runs.push(run?)?;
        }
        read += pairs.len();
        progress(read as u64)?;
    }
    write(out, spill.folder, topics, &projection.probabilities(), &mut runs)
}

fn project(
    pair: &Pair,
    topics: &Topics,
    words: &mut (usize, usize),
    projection: &mut Projection,
) -> Result<()> {
    let of_source = topics.source_words.get(words.0..words.0 + pair.source.len());
    let of_target = topics.target_words.get(words.1..words.1 + pair.target.len());
    let (Some(of_source), Some(of_target)) = (of_source, of_target) else {
        return Err(Error::input("fewer topics than words."));
    };
    *words = (words.0 + pair.source.len(), words.1 + pair.target.len());
    for &(s, t) in &pair.points {
        let (f, e) = (of_source[usize::from(s)], of_target[usize::from(t)]);
        if f >= 0 && e >= 0 {
            projection.counts[e as usize * topics.number + f as usize] += 1;
        }
    }
    Ok(())
}

/// Collects rule and document of every occurrence.
fn count<E: Extractor>(
    pairs: &[Pair],
    documents: &[u32],
    extractor: &E,
    numbers: &TableNumbers<'_>,
) -> Result<Run> {
    let (mut heap, mut scratch) = (Heap::default(), E::Scratch::default());
    for (pair, document) in pairs.iter().zip(documents).filter(|(pair, _)| !pair.is_too_long()) {
        interrupt::point();
        occurrences(extractor, pair, &mut scratch, numbers, |source, target, weight, _| {
            let mut record = [0; 12];
            record[..8].copy_from_slice(&rule(source, target).to_be_bytes());
            record[8..].copy_from_slice(&document.to_be_bytes());
            heap.push(&record, Occurrence { weight, orientation: Heap::NONE });
            Ok(())
        })?;
    }
    Ok(heap.take_run())
}

/// The sums for P(z|r) of one rule.
struct Sums {
    source: Vec<f64>,
    target: Vec<f64>,
}

/// Writes the model while runs are merged. Memory: 12 bytes for each rule, its identifier and its profile number, and
/// about 30 for each profile.
fn write(out: &Path, folder: &Path, topics: &Topics, projection: &[f64], runs: &mut Runs) -> Result<u64> {
    let (mut rules, mut profiles, mut entropies): (Vec<u64>, Vec<u32>, Vec<f32>) = Default::default();
    let mut known: FastMap<u64, u32> = FastMap::default();
    let number_of = topics.number;
    let mut writer = Writer::create(out, FORMAT)?;
    writer.section(&[number_of as u32])?;
    // The rules are complete only at the end but precede their topics in the file.
    let mut columns = DeferredSection::create(folder)?;
    let mut sums = Sums { source: vec![0.0; number_of], target: vec![0.0; number_of] };
    let mut row: Vec<i16> = Vec::with_capacity(2 * number_of);
    let mut finish = |key: u64, sums: &mut Sums| {
        let source = normalised(&sums.source);
        let own = normalised(&sums.target);
        let mut target = vec![0.0; number_of];
        for (p, row) in own.iter().zip(projection.chunks_exact(number_of)) {
            target.iter_mut().zip(row).for_each(|(sum, q)| *sum += p * q);
        }
        rules.push(key);
        let both = [entropy(&source) as f32, entropy(&own) as f32];
        let unit = |p: &f64| in_units(p.sqrt() as f32);
        row.clear();
        row.extend(source.iter().chain(&target).map(unit));
        let bits = row.iter().map(|&p| p as u64).chain(both.map(|entropy| u64::from(entropy.to_bits())));
        let new = known.len() as u32;
        let profile = *known.entry(bits.fold(0, mix)).or_insert(new);
        profiles.push(profile);
        if profile == new {
            entropies.extend(both);
            columns.add(row.iter().map(|p| p.to_le_bytes()))?;
        }
        sums.source.fill(0.0);
        sums.target.fill(0.0);
        Ok::<(), Error>(())
    };
    let mut merge = runs.merge()?;
    let mut current = None;
    while let Some((record, counts)) = merge.next()? {
        let mut eight = [0; 8];
        eight.copy_from_slice(&record[..8]);
        let key = u64::from_be_bytes(eight);
        let document = u32::from_be_bytes([record[8], record[9], record[10], record[11]]) as usize;
        if let Some(last) = current.filter(|&last| last != key) {
            finish(last, &mut sums)?;
        }
        current = Some(key);
        let weight = number(counts.occurrences);
        let of = document * number_of..(document + 1) * number_of;
        for (sum, p) in sums.source.iter_mut().zip(&topics.source[of.clone()]) {
            *sum += weight * f64::from(*p);
        }
        for (sum, p) in sums.target.iter_mut().zip(&topics.target[of]) {
            *sum += weight * f64::from(*p);
        }
    }
    if let Some(last) = current {
        finish(last, &mut sums)?;
    }
    writer.section(&rules)?;
    writer.section(&parts(&rules))?;
    writer.section(&profiles)?;
    columns.section(&mut writer)?;
    writer.section(&entropies)?;
    writer.finish()?;
    Ok(rules.len() as u64)
}

fn normalised(sums: &[f64]) -> Vec<f64> {
    let whole: f64 = sums.iter().sum();
    sums.iter().map(|sum| if whole > 0.0 { sum / whole } else { 1.0 / sums.len() as f64 }).collect()
}

fn entropy(probabilities: &[f64]) -> f64 {
    -probabilities.iter().filter(|&&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>()
}
