//! Words and their numbers: an interner for building, and the same laid out in a file for looking up.

/// A hash of bytes that is the same on every machine and in every version of a file format.
#[inline]
pub fn hash(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    // All 128 bits of the product count: in its low half alone, high bits of the input would reach nothing but high
    // bits, and keys made of small numbers would collide by the thousand.
    let mixed = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * u128::from(K);
        product as u64 ^ (product >> 64) as u64
    };
    let mut state = K ^ bytes.len() as u64;
    let words = bytes.chunks_exact(8);
    let rest = words.remainder();
    for word in words {
        let mut eight = [0; 8];
        eight.copy_from_slice(word);
        state = mixed(state, u64::from_le_bytes(eight)).rotate_left(31);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    state = mixed(state, u64::from_le_bytes(last));
    state ^= state >> 29;
    state.wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ state >> 32
}

const EMPTY: u32 = u32::MAX;

/// Words numbered in the order of their first appearance.
pub struct Interner {
    text: Vec<u8>,
    /// Where each word begins in `text`, and the end of the last.
    offsets: Vec<u32>,
    slots: Vec<u32>,
}

impl Default for Interner {
    fn default() -> Self {
        Interner { text: Vec::new(), offsets: vec![0], slots: vec![EMPTY; 1024] }
    }
}

impl Interner {
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a word, a new one if it is new.
    pub fn intern(&mut self, word: &str) -> u32 {
        match find(word.as_bytes(), &self.text, &self.offsets, &self.slots) {
            Ok(number) => number,
            Err(slot) => {
                let number = self.len() as u32;
                self.text.extend_from_slice(word.as_bytes());
                self.offsets.push(self.text.len() as u32);
                self.slots[slot] = number;
                if self.len() * 2 > self.slots.len() {
                    self.double();
                }
                number
            }
        }
    }

    fn double(&mut self) {
        self.slots = vec![EMPTY; self.slots.len() * 2];
        for number in 0..self.len() {
            let word = &self.text[self.offsets[number] as usize..self.offsets[number + 1] as usize];
            let mask = self.slots.len() - 1;
            let mut slot = hash(word) as usize & mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number as u32;
        }
    }

    /// What a file needs: text, offsets and slots, in this order.
    pub fn parts(&self) -> (&[u8], &[u32], &[u32]) {
        (&self.text, &self.offsets, &self.slots)
    }

    pub fn view(&self) -> Words<'_> {
        Words { text: &self.text, offsets: &self.offsets, slots: &self.slots }
    }
}

/// Words where they lie, in memory or in a file. A damaged file can give wrong words but never a fault.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    text: &'a [u8],
    offsets: &'a [u32],
    slots: &'a [u32],
}

impl<'a> Words<'a> {
    /// From the three parts of [`Interner::parts`]; `None` when they cannot belong together.
    pub fn new(text: &'a [u8], offsets: &'a [u32], slots: &'a [u32]) -> Option<Self> {
        let fits = !offsets.is_empty()
            && slots.len().is_power_of_two()
            && offsets.len() - 1 < slots.len()
            && offsets.windows(2).all(|pair| pair[0] <= pair[1])
            && offsets.last().is_some_and(|&end| end as usize <= text.len());
        fits.then_some(Words { text, offsets, slots })
    }

    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn get(&self, word: &str) -> Option<u32> {
        find(word.as_bytes(), self.text, self.offsets, self.slots).ok()
    }

    /// The word of a number; the empty text for a number that is none.
    #[inline]
    pub fn word(&self, number: u32) -> &'a str {
        let n = number as usize;
        match (self.offsets.get(n), self.offsets.get(n + 1)) {
            (Some(&from), Some(&to)) => {
                std::str::from_utf8(&self.text[from as usize..to as usize]).unwrap_or("\u{FFFD}")
            }
            _ => "",
        }
    }
}

/// The number of a word, or the free slot where it belongs.
#[inline]
fn find(word: &[u8], text: &[u8], offsets: &[u32], slots: &[u32]) -> Result<u32, usize> {
    let mask = slots.len() - 1;
    let mut slot = hash(word) as usize & mask;
    for _ in 0..slots.len() {
        let number = slots[slot];
        if number == EMPTY {
            return Err(slot);
        }
        let n = number as usize;
        if n + 1 < offsets.len() && &text[offsets[n] as usize..offsets[n + 1] as usize] == word {
            return Ok(number);
        }
        slot = (slot + 1) & mask;
    }
    Err(slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_given_once_and_found_again() {
        let mut words = Interner::default();
        let all: Vec<String> = (0..5000).map(|n| format!("wort{}", n * 7919 % 5000)).collect();
        for (n, word) in all.iter().enumerate() {
            assert_eq!(words.intern(word), n as u32);
        }
        assert_eq!(words.intern("wort7"), words.view().get("wort7").unwrap());
        assert_eq!(words.len(), 5000);
        let (text, offsets, slots) = words.parts();
        let view = Words::new(text, offsets, slots).unwrap();
        assert!(all.iter().all(|word| view.word(view.get(word).unwrap()) == word));
        assert_eq!(view.get("keins"), None);
        assert_eq!(view.word(5000), "");
        assert!(Words::new(&text[..3], offsets, slots).is_none());
    }

    /// Target sides are hashed as their words' numbers; counts of two that collide would be added up.
    #[test]
    fn sides_of_small_numbers_do_not_collide() {
        let mut seen = std::collections::HashSet::new();
        let mut bytes = Vec::new();
        for code in 0..60u32 * 60 * 60 {
            bytes.clear();
            for word in [code / 3600, code / 60 % 60, code % 60] {
                bytes.extend_from_slice(&(word + 1).to_be_bytes());
            }
            assert!(seen.insert(hash(&bytes)), "{bytes:?}");
        }
    }
}
