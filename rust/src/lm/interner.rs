//! The vocabulary while a model is made: words get numbers in the order of their first appearance.

use crate::error::{Error, Result};
use crate::lm::{hash, SPECIAL_WORDS};

/// All words stay in memory: about 30 bytes and the word's own bytes for each.
pub struct Interner {
    bytes: String,
    /// Where each word ends in `bytes`.
    ends: Vec<usize>,
    hashes: Vec<u64>,
    /// Word number + 1 (0: free) beside the upper half of the hash, which saves most comparisons of strings.
    slots: Vec<(u32, u32)>,
}

impl Interner {
    /// A vocabulary that holds `<unk>`, `<s>` and `</s>`.
    pub fn new() -> Self {
        let mut words = Interner {
            bytes: String::new(),
            ends: Vec::new(),
            hashes: Vec::new(),
            slots: vec![(0, 0); 1024],
        };
        for word in SPECIAL_WORDS {
            words.intern(word).expect("an empty vocabulary has room");
        }
        words
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The word with this number.
    pub fn word(&self, id: u32) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start..self.ends[id]]
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|id| self.word(id))
    }

    fn slot(&self, word: &str, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (tag, number) = self.slots[at];
            if number == 0 || (tag == (hash >> 32) as u32 && self.word(number - 1) == word) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of a word, if it has one.
    pub fn get(&self, word: &str) -> Option<u32> {
        let number = self.slots[self.slot(word, hash::word(word.as_bytes()))].1;
        number.checked_sub(1)
    }

    /// The number of a word, new if need be.
    #[inline]
    pub fn intern(&mut self, word: &str) -> Result<u32> {
        let hash = hash::word(word.as_bytes());
        let at = self.slot(word, hash);
        match self.slots[at].1 {
            0 => self.add(word, hash, at),
            number => Ok(number - 1),
        }
    }

    fn add(&mut self, word: &str, hash: u64, at: usize) -> Result<u32> {
        let id = self.len();
        if id >= u32::MAX as usize - 1 {
            return Err(Error::input("more than 4,294,967,293 different words.")
                .hint("Split words into smaller units, or use less text."));
        }
        self.bytes.push_str(word);
        self.ends.push(self.bytes.len());
        self.hashes.push(hash);
        self.slots[at] = ((hash >> 32) as u32, id as u32 + 1);
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok(id as u32)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![(0, 0); mask + 1];
        for (id, &hash) in self.hashes.iter().enumerate() {
            let mut at = hash as usize & mask;
            while self.slots[at].1 != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = ((hash >> 32) as u32, id as u32 + 1);
        }
    }

    /// The vocabulary of the words for which `keep` holds, and the new number of each old one.
    pub fn filter(&self, keep: impl Fn(u32) -> bool) -> Result<(Interner, Vec<u32>)> {
        let mut kept = Interner::new();
        let mut renumbered = vec![u32::MAX; self.len()];
        for id in 0..self.len() as u32 {
            if keep(id) {
                renumbered[id as usize] = kept.intern(self.word(id))?;
            }
        }
        Ok((kept, renumbered))
    }
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_appearance_and_survive_growth() {
        let mut words = Interner::new();
        for i in 0..5000 {
            assert_eq!(words.intern(&format!("w{i}")).unwrap(), i + 3);
        }
        for i in 0..5000 {
            assert_eq!(words.get(&format!("w{i}")), Some(i + 3));
            assert_eq!(words.word(i + 3), format!("w{i}"));
        }
        assert_eq!(words.get("</s>"), Some(2));
        assert_eq!(words.get("w5000"), None);
    }
}
