//! How well a first word follows a last word. The same pairs come up again and again in a sentence, so that recent
//! scores are kept.

use crate::decode::LanguageModel;

/// The number of scores that are kept; a power of two.
const KEPT: u32 = 1 << 12;

#[derive(Clone, Copy)]
struct Entry {
    last: u32,
    first: u32,
    score: f32,
}

/// Language-model scores of first words after last words; a newer one replaces an older one in the same place.
pub struct FirstWords {
    entries: Vec<Entry>,
}

impl Default for FirstWords {
    fn default() -> Self {
        FirstWords { entries: vec![Entry { last: u32::MAX, first: u32::MAX, score: 0.0 }; KEPT as usize] }
    }
}

impl FirstWords {
    /// The probability of a word after the last word of a state alone.
    #[inline]
    pub fn score<L: LanguageModel>(&mut self, lm: &L, state: &L::State, first: u32) -> f32 {
        let Some(last) = lm.last_word(state) else { return lm.score(state, first).0 };
        let place = last.wrapping_mul(0x9e37_79b1) ^ first.wrapping_mul(0x85eb_ca6b);
        let entry = &mut self.entries[((place >> 20) % KEPT) as usize];
        if entry.last != last || entry.first != first {
            *entry = Entry { last, first, score: lm.score_after_last(state, first) };
        }
        entry.score
    }
}
