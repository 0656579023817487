//! How well words follow each other, for the estimates of cube pruning: the gain of a word by the word before it. The
//! same pairs come up again and again in a sentence, so that recent ones are kept.

use super::LanguageModel;

/// The number of pairs that are kept; a power of two.
const KEPT: usize = 1 << 12;

#[derive(Clone, Copy)]
struct Entry {
    last: u32,
    word: u32,
    gain: f32,
}

/// The gains of pairs of words; a newer one replaces an older one in the same place.
pub struct WordPairs {
    entries: Vec<Entry>,
}

impl Default for WordPairs {
    fn default() -> Self {
        WordPairs { entries: vec![Entry { last: u32::MAX, word: u32::MAX, gain: 0.0 }; KEPT] }
    }
}

impl WordPairs {
    /// See [`LanguageModel::gain`].
    #[inline]
    pub fn gain<L: LanguageModel>(&mut self, lm: &L, last: u32, word: u32) -> f32 {
        let mixed = last.wrapping_mul(0x9e37_79b1) ^ word.wrapping_mul(0x85eb_ca6b);
        let entry = &mut self.entries[(mixed >> 20) as usize % KEPT];
        if entry.last != last || entry.word != word {
            *entry = Entry { last, word, gain: lm.gain(last, word) };
        }
        entry.gain
    }
}
