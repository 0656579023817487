//! Tags, entities, and symbols with a meaning inside graphmt.

use super::classes::{
    Class, ATTRIBUTE, COLON, DASH, DIGIT, DOT, HEX, LETTER, LOWER, PRIVATE, SPACE, VALUE, WORD,
};
use super::needle::Needle;
use super::text::Text;

/// The most characters of a comment, and of a CDATA section, a processing instruction or an attribute in quotes.
const COMMENT: usize = 1000;
const CONTENT: usize = 4000;

const NAME: Class = WORD | COLON | DOT | DASH;

/// The ends of markup that has no names, as they were found last.
pub struct Ends {
    comment: Needle,
    cdata: Needle,
    instruction: Needle,
}

impl Default for Ends {
    fn default() -> Self {
        Ends { comment: Needle::new("-->"), cdata: Needle::new("]]>"), instruction: Needle::new("?>") }
    }
}

/// A private-use character, or the token that stands for an item.
pub fn symbol(text: &Text<'_>, start: usize) -> Option<usize> {
    if text.is(start, PRIVATE) {
        return Some(start + 1);
    }
    if text.at(start) != '⟨' {
        return None;
    }
    let end = text.run(start + 1, LOWER);
    (end > start + 1 && text.at(end) == '⟩').then_some(end + 1)
}

/// An element's tag, a comment, a CDATA section, or a processing instruction.
pub fn tag(text: &Text<'_>, start: usize, ends: &Ends) -> Option<usize> {
    if text.at(start) != '<' {
        return None;
    }
    match text.at(start + 1) {
        '!' if text.starts_with(start + 2, "--") => ends.comment.end_within(text, start + 4, COMMENT),
        '!' if text.starts_with(start + 2, "[CDATA[") => ends.cdata.end_within(text, start + 9, CONTENT),
        '?' if text.is(start + 2, WORD) => ends.instruction.end_within(text, start + 3, CONTENT),
        '/' => element(text, start + 2),
        _ => element(text, start + 1),
    }
}

/// The name and the attributes of a tag, and its end. Nothing of it contains `<`, so tags are not read twice.
fn element(text: &Text<'_>, start: usize) -> Option<usize> {
    let mut at = text.run(start, if text.is(start, LETTER) { NAME } else { DIGIT });
    if at == start {
        return None;
    }
    loop {
        let next = text.run(at, SPACE);
        if next > at && text.is(next, ATTRIBUTE) {
            at = text.run(next, ATTRIBUTE);
            let equals = text.run(at, SPACE);
            if text.at(equals) == '=' {
                at = value(text, text.run(equals + 1, SPACE))?;
            }
            continue;
        }
        let end = next + usize::from(text.at(next) == '/');
        return (text.at(end) == '>').then_some(end + 1);
    }
}

fn value(text: &Text<'_>, start: usize) -> Option<usize> {
    let quote = text.at(start);
    if quote != '"' && quote != '\'' {
        let end = text.run(start, VALUE);
        return (end > start).then_some(end);
    }
    let mut end = start + 1;
    while end < text.len() && end <= start + CONTENT && text.at(end) != quote && text.at(end) != '<' {
        end += 1;
    }
    (text.at(end) == quote).then_some(end + 1)
}

/// `&amp;`, `&#38;` or `&#x26;`.
pub fn entity(text: &Text<'_>, start: usize) -> Option<usize> {
    if text.at(start) != '&' {
        return None;
    }
    let end = match text.at(start + 1) {
        '#' if matches!(text.at(start + 2), 'x' | 'X') => text.short_run(start + 3, HEX, 6)?,
        '#' => text.short_run(start + 2, DIGIT, 7)?,
        _ if text.is(start + 1, LETTER) => text.short_run(start + 2, LETTER | DIGIT, 31)?,
        _ => return None,
    };
    (text.at(end) == ';').then_some(end + 1)
}
