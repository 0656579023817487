//! Punctuation of the sentence at the end of an address.

use super::addresses::{email, path, url, Hopeless};
use super::classes::WORD;
use super::text::Text;

/// Characters at the end of an address that belong to the sentence.
const TRAILING: &str = ".,;:!?…*_~|";
/// Closing brackets belong to it if the address has more of them than opening ones.
const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];

/// The end of an address without the punctuation after it; None if the rest is no address.
pub fn without_trailing(text: &Text<'_>, start: usize, end: usize) -> Option<usize> {
    let shorter = trimmed(text, start, end)?;
    if shorter == end {
        return Some(end);
    }
    // What is left must be an address by itself.
    let alone = text.part(start, shorter);
    let again = url(&alone, 0).or_else(|| email(&alone, 0)).or_else(|| path(&alone, 0, &Hopeless::default()));
    (again == Some(shorter - start)).then_some(shorter)
}

/// None if no word is left, but only a scheme or a root.
fn trimmed(text: &Text<'_>, start: usize, end: usize) -> Option<usize> {
    let mut excess = [0_i64; 3];
    for at in start..end {
        let character = text.at(at);
        for (count, (opening, closing)) in excess.iter_mut().zip(BRACKETS) {
            *count += i64::from(character == closing) - i64::from(character == opening);
        }
    }
    let mut end = end;
    while end > start {
        let last = text.at(end - 1);
        let bracket = BRACKETS.iter().position(|&(_, closing)| closing == last);
        match bracket {
            Some(which) if excess[which] > 0 => excess[which] -= 1,
            _ if TRAILING.contains(last) => {}
            _ => break,
        }
        end -= 1;
    }
    (start..end).any(|at| text.is(at, WORD)).then_some(end)
}
