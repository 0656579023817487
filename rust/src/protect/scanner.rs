//! All items of a text, from left to right.

use super::addresses::{email, path, url, Hopeless};
use super::braces::Braces;
use super::classes::{self, Class, DIGIT, LETTER, POSSIBLE, UNDERSCORE};
use super::numbers::number;
use super::patterns::{Matches, Pattern};
use super::tags::{entity, symbol, tag, Ends};
use super::text::{Characters, Text};
use super::trailing::without_trailing;
use super::variables::variable;
use crate::error::{Error, Result};
use crate::work::interrupt;

/// Characters between two points at which the work may be interrupted.
const STRETCH: usize = 4096;

/// What never starts an item after another of its kind.
const IN_WORD: Class = LETTER | DIGIT | UNDERSCORE;

/// An item, by the places of its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub start: usize,
    pub end: usize,
    pub kind: &'static str,
}

/// Finds the items of some groups, and those of the user's patterns.
#[derive(Default)]
pub struct Scanner {
    tags: bool,
    addresses: bool,
    variables: bool,
    numbers: bool,
    patterns: Vec<Pattern>,
}

/// What is remembered while a text is read.
#[derive(Default)]
struct Known {
    ends: Ends,
    hopeless: Hopeless,
    braces: Braces,
}

impl Scanner {
    pub fn new(groups: &[String], patterns: &[String]) -> Result<Self> {
        let mut made = Scanner::default();
        for group in groups {
            match group.as_str() {
                "tags" => made.tags = true,
                "addresses" => made.addresses = true,
                "variables" => made.variables = true,
                "numbers" => made.numbers = true,
                other => return Err(Error::option(format!("unknown kind of protected text {other:?}."))),
            }
        }
        made.patterns = patterns.iter().map(|pattern| Pattern::new(pattern)).collect::<Result<_>>()?;
        Ok(made)
    }

    /// The items of a text in order; they do not overlap.
    pub fn find(&self, line: &str) -> Vec<Found> {
        self.found(line).0
    }

    /// How many characters of a text are looked at to find its items, each as often as it is.
    pub fn steps(&self, line: &str) -> u64 {
        self.found(line).1
    }

    fn found(&self, line: &str) -> (Vec<Found>, u64) {
        if self.patterns.is_empty() && !line.chars().any(|one| classes::of(one) & POSSIBLE != 0) {
            return (Vec::new(), 0);
        }
        let characters = Characters::new(line);
        let text = characters.text();
        let mut own = Matches::new(&self.patterns, line, &text);
        let known = Known::default();
        let mut found = Vec::new();
        let mut at = 0;
        let mut stretch = 0;
        while at < text.len() {
            if at >= stretch {
                interrupt::point();
                stretch = at + STRETCH;
            }
            let item = match own.end(&text, at) {
                Some(end) => Some((end, "pattern")),
                None => self.item(&text, at, &known),
            };
            match item {
                Some((end, kind)) => {
                    found.push(Found { start: at, end, kind });
                    at = end;
                }
                None => at += 1,
            }
        }
        (found, text.steps())
    }
    /// The end and the kind of the item that starts at a place.
    fn item(&self, text: &Text<'_>, start: usize, known: &Known) -> Option<(usize, &'static str)> {
        if text.is(start, IN_WORD) && text.follows(start, IN_WORD) {
            return None;
        }
        if let Some(end) = symbol(text, start) {
            return Some((end, "symbol"));
        }
        if self.tags {
            if let Some(end) = tag(text, start, &known.ends) {
                return Some((end, "tag"));
            }
            if let Some(end) = entity(text, start) {
                return Some((end, "entity"));
            }
        }
        if self.addresses {
            if let Some(end) = url(text, start) {
                return without_trailing(text, start, end).map(|end| (end, "url"));
            }
            if let Some(end) = email(text, start) {
                return Some((end, "email"));
            }
            if let Some(end) = path(text, start, &known.hopeless) {
                let shorter = without_trailing(text, start, end);
                if shorter.is_none() && matches!(text.at(start), '~' | '.') {
                    known.hopeless.note(end);
                }
                return shorter.map(|end| (end, "path"));
            }
        }
        if self.variables {
            if let Some(end) = variable(text, start) {
                return Some((end, "variable"));
            }
            if let Some(brace) = Braces::brace(text, start) {
                return known.braces.end(text, brace).map(|end| (end, "variable"));
            }
        }
        if self.numbers {
            return number(text, start).map(|end| (end, "number"));
        }
        None
    }
}
