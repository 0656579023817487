//! Regular expressions of the user.
//!
//! One search takes linear time, but all searches of a text together need not: each may read on to the end of the text
//! in vain. Therefore a match has a limited length, and each search a window of twice that.

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

use super::text::Text;
use crate::error::{Error, Result};

/// The most characters of a match.
pub const LONGEST: usize = 1000;
/// The most memory of a compiled pattern, in bytes.
const LARGEST: usize = 1 << 20;

pub struct Pattern {
    regex: Regex,
}

impl Pattern {
    pub fn new(pattern: &str) -> Result<Self> {
        let shown: String = pattern.chars().take(80).collect();
        let config = Regex::config().nfa_size_limit(Some(LARGEST));
        let regex = Regex::builder().configure(config).build(pattern).map_err(|error| {
            let cause = match error.syntax_error() {
                Some(regex_syntax::Error::Parse(error)) => error.kind().to_string(),
                Some(regex_syntax::Error::Translate(error)) => error.kind().to_string(),
                _ => "it is too large".to_owned(),
            };
            Error::option(format!("a protected pattern cannot be used: {cause} ({shown:?})."))
                .hint("Patterns are regular expressions without look-around and back-references, so that they take linear time.")
        })?;
        if regex.is_match("") {
            return Err(Error::option(format!("a protected pattern matches the empty string ({shown:?}).")));
        }
        Ok(Pattern { regex })
    }

    /// The start and end of the first match from a place on.
    fn next(&self, bytes: &Bytes<'_>, text: &Text<'_>, from: usize) -> Option<(usize, usize)> {
        let length = text.len();
        let mut at = from;
        while at < length {
            let edge = length.min(at + 2 * LONGEST);
            let Some((start, end)) = self.search(bytes, text, at, edge, Anchored::No) else {
                at += LONGEST;
                continue;
            };
            if start >= at + LONGEST && edge < length {
                // The window may end inside the match.
                at += LONGEST;
                continue;
            }
            let most = length.min(start + LONGEST);
            let end = match edge == most {
                true => Some(end),
                false => self.search(bytes, text, start, most, Anchored::Yes).map(|(_, end)| end),
            };
            match end {
                Some(end) if end > start => return Some((start, end)),
                _ => at = start + 1,
            }
        }
        None
    }

    fn search(
        &self,
        bytes: &Bytes<'_>,
        text: &Text<'_>,
        start: usize,
        end: usize,
        anchored: Anchored,
    ) -> Option<(usize, usize)> {
        text.note_steps(end - start);
        let span = bytes.offset(start)..bytes.offset(end);
        let found = self.regex.search(&Input::new(bytes.text).span(span).anchored(anchored))?;
        Some((bytes.place(found.start()), bytes.place(found.end())))
    }
}

/// A text with the byte at which each character starts.
struct Bytes<'a> {
    text: &'a str,
    /// Empty if each character is a byte.
    offsets: Vec<usize>,
}

impl<'a> Bytes<'a> {
    fn new(text: &'a str) -> Self {
        let offsets = match text.is_ascii() {
            true => Vec::new(),
            false => text.char_indices().map(|(at, _)| at).chain([text.len()]).collect(),
        };
        Bytes { text, offsets }
    }

    fn offset(&self, place: usize) -> usize {
        if self.offsets.is_empty() {
            place
        } else {
            self.offsets[place]
        }
    }

    fn place(&self, offset: usize) -> usize {
        if self.offsets.is_empty() {
            offset
        } else {
            self.offsets.partition_point(|&one| one < offset)
        }
    }
}

/// The next match of each pattern in a text.
pub struct Matches<'a> {
    patterns: &'a [Pattern],
    bytes: Bytes<'a>,
    next: Vec<Option<(usize, usize)>>,
}

impl<'a> Matches<'a> {
    pub fn new(patterns: &'a [Pattern], line: &'a str, text: &Text<'_>) -> Self {
        let bytes = Bytes::new(line);
        let next = patterns.iter().map(|pattern| pattern.next(&bytes, text, 0)).collect();
        Matches { patterns, bytes, next }
    }

    /// The end of the match that starts at a place; of the first pattern that has one there. Places only grow.
    pub fn end(&mut self, text: &Text<'_>, place: usize) -> Option<usize> {
        let mut found = None;
        for (pattern, next) in self.patterns.iter().zip(&mut self.next) {
            if next.is_some_and(|(start, _)| start < place) {
                *next = pattern.next(&self.bytes, text, place);
            }
            found = found.or(next.filter(|&(start, _)| start == place).map(|(_, end)| end));
        }
        found
    }
}
