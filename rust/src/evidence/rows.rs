//! The rows of many sentences: one for each distinct n-gram of a sentence's candidates, in a table for each order.

use rayon::prelude::*;

use super::features::{width, Evidence, SCALES};
use super::inputs::{Encoded, Inputs};
use super::memory::Memory;
use super::ngrams::NgramSet;
use super::sentence::Lookup;
use super::{RowSettings, ORDERS};
use crate::error::{Error, Result};
use crate::work::interrupt;

/// Sentences between two reports of progress.
const BATCH: usize = 256;

/// The rows of one order. A row takes 80 bytes (96 with vectors), and 4 more for each candidate with its n-gram.
#[derive(Default)]
pub struct OrderRows {
    /// As many values a row as [`Rows::width`] says.
    pub features: Vec<f32>,
    /// Whether a reference has the n-gram; empty where no sentence has a reference.
    pub labels: Vec<u8>,
    /// The rows of sentence k are `starts[k]..starts[k + 1]`.
    pub starts: Vec<usize>,
    /// The first candidate with the n-gram of a row, among those of all sentences, and where it is there.
    pub candidates: Vec<u32>,
    pub positions: Vec<u32>,
    /// The rows of candidate c are `members[ends[c]..ends[c + 1]]`.
    members: Vec<u32>,
    ends: Vec<usize>,
}

impl OrderRows {
    fn new() -> Self {
        OrderRows { starts: vec![0], ends: vec![0], ..Default::default() }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    pub fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// The rows of the distinct n-grams of a candidate.
    pub fn members(&self, candidate: usize) -> &[u32] {
        &self.members[self.ends[candidate]..self.ends[candidate + 1]]
    }
}

/// The rows of all orders.
pub struct Rows {
    /// The values of a row.
    pub width: usize,
    pub orders: [OrderRows; ORDERS],
    pub candidates: usize,
    pub sentences: usize,
}

impl Rows {
    pub fn has_labels(&self) -> bool {
        self.orders.iter().all(|order| order.labels.len() == order.len())
    }

    /// The sums of some values over the n-grams of each candidate: [`ORDERS`] numbers a candidate.
    pub fn sums(&self, values: &[Vec<f32>; ORDERS]) -> Vec<f32> {
        let sum = |candidate: usize, order: usize| {
            let rows = self.orders[order].members(candidate);
            rows.iter().map(|&row| f64::from(values[order][row as usize])).sum::<f64>() as f32
        };
        let all = |candidate| (0..ORDERS).map(move |order| sum(candidate, order));
        (0..self.candidates).flat_map(all).collect()
    }

    fn add(&mut self, one: SentenceRows, first: usize) -> Result<()> {
        let number = |n: usize| {
            u32::try_from(n).map_err(|_| {
                Error::input("more than 4,294,967,295 rows.").hint("Use fewer sentences at a time.")
            })
        };
        number(first)?;
        for (order, rows) in self.orders.iter_mut().enumerate() {
            let own = one.ngrams.of_length(order + 1);
            let before = number(rows.len() + own.len())? - own.len() as u32;
            rows.features.extend_from_slice(&one.features[own.start * self.width..own.end * self.width]);
            rows.labels.extend_from_slice(one.labels.get(own.clone()).unwrap_or_default());
            for ngram in own.clone().map(|ngram| one.ngrams.get(ngram)) {
                rows.candidates.push(first as u32 + ngram.sentence);
                rows.positions.push(ngram.position);
            }
            rows.starts.push(rows.candidates.len());
            for candidate in 0..one.candidates {
                let members = one.ngrams.members(candidate);
                let start = members.partition_point(|&ngram| (ngram as usize) < own.start);
                let end = members.partition_point(|&ngram| (ngram as usize) < own.end);
                rows.members
                    .extend(members[start..end].iter().map(|&ngram| before + ngram - own.start as u32));
                rows.ends.push(rows.members.len());
            }
        }
        self.candidates += one.candidates;
        self.sentences += 1;
        Ok(())
    }
}

/// The rows of a sentence, all orders together.
pub struct SentenceRows {
    pub ngrams: NgramSet,
    pub features: Vec<f32>,
    labels: Vec<u8>,
    candidates: usize,
}

/// Makes the rows of one sentence.
pub fn sentence_rows(
    memory: &Memory,
    inputs: &Encoded<'_>,
    settings: RowSettings,
    sentence: usize,
) -> SentenceRows {
    interrupt::point();
    let (source, candidates) = (inputs.source(sentence), inputs.candidates(sentence));
    let ngrams = NgramSet::new(candidates.iter().map(Vec::as_slice), ORDERS);
    let lookup = Lookup::new(memory, settings, &source, inputs.left_out(sentence));
    let posteriors = SCALES.map(|scale| inputs.inputs.posterior(sentence, scale));
    let features = Evidence::new(&lookup, &ngrams, inputs.inputs.by_vectors(sentence)).features(&posteriors);
    let mut labels = Vec::new();
    if inputs.inputs.has_references() {
        labels.resize(ngrams.len(), 0);
        let (mut seen, mut found) = (vec![false; ngrams.len()], Vec::new());
        for reference in inputs.references(sentence) {
            ngrams.find_in(&reference, &mut seen, &mut found);
        }
        found.into_iter().for_each(|ngram| labels[ngram as usize] = 1);
    }
    SentenceRows { ngrams, features, labels, candidates: candidates.len() }
}

/// Fails where a sentence names a pair that the memory does not have.
pub fn check_pairs(memory: &Memory, inputs: &Encoded<'_>) -> Result<()> {
    for sentence in 0..inputs.inputs.len() {
        let near = inputs.inputs.by_vectors(sentence).unwrap_or_default();
        if let Some(one) = near.iter().find(|one| one.pair as usize >= memory.len()) {
            let (pair, pairs) = (one.pair, memory.len());
            let message = format!("sentence {sentence} is near pair {pair} of a memory of {pairs} pairs.");
            return Err(Error::input(message).hint("Pairs are numbered from 0."));
        }
        if let Some(&pair) = inputs.left_out(sentence).last().filter(|&&pair| pair as usize >= memory.len()) {
            let pairs = memory.len();
            let message = format!("sentence {sentence} leaves out pair {pair} of a memory of {pairs} pairs.");
            return Err(Error::input(message).hint("Pairs are numbered from 0."));
        }
    }
    Ok(())
}

/// Makes the rows of all sentences on the current pool; `progress` is told how many are done.
pub fn rows(
    memory: &Memory,
    inputs: &Inputs,
    settings: RowSettings,
    mut progress: impl FnMut(usize) -> Result<()>,
) -> Result<Rows> {
    let encoded = inputs.encode(memory);
    check_pairs(memory, &encoded)?;
    let width = width(inputs.has_vectors());
    let mut made =
        Rows { width, orders: std::array::from_fn(|_| OrderRows::new()), candidates: 0, sentences: 0 };
    for first in (0..inputs.len()).step_by(BATCH) {
        let batch = first..(first + BATCH).min(inputs.len());
        let done = batch.end;
        let one = |sentence| sentence_rows(memory, &encoded, settings, sentence);
        let found: Vec<SentenceRows> = batch.clone().into_par_iter().map(one).collect();
        for (sentence, rows) in batch.zip(found) {
            made.add(rows, inputs.list(sentence).start)?;
        }
        progress(done)?;
    }
    Ok(made)
}
