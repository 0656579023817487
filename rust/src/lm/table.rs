//! Hash tables of n-grams.
//!
//! An n-gram hangs below the n-gram of one word less on its left: its entry names that parent by its place and its
//! own first word, which together are exact, and lies in or after the bucket that the hash of all its words gives. So the
//! buckets of all orders are known before any is read, no two n-grams can be taken for one another, and the words can
//! be read back.
//!
//! A bucket is one cache line. Entries that find no room go to the following buckets, all in descending order
//! of their keys (Amble and Knuth 1974): the place of an entry in a bucket is the number of greater keys, found without a branch;
//! a search for an absent n-gram ends as early as for a present one; and the table does not depend on the order
//! of insertion.

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

/// What names an entry in its order; 0 for a free place.
#[inline]
fn key(parent: u32, word: u32) -> u64 {
    u64::from(word) << 32 | u64::from(parent)
}

/// A cache line of entries.
pub trait Bucket: Copy {
    type Entry: Copy;
    const WIDTH: usize;
    fn entries(&self) -> &[Self::Entry];
    fn entries_mut(&mut self) -> &mut [Self::Entry];
    fn key(entry: &Self::Entry) -> u64;
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct MiddleBucket {
    entries: [Middle; 4],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct LongestBucket {
    entries: [Longest; 5],
    unused: u32,
}

impl Bucket for MiddleBucket {
    type Entry = Middle;
    const WIDTH: usize = 4;

    #[inline]
    fn entries(&self) -> &[Middle] {
        &self.entries
    }

    fn entries_mut(&mut self) -> &mut [Middle] {
        &mut self.entries
    }

    #[inline]
    fn key(entry: &Middle) -> u64 {
        key(entry.parent, entry.word)
    }
}

impl Bucket for LongestBucket {
    type Entry = Longest;
    const WIDTH: usize = 5;

    #[inline]
    fn entries(&self) -> &[Longest] {
        &self.entries
    }

    fn entries_mut(&mut self) -> &mut [Longest] {
        &mut self.entries
    }

    #[inline]
    fn key(entry: &Longest) -> u64 {
        key(entry.parent, entry.word)
    }
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

/// The place of the entry (`parent`, `word`) and the entry, looked for from the bucket `from` on.
#[inline]
pub fn find<B: Bucket>(buckets: &[B], from: usize, parent: u32, word: u32) -> Option<(u32, B::Entry)> {
    let wanted = key(parent, word + 1);
    let mut at = from;
    // The last bucket is never full, so every search ends there at the latest; in a damaged file, at the end.
    while let Some(bucket) = buckets.get(at) {
        let entries = bucket.entries();
        let greater: usize = entries.iter().map(|entry| usize::from(B::key(entry) > wanted)).sum();
        if let Some(entry) = entries.get(greater) {
            return (B::key(entry) == wanted).then_some(((at * B::WIDTH + greater) as u32, *entry));
        }
        at += 1;
    }
    None
}

/// The entry at a place.
#[inline]
pub fn entry<B: Bucket>(buckets: &[B], place: u32) -> Option<&B::Entry> {
    buckets.get(place as usize / B::WIDTH)?.entries().get(place as usize % B::WIDTH)
}

#[inline]
pub fn entry_mut<B: Bucket>(buckets: &mut [B], place: u32) -> Option<&mut B::Entry> {
    buckets.get_mut(place as usize / B::WIDTH)?.entries_mut().get_mut(place as usize % B::WIDTH)
}

/// Puts an entry in; `false` if its key is there already or no place is left.
pub fn insert<B: Bucket>(buckets: &mut [B], from: usize, entry: B::Entry) -> bool {
    let mut entry = entry;
    for place in buckets[from..].iter_mut().flat_map(B::entries_mut) {
        if B::key(place) == B::key(&entry) {
            return false;
        }
        if B::key(place) < B::key(&entry) {
            std::mem::swap(place, &mut entry);
            if B::key(&entry) == 0 {
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
        let make = |i: u32| Middle { parent: i * 7919 % 50, word: i + 1, prob: -1.0, backoff: i as f32 };
        let home = |e: &Middle| hash::place(hash::chain(e.parent, e.word), 30);
        let mut tables = Vec::new();
        for reverse in [false, true] {
            let mut table = vec![MiddleBucket::default(); 30 + 26];
            for i in 0..100 {
                let e = make(if reverse { 99 - i } else { i });
                assert!(insert(&mut table, home(&e), e));
                assert!(!insert(&mut table.clone(), home(&e), e), "a second time");
            }
            for i in 0..100 {
                let e = make(i);
                let (at, found) = find(&table, home(&e), e.parent, e.word - 1).unwrap();
                assert_eq!((found, entry(&table, at)), (e, Some(&e)));
                assert_eq!(find(&table, home(&e), e.parent + 50, e.word - 1), None);
            }
            tables.push(table);
        }
        assert_eq!(tables[0], tables[1]);
    }

    #[test]
    fn a_bucket_is_a_cache_line() {
        assert_eq!(std::mem::size_of::<MiddleBucket>(), 64);
        assert_eq!(std::mem::size_of::<LongestBucket>(), 64);
    }
}
