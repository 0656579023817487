//! Keys of texts, to find equal ones without comparing their words.

use crate::store::hashing;

/// A hash of a text that does not depend on how it is divided into parts: a polynomial over the words' hashes, and
/// its base to the power of the number of words.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct TextKey {
    sum: u64,
    power: u64,
}

impl Default for TextKey {
    fn default() -> Self {
        TextKey::EMPTY
    }
}

impl TextKey {
    const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
    pub const EMPTY: TextKey = TextKey { sum: 0, power: 1 };

    pub fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        words.fold(TextKey::EMPTY, |key, word| {
            key.then(TextKey { sum: hashing::word(word.as_bytes()) | 1, power: TextKey::BASE })
        })
    }

    /// The key of a word with a number.
    #[inline]
    pub fn of_number(word: u32) -> Self {
        TextKey { sum: hashing::mix(0, u64::from(word)) | 1, power: TextKey::BASE }
    }

    /// The key of this text followed by `next`.
    #[inline]
    pub fn then(self, next: TextKey) -> Self {
        TextKey {
            sum: self.sum.wrapping_add(self.power.wrapping_mul(next.sum)),
            power: self.power.wrapping_mul(next.power),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_not_depend_on_the_division_of_a_text() {
        let [a, b, c] = [1, 2, 3].map(TextKey::of_number);
        assert_eq!(a.then(b).then(c), a.then(b.then(c)));
        assert_eq!(TextKey::EMPTY.then(a), a.then(TextKey::EMPTY));
        assert_eq!(
            TextKey::of("x y".split(' ')),
            TextKey::of(["x"].into_iter()).then(TextKey::of(["y"].into_iter()))
        );
        assert_ne!(a.then(b), b.then(a));
        assert_ne!(a.then(a), a);
    }
}
