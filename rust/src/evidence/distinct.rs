//! Counts the sentences of an n-gram, not its occurrences, for any range of a suffix array.

use std::ops::Range;

use rayon::prelude::*;

use super::text::Text;
use crate::store::hashing::FastSet;
use crate::work::interrupt;

/// Bits between two entries of the table of counts.
const BLOCK: usize = 512;
/// Sentences up to this length are compared word by word.
const SHORT: usize = 48;

/// For each length of n-gram and each suffix, whether its n-gram occurs there for the first time in its sentence.
pub struct DistinctCounts {
    lengths: Vec<Bits>,
}

struct Bits {
    bits: Vec<u64>,
    /// How many bits are set before each block.
    counts: Vec<u32>,
}

impl DistinctCounts {
    pub fn new(text: &Text, positions: &[u32], depth: usize) -> Self {
        let repeated = repeated(text, depth);
        let bits = |length: usize| {
            interrupt::point();
            Bits::new(positions, |position| usize::from(repeated[position as usize]) < length)
        };
        DistinctCounts { lengths: (1..=depth).into_par_iter().map(bits).collect() }
    }

    pub fn count(&self, range: Range<u32>, length: usize) -> usize {
        let bits = &self.lengths[length - 1];
        bits.before(range.end as usize) - bits.before(range.start as usize)
    }

    #[inline]
    pub fn is_first(&self, rank: u32, length: usize) -> bool {
        let rank = rank as usize;
        self.lengths[length - 1].bits[rank / 64] >> (rank % 64) & 1 == 1
    }
}

impl Bits {
    fn new(positions: &[u32], is_first: impl Fn(u32) -> bool) -> Self {
        let word = |chunk: &[u32]| {
            chunk
                .iter()
                .enumerate()
                .fold(0, |bits, (at, &position)| bits | u64::from(is_first(position)) << at)
        };
        let bits: Vec<u64> = positions.chunks(64).map(word).collect();
        let mut sum = 0;
        let count = |block: &[u64]| {
            let before = sum;
            sum += block.iter().map(|word| word.count_ones()).sum::<u32>();
            before
        };
        let counts = bits.chunks(BLOCK / 64).map(count).collect();
        Bits { bits, counts }
    }

    /// How many bits are set before a rank.
    fn before(&self, rank: usize) -> usize {
        let (word, bit) = (rank / 64, rank % 64);
        // The end of the last block has no entry of its own.
        let block = (rank / BLOCK).min(self.counts.len().saturating_sub(1));
        let whole: u32 = self.bits[block * (BLOCK / 64)..word].iter().map(|word| word.count_ones()).sum();
        let part = if bit == 0 { 0 } else { (self.bits[word] & ((1 << bit) - 1)).count_ones() };
        (self.counts.get(block).copied().unwrap_or(0) + whole + part) as usize
    }
}

/// For each position the length, up to `depth`, of the longest n-gram there that its sentence has earlier too.
fn repeated(text: &Text, depth: usize) -> Vec<u8> {
    let mut found = vec![0u8; text.words().len()];
    let mut rest = &mut found[..];
    let mut parts = Vec::new();
    for sentences in (0..text.len()).step_by(4096).map(|first| first..(first + 4096).min(text.len())) {
        let starts = text.starts();
        let (part, others) = rest.split_at_mut((starts[sentences.end] - starts[sentences.start]) as usize);
        rest = others;
        parts.push((sentences, part));
    }
    parts.into_par_iter().for_each(|(sentences, part)| {
        interrupt::point();
        let first = text.starts()[sentences.start] as usize;
        for sentence in sentences {
            let start = text.starts()[sentence] as usize - first;
            let words = text.get(sentence);
            let own = &mut part[start..start + words.len()];
            match words.len() <= SHORT {
                true => repeated_in_short(words, depth, own),
                false => repeated_in_long(words, depth, own),
            }
        }
    });
    found
}

fn repeated_in_short(words: &[u32], depth: usize, found: &mut [u8]) {
    for at in 1..words.len() {
        for earlier in 0..at {
            if words[earlier] == words[at] {
                let common = words[at..].iter().zip(&words[earlier..]).take(depth);
                let length = common.take_while(|(a, b)| a == b).count();
                found[at] = found[at].max(length as u8);
            }
        }
    }
}

/// The same, in time proportional to the length.
fn repeated_in_long(words: &[u32], depth: usize, found: &mut [u8]) {
    for length in 1..=depth {
        let mut seen: FastSet<&[u32]> = FastSet::default();
        for (at, ngram) in words.windows(length).enumerate() {
            if !seen.insert(ngram) {
                found[at] = length as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_sentences_are_treated_alike() {
        let words: Vec<u32> = (0..300u32).map(|n| n * n % 7 % 3 + 1).collect();
        for end in [0, 1, 2, 7, 40, 300] {
            let (mut short, mut long) = (vec![0; end], vec![0; end]);
            repeated_in_short(&words[..end], 6, &mut short);
            repeated_in_long(&words[..end], 6, &mut long);
            assert_eq!(short, long, "{end} words");
        }
    }

    #[test]
    fn bits_before_any_rank_are_counted() {
        for length in [0u32, 1, 63, 64, 511, 512, 513, 1024, 1500] {
            let positions: Vec<u32> = (0..length).collect();
            let is_set = |position: u32| position % 3 == 0 || position % 7 == 2;
            let bits = Bits::new(&positions, is_set);
            for rank in 0..=length {
                let wanted = (0..rank).filter(|&position| is_set(position)).count();
                assert_eq!(bits.before(rank as usize), wanted, "{rank} of {length}");
            }
        }
    }
}
