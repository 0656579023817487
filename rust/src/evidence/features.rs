//! The features of the n-grams of one sentence's candidates.

use super::neighbours::{nearest_kept, neighbours, Neighbour};
use super::ngrams::NgramSet;
use super::sentence::{Lookup, TargetHits};
use super::LONGEST;
use crate::work::interrupt;

/// The columns of a row, in order.
pub const NAMES: [&str; FEATURES] = [
    "m1",
    "m2",
    "m3",
    "m4",
    "m5",
    "m6",
    "nb1",
    "nb3",
    "nb10",
    "nb1_fuzzy",
    "nb3_fuzzy",
    "nb10_fuzzy",
    "best_fuzzy",
    "posterior",
    "flat_posterior",
    "in_first",
    "background",
];
pub const FEATURES: usize = 17;

/// Further columns of inputs with neighbours by their vectors.
pub const VECTOR_NAMES: [&str; VECTOR_FEATURES] = ["vector1", "vector3", "vector10", "best_cosine"];
pub const VECTOR_FEATURES: usize = 4;

/// How many neighbours a feature looks at, and the exponent of the similarity that weights them.
const NEIGHBOURS: [(usize, i32); 3] = [(1, 1), (3, 2), (10, 4)];
/// The least similarity that a weight is computed from.
const LEAST_FUZZY: f64 = 1e-3;
/// Scales of the log-probabilities for the posteriors of the list.
pub const SCALES: [f64; 2] = [1.0, 0.4];
/// Probabilities are kept within these before their logit is taken.
const LEAST: f64 = 1e-6;
const MOST: f64 = 1.0 - 1e-3;

/// The values of a row, of inputs with neighbours by their vectors or without.
pub const fn width(has_vectors: bool) -> usize {
    if has_vectors {
        FEATURES + VECTOR_FEATURES
    } else {
        FEATURES
    }
}

pub fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

fn clipped_logit(p: f64) -> f64 {
    logit(p.clamp(LEAST, MOST))
}

/// q_s(g) before clipping: of `pairs` pairs with a source n-gram, `count` have g, and p0(g) counts as `prior` pairs.
pub fn share(count: u32, pairs: usize, prior: f64, p0: f64) -> f64 {
    (f64::from(count) + prior * p0) / (pairs as f64 + prior)
}

/// What a memory says about the n-grams of the candidates of a sentence.
pub struct Evidence<'a> {
    pub lookup: &'a Lookup<'a>,
    pub ngrams: &'a NgramSet,
    /// p0(g) for each n-gram.
    pub background: Vec<f64>,
    pub neighbours: Vec<Neighbour>,
    /// Those by vectors, the nearest first; `None` if the inputs have none.
    pub by_vectors: Option<Vec<Neighbour>>,
    pub hits: TargetHits<'a>,
}

impl<'a> Evidence<'a> {
    /// `by_vectors` are the nearest pairs by vectors, in any order, if the inputs have such.
    pub fn new(lookup: &'a Lookup<'a>, ngrams: &'a NgramSet, by_vectors: Option<&[Neighbour]>) -> Self {
        let pairs = lookup.pairs() as f64;
        let background = |df: usize| (df as f64 + 0.5) / (pairs + 1.0);
        Evidence {
            lookup,
            ngrams,
            background: lookup.target_frequencies(ngrams).into_iter().map(background).collect(),
            neighbours: neighbours(lookup),
            by_vectors: by_vectors.map(|given| nearest_kept(lookup, given)),
            hits: TargetHits::new(lookup.memory, ngrams),
        }
    }

    /// Visits each source n-gram of a length that the memory has: its number, its pairs D, and for each target n-gram
    /// the number v(g) of these pairs that have it.
    pub fn each_source_ngram(&mut self, length: usize, mut visit: impl FnMut(usize, &[u32], &[u32])) {
        let mut counts = vec![0u32; self.ngrams.len()];
        for source in self.lookup.ngrams.of_length(length) {
            if self.lookup.frequencies[source] == 0 {
                continue;
            }
            let pairs = self.lookup.sample(source);
            if pairs.is_empty() {
                continue;
            }
            interrupt::point();
            counts.fill(0);
            for &pair in &pairs {
                self.hits.of(pair).iter().for_each(|&ngram| counts[ngram as usize] += 1);
            }
            visit(source, &pairs, &counts);
        }
    }

