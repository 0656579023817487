//! A translation memory that finds the pairs with an n-gram on either side.

use std::ops::Range;

use super::suffixes::SuffixArray;
use super::text::{Text, END};
use super::{LONGEST, ORDERS};
use crate::error::Result;

/// Collects the pairs of a memory.
#[derive(Default)]
pub struct MemoryBuilder {
    source: Text,
    target: Text,
    lowercase: bool,
}

impl MemoryBuilder {
    pub fn new(lowercase: bool) -> Self {
        MemoryBuilder { lowercase, ..Default::default() }
    }

    pub fn len(&self) -> usize {
        self.target.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a pair of tokenised lines.
    pub fn add(&mut self, source: &str, target: &str) -> Result<()> {
        self.source.push(source, self.lowercase)?;
        self.target.push(target, self.lowercase)
    }

    /// Sorts both sides, on the current pool.
    pub fn finish(mut self) -> Memory {
        self.source.shrink();
        self.target.shrink();
        let sources = SuffixArray::new(&self.source, LONGEST);
        let targets = SuffixArray::new(&self.target, ORDERS);
        Memory { source: self.source, target: self.target, sources, targets, lowercase: self.lowercase }
    }
}

/// About 10 bytes for each word of either side, 16 for each pair, and the two vocabularies: 2.4 GB for 10 million pairs
/// of 12 words a side.
pub struct Memory {
    pub source: Text,
    pub target: Text,
    pub sources: SuffixArray,
    pub targets: SuffixArray,
    lowercase: bool,
}

impl Memory {
    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.target.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn lowercase(&self) -> bool {
        self.lowercase
    }

    /// At most `most` occurrences of a source n-gram, evenly spaced over `range`, as pairs: sorted, each once.
    pub fn sample(&self, range: Range<u32>, most: usize) -> Vec<u32> {
        let (found, most) = (u64::from(range.end - range.start), most as u64);
        let rank = |k: u64| if found <= most { k } else { k * found / most };
        let mut pairs: Vec<u32> = (0..found.min(most))
            .map(|k| self.sources.position(range.start + rank(k) as u32))
            .map(|position| self.sources.sentence(&self.source, position))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The pairs whose source is exactly these words, sorted.
    pub fn identical(&self, source: &[u32]) -> Vec<u32> {
        if source.is_empty() {
            return (0..self.len() as u32)
                .filter(|&pair| self.source.get(pair as usize).is_empty())
                .collect();
        }
        let mut range = self.sources.find(&self.source, &source[..source.len().min(LONGEST)]);
        if source.len() < LONGEST {
            range = self.sources.narrow(&self.source, range, source.len(), END);
        }
        let mut pairs: Vec<u32> = range
            .map(|rank| self.sources.position(rank))
            .map(|position| (position, self.sources.sentence(&self.source, position)))
            .filter(|&(position, pair)| self.source.starts()[pair as usize] == position)
            .filter(|&(_, pair)| self.source.get(pair as usize) == source)
            .map(|(_, pair)| pair)
            .collect();
        pairs.sort_unstable();
        pairs
    }
}
