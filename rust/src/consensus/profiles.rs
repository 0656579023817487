//! The n-grams of a string as sorted numbers, so that the overlap of two strings is found by merging them.

use crate::metric::ngrams::{Ngrams, EMPTY_NGRAM};

/// The highest n-gram order of any measure: six characters for chrF.
pub const MAX_ORDER: usize = 6;

/// A string with its n-grams.
pub struct Profile {
    units: Vec<u32>,
    /// By order, then ascending, each repeated as often as it occurs.
    grams: Vec<u32>,
    starts: [usize; MAX_ORDER + 1],
    distinct: [u32; MAX_ORDER],
}

impl Profile {
    /// Computes the n-grams of up to `order` units, with their numbers in `known`.
    pub fn new(known: &mut Ngrams, units: &[u32], order: usize) -> Self {
        let order = order.min(MAX_ORDER);
        let mut starts = [0; MAX_ORDER + 1];
        for n in 0..MAX_ORDER {
            starts[n + 1] = starts[n] + if n < order { units.len().saturating_sub(n) } else { 0 };
        }
        let mut grams = vec![0; starts[MAX_ORDER]];
        for first in 0..units.len() {
            let mut gram = EMPTY_NGRAM;
            for (n, &unit) in units[first..].iter().take(order).enumerate() {
                gram = known.number(gram, unit);
                grams[starts[n] + first] = gram;
            }
        }
        let mut distinct = [0; MAX_ORDER];
        for n in 0..order {
            let own = &mut grams[starts[n]..starts[n + 1]];
            own.sort_unstable();
            distinct[n] = own.chunk_by(|a, b| a == b).count() as u32;
        }
        Profile { units: units.to_vec(), grams, starts, distinct }
    }

    /// Words or letters.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The number of n-grams; `n` counts from 1.
    pub fn total(&self, n: usize) -> usize {
        self.starts[n] - self.starts[n - 1]
    }

    /// The number of distinct n-grams.
    pub fn distinct(&self, n: usize) -> u32 {
        self.distinct[n - 1]
    }

    fn grams(&self, n: usize) -> &[u32] {
        &self.grams[self.starts[n - 1]..self.starts[n]]
    }
}

/// The n-grams that two strings share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    /// Matches of each order, with multiplicity: the lower of both counts.
    pub clipped: [u32; MAX_ORDER],
    /// The number of distinct shared n-grams of each order.
    pub shared: [u32; MAX_ORDER],
    /// Whether the strings are equal.
    pub equal: bool,
}

impl Overlap {
    pub fn new(a: &Profile, b: &Profile) -> Self {
        let mut found = Overlap { equal: a.units == b.units, ..Overlap::default() };
        for n in 1..=MAX_ORDER {
            let (clipped, shared) = common(a.grams(n), b.grams(n));
            (found.clipped[n - 1], found.shared[n - 1]) = (clipped, shared);
            // A longer match would contain one of this order.
            if clipped == 0 {
                break;
            }
        }
        found
    }
}

fn common(a: &[u32], b: &[u32]) -> (u32, u32) {
    let (mut at, mut other, mut clipped, mut shared) = (0, 0, 0, 0);
    let mut last = EMPTY_NGRAM;
    while at < a.len() && other < b.len() {
        let (one, two) = (a[at], b[other]);
        if one == two {
            clipped += 1;
            shared += u32::from(one != last);
            last = one;
        }
        at += usize::from(one <= two);
        other += usize::from(two <= one);
    }
    (clipped, shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_clipped_and_sets_count_once() {
        let mut known = Ngrams::default();
        let one = Profile::new(&mut known, &[7, 7, 7, 8, 7, 7], 4);
        let two = Profile::new(&mut known, &[7, 7, 9, 7, 7, 8], 4);
        let found = Overlap::new(&one, &two);
        // Words 7 7 7 7 8 in both; bigrams 7 7 (3 and 2 times) and 7 8; trigram 7 7 8.
        assert_eq!(found.clipped, [5, 3, 1, 0, 0, 0]);
        assert_eq!(found.shared, [2, 2, 1, 0, 0, 0]);
        assert!(!found.equal && Overlap::new(&one, &one).equal);
        assert_eq!((one.total(1), one.total(4), one.distinct(2)), (6, 3, 3));
        let short = Profile::new(&mut known, &[7], 4);
        assert_eq!((short.total(1), short.total(2), short.distinct(2)), (1, 0, 0));
    }
}