    /// The values of a row.
    pub fn width(&self) -> usize {
        width(self.by_vectors.is_some())
    }

    /// The features of all n-grams, row by row. `posteriors` are those of the candidates at each of [`SCALES`].
    pub fn features(&mut self, posteriors: &[Vec<f64>; 2]) -> Vec<f32> {
        let number = self.ngrams.len();
        let width = self.width();
        let mut rows = vec![0f32; number * width];
        let mut column = 0;
        let mut put = |values: &mut dyn Iterator<Item = f64>| {
            let cells = rows.chunks_exact_mut(width).map(|row| &mut row[column]);
            cells.zip(values).for_each(|(cell, value)| *cell = value as f32);
            column += 1;
        };
        let logits: Vec<f64> = self.background.iter().map(|&p| logit(p)).collect();
        let mut last = logits.clone();
        for length in 1..=LONGEST {
            if let Some(best) = self.best_shares(length) {
                last = best.into_iter().map(clipped_logit).collect();
            }
            put(&mut last.iter().copied());
        }
        let fuzzy = self.neighbours.first().map_or(0.0, |nearest| nearest.similarity);
        let near = std::mem::take(&mut self.neighbours);
        let shares = NEIGHBOURS.map(|(most, power)| self.neighbour_shares(&near, most, power));
        self.neighbours = near;
        shares.iter().for_each(|share| put(&mut share.iter().copied()));
        shares.iter().for_each(|share| put(&mut share.iter().map(|share| share * fuzzy)));
        put(&mut std::iter::repeat_n(fuzzy, number));
        for posterior in posteriors {
            let mut sums = vec![0.0; number];
            for (candidate, p) in posterior.iter().enumerate() {
                self.ngrams.members(candidate).iter().for_each(|&ngram| sums[ngram as usize] += p);
            }
            put(&mut sums.into_iter().map(clipped_logit));
        }
        let mut first = vec![0.0; number];
        if !posteriors[0].is_empty() {
            self.ngrams.members(0).iter().for_each(|&ngram| first[ngram as usize] = 1.0);
        }
        put(&mut first.into_iter());
        put(&mut logits.into_iter());
        if let Some(near) = self.by_vectors.take() {
            for (most, power) in NEIGHBOURS {
                put(&mut self.neighbour_shares(&near, most, power).into_iter());
            }
            put(&mut std::iter::repeat_n(near.first().map_or(0.0, |nearest| nearest.similarity), number));
            self.by_vectors = Some(near);
        }
        rows
    }

    /// For each n-gram the largest q_s(g), not clipped, over the source n-grams of a length; `None` if the memory has none of them.
    fn best_shares(&mut self, length: usize) -> Option<Vec<f64>> {
        let background = std::mem::take(&mut self.background);
        let prior = self.lookup.settings.prior;
        let mut best = vec![f64::NEG_INFINITY; background.len()];
        let mut any = false;
        self.each_source_ngram(length, |_, pairs, counts| {
            any = true;
            for ((best, &count), &p0) in best.iter_mut().zip(counts).zip(&background) {
                *best = best.max(share(count, pairs.len(), prior, p0));
            }
        });
        self.background = background;
        any.then_some(best)
    }

    /// For each n-gram the weighted share of the first neighbours that have it.
    fn neighbour_shares(&mut self, near: &[Neighbour], most: usize, power: i32) -> Vec<f64> {
        let mut shares = vec![0.0; self.ngrams.len()];
        let mut sum = 0.0;
        for neighbour in near.iter().take(most) {
            let weight = neighbour.similarity.max(LEAST_FUZZY).powi(power);
            sum += weight;
            self.hits.of(neighbour.pair).iter().for_each(|&ngram| shares[ngram as usize] += weight);
        }
        if sum > 0.0 {
            shares.iter_mut().for_each(|share| *share /= sum);
        }
        shares
    }
}
