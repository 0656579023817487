//! Tokenised sentences as numbers of words, end to end, each followed by [`END`].

use crate::corpus::tokens::{cased, tokens};
use crate::error::{Error, Result};
use crate::store::vocab::Interner;

/// Ends a sentence. Words are numbered from 1.
pub const END: u32 = 0;
/// The number of a word that a vocabulary does not have.
pub const UNKNOWN: u32 = u32::MAX;

/// Four bytes a word and eight a sentence, besides the vocabulary.
pub struct Text {
    pub vocabulary: Interner,
    /// Where a sentence begins, and at the end the length of `words`.
    starts: Vec<u32>,
    words: Vec<u32>,
}

impl Default for Text {
    fn default() -> Self {
        Text { vocabulary: Interner::default(), starts: vec![0], words: Vec::new() }
    }
}

impl Text {
    /// The number of sentences.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All words, with the ends of sentences between.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Where each sentence begins in [`Text::words`]; the last entry is the end.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The words of a sentence, without its end.
    #[inline]
    pub fn get(&self, sentence: usize) -> &[u32] {
        &self.words[self.starts[sentence] as usize..self.starts[sentence + 1] as usize - 1]
    }

    pub fn push(&mut self, line: &str, lowercase: bool) -> Result<()> {
        let before = self.words.len();
        let pushed = self.push_words(&cased(line, lowercase));
        if pushed.is_err() {
            self.words.truncate(before);
        }
        pushed
    }

    fn push_words(&mut self, line: &str) -> Result<()> {
        for token in tokens(line) {
            let number = self.vocabulary.intern(token)?;
            self.words.push(number + 1);
        }
        self.words.push(END);
        let end = u32::try_from(self.words.len()).ok().filter(|&end| end != u32::MAX);
        let end = end.ok_or_else(|| {
            Error::input("more than 4,294,967,294 words and sentences on one side.")
                .hint("Use a smaller translation memory.")
        })?;
        self.starts.push(end);
        Ok(())
    }

    /// The number that another text has for each word of this one, or what `absent` gives.
    pub fn numbers_in(&self, other: &Text, mut absent: impl FnMut() -> u32) -> Vec<u32> {
        let mut number = |word: &str| other.vocabulary.get(word).map_or_else(&mut absent, |there| there + 1);
        std::iter::once(END).chain(self.vocabulary.iter().map(&mut number)).collect()
    }

    /// Some words of this text as a string.
    pub fn join(&self, words: &[u32]) -> String {
        words.iter().map(|&word| self.vocabulary.word(word - 1)).collect::<Vec<_>>().join(" ")
    }

    /// Gives back memory reserved for more sentences.
    pub fn shrink(&mut self) {
        self.words.shrink_to_fit();
        self.starts.shrink_to_fit();
    }
}
