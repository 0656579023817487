//! Hash tables of n-grams.
//!
//! An n-gram hangs below the n-gram of one word less on its left: its entry names that parent by its place and its
//! own first word, which together are exact, and lies near the place that the hash of all its words gives. So the places of
//! all orders are known before any is read, no two n-grams can be taken for one another, and the words can be
//! read back. Collisions go to the following places in descending order of (parent, word) (Amble and Knuth
//! 1974): a search for an absent n-gram ends as early as for a present one, and the table does not depend on
//! the order of insertion.

use crate::lm::hash;

/// A word's own entry, found by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Unigram {
    pub prob: f32,
    pub backoff: f32,
}

/// An entry of an order between the first and the last. All zero: free.
///
/// `prob` has its sign bit set if an n-gram with one more word on the left is in the model, and cleared if not; the
/// log10 probability is the value with the bit set. `backoff` is -0.0 if no n-gram has this one as its context.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Middle {
    pub parent: u32,
    /// The n-gram's first word, plus one.
    pub word: u32,
    pub prob: f32,
    pub backoff: f32,
}

/// An entry of the last order. All zero: free.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Longest {
    pub parent: u32,
    pub word: u32,
    pub prob: f32,
}

pub trait Entry: Copy {
    fn key(&self) -> u64;
}

impl Entry for Middle {
    #[inline]
    fn key(&self) -> u64 {
        key(self.parent, self.word)
    }
}

impl Entry for Longest {
    #[inline]
    fn key(&self) -> u64 {
        key(self.parent, self.word)
    }
}

#[inline]
fn key(parent: u32, word: u32) -> u64 {
    u64::from(parent) << 32 | u64::from(word)
}

/// An n-gram in the model: its place in the table of its order, and the hash of its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Node {
    pub place: u32,
    pub hash: u32,
}

impl Node {
    #[inline]
    pub fn unigram(word: u32) -> Self {
        Node { place: word, hash: hash::chain(0, word) }
    }
}

/// The place of the entry (`parent`, `word`), looked for from the place `from` on.
#[inline]
pub fn find<E: Entry>(entries: &[E], from: usize, parent: u32, word: u32) -> Option<usize> {
    let wanted = key(parent, word + 1);
    let mut at = from;
    // A free place has key 0, so every search ends there at the latest; in a damaged file, at the end of the table.
    while let Some(entry) = entries.get(at) {
        if entry.key() <= wanted {
            return (entry.key() == wanted).then_some(at);
        }
        at += 1;
    }
    None
}

/// Puts an entry in; `false` if its key is there already or no place is left.
pub fn insert<E: Entry>(entries: &mut [E], from: usize, entry: E) -> bool {
    let mut entry = entry;
    for place in &mut entries[from..] {
        if place.key() == entry.key() {
            return false;
        }
        if place.key() < entry.key() {
            std::mem::swap(place, &mut entry);
            if entry.key() == 0 {
                return true;
            }
        }
    }
    false
}

/// Whether a stored probability says that an n-gram with one more word on the left is in the model.
#[inline]
pub fn extends_left(prob: f32) -> bool {
    prob.is_sign_negative()
}

/// The log10 probability behind a stored one.
#[inline]
pub fn log_prob(prob: f32) -> f32 {
    f32::from_bits(prob.to_bits() | 1 << 31)
}

/// Whether a backoff says that some n-gram has this one as its context.
#[inline]
pub fn extends_right(backoff: f32) -> bool {
    backoff.to_bits() != (-0.0f32).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_find_what_is_there_and_do_not_depend_on_order() {
        let entry = |i: u32| Middle { parent: i * 7919 % 50, word: i + 1, prob: -1.0, backoff: i as f32 };
        let home = |e: &Middle| hash::place(hash::chain(e.parent, e.word), 125);
        let mut tables = Vec::new();
        for reverse in [false, true] {
            let mut table = vec![Middle::default(); 125 + 101];
            for i in 0..100 {
                let e = entry(if reverse { 99 - i } else { i });
                assert!(insert(&mut table, home(&e), e));
                assert!(!insert(&mut table.clone(), home(&e), e), "a second time");
            }
            for i in 0..100 {
                let e = entry(i);
                let at = find(&table, home(&e), e.parent, e.word - 1).unwrap();
                assert_eq!(table[at], e);
                assert_eq!(find(&table, home(&e), e.parent + 50, e.word - 1), None);
            }
            tables.push(table);
        }
        assert_eq!(tables[0], tables[1]);
    }
}
