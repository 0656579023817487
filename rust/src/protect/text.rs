//! A text as characters with their classes.

use std::cell::Cell;

use super::classes::{self, Class};

/// The characters of a text, and their classes.
pub struct Characters {
    characters: Vec<char>,
    classes: Vec<Class>,
    steps: Cell<u64>,
}

impl Characters {
    pub fn new(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let classes = characters.iter().map(|&character| classes::of(character)).collect();
        Characters { characters, classes, steps: Cell::new(0) }
    }

    pub fn text(&self) -> Text<'_> {
        Text { characters: &self.characters, classes: &self.classes, steps: &self.steps }
    }
}

/// A text, or a part of one that is looked at as if it were all.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    characters: &'a [char],
    classes: &'a [Class],
    steps: &'a Cell<u64>,
}

impl<'a> Text<'a> {
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.characters.len()
    }

    pub fn part(&self, start: usize, end: usize) -> Text<'a> {
        Text { characters: &self.characters[start..end], classes: &self.classes[start..end], ..*self }
    }

    /// How many characters were looked at.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    #[inline]
    pub fn note_steps(&self, number: usize) {
        self.steps.set(self.steps.get() + number as u64);
    }

    /// A character; NUL after the last one, which is compared with nothing.
    #[inline]
    pub fn at(&self, place: usize) -> char {
        self.note_steps(1);
        self.characters.get(place).copied().unwrap_or('\0')
    }

    /// Whether a character is of one of some classes; none follows the last one.
    #[inline]
    pub fn is(&self, place: usize, class: Class) -> bool {
        self.note_steps(1);
        self.classes.get(place).is_some_and(|own| own & class != 0)
    }

    /// Whether the character before a place is of one of some classes; none precedes the first one.
    #[inline]
    pub fn follows(&self, place: usize, class: Class) -> bool {
        place > 0 && self.is(place - 1, class)
    }

    /// Whether a place follows a character of a word, except those of scripts without spaces between words.
    pub fn is_in_word(&self, place: usize) -> bool {
        self.follows(place, classes::WORD) && !self.follows(place, classes::UNSPACED)
    }

    /// Whether a word goes on at a place, in a script with spaces between words.
    pub fn has_word(&self, place: usize) -> bool {
        self.is(place, classes::WORD) && !self.is(place, classes::UNSPACED)
    }

    /// Where a run of some classes ends.
    #[inline]
    pub fn run(&self, start: usize, class: Class) -> usize {
        let mut end = start;
        while self.is(end, class) {
            end += 1;
        }
        end
    }

    /// Where a run of one to `most` characters of some classes ends, if it is no longer and not empty.
    pub fn short_run(&self, start: usize, class: Class, most: usize) -> Option<usize> {
        let end = (start..=start + most).find(|&at| !self.is(at, class))?;
        (end > start).then_some(end)
    }

    pub fn starts_with(&self, place: usize, start: &str) -> bool {
        start.chars().enumerate().all(|(offset, character)| self.at(place + offset) == character)
    }

    /// The same without regard to the case of ASCII letters; `start` is lower-case.
    pub fn starts_with_any_case(&self, place: usize, start: &str) -> bool {
        start.chars().enumerate().all(|(offset, one)| self.at(place + offset).to_ascii_lowercase() == one)
    }

    /// Whether the characters between two places are some word.
    pub fn equals(&self, start: usize, end: usize, word: &str) -> bool {
        end - start == word.len() && self.starts_with(start, word)
    }
}
