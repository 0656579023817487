//! A sorted column of hashes, split into parts by leading bits for fast lookup.

use std::ops::Range;

use crate::store::prefetch::prefetch;

/// Approximate number of entries in a part: one cache line.
const SHARE: usize = 8;

/// The start of each part of a sorted column, and the end of the last.
///
/// The number of parts is a power of two, so that the leading bits of a hash are the number of its part.
pub fn parts(numbers: &[u64]) -> Vec<u32> {
    let many = 1 << (numbers.len() / SHARE).max(1).ilog2();
    let mut starts = Vec::with_capacity(many + 1);
    for (at, &number) in numbers.iter().enumerate() {
        let own = part(many, number);
        starts.extend((starts.len()..=own).map(|_| at as u32));
    }
    starts.resize(many + 1, numbers.len() as u32);
    starts
}

fn part(many: usize, number: u64) -> usize {
    ((u128::from(number) * many as u128) >> 64) as usize
}

/// A sorted column as stored in a file: the hashes, and the starts of their parts.
#[derive(Clone, Copy)]
pub struct SortedColumn<'a> {
    pub numbers: &'a [u64],
    pub starts: &'a [u32],
}

impl SortedColumn<'_> {
    /// Whether the starts are consistent with the column.
    pub fn fits(&self) -> bool {
        self.starts.len() > 1
            && self.starts[0] == 0
            && self.starts.windows(2).all(|two| two[0] <= two[1])
            && self.starts.last() == Some(&(self.numbers.len() as u32))
    }

    fn part(&self, number: u64) -> usize {
        part(self.starts.len() - 1, number)
    }

    /// The part that a number is in, if the column has it.
    pub fn part_of(&self, number: u64) -> Range<usize> {
        let part = self.part(number);
        self.starts[part] as usize..self.starts[part + 1] as usize
    }

    /// Prefetches the part of a number.
    pub fn prefetch(&self, number: u64) {
        prefetch(self.starts, self.part(number));
    }

    /// The index of a number, within its part.
    pub fn find_in(&self, part: Range<usize>, number: u64) -> Option<usize> {
        let first = part.start;
        self.numbers[part].binary_search(&number).ok().map(|at| first + at)
    }

    /// The index of a number.
    pub fn find(&self, number: u64) -> Option<usize> {
        self.find_in(self.part_of(number), number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hashing;

    #[test]
    fn every_number_is_found_and_no_other() {
        for size in [0u64, 1, 2, 100, 5000] {
            let mut numbers: Vec<u64> = (0..size).map(|n| hashing::word(&n.to_le_bytes())).collect();
            numbers.sort_unstable();
            let starts = parts(&numbers);
            let sorted = SortedColumn { numbers: &numbers, starts: &starts };
            assert!(sorted.fits());
            for (at, &number) in numbers.iter().enumerate() {
                assert_eq!(sorted.find(number), Some(at));
                assert_eq!(sorted.find(number ^ 1), None);
            }
            assert_eq!((sorted.find(0), sorted.find(u64::MAX)), (None, None));
        }
    }

    #[test]
    fn parts_that_are_not_of_the_column_do_not_fit() {
        let numbers = [1, 5, u64::MAX];
        let fits = |starts: &[u32]| SortedColumn { numbers: &numbers, starts }.fits();
        assert!(fits(&parts(&numbers)) && fits(&[0, 2, 3]));
        for wrong in [&[][..], &[3], &[0, 2], &[1, 3], &[0, 3, 2, 3], &[0, 4]] {
            assert!(!fits(wrong), "{wrong:?}");
        }
    }
}
