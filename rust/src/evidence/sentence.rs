//! One input sentence in the memory: where its source n-grams occur and which target n-grams a pair has.

use std::ops::Range;

use super::memory::Memory;
use super::ngrams::NgramSet;
use super::{RowSettings, LONGEST};
use crate::store::hashing::FastMap;

/// The source n-grams of an input in the memory without the pairs that are left out.
pub struct Lookup<'a> {
    pub memory: &'a Memory,
    pub settings: RowSettings,
    pub source: &'a [u32],
    /// Pairs left out, sorted.
    pub left_out: Vec<u32>,
    pub ngrams: NgramSet,
    /// For each source n-gram its suffixes in the memory.
    pub ranges: Vec<Range<u32>>,
    /// F_s: for each source n-gram the number of pairs with it.
    pub frequencies: Vec<usize>,
}

impl<'a> Lookup<'a> {
    /// `left_out` is sorted.
    pub fn new(memory: &'a Memory, settings: RowSettings, source: &'a [u32], left_out: &[u32]) -> Self {
        let mut left_out = left_out.to_vec();
        if settings.skip_identical {
            left_out.extend(memory.identical(source));
            left_out.sort_unstable();
            left_out.dedup();
        }
        let ngrams = NgramSet::new(std::iter::once(source), LONGEST);
        let mut ranges: Vec<Range<u32>> = Vec::with_capacity(ngrams.len());
        let mut frequencies = Vec::with_capacity(ngrams.len());
        for ngram in ngrams.iter() {
            let range = match ngram.parent() {
                None => memory.sources.word(ngram.word),
                Some(parent) if ranges[parent].is_empty() => 0..0,
                Some(parent) => memory.sources.narrow(
                    &memory.source,
                    ranges[parent].clone(),
                    ngram.length - 1,
                    ngram.word,
                ),
            };
            frequencies.push(memory.sources.sentences_with(range.clone(), ngram.length));
            ranges.push(range);
        }
        let (mut seen, mut found) = (vec![false; ngrams.len()], Vec::new());
        for &pair in &left_out {
            found.clear();
            ngrams.find_in(memory.source.get(pair as usize), &mut seen, &mut found);
            found.iter().for_each(|&ngram| frequencies[ngram as usize] -= 1);
        }
        Lookup { memory, settings, source, left_out, ngrams, ranges, frequencies }
    }

    /// N: the pairs of the memory that are not left out.
    pub fn pairs(&self) -> usize {
        self.memory.len() - self.left_out.len()
    }

    pub fn is_left_out(&self, pair: u32) -> bool {
        self.left_out.binary_search(&pair).is_ok()
    }

    /// D: pairs whose source has this n-gram, at most `sample`.
    pub fn sample(&self, ngram: usize) -> Vec<u32> {
        let mut pairs = self.memory.sample(self.ranges[ngram].clone(), self.settings.sample);
        if !self.left_out.is_empty() {
            pairs.retain(|&pair| !self.is_left_out(pair));
        }
        pairs
    }

    /// df(g): for each target n-gram the number of pairs with it.
    pub fn target_frequencies(&self, targets: &NgramSet) -> Vec<usize> {
        let memory = self.memory;
        let mut ranges: Vec<Range<u32>> = Vec::with_capacity(targets.len());
        let mut frequencies = Vec::with_capacity(targets.len());
        for ngram in targets.iter() {
            let range = match ngram.parent() {
                None => memory.targets.word(ngram.word),
                Some(parent) if ranges[parent].is_empty() => 0..0,
                Some(parent) => memory.targets.narrow(
                    &memory.target,
                    ranges[parent].clone(),
                    ngram.length - 1,
                    ngram.word,
                ),
            };
            frequencies.push(memory.targets.sentences_with(range.clone(), ngram.length));
            ranges.push(range);
        }
        let mut hits = TargetHits::new(memory, targets);
        for &pair in &self.left_out {
            hits.of(pair).iter().for_each(|&ngram| frequencies[ngram as usize] -= 1);
        }
        frequencies
    }
}

/// Which n-grams of the candidates the target side of a pair has; each pair is searched once.
pub struct TargetHits<'a> {
    memory: &'a Memory,
    ngrams: &'a NgramSet,
    known: FastMap<u32, Range<usize>>,
    found: Vec<u32>,
    seen: Vec<bool>,
}

impl<'a> TargetHits<'a> {
    pub fn new(memory: &'a Memory, ngrams: &'a NgramSet) -> Self {
        let seen = vec![false; ngrams.len()];
        TargetHits { memory, ngrams, known: FastMap::default(), found: Vec::new(), seen }
    }

    /// The n-grams of a pair, each once.
    pub fn of(&mut self, pair: u32) -> &[u32] {
        let range = match self.known.get(&pair) {
            Some(range) => range.clone(),
            None => {
                let start = self.found.len();
                let words = self.memory.target.get(pair as usize);
                self.ngrams.find_in(words, &mut self.seen, &mut self.found);
                self.known.insert(pair, start..self.found.len());
                start..self.found.len()
            }
        };
        &self.found[range]
    }
}
