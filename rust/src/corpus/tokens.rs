//! The definition of token separators, shared by all readers.

use std::borrow::Cow;

/// White space in both Rust and Python: the Unicode property and the four ASCII separators that Python's `str.split`
/// adds. With one definition a line has the same tokens in both.
pub fn is_space(letter: char) -> bool {
    letter.is_whitespace() || ('\x1c'..='\x1f').contains(&letter)
}

/// The tokens of a line.
pub fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let spaces = |at: usize| Some(space_at(line, at)).filter(|&bytes| bytes > 0);
        while let Some(bytes) = spaces(at) {
            at += bytes;
        }
        let start = at;
        while at < line.len() && space_at(line, at) == 0 {
            at += 1;
        }
        (start < at).then(|| &line[start..at])
    })
}

/// What begins with a byte.
#[derive(Clone, Copy)]
enum Begins {
    /// A letter, or nothing: the byte is inside of one.
    Letter,
    /// A space of one byte.
    Space,
    /// A letter or a longer space. No letter has such a byte inside.
    Either,
}

/// By byte: a look-up is quicker than the comparisons.
const BEGINS: [Begins; 256] = {
    let mut begins = [Begins::Letter; 256];
    let mut byte = 0;
    while byte < begins.len() {
        begins[byte] = match byte as u8 {
            b' ' | 9..=13 | 0x1c..=0x1f => Begins::Space,
            0xc2 | 0xe1..=0xe3 => Begins::Either,
            _ => Begins::Letter,
        };
        byte += 1;
    }
    begins
};

/// The number of bytes of the space that begins at a byte, 0 if none does.
#[inline]
fn space_at(line: &str, at: usize) -> usize {
    match line.as_bytes().get(at).map(|&byte| BEGINS[usize::from(byte)]) {
        None | Some(Begins::Letter) => 0,
        Some(Begins::Space) => 1,
        Some(Begins::Either) => {
            line[at..].chars().next().filter(|&letter| is_space(letter)).map_or(0, char::len_utf8)
        }
    }
}

/// A text, in lower case if asked.
pub fn cased(text: &str, lowercase: bool) -> Cow<'_, str> {
    match lowercase {
        true => Cow::Owned(text.to_lowercase()),
        false => Cow::Borrowed(text),
    }
}

/// The tokens of a line, joined by single spaces.
pub fn joined(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for token in tokens(line) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(token);
    }
    text
}

/// Appends a form as one token: spaces inside (as in `10 000`) become `_`.
pub fn push_form(text: &mut String, form: &str) {
    for (at, part) in tokens(form).enumerate() {
        if at > 0 {
            text.push('_');
        }
        text.push_str(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_what_lies_between_spaces() {
        for letter in '\0'..=char::MAX {
            let line = format!("ä{letter}z{letter}{letter} b");
            let split: Vec<&str> = line.split(is_space).filter(|token| !token.is_empty()).collect();
            assert_eq!(tokens(&line).collect::<Vec<_>>(), split, "{letter:?}");
        }
    }

    #[test]
    fn every_kind_of_space_separates() {
        assert_eq!(joined("  a\u{a0}b\tc\u{3000}\u{1f}d "), "a b c d");
        assert_eq!(joined(""), "");
        let mut text = String::new();
        push_form(&mut text, "10\u{a0}000");
        assert_eq!(text, "10_000");
    }
}
