//! Numbering of word or character n-grams.

use crate::store::hashing::FastMap;

/// Numbers n-grams from 0 in order of appearance. An n-gram is the number of its first n - 1 units, or [`EMPTY_NGRAM`], plus
/// one more unit.
#[derive(Debug, Default)]
pub struct Ngrams {
    next: FastMap<(u32, u32), u32>,
}

/// The empty n-gram.
pub const EMPTY_NGRAM: u32 = u32::MAX;

impl Ngrams {
    /// The number of n-grams, which is also the number of the next new one.
    #[inline]
    pub fn len(&self) -> usize {
        self.next.len()
    }

    pub fn is_empty(&self) -> bool {
        self.next.is_empty()
    }

    /// Removes all n-grams.
    pub fn clear(&mut self) {
        self.next.clear();
    }

    /// The number of an n-gram extended by a unit; new ones are added.
    #[inline]
    pub fn number(&mut self, before: u32, unit: u32) -> u32 {
        let new = self.next.len() as u32;
        *self.next.entry((before, unit)).or_insert(new)
    }

    /// The number of an n-gram extended by a unit, if it is known.
    #[inline]
    pub fn get(&self, before: u32, unit: u32) -> Option<u32> {
        self.next.get(&(before, unit)).copied()
    }
}
