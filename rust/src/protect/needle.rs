//! The next place of a string, remembered: many attempts may look for the same one.

use std::cell::Cell;

use super::text::Text;

pub struct Needle {
    needle: &'static str,
    /// From where the last search went, and what it found.
    last: Cell<Option<(usize, usize)>>,
}

impl Needle {
    pub const fn new(needle: &'static str) -> Self {
        Needle { needle, last: Cell::new(None) }
    }

    /// The end of the first one that starts at `from` or up to `most` characters after it.
    pub fn end_within(&self, text: &Text<'_>, from: usize, most: usize) -> Option<usize> {
        let found = match self.last.get() {
            Some((start, found)) if start <= from && from <= found => found,
            _ => (from..text.len()).find(|&at| text.starts_with(at, self.needle)).unwrap_or(text.len()),
        };
        self.last.set(Some((from, found)));
        (found < text.len() && found - from <= most).then_some(found + self.needle.len())
    }
}
