//! Words and their numbers: an interner for building, and a read-only view of the same data in a file.

use super::hashing;
use crate::error::{Error, Result};

/// All words stay in memory: about 30 bytes for each, plus its own bytes.
pub struct Interner {
    bytes: String,
    /// Where each word ends in `bytes`.
    ends: Vec<usize>,
    hashes: Vec<u64>,
    /// Word number + 1 (0: free) and the upper half of the hash, which avoids most string comparisons.
    slots: Vec<(u32, u32)>,
}

impl Interner {
    /// A vocabulary that holds these words, numbered from 0.
    pub fn with(words: &[&str]) -> Result<Self> {
        let mut made = Interner::default();
        for word in words {
            made.intern(word)?;
        }
        Ok(made)
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
        let number = self.slots[self.slot(word, hashing::word(word.as_bytes()))].1;
        number.checked_sub(1)
    }

    /// The number of a word; unknown words are added.
    #[inline]
    pub fn intern(&mut self, word: &str) -> Result<u32> {
        let hash = hashing::word(word.as_bytes());
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

    /// Text, offsets and slots for a file, to be read by [`Words`].
    pub fn layout(&self) -> Result<(&[u8], Vec<u32>, Vec<u32>)> {
        let mut offsets = vec![0];
        for &end in &self.ends {
            let end = u32::try_from(end);
            offsets.push(end.map_err(|_| Error::input("a vocabulary of more than 4 GiB of text."))?);
        }
        let slots = self.slots.iter().map(|&(_, number)| number.wrapping_sub(1)).collect();
        Ok((self.bytes.as_bytes(), offsets, slots))
    }
}

impl Default for Interner {
    fn default() -> Self {
        Interner { bytes: String::new(), ends: Vec::new(), hashes: Vec::new(), slots: vec![(0, 0); 1024] }
    }
}

/// Marks a free slot.
const EMPTY: u32 = u32::MAX;

/// Words in memory or in a mapped file. A damaged file can yield wrong words but never a fault.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    text: &'a [u8],
    offsets: &'a [u32],
    slots: &'a [u32],
}

impl<'a> Words<'a> {
    /// From the three parts of [`Interner::layout`]; `None` if they are inconsistent. This check is fast enough for
    /// every use of a file's words; [`Words::is_sound`] checks all of them.
    pub fn new(text: &'a [u8], offsets: &'a [u32], slots: &'a [u32]) -> Option<Self> {
        let fits = !offsets.is_empty()
            && slots.len().is_power_of_two()
            && offsets.len() - 1 < slots.len()
            && offsets.last().is_some_and(|&end| end as usize <= text.len());
        fits.then_some(Words { text, offsets, slots })
    }

    /// Whether no word ends before it starts; check this once, when a file is opened.
    pub fn is_sound(&self) -> bool {
        self.offsets.windows(2).all(|pair| pair[0] <= pair[1])
    }

    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn get(&self, word: &str) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = hashing::word(word.as_bytes()) as usize & mask;
        for _ in 0..self.slots.len().min(hashing::LONGEST_SEARCH) {
            match self.slots[slot] {
                EMPTY => return None,
                number if self.bytes(number) == Some(word.as_bytes()) => return Some(number),
                _ => slot = (slot + 1) & mask,
            }
        }
        None
    }

    /// The word with this number; empty for an invalid number.
    #[inline]
    pub fn word(&self, number: u32) -> &'a str {
        self.bytes(number).map_or("", |bytes| std::str::from_utf8(bytes).unwrap_or("\u{FFFD}"))
    }

    #[inline]
    fn bytes(&self, number: u32) -> Option<&'a [u8]> {
        let n = number as usize;
        self.text.get(*self.offsets.get(n)? as usize..*self.offsets.get(n.checked_add(1)?)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_appearance_and_are_found_again() {
        let mut words = Interner::with(&["<unk>"]).unwrap();
        let all: Vec<String> = (0..5000).map(|n| format!("wort{}", n * 7919 % 5000)).collect();
        for (n, word) in all.iter().enumerate() {
            assert_eq!(words.intern(word).unwrap(), n as u32 + 1);
        }
        assert_eq!((words.len(), words.get("<unk>"), words.get("keins")), (5001, Some(0), None));
        let (text, offsets, slots) = words.layout().unwrap();
        let view = Words::new(text, &offsets, &slots).unwrap();
        for word in &all {
            let number = words.get(word).unwrap();
            assert_eq!(
                (view.get(word), view.word(number), words.word(number)),
                (Some(number), &**word, &**word)
            );
        }
        assert_eq!((view.get("keins"), view.word(5001)), (None, ""));
        assert!(Words::new(&text[..3], &offsets, &slots).is_none() && view.is_sound());
        // A word that ends before it starts: not sound, but no fault either.
        let mut damaged = offsets.clone();
        damaged.swap(2, 3);
        let view = Words::new(text, &damaged, &slots).unwrap();
        assert!(!view.is_sound() && view.word(2).is_empty());
    }
}
