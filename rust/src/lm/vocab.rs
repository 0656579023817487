//! The vocabulary of a binary model, without copies: words by number, numbers by word.

use super::{hash, BOS, EOS, UNK};
use crate::store::hashing;

/// A view of the mapped file.
#[derive(Clone, Copy)]
pub struct Vocab<'a> {
    pub(crate) ends: &'a [u32],
    pub(crate) text: &'a [u8],
    /// The upper half of a word's hash and its number + 1; (0, 0) is free.
    pub(crate) places: &'a [[u32; 2]],
}

impl<'a> Vocab<'a> {
    /// The number of words, including `<unk>`, `<s>` and `</s>`.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    #[inline]
    fn bytes(&self, id: u32) -> Option<&'a [u8]> {
        let id = id as usize;
        let end = *self.ends.get(id)? as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] as usize };
        self.text.get(start..end)
    }

    /// The word with this number.
    pub fn word(&self, id: u32) -> Option<&'a str> {
        std::str::from_utf8(self.bytes(id)?).ok()
    }

    /// The number of a word; that of `<unk>` if it is unknown to the model.
    #[inline]
    pub fn id(&self, word: &str) -> u32 {
        self.get(word).unwrap_or(UNK)
    }

    /// The number of a word, if the model has it.
    #[inline]
    pub fn get(&self, word: &str) -> Option<u32> {
        let hash = hashing::word(word.as_bytes());
        let mut at = hash::place(hash as u32, self.places.len());
        for _ in 0..self.places.len().min(hashing::LONGEST_SEARCH) {
            let [tag, number] = self.places[at];
            if number == 0 {
                return None;
            }
            if tag == (hash >> 32) as u32 && self.bytes(number - 1) == Some(word.as_bytes()) {
                return Some(number - 1);
            }
            at = if at + 1 == self.places.len() { 0 } else { at + 1 };
        }
        None
    }

    pub fn unk(&self) -> u32 {
        UNK
    }

    pub fn begin_sentence(&self) -> u32 {
        BOS
    }

    pub fn end_sentence(&self) -> u32 {
        EOS
    }
}

/// Fills the hash table of words.
pub fn fill_places<'w>(words: impl Iterator<Item = &'w str>, places: &mut [[u32; 2]]) {
    for (id, word) in words.enumerate() {
        let hash = hashing::word(word.as_bytes());
        let mut at = hash::place(hash as u32, places.len());
        while places[at][1] != 0 {
            at = (at + 1) % places.len();
        }
        places[at] = [(hash >> 32) as u32, id as u32 + 1];
    }
}
