//! Numbers: versions, dates, times, and numbers with separators.

use super::classes::{DIGIT, DOT, HEX, SPACE};
use super::text::Text;

const RELEASES: [&str; 5] = ["alpha", "beta", "rc", "dev", "pre"];

pub fn number(text: &Text<'_>, start: usize) -> Option<usize> {
    let first = unsigned_start(text, start)?;
    hexadecimal(text, first).or_else(|| decimal(text, first))
}

/// Where the number without its sign starts: not in a word, nor in a number.
fn unsigned_start(text: &Text<'_>, start: usize) -> Option<usize> {
    if matches!(text.at(start), '-' | '+' | '−' | '±') {
        let is_sign = start == 0 || text.is(start - 1, SPACE) || matches!(text.at(start - 1), '(' | '[');
        return is_sign.then_some(start + 1);
    }
    let goes_on = start >= 2 && is_separator(text.at(start - 1)) && text.is(start - 2, DIGIT);
    (!goes_on && !text.is_in_word(start)).then_some(start)
}

fn is_separator(character: char) -> bool {
    matches!(character, '.' | ',' | ':' | '/' | '\'' | '’' | '_' | '-')
}

fn hexadecimal(text: &Text<'_>, start: usize) -> Option<usize> {
    if text.at(start) != '0' || !matches!(text.at(start + 1), 'x' | 'X') {
        return None;
    }
    let end = text.run(start + 2, HEX);
    (end > start + 2 && !text.has_word(end)).then_some(end)
}

fn decimal(text: &Text<'_>, start: usize) -> Option<usize> {
    let digits = start + usize::from(matches!(text.at(start), 'v' | 'V'));
    let mut end = text.run(digits, DIGIT);
    if end == digits {
        return None;
    }
    // The end of the longest part that no word follows.
    let mut found = None;
    while let Some(next) = group(text, end) {
        if !text.has_word(end) {
            found = Some(end);
        }
        end = next;
    }
    release(text, end).or_else(|| (!text.has_word(end)).then_some(end)).or(found)
}

/// The end of a group of digits after a separator; of exactly three after a space.
fn group(text: &Text<'_>, start: usize) -> Option<usize> {
    if matches!(text.at(start), '\u{a0}' | '\u{202f}') {
        return text.short_run(start + 1, DIGIT, 3).filter(|&end| end == start + 4);
    }
    (is_separator(text.at(start)) && text.is(start + 1, DIGIT)).then(|| text.run(start + 1, DIGIT))
}

/// The end of `-rc1` and the like.
fn release(text: &Text<'_>, start: usize) -> Option<usize> {
    if text.at(start) != '-' {
        return None;
    }
    let name = RELEASES.iter().find(|name| text.starts_with(start + 1, name))?;
    let first = start + 1 + name.len();
    let end = text.run(first, DIGIT | DOT);
    (first + 1..=end).rev().find(|&end| text.is(end - 1, DIGIT) && !text.has_word(end))
}
