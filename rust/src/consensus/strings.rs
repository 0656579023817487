//! Tokenised strings as word numbers, end to end.

use crate::corpus::tokens::{cased, tokens};
use crate::error::{Error, Result};
use crate::store::vocab::Interner;

/// Four bytes a word and four a string.
#[derive(Default)]
pub struct Strings {
    numbers: Vec<u32>,
    /// Where each string ends.
    ends: Vec<u32>,
}

impl Strings {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All words, end to end.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    pub fn get(&self, string: usize) -> &[u32] {
        let start = if string == 0 { 0 } else { self.ends[string - 1] };
        &self.numbers[start as usize..self.ends[string] as usize]
    }

    pub fn push(&mut self, words: &[u32]) -> Result<()> {
        let end = u32::try_from(self.numbers.len() + words.len());
        let end = end.map_err(|_| {
            Error::input("more than 4,294,967,295 words in one text.")
                .hint("Use a smaller translation memory.")
        })?;
        self.numbers.extend_from_slice(words);
        self.ends.push(end);
        Ok(())
    }
}

/// The words of a line as numbers of a vocabulary; new words are added.
pub fn numbered(words: &mut Interner, line: &str, lowercase: bool, found: &mut Vec<u32>) -> Result<()> {
    found.clear();
    for token in tokens(&cased(line, lowercase)) {
        found.push(words.intern(token)?);
    }
    Ok(())
}

/// Words of a vocabulary as text.
pub fn text(words: &Interner, numbers: &[u32]) -> String {
    numbers.iter().map(|&number| words.word(number)).collect::<Vec<_>>().join(" ")
}
