//! Hash tables of n-grams.
//!
//! The parent of an n-gram is the n-gram without its first word. An entry identifies its n-gram exactly by its parent's
//! index and its own first word, and is stored in or after the bucket given by the hash of all its words. So the
//! buckets of all orders are known before any is read, no two n-grams can be confused, and the words can be
//! reconstructed.
//!
//! A bucket is one cache line, laid out in columns so that all its keys are compared at once. Entries of a full bucket
//! go to the following ones, all in descending order of their keys (Amble and Knuth 1974): a search for an absent
//! n-gram ends as early as for a present one, and the table does not depend on the order of insertion.

use super::hash;

/// The entry of a word, found by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Unigram {
    pub prob: f32,
    pub backoff: f32,
}

/// An entry of an order between the first and the last; all zero if free.
///
/// The sign bit of `prob` is set if the model has an n-gram with one more word on the left; the log10 probability is
/// the value with the bit set. `backoff` is -0.0 if this n-gram is the context of no other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Middle {
    pub parent: u32,
    /// The n-gram's first word, plus one.
    pub word: u32,
    pub prob: f32,
    pub backoff: f32,
}

/// An entry of the highest order; all zero if free.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Longest {
    pub parent: u32,
    pub word: u32,
    pub prob: f32,
}

/// The key of an entry in its order; 0 for a free slot.
#[inline]
fn key(parent: u32, word: u32) -> u64 {
    u64::from(word) << 32 | u64::from(parent)
}

/// A cache line of entries.
pub trait Bucket: Copy {
    type Entry: Copy;
    const WIDTH: usize;
    /// The index of the entry with this parent and word + 1.
    fn matching(&self, parent: u32, word: u32) -> Option<usize>;
    fn get(&self, index: usize) -> Self::Entry;
    fn set(&mut self, index: usize, entry: Self::Entry);
    fn key(&self, index: usize) -> u64;
    fn key_of(entry: &Self::Entry) -> u64;

    fn entries(&self) -> impl Iterator<Item = Self::Entry> + '_ {
        (0..Self::WIDTH).map(|index| self.get(index))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct MiddleBucket {
    parents: [u32; 4],
    words: [u32; 4],
    probs: [f32; 4],
    backoffs: [f32; 4],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct LongestBucket {
    parents: [u32; 5],
    words: [u32; 5],
    probs: [f32; 5],
    unused: u32,
}

/// The index at which two columns of four have these values.
#[inline]
fn matching(parents: &[u32; 4], words: &[u32; 4], parent: u32, word: u32) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE2, and the arrays have the 16 bytes that are read.
    let bits = unsafe {
        use std::arch::x86_64::*;
        let parents = _mm_loadu_si128(parents.as_ptr().cast());
        let words = _mm_loadu_si128(words.as_ptr().cast());
        let same = _mm_and_si128(
            _mm_cmpeq_epi32(parents, _mm_set1_epi32(parent as i32)),
            _mm_cmpeq_epi32(words, _mm_set1_epi32(word as i32)),
        );
        _mm_movemask_ps(_mm_castsi128_ps(same)) as u32
    };
    #[cfg(not(target_arch = "x86_64"))]
    let bits = (0..4).fold(0u32, |bits, index| {
        bits | u32::from(parents[index] == parent && words[index] == word) << index
    });
    (bits != 0).then_some(bits.trailing_zeros() as usize & 3)
}

impl Bucket for MiddleBucket {
    type Entry = Middle;
    const WIDTH: usize = 4;

    #[inline]
    fn matching(&self, parent: u32, word: u32) -> Option<usize> {
        matching(&self.parents, &self.words, parent, word)
    }

    #[inline]
    fn get(&self, index: usize) -> Middle {
        Middle {
            parent: self.parents[index],
            word: self.words[index],
            prob: self.probs[index],
            backoff: self.backoffs[index],
        }
    }

    fn set(&mut self, index: usize, entry: Middle) {
        self.parents[index] = entry.parent;
        self.words[index] = entry.word;
        self.probs[index] = entry.prob;
        self.backoffs[index] = entry.backoff;
    }

