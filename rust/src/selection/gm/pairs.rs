//! Counts of words that occur near one another, with bounded memory.

use std::path::Path;

use crate::error::Result;
use crate::store::runs::{Heap, Occurrence, Run, Runs, ONE};

/// The key of a word that is not counted.
pub const NO_KEY: u32 = u32::MAX;

/// One occurrence, in the units of sorted runs.
pub const ONCE: Occurrence = Occurrence { weight: ONE, orientation: Heap::NONE };

/// Adds every pair of different words of a sentence that are at most `window` positions apart, in both directions.
pub fn push_pairs(words: &[u32], window: usize, heap: &mut Heap) {
    for (at, &one) in words.iter().enumerate().filter(|(_, &word)| word != NO_KEY) {
        let near = words[at + 1..].iter().take(window).filter(|&&word| word != NO_KEY && word != one);
        for &other in near {
            for (a, b) in [(one, other), (other, one)] {
                let mut record = [0; 8];
                record[..4].copy_from_slice(&a.to_be_bytes());
                record[4..].copy_from_slice(&b.to_be_bytes());
                heap.push(&record, ONCE);
            }
        }
    }
}

/// The counted pairs of a corpus. Every pair is counted in both directions.
pub struct Pairs {
    runs: Runs,
    /// The number of pairs of each word.
    pub of_word: Vec<u64>,
    /// The sum of `of_word`.
    pub total: u64,
}

impl Pairs {
    /// `budget` in bytes; the rest is written to `folder`.
    pub fn new(folder: &Path, budget: usize) -> Self {
        Pairs { runs: Runs::new(folder, budget), of_word: Vec::new(), total: 0 }
    }

    pub fn push(&mut self, run: Run) -> Result<()> {
        for (record, counts) in run.iter() {
            let (word, _) = read(record);
            let count = counts.occurrences / ONE;
            if self.of_word.len() <= word as usize {
                self.of_word.resize(word as usize + 1, 0);
            }
            self.of_word[word as usize] += count;
            self.total += count;
        }
        self.runs.push(run)
    }

    /// ln (p(a, b) / (p(a) p(b))) of a pair with this count; p over all counted pairs.
    pub fn pmi(&self, a: u32, b: u32, count: u64) -> f64 {
        pmi(count, self.of_word[a as usize], self.of_word[b as usize], self.total)
    }

    /// Calls `found(word, neighbour, count)` in order.
    pub fn each(&mut self, mut found: impl FnMut(u32, u32, u64) -> Result<()>) -> Result<()> {
        let mut merge = self.runs.merge()?;
        while let Some((record, counts)) = merge.next()? {
            let (a, b) = read(record);
            found(a, b, counts.occurrences / ONE)?;
        }
        Ok(())
    }
}

/// ln (p(a, b) / (p(a) p(b))) of pairs that are counted in both directions: `of_a` and `of_b` sum over the
/// neighbours of a word, and `total` over all words, so it is twice the number of pairs.
pub fn pmi(count: u64, of_a: u64, of_b: u64, total: u64) -> f64 {
    (count as f64 * total as f64 / (of_a as f64 * of_b as f64)).ln()
}

fn read(record: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
    (number(0), number(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a b - a c with a window of 2: the pairs are ab, ba (positions 1 and 3) and ac; c is out of reach of b.
    #[test]
    fn a_window_by_hand() {
        let mut heap = Heap::default();
        push_pairs(&[0, 1, NO_KEY, 0, 2], 2, &mut heap);
        let mut pairs = Pairs::new(&std::env::temp_dir(), usize::MAX);
        pairs.push(heap.take_run()).unwrap();
        let mut found = Vec::new();
        pairs
            .each(|a, b, count| {
                found.push((a, b, count));
                Ok(())
            })
            .unwrap();
        assert_eq!(found, [(0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 0, 1)]);
        assert_eq!((pairs.of_word.as_slice(), pairs.total), (&[3, 2, 1][..], 6));
        // p(a, b) = 2/6, p(a) = 3/6, p(b) = 2/6.
        assert!((pairs.pmi(0, 1, 2) - 2f64.ln()).abs() < 1e-12);
    }
}
