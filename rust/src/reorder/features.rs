//! Features of a block pair: each of its eight end words alone, and pairs of them (Xiong et al. 2006, section 3.3).
//!
//! A place is a position in [`Words`](super::collect::Words): source first, source last, target first, target last of
//! the left block, then of the right one. A single feature is a place and its word; a conjunction is two places and
//! their words.

use super::collect::Counted;
use super::columns::{columns, Column};
use crate::error::{Error, Result};
use crate::maxent::binary::Examples;
use crate::maxent::rows::Rows;

pub const PLACES: usize = 8;

/// The places of the conjunctions: those between the blocks, then those within the left and the right block.
pub const CONJUNCTIONS: [(usize, usize); 12] =
    [(0, 4), (0, 5), (1, 4), (1, 5), (2, 6), (2, 7), (3, 6), (3, 7), (0, 2), (1, 3), (4, 6), (5, 7)];
/// The ranges of both kinds in [`CONJUNCTIONS`].
pub const BETWEEN: std::ops::Range<usize> = 0..8;
pub const WITHIN: [std::ops::Range<usize>; 2] = [8..10, 10..12];

/// Upper bound on word numbers, so that a conjunction and two words fit into 64 bits.
pub const MAX_VOCABULARY: usize = 1 << 30;

#[inline]
pub fn key(conjunction: usize, first: u32, second: u32) -> u64 {
    (conjunction as u64) << 60 | u64::from(first) << 30 | u64::from(second)
}

/// The start of each place's words in a table of all single features, and the end of the last.
pub fn starts(source_words: usize, target_words: usize) -> [usize; PLACES + 1] {
    let mut starts = [0; PLACES + 1];
    for place in 0..PLACES {
        let words = if place % 4 < 2 { source_words } else { target_words };
        starts[place + 1] = starts[place] + words;
    }
    starts
}

/// Numbers for all features that are frequent enough: the bias, a feature of every example, is 0, then come those of
/// single words, then those of conjunctions.
pub struct Features {
    pub starts: [usize; PLACES + 1],
    /// The feature of each place and word; 0 if there is none.
    pub singles: Vec<u32>,
    /// The keys of the conjunctions, in the ascending order of their features.
    pub conjunctions: Vec<u64>,
    pub number: usize,
}

impl Features {
    /// The features of at least `minimum` examples, and the examples with their features as input of the classifier; class
    /// 1 is straight. Besides what it returns, it uses 4 bytes for each distinct example and conjunction, and 4 bytes
    /// for each distinct example and thread.
    pub fn of(
        all: &[Counted],
        (source_words, target_words): (usize, usize),
        conjunctions: bool,
        minimum: u64,
    ) -> Result<(Self, Examples)> {
        if source_words.max(target_words) > MAX_VOCABULARY {
            return Err(Error::input("more than 1,073,741,824 different words on a side."));
        }
        if all.len() > u32::MAX as usize {
            return Err(Error::input("more than 4,294,967,295 different examples."));
        }
        let starts = starts(source_words, target_words);
        let mut seen = vec![0u64; starts[PLACES]];
        for one in all {
            for (place, &word) in one.words.iter().enumerate() {
                seen[starts[place] + word as usize] += one.total();
            }
        }
        let columns = if conjunctions { columns(all, &starts, minimum) } else { Vec::new() };
        let frequent = |n: &u64| *n >= minimum.max(1);
        let of_words = seen.iter().filter(|n| frequent(n)).count();
        let number = 1 + of_words + columns.iter().map(|column| column.keys.len()).sum::<usize>();
        if number > u32::MAX as usize {
            return Err(Error::input("more than 4,294,967,295 features.").hint("Set a higher minimum count."));
        }
        let mut last = 0;
        let mut single = |n: &u64| match frequent(n) {
            true => {
                last += 1;
                last
            }
            false => 0,
        };
        let singles: Vec<u32> = seen.iter().map(&mut single).collect();
        // The features of a conjunction are those after its offset.
        let before = |last: &mut u32, column: &Column| {
            let offset = *last;
            *last += column.keys.len() as u32;
            Some(offset)
        };
        let offsets: Vec<u32> = columns.iter().scan(last, before).collect();
        let mut rows = Rows::with_capacity(all.len(), all.len() * (1 + PLACES + columns.len()));
        for (row, one) in all.iter().enumerate() {
            let words = one.words.iter().zip(starts).map(|(&word, start)| singles[start + word as usize]);
            let joined = columns.iter().zip(&offsets).map(|(column, offset)| match column.features[row] {
                0 => 0,
                own => offset + own,
            });
            rows.push(std::iter::once(0).chain(words.chain(joined).filter(|&feature| feature > 0)));
        }
        let counts = all.iter().map(|one| one.counts.map(|n| n as f32)).collect();
        let keys = columns.into_iter().flat_map(|column| column.keys).collect();
        Ok((Features { starts, singles, conjunctions: keys, number }, Examples { rows, counts }))
    }

    /// The keys of conjunctions with their features.
    pub fn of_conjunctions(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        self.conjunctions.iter().copied().zip(self.number - self.conjunctions.len()..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<Counted> {
        vec![
            Counted { words: [0, 1, 0, 0, 1, 1, 0, 0], counts: [1, 2] },
            Counted { words: [0, 0, 0, 0, 1, 1, 0, 0], counts: [0, 1] },
        ]
    }

    #[test]
    fn rare_features_are_left_out() {
        let (features, examples) = Features::of(&two(), (2, 1), false, 2).unwrap();
        // Of the left block's last source words, number 1 has three examples and number 0 only one.
        assert_eq!((examples.rows.row(0).len(), examples.rows.row(1).len()), (9, 8));
        assert_eq!(features.number, 9);
        assert_eq!(examples.counts, [[1.0, 2.0], [0.0, 1.0]]);
    }

    #[test]
    fn conjunctions_join_what_the_table_says() {
        let (features, examples) = Features::of(&two(), (2, 1), true, 1).unwrap();
        assert_eq!(examples.rows.row(0).len(), 1 + 8 + 12);
        // They differ at place 1, which is part of three conjunctions.
        let shared = examples.rows.row(0).iter().filter(|f| examples.rows.row(1).contains(f)).count();
        assert_eq!(shared, 21 - 1 - 3);
        assert_eq!(features.number, 21 + 4);
    }

    #[test]
    fn keys_tell_conjunctions_and_words_apart() {
        let mut seen = std::collections::HashSet::new();
        for conjunction in 0..12 {
            for word in [0, 1, 77, (1 << 30) - 1] {
                for other in [0, 1, 77, (1 << 30) - 1] {
                    assert!(seen.insert(key(conjunction, word, other)));
                }
            }
        }
        assert!(!seen.contains(&u64::MAX));
    }
}
