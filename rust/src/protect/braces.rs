//! Forms with braces: `{name}`, `{{ anything }}`, `${x}`, `%{x}`, `#{x}`, and the arguments of ICU messages.

use std::cell::OnceCell;

use super::classes::{AT_SIGN, BRACKET, DASH, DOLLAR, DOT, SPACE, WORD};
use super::text::Text;

/// The types of ICU arguments.
const TYPES: [&str; 11] = [
    "plural",
    "select",
    "selectordinal",
    "number",
    "date",
    "time",
    "choice",
    "spellout",
    "ordinal",
    "duration",
    "list",
];

/// The end of the form that each opening brace of a text starts; found when the first one is needed.
#[derive(Default)]
pub struct Braces {
    ends: OnceCell<Vec<usize>>,
}

impl Braces {
    /// The place of the brace of a form that may start at a place.
    pub fn brace(text: &Text<'_>, start: usize) -> Option<usize> {
        match text.at(start) {
            '{' => Some(start),
            '$' | '#' | '%' if text.at(start + 1) == '{' => Some(start + 1),
            _ => None,
        }
    }

    /// The end of the form with this brace, if it is one.
    pub fn end(&self, text: &Text<'_>, brace: usize) -> Option<usize> {
        let end = self.ends.get_or_init(|| balanced(text))[brace];
        (end > 0 && is_form(text, brace, end)).then_some(end)
    }
}

/// The end after the brace that closes each opening one; 0 for unbalanced ones and other characters.
fn balanced(text: &Text<'_>) -> Vec<usize> {
    let mut ends = vec![0; text.len()];
    let mut open = Vec::new();
    for at in 0..text.len() {
        match text.at(at) {
            '{' => open.push(at),
            '}' => {
                if let Some(start) = open.pop() {
                    ends[start] = at + 1;
                }
            }
            _ => {}
        }
    }
    ends
}

/// Whether braces hold anything in double braces, anything between percent signs, anything without spaces, one dotted
/// name, or an ICU argument. Looks no further than the next brace, so that nested ones are not read again.
fn is_form(text: &Text<'_>, start: usize, end: usize) -> bool {
    let last = end - 1;
    let enclosed = |first: char, second: char| {
        end - start >= 4 && text.at(start + 1) == first && text.at(last - 1) == second
    };
    if enclosed('{', '}') || enclosed('%', '%') {
        return true;
    }
    let mut dense = start + 1;
    while !text.is(dense, SPACE) && !matches!(text.at(dense), '{' | '}') {
        dense += 1;
    }
    if dense == last {
        return true;
    }
    let name = text.run(start + 1, SPACE);
    let name_end = text.run(name, WORD | DOT | DOLLAR | AT_SIGN | BRACKET);
    (name_end > name && text.run(name_end, SPACE) == last) || is_argument(text, name)
}

fn is_argument(text: &Text<'_>, name: usize) -> bool {
    let end = text.run(name, WORD | DOT | DASH);
    let comma = text.run(end, SPACE);
    if end == name || text.at(comma) != ',' {
        return false;
    }
    let kind = text.run(comma + 1, SPACE);
    TYPES.iter().any(|one| text.starts_with(kind, one) && !text.is(kind + one.len(), WORD))
}
