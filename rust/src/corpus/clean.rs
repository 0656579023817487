//! Decides which pairs of a parallel corpus to keep, and gives the reason for each pair that is dropped.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};

use super::tokens::tokens;

/// Why a pair is dropped: the first reason that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    Keep,
    BadTree,
    Empty,
    ControlCharacter,
    LongWord,
    TooShort,
    TooLong,
    Ratio,
    Copy,
    Duplicate,
}

/// What counts as a duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    Keep,
    /// The same source with the same target.
    Pairs,
    /// The same source, whatever its target.
    Sources,
}

/// CleaningLimits of one side, in words.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    pub least: usize,
    pub most: usize,
}

#[derive(Clone, Debug)]
pub struct CleaningLimits {
    pub source: Length,
    pub target: Length,
    /// Word count of the longer side over that of the shorter; 0 for no limit.
    pub ratio: f64,
    /// In characters; 0 for no limit.
    pub word: usize,
    pub control: bool,
    pub copies: bool,
    pub duplicates: Duplicates,
}

/// Checks pairs one after the other. Memory: 17 to 35 bytes for each distinct pair (or source), as duplicates are
/// detected by a 128-bit hash; the chance that two different pairs among a billion share a hash is 10^-21.
pub struct PairFilter {
    limits: CleaningLimits,
    seen: HashSet<u128, BuildHasherDefault<Folded>>,
}

/// The keys are hashes already.
#[derive(Default)]
struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for block in bytes.chunks(8) {
            self.0 ^= block.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

impl PairFilter {
    pub fn new(limits: CleaningLimits) -> Self {
        PairFilter { limits, seen: HashSet::default() }
    }

    pub fn classify(&mut self, source: &str, target: &str) -> Reason {
        let limits = &self.limits;
        let (source_words, source_longest) = measure(source);
        let (target_words, target_longest) = measure(target);
        let (least, most) = (source_words.min(target_words), source_words.max(target_words));
        let control = |text: &str| text.chars().any(is_control);
        if least == 0 {
            Reason::Empty
        } else if limits.control && (control(source) || control(target)) {
            Reason::ControlCharacter
        } else if limits.word > 0 && source_longest.max(target_longest) > limits.word {
            Reason::LongWord
        } else if source_words < limits.source.least || target_words < limits.target.least {
            Reason::TooShort
        } else if source_words > limits.source.most || target_words > limits.target.most {
            Reason::TooLong
        } else if limits.ratio > 0.0 && most as f64 > limits.ratio * least as f64 {
            Reason::Ratio
        } else if limits.copies && tokens(source).eq(tokens(target)) {
            Reason::Copy
        } else if self.repeated(source, target) {
            Reason::Duplicate
        } else {
            Reason::Keep
        }
    }

    fn repeated(&mut self, source: &str, target: &str) -> bool {
        let parts = match self.limits.duplicates {
            Duplicates::Keep => return false,
            Duplicates::Pairs => [source, target],
            Duplicates::Sources => [source, ""],
        };
        !self.seen.insert(u128::from(hash(&parts, 1)) << 64 | u128::from(hash(&parts, 2)))
    }
}

fn hash(parts: &[&str; 2], salt: u8) -> u64 {
    let mut hasher = DefaultHasher::new();
    salt.hash(&mut hasher);
    for part in parts {
        for token in tokens(part) {
            token.hash(&mut hasher);
        }
        // No token is empty, so this marks the end of a part.
        "".hash(&mut hasher);
    }
    hasher.finish()
}

/// The number of words, and of characters in the longest word.
fn measure(text: &str) -> (usize, usize) {
    let longest = |token: &str| token.chars().count();
    tokens(text).fold((0, 0), |(count, most), token| (count + 1, most.max(longest(token))))
}

/// Control characters other than white space, and the replacement character for undecodable bytes.
fn is_control(letter: char) -> bool {
    (letter.is_control() && !super::tokens::is_space(letter)) || letter == '\u{fffd}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(change: impl Fn(&mut CleaningLimits)) -> PairFilter {
        let length = Length { least: 1, most: 5 };
        let mut limits = CleaningLimits {
            source: length,
            target: length,
            ratio: 3.0,
            word: 10,
            control: true,
            copies: true,
            duplicates: Duplicates::Pairs,
        };
        change(&mut limits);
        PairFilter::new(limits)
    }

    #[test]
    fn reasons_in_their_order() {
        for (source, target, reason) in [
            ("a b", "x y", Reason::Keep),
            ("a b", "x  y", Reason::Duplicate),
            ("a b", "x z", Reason::Keep),
            (" \u{a0}", "x", Reason::Empty),
            ("a\u{7}", "x", Reason::ControlCharacter),
            ("a\u{fffd}", "x", Reason::ControlCharacter),
            ("a\tb", "x", Reason::Keep),
            ("abcdefghijk", "x", Reason::LongWord),
            ("äöüäöüäöüä", "x", Reason::Keep),
            ("a b c d e f", "x y z", Reason::TooLong),
            ("a b c d", "x", Reason::Ratio),
            ("a b c", "x", Reason::Keep),
            ("same words", "same  words", Reason::Copy),
        ] {
            let mut filter = filter(|_| ());
            filter.classify("a b", "x y");
            let reason = if (source, target) == ("a b", "x y") { Reason::Duplicate } else { reason };
            assert_eq!(filter.classify(source, target), reason, "{source:?} {target:?}");
        }
        let mut short = filter(|limits| limits.target.least = 2);
        assert_eq!(short.classify("a", "x"), Reason::TooShort);
    }

    #[test]
    fn repeated_sources_and_no_check() {
        let mut sources = filter(|limits| limits.duplicates = Duplicates::Sources);
        assert_eq!(
            [sources.classify("a", "x"), sources.classify("a", "y")],
            [Reason::Keep, Reason::Duplicate]
        );
        let mut none = filter(|limits| limits.duplicates = Duplicates::Keep);
        assert_eq!([none.classify("a", "x"), none.classify("a", "x")], [Reason::Keep; 2]);
        // The boundary between the sides is part of the pair.
        let mut pairs = filter(|_| ());
        assert_eq!([pairs.classify("a b", "c"), pairs.classify("a", "b c")], [Reason::Keep; 2]);
    }
}
