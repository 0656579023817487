//! Counts over the lines of a text.

use std::collections::HashMap;

use super::tokens::tokens;

/// Memory: the distinct words, and a number for each length up to the longest line.
#[derive(Default)]
pub struct Statistics {
    words: HashMap<Box<str>, u64>,
    /// The number of lines with 0, 1, 2, ... tokens.
    lengths: Vec<u64>,
}

/// Tokens and types of another text that do not occur in this one.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown {
    pub tokens: u64,
    pub types: u64,
}

impl Statistics {
    pub fn add(&mut self, line: &str) {
        let mut length = 0;
        for token in tokens(line) {
            length += 1;
            match self.words.get_mut(token) {
                Some(count) => *count += 1,
                None => {
                    self.words.insert(token.into(), 1);
                }
            }
        }
        if self.lengths.len() <= length {
            self.lengths.resize(length + 1, 0);
        }
        self.lengths[length] += 1;
    }

    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    pub fn types(&self) -> u64 {
        self.words.len() as u64
    }

    /// Every word with its count, in no order.
    pub fn words(&self) -> impl Iterator<Item = (&str, u64)> {
        self.words.iter().map(|(word, &count)| (&**word, count))
    }

    /// Words seen once.
    pub fn singletons(&self) -> u64 {
        self.words.values().filter(|&&count| count == 1).count() as u64
    }

    pub fn unknown(&self, other: &Statistics) -> Unknown {
        let missing = other.words.iter().filter(|(word, _)| !self.words.contains_key(*word));
        missing.fold(Unknown { tokens: 0, types: 0 }, |sum, (_, count)| Unknown {
            tokens: sum.tokens + count,
            types: sum.types + 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_hand() {
        let (mut known, mut other) = (Statistics::default(), Statistics::default());
        ["a b a", "", "c"].iter().for_each(|line| known.add(line));
        other.add("a d d e");
        assert_eq!((known.lengths(), known.types(), known.singletons()), (&[1, 1, 0, 1][..], 3, 2));
        assert_eq!(known.unknown(&other), Unknown { tokens: 3, types: 2 });
    }
}
