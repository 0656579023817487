//! The definition of token separators, shared by all readers.

use std::borrow::Cow;

/// White space in both Rust and Python: the Unicode property and the four ASCII separators that Python's `str.split`
/// adds. With one definition a line has the same tokens in both.
pub fn is_space(letter: char) -> bool {
    letter.is_whitespace() || ('\x1c'..='\x1f').contains(&letter)
}

pub fn tokens(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_space).filter(|token| !token.is_empty())
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
    fn every_kind_of_space_separates() {
        assert_eq!(joined("  a\u{a0}b\tc\u{3000}\u{1f}d "), "a b c d");
        assert_eq!(joined(""), "");
        let mut text = String::new();
        push_form(&mut text, "10\u{a0}000");
        assert_eq!(text, "10_000");
    }
}
