//! An n-gram as a 192-bit number, so that sorting compares whole machine words, and an 8-byte value.

use std::cmp::Ordering;

use super::MAX_ORDER;

/// Up to six words, the first in the highest bits; unused positions are zero.
///
/// In *suffix order* the last word comes first, then the last but one, and so on: when orders are merged, an n-gram
/// directly follows its own suffix. In *context order* the context comes first, in suffix order, and the last word at
/// the end: n-grams with the same context are adjacent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Key(pub [u64; MAX_ORDER / 2]);

// By hand, because comparing arrays is a loop.
impl Ord for Key {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a.cmp(&x).then_with(|| b.cmp(&y)).then_with(|| c.cmp(&z))
    }
}

impl PartialOrd for Key {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Key {
    /// From words in order of comparison.
    pub fn new(words: &[u32]) -> Self {
        let mut key = Key::default();
        for (place, &word) in words.iter().enumerate() {
            key.0[place / 2] |= u64::from(word) << shift(place);
        }
        key
    }

    /// The word at a position counted from 0.
    #[inline]
    pub fn word(&self, place: usize) -> u32 {
        (self.0[place / 2] >> shift(place)) as u32
    }

    /// The key with `word` in front of all others; the word at position five is dropped.
    #[inline]
    pub fn pushed(self, word: u32) -> Self {
        let [a, b, c] = self.0;
        Key([u64::from(word) << 32 | a >> 32, a << 32 | b >> 32, b << 32 | c >> 32])
    }

    /// The key without its first word.
    #[inline]
    pub fn popped(self) -> Self {
        let [a, b, c] = self.0;
        Key([a << 32 | b >> 32, b << 32 | c >> 32, c << 32])
    }

    /// The first `words` words.
    #[inline]
    pub fn prefix(self, words: usize) -> Self {
        let [a, b, c] = self.0;
        let part = |value: u64, from: usize| match words.saturating_sub(from) {
            0 => 0,
            1 => value & !0xffff_ffff,
            _ => value,
        };
        Key([part(a, 0), part(b, 2), part(c, 4)])
    }

    /// The length of the common prefix of two keys, at most `limit`.
    #[inline]
    pub fn common(&self, other: &Key, limit: usize) -> usize {
        let mut same = 0;
        for (a, b) in self.0.iter().zip(&other.0) {
            if a != b {
                same += usize::from(a >> 32 == b >> 32);
                break;
            }
            same += 2;
        }
        same.min(limit)
    }

    /// From suffix order to context order, for an n-gram of `order` words.
    #[inline]
    pub fn to_context_order(self, order: usize) -> Self {
        let mut key = self.popped();
        let place = order - 1;
        key.0[place / 2] |= u64::from(self.word(0)) << shift(place);
        key
    }

    /// From context order to suffix order.
    #[inline]
    pub fn to_suffix_order(self, order: usize) -> Self {
        self.pushed(self.word(order - 1)).prefix(order)
    }
}

#[inline]
fn shift(place: usize) -> u32 {
    if place % 2 == 0 {
        32
    } else {
        0
    }
}

/// A key and a value: a count, or two floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Record {
    pub key: Key,
    pub value: u64,
}

impl Record {
    #[inline]
    pub fn with_floats(key: Key, first: f32, second: f32) -> Self {
        Record { key, value: u64::from(first.to_bits()) << 32 | u64::from(second.to_bits()) }
    }

    #[inline]
    pub fn floats(&self) -> (f32, f32) {
        (f32::from_bits((self.value >> 32) as u32), f32::from_bits(self.value as u32))
    }

    /// The records as bytes, for a temporary file read back by the same process.
    pub fn bytes(records: &[Record]) -> &[u8] {
        // SAFETY: Record is four u64, without padding, and any byte may be read as u8.
        unsafe { std::slice::from_raw_parts(records.as_ptr().cast(), std::mem::size_of_val(records)) }
    }

    pub fn bytes_mut(records: &mut [Record]) -> &mut [u8] {
        // SAFETY: as above, and every pattern of bits is a valid Record.
        unsafe { std::slice::from_raw_parts_mut(records.as_mut_ptr().cast(), std::mem::size_of_val(records)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_words() {
        let words = [7, 0, u32::MAX, 3, 9, 11];
        for order in 1..=MAX_ORDER {
            let key = Key::new(&words[..order]);
            for (place, &word) in words[..order].iter().enumerate() {
                assert_eq!(key.word(place), word);
            }
            assert_eq!(key.to_context_order(order).to_suffix_order(order), key);
            assert_eq!(key.to_context_order(order).word(order - 1), words[0]);
            assert_eq!(key.pushed(5).popped().prefix(order.min(5)), key.prefix(order.min(5)));
            assert_eq!(Key::new(&words).prefix(order), key);
            assert_eq!(Key::new(&words).common(&key, order), order);
        }
        assert_eq!(Key::new(&[1, 2, 3, 4]).common(&Key::new(&[1, 2, 9, 4]), 6), 2);
        assert_eq!(Key::new(&[1, 2, 3, 4]).common(&Key::new(&[1, 2, 3, 5]), 6), 3);
    }
}