    #[inline]
    fn key(&self, index: usize) -> u64 {
        key(self.parents[index], self.words[index])
    }

    fn key_of(entry: &Middle) -> u64 {
        key(entry.parent, entry.word)
    }
}

impl Bucket for LongestBucket {
    type Entry = Longest;
    const WIDTH: usize = 5;

    #[inline]
    fn matching(&self, parent: u32, word: u32) -> Option<usize> {
        let parents = self.parents.first_chunk().expect("five are four and more");
        let words = self.words.first_chunk().expect("five are four and more");
        let last = (self.parents[4] == parent && self.words[4] == word).then_some(4);
        matching(parents, words, parent, word).or(last)
    }

    #[inline]
    fn get(&self, index: usize) -> Longest {
        Longest { parent: self.parents[index], word: self.words[index], prob: self.probs[index] }
    }

    fn set(&mut self, index: usize, entry: Longest) {
        self.parents[index] = entry.parent;
        self.words[index] = entry.word;
        self.probs[index] = entry.prob;
    }

    #[inline]
    fn key(&self, index: usize) -> u64 {
        key(self.parents[index], self.words[index])
    }

    fn key_of(entry: &Longest) -> u64 {
        key(entry.parent, entry.word)
    }
}

/// An n-gram in the model: its index in the table of its order, and the hash of its words.
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

/// The highest number of buckets probed. Runs of full buckets become rarer by a tenth with each bucket: in tables that
/// are four fifths full none is half as long, and a malicious file cannot cause longer searches.
pub const LONGEST_SEARCH: usize = 1024;

/// The index of the entry (`parent`, `word`) and the entry, searched from the bucket `from` on.
#[inline]
pub fn find<B: Bucket>(buckets: &[B], from: usize, parent: u32, word: u32) -> Option<(u32, B::Entry)> {
    let mut at = from;
    // The last bucket is never full, so every search ends there at the latest; in a damaged file, at the end.
    while let Some(bucket) = buckets.get(at) {
        if let Some(index) = bucket.matching(parent, word + 1) {
            return Some(((at * B::WIDTH + index) as u32, bucket.get(index)));
        }
        if bucket.key(B::WIDTH - 1) < key(parent, word + 1) {
            return None;
        }
        at += 1;
        if at == from + LONGEST_SEARCH {
            return None;
        }
    }
    None
}

/// The entry at an index.
#[inline]
pub fn entry<B: Bucket>(buckets: &[B], place: u32) -> Option<B::Entry> {
    buckets.get(place as usize / B::WIDTH).map(|bucket| bucket.get(place as usize % B::WIDTH))
}

/// Inserts an entry; `false` if its key exists already or no slot is free.
pub fn insert<B: Bucket>(buckets: &mut [B], from: usize, entry: B::Entry) -> bool {
    let mut entry = entry;
    for bucket in &mut buckets[from..] {
        for index in 0..B::WIDTH {
            let here = bucket.key(index);
            if here == B::key_of(&entry) {
                return false;
            }
            if here < B::key_of(&entry) {
                let displaced = bucket.get(index);
                bucket.set(index, entry);
                if here == 0 {
                    return true;
                }
                entry = displaced;
            }
        }
    }
    false
}

impl MiddleBucket {
    /// The stored probability and backoff at an index of the table.
    pub fn scores_mut(buckets: &mut [Self], place: u32) -> (&mut f32, &mut f32) {
        let bucket = &mut buckets[place as usize / Self::WIDTH];
        let index = place as usize % Self::WIDTH;
        (&mut bucket.probs[index], &mut bucket.backoffs[index])
    }
}

/// Whether a stored probability marks an n-gram that has a left extension in the model.
#[inline]
pub fn extends_left(prob: f32) -> bool {
    prob.is_sign_negative()
}

/// The log10 probability of a stored value.
#[inline]
pub fn log_prob(prob: f32) -> f32 {
    f32::from_bits(prob.to_bits() | 1 << 31)
}

/// Whether a backoff marks an n-gram that is the context of another.
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
                assert_eq!((found, entry(&table, at)), (e, Some(e)));
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
