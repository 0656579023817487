//! Features of a block pair: each of its eight end words alone, and pairs of them (Xiong et al. 2006, section 3.3).
//!
//! A place is a position in [`Words`](super::collect::Words): source first, source last, target first, target last of
//! the left block, then of the right one. A single feature is a place and its word; a conjunction is two places and
//! their words.

use rayon::prelude::*;

use super::collect::Counted;
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
    /// 1 is straight. Besides what it returns, it uses 16 bytes for each distinct example.
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
                seen[starts[place] + word as usize] += total(one);
            }
        }
        let mut number = 1u32;
        let mut new = || {
            number = number.checked_add(1).ok_or_else(|| {
                Error::input("more than 4,294,967,295 features.").hint("Set a higher minimum count.")
            })?;
            Ok(number - 1)
        };
        let singles = seen
            .iter()
            .map(|&n| if n >= minimum.max(1) { new() } else { Ok(0) })
            .collect::<Result<Vec<u32>>>()?;
        let joined = if conjunctions { &CONJUNCTIONS[..] } else { &[] };
        // A column for each possible feature, 0 where an example does not have it.
        let width = 1 + PLACES + joined.len();
        let mut matrix = vec![0; all.len() * width];
        matrix.par_chunks_mut(width).zip(all).for_each(|(row, one)| {
            for (place, &word) in one.words.iter().enumerate() {
                row[1 + place] = singles[starts[place] + word as usize];
            }
        });
        let mut keys = Vec::new();
        for conjunction in 0..joined.len() {
            let sorted = sorted(all, conjunction);
            for same in sorted.chunk_by(|x, y| x.0 == y.0) {
                if same.iter().map(|&(_, row)| total(&all[row as usize])).sum::<u64>() >= minimum {
                    let feature = new()?;
                    keys.push(same[0].0);
                    for &(_, row) in same {
                        matrix[row as usize * width + 1 + PLACES + conjunction] = feature;
                    }
                }
            }
        }
        let counts = all.iter().map(|one| one.counts.map(|n| n as f32)).collect();
        let examples = Examples { rows: Rows::of_matrix(matrix, width), counts };
        Ok((Features { starts, singles, conjunctions: keys, number: number as usize }, examples))
    }

    /// The keys of conjunctions with their features.
    pub fn of_conjunctions(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        self.conjunctions.iter().copied().zip(self.number - self.conjunctions.len()..)
    }
}

fn total(one: &Counted) -> u64 {
    u64::from(one.counts[0]) + u64::from(one.counts[1])
}

/// The key of a conjunction in each example, and the number of the example, in ascending order.
fn sorted(all: &[Counted], conjunction: usize) -> Vec<(u64, u32)> {
    let (a, b) = CONJUNCTIONS[conjunction];
    let key = |one: &Counted| key(conjunction, one.words[a], one.words[b]);
    let mut found: Vec<(u64, u32)> =
        all.par_iter().enumerate().map(|(row, one)| (key(one), row as u32)).collect();
    found.par_sort_unstable();
    found
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
