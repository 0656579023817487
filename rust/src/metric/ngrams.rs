//! Numbers for n-grams of words or letters.

use crate::store::hashing::FastMap;

/// Numbers n-grams from 0 on, as they come: an n-gram is its first n - 1 units, or [`NOTHING`], and one more.
#[derive(Debug, Default)]
pub struct Ngrams {
    next: FastMap<(u32, u32), u32>,
}

/// The n-gram before the first unit.
pub const NOTHING: u32 = u32::MAX;

impl Ngrams {
    /// How many there are, which is the number of the next new one.
    #[inline]
    pub fn len(&self) -> usize {
        self.next.len()
    }

    pub fn is_empty(&self) -> bool {
        self.next.is_empty()
    }

    /// Forgets all n-grams.
    pub fn clear(&mut self) {
        self.next.clear();
    }

    /// An n-gram and one more unit, which may be new.
    #[inline]
    pub fn number(&mut self, before: u32, unit: u32) -> u32 {
        let new = self.next.len() as u32;
        *self.next.entry((before, unit)).or_insert(new)
    }

    /// An n-gram and one more unit, if that is known.
    #[inline]
    pub fn get(&self, before: u32, unit: u32) -> Option<u32> {
        self.next.get(&(before, unit)).copied()
    }
}
