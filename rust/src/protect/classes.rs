//! Classes of characters, as bits.

use std::sync::OnceLock;

/// A set of classes.
pub type Class = u32;

/// Letters, numbers and underscores; marks are no part of words.
pub const WORD: Class = 1;
pub const SPACE: Class = 1 << 1;
/// Characters of scripts without spaces between words, next to which an item may start or end.
pub const UNSPACED: Class = 1 << 2;
/// `0` to `9`, and no other script's digits.
pub const DIGIT: Class = 1 << 3;
/// `a` to `z` and `A` to `Z`.
pub const LETTER: Class = 1 << 4;
pub const LOWER: Class = 1 << 5;
pub const HEX: Class = 1 << 6;
/// Private-use characters and noncharacters: icons of UI fonts, and our own marks.
pub const PRIVATE: Class = 1 << 7;
pub const UNDERSCORE: Class = 1 << 8;
pub const DOT: Class = 1 << 9;
pub const DASH: Class = 1 << 10;
pub const COLON: Class = 1 << 11;
pub const SLASH: Class = 1 << 12;
pub const DOLLAR: Class = 1 << 13;
pub const PERCENT: Class = 1 << 14;
pub const PLUS: Class = 1 << 15;
pub const BLANK: Class = 1 << 16;
pub const AT_SIGN: Class = 1 << 17;
pub const TILDE: Class = 1 << 18;
pub const BACKSLASH: Class = 1 << 19;
pub const STAR: Class = 1 << 20;
/// What an address consists of.
pub const ADDRESS: Class = 1 << 21;
/// What follows the drive of a path of Windows.
pub const FILE: Class = 1 << 22;
/// The name of an attribute.
pub const ATTRIBUTE: Class = 1 << 23;
/// The value of an attribute without quotes.
pub const VALUE: Class = 1 << 24;
/// What a path's root does not follow.
pub const BEFORE_ROOT: Class = 1 << 25;
pub const BRACKET: Class = 1 << 26;
/// What some item contains: a text without any has no items.
pub const POSSIBLE: Class = 1 << 27;

const ASCII: [Class; 128] = {
    let mut table = [0; 128];
    let mut at = 0;
    while at < 128 {
        table[at] = ascii(at as u8);
        at += 1;
    }
    table
};

/// The classes of a character.
#[inline]
pub fn of(character: char) -> Class {
    match ASCII.get(character as usize) {
        Some(&class) => class,
        None => other(character),
    }
}

const fn is_in(byte: u8, set: &[u8]) -> bool {
    let mut at = 0;
    while at < set.len() {
        if set[at] == byte {
            return true;
        }
        at += 1;
    }
    false
}

const fn given(holds: bool, class: Class) -> Class {
    if holds {
        class
    } else {
        0
    }
}

const fn ascii(byte: u8) -> Class {
    let digit = byte.is_ascii_digit();
    let word = byte.is_ascii_alphanumeric() || byte == b'_';
    // As Python: the separators of files, groups, records and units are white space.
    let space = matches!(byte, b'\t'..=b'\r' | 0x1c..=0x1f | b' ');
    given(word, WORD)
        | given(space, SPACE)
        | given(digit, DIGIT)
        | given(byte.is_ascii_alphabetic(), LETTER)
        | given(byte.is_ascii_lowercase(), LOWER)
        | given(byte.is_ascii_hexdigit(), HEX)
        | given(byte == b'_', UNDERSCORE)
        | given(byte == b'.', DOT)
        | given(byte == b'-', DASH)
        | given(byte == b':', COLON)
        | given(byte == b'/', SLASH)
        | given(byte == b'$', DOLLAR)
        | given(byte == b'%', PERCENT)
        | given(byte == b'+', PLUS)
        | given(byte == b' ', BLANK)
        | given(byte == b'@', AT_SIGN)
        | given(byte == b'~', TILDE)
        | given(byte == b'\\', BACKSLASH)
        | given(byte == b'*', STAR)
        | given(!space && !is_in(byte, b"<>\"'`"), ADDRESS)
        | given(!space && !is_in(byte, b"<>\"|?*:"), FILE)
        | given(!space && !is_in(byte, b"\"'<>/="), ATTRIBUTE)
        | given(!space && !is_in(byte, b"\"'=<>`"), VALUE)
        | given(word || is_in(byte, b"])}>\"'/.~<:%\\-"), BEFORE_ROOT)
        | given(is_in(byte, b"[]"), BRACKET)
        | given(digit || is_in(byte, b"%<&{$@/\\.:"), POSSIBLE)
}

fn other(character: char) -> Class {
    let word = is_word(character);
    let space = character.is_whitespace();
    let unspaced = is_unspaced(character);
    let private = matches!(
        character,
        '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{f0000}'..='\u{10ffff}'
    );
    given(word, WORD | BEFORE_ROOT)
        | given(space, SPACE)
        | given(!space, FILE | ATTRIBUTE | VALUE)
        | given(unspaced, UNSPACED)
        | given(!space && !unspaced, ADDRESS)
        | given(private, PRIVATE)
        | given(private || character == '⟨', POSSIBLE)
}

fn is_unspaced(character: char) -> bool {
    matches!(
        character,
        '\u{2e80}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff00}'..='\u{ffef}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Whether a character has the general category letter or number.
fn is_word(character: char) -> bool {
    static RANGES: OnceLock<Vec<(char, char)>> = OnceLock::new();
    let ranges = RANGES.get_or_init(|| {
        let parsed = regex_syntax::parse(r"[\p{L}\p{N}]").expect("a valid class");
        match parsed.kind() {
            regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => {
                class.iter().map(|range| (range.start(), range.end())).collect()
            }
            _ => unreachable!("a class of characters"),
        }
    });
    let after = ranges.partition_point(|&(first, _)| first <= character);
    after > 0 && character <= ranges[after - 1].1
}
