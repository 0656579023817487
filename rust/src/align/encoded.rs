//! A tokenised text as numbers, the input of the counting loops and the alignment libraries.

use std::collections::HashMap;
use std::fmt::Write;

use crate::error::{Error, Result};

use crate::corpus::links::Position;

/// Number of the empty word that an unlinked word counts as linked to.
pub const NULL: u32 = 0;

/// Words and their numbers, in the order they were first seen. Number 0 is the empty word.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    numbers: HashMap<String, u32>,
    words: Vec<String>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Vocabulary { numbers: HashMap::new(), words: vec![String::new()] }
    }
}

impl Vocabulary {
    /// The number of a word; unknown words are added.
    pub fn insert(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = self.words.len() as u32;
        self.numbers.insert(word.to_owned(), number);
        self.words.push(word.to_owned());
        number
    }

    pub fn number(&self, word: &str) -> Option<u32> {
        self.numbers.get(word).copied()
    }

    /// The words by number; number 0 is the empty word.
    pub fn words(&self) -> &[String] {
        &self.words
    }
}

/// Sentences of word numbers and the words behind them. Number 0 is the empty word and occurs in no sentence.
///
/// Four bytes a token, eight a sentence, and each different word twice.
#[derive(Clone, Debug)]
pub struct Encoded {
    vocabulary: Vocabulary,
    tokens: Vec<u32>,
    offsets: Vec<usize>,
    /// Words are truncated to this many characters; 0 keeps them whole.
    prefix: usize,
}

impl Encoded {
    pub fn new(prefix: usize) -> Self {
        Encoded { vocabulary: Vocabulary::default(), tokens: Vec::new(), offsets: vec![0], prefix }
    }

    /// Adds a sentence whose tokens are separated by ASCII spaces. Other white space is part of a token: in Japanese
    /// text an ideographic space can be a token of its own.
    pub fn push(&mut self, line: &str) -> Result<()> {
        let before = self.tokens.len();
        for token in line.split_ascii_whitespace() {
            let cut = match self.prefix {
                0 => token,
                letters => token.char_indices().nth(letters).map_or(token, |(end, _)| &token[..end]),
            };
            let number = self.vocabulary.insert(cut);
            self.tokens.push(number);
        }
        let length = self.tokens.len() - before;
        if length > usize::from(Position::MAX) + 1 {
            self.tokens.truncate(before);
            return Err(Error::input(format!(
                "a sentence of {length} words; at most {} are allowed.",
                usize::from(Position::MAX) + 1
            ))
            .hint("Check that the file has one sentence a line."));
        }
        self.offsets.push(self.tokens.len());
        Ok(())
    }

    /// The number of sentences.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn sentence(&self, number: usize) -> &[u32] {
        &self.tokens[self.offsets[number]..self.offsets[number + 1]]
    }

    pub fn lengths(&self) -> impl Iterator<Item = u32> + '_ {
        self.offsets.windows(2).map(|two| (two[1] - two[0]) as u32)
    }

    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The sentences in `start..end` for which `kept` is true, one per line, as numbers separated by spaces.
    ///
    /// Libraries get numbers instead of words, so that no word of a corpus can clash with a reserved one.
    pub fn numbers_as_text(&self, kept: &[bool], start: usize, end: usize) -> Result<String> {
        if kept.len() != self.len() {
            return Err(Error::internal(format!("{} marks for {} sentences.", kept.len(), self.len())));
        }
        let mut text = String::new();
        for number in (start..end.min(self.len())).filter(|&number| kept[number]) {
            for (k, token) in self.sentence(number).iter().enumerate() {
                if k > 0 {
                    text.push(' ');
                }
                // Writing to a String cannot fail.
                let _ = write!(text, "{token}");
            }
            text.push('\n');
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_prefixes() {
        let mut text = Encoded::new(0);
        for line in ["der Hund", "", "Hund  der\tHund"] {
            text.push(line).unwrap();
        }
        assert_eq!(text.vocabulary().words(), ["", "der", "Hund"]);
        assert_eq!(text.numbers_as_text(&[true, true, true], 0, 9).unwrap(), "1 2\n\n2 1 2\n");
        assert_eq!(text.numbers_as_text(&[false, false, true], 1, 3).unwrap(), "2 1 2\n");
        assert_eq!(text.lengths().collect::<Vec<_>>(), [2, 0, 3]);
        let mut wide = Encoded::new(0);
        wide.push("年 \u{3000} 月\u{a0}日").unwrap();
        assert_eq!(wide.sentence(0), [1, 2, 3]);
        let mut cut = Encoded::new(2);
        cut.push("übel übung üb ü").unwrap();
        assert_eq!(cut.vocabulary().words(), ["", "üb", "ü"]);
    }

    #[test]
    fn a_sentence_too_long_for_a_position() {
        let mut text = Encoded::new(0);
        assert!(text.push(&"a ".repeat(65_536)).is_ok());
        assert!(text.push(&"a ".repeat(65_537)).is_err());
    }
}
