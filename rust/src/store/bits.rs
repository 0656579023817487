//! Sets of source positions as machine words, for coverage, source sides and links.

use std::fmt::Debug;
use std::hash::Hash;

/// The longest sentence any part of the core accepts, in words.
pub const MAX_WORDS: usize = 256;

/// A set of positions. There are two sizes, so that a sentence of usual length costs one machine word.
pub trait NodeSet: Copy + Eq + Ord + Hash + Default + Debug + Send + Sync + 'static {
    const CAPACITY: usize;
    fn single(position: usize) -> Self;
    /// The positions `from..to`.
    fn range(from: usize, to: usize) -> Self;
    fn contains(self, position: usize) -> bool;
    fn union(self, other: Self) -> Self;
    fn intersection(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn is_empty(self) -> bool;
    fn len(self) -> usize;
    /// The smallest position; `None` for the empty set.
    fn first(self) -> Option<usize>;
    /// The largest position; `None` for the empty set.
    fn last(self) -> Option<usize>;
    /// The smallest position that is not in the set.
    fn first_absent(self) -> usize;

    fn with(self, position: usize) -> Self {
        self.union(Self::single(position))
    }

    fn meets(self, other: Self) -> bool {
        !self.intersection(other).is_empty()
    }

    fn iter(self) -> Positions<Self> {
        Positions(self)
    }
}

/// The positions of a set in ascending order.
pub struct Positions<B: NodeSet>(B);

impl<B: NodeSet> Iterator for Positions<B> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let position = self.0.first()?;
        self.0 = self.0.minus(B::single(position));
        Some(position)
    }
}

impl NodeSet for u64 {
    const CAPACITY: usize = 64;

    #[inline]
    fn single(position: usize) -> Self {
        1 << position
    }

    #[inline]
    fn range(from: usize, to: usize) -> Self {
        let below = |end: usize| if end >= 64 { u64::MAX } else { (1u64 << end) - 1 };
        below(to) & !below(from)
    }

    #[inline]
    fn contains(self, position: usize) -> bool {
        self >> position & 1 == 1
    }

    #[inline]
    fn union(self, other: Self) -> Self {
        self | other
    }

    #[inline]
    fn intersection(self, other: Self) -> Self {
        self & other
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        self & !other
    }

    #[inline]
    fn is_empty(self) -> bool {
        self == 0
    }

    #[inline]
    fn len(self) -> usize {
        self.count_ones() as usize
    }

    #[inline]
    fn first(self) -> Option<usize> {
        (self != 0).then(|| self.trailing_zeros() as usize)
    }

    #[inline]
    fn last(self) -> Option<usize> {
        (self != 0).then(|| 63 - self.leading_zeros() as usize)
    }

    #[inline]
    fn first_absent(self) -> usize {
        self.trailing_ones() as usize
    }
}

/// Up to [`MAX_WORDS`] positions.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Wide([u64; MAX_WORDS / 64]);

impl Wide {
    #[inline]
    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Wide(std::array::from_fn(|i| join(self.0[i], other.0[i])))
    }
}

impl NodeSet for Wide {
    const CAPACITY: usize = MAX_WORDS;

    #[inline]
    fn single(position: usize) -> Self {
        let mut set = Wide::default();
        set.0[position / 64] = 1 << (position % 64);
        set
    }

    #[inline]
    fn range(from: usize, to: usize) -> Self {
        Wide(std::array::from_fn(|i| {
            let base = i * 64;
            u64::range(from.clamp(base, base + 64) - base, to.clamp(base, base + 64) - base)
        }))
    }

    #[inline]
    fn contains(self, position: usize) -> bool {
        self.0[position / 64].contains(position % 64)
    }

    #[inline]
    fn union(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline]
    fn intersection(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.0.iter().all(|&part| part == 0)
    }

    #[inline]
    fn len(self) -> usize {
        self.0.iter().map(|part| part.count_ones() as usize).sum()
    }

    #[inline]
    fn first(self) -> Option<usize> {
        let part = self.0.iter().position(|&part| part != 0)?;
        Some(part * 64 + self.0[part].trailing_zeros() as usize)
    }

    #[inline]
    fn last(self) -> Option<usize> {
        let part = self.0.iter().rposition(|&part| part != 0)?;
        Some(part * 64 + 63 - self.0[part].leading_zeros() as usize)
    }

    #[inline]
    fn first_absent(self) -> usize {
        for (i, part) in self.0.iter().enumerate() {
            if *part != u64::MAX {
                return i * 64 + part.trailing_ones() as usize;
            }
        }
        MAX_WORDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees_with_a_list<B: NodeSet>(positions: &[usize]) {
        let set = positions.iter().fold(B::default(), |set, &p| set.with(p));
        assert_eq!(set.iter().collect::<Vec<_>>(), positions);
        assert_eq!(set.len(), positions.len());
        assert_eq!((set.first(), set.last()), (positions.first().copied(), positions.last().copied()));
        assert_eq!(set.first_absent(), (0..).find(|p| !positions.contains(p)).unwrap());
        assert!((0..B::CAPACITY).all(|p| set.contains(p) == positions.contains(&p)));
    }

    #[test]
    fn both_sizes_are_sets_of_positions() {
        for positions in [&[][..], &[0], &[63], &[0, 1, 2], &[1, 5, 62, 63]] {
            agrees_with_a_list::<u64>(positions);
            agrees_with_a_list::<Wide>(positions);
        }
        agrees_with_a_list::<Wide>(&[0, 63, 64, 127, 128, 255]);
        agrees_with_a_list::<Wide>(&(0..130).collect::<Vec<_>>());
    }

    #[test]
    fn ranges() {
        for (from, to) in [(0, 0), (0, 64), (3, 9), (63, 64)] {
            assert_eq!(u64::range(from, to).iter().collect::<Vec<_>>(), (from..to).collect::<Vec<_>>());
        }
        for (from, to) in [(0, 256), (60, 70), (64, 128), (200, 200)] {
            assert_eq!(Wide::range(from, to).iter().collect::<Vec<_>>(), (from..to).collect::<Vec<_>>());
        }
    }
}
