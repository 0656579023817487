//! Placeholders of programming languages: of `printf` and its relatives, Qt, `strftime`, shells, and escapes.

use super::classes::{Class, BLANK, DASH, DIGIT, DOLLAR, DOT, LETTER, PERCENT, UNDERSCORE, WORD};
use super::text::Text;

const CONVERSIONS: &str = "diouxXeEfFgGaAcCsSpn@";
const CONVERSIONS_OF_PYTHON: &str = "diouxXeEfFgGcrsa";
const PARTS_OF_TIMES: &str = "aAbBcdHIjmMpSUwWxXyYZ";
const LENGTHS: [&str; 11] = ["hh", "h", "ll", "l", "q", "j", "z", "t", "L", "I64", "I32"];
const NAME_START: Class = LETTER | UNDERSCORE;

pub fn variable(text: &Text<'_>, start: usize) -> Option<usize> {
    match text.at(start) {
        '%' => between_percents(text, start)
            .or_else(|| of_python(text, start))
            .or_else(|| of_printf(text, start))
            .or_else(|| (text.at(start + 1) == '%').then_some(start + 2))
            .or_else(|| of_time(text, start))
            .or_else(|| of_qt(text, start))
            .or_else(|| of_ruby(text, start)),
        '\\' => matches!(text.at(start + 1), 'n' | 'r' | 't').then_some(start + 2),
        '$' => of_make(text, start).or_else(|| of_shell(text, start)),
        _ => None,
    }
}

/// `%APPDATA%`
fn between_percents(text: &Text<'_>, start: usize) -> Option<usize> {
    if !text.is(start + 1, NAME_START) {
        return None;
    }
    let end = text.run(start + 2, WORD | DOT);
    let is_variable = end > start + 2 && text.at(end) == '%' && !text.is(end + 1, WORD | PERCENT);
    is_variable.then_some(end + 1)
}

/// `%(name)s`
fn of_python(text: &Text<'_>, start: usize) -> Option<usize> {
    if text.at(start + 1) != '(' {
        return None;
    }
    let close = text.run(start + 2, WORD | BLANK | DOT | DASH);
    if close == start + 2 || text.at(close) != ')' {
        return None;
    }
    let mut at = close + 1;
    while matches!(text.at(at), '-' | '+' | '#' | '0') {
        at += 1;
    }
    at = text.run(at, DIGIT);
    if text.at(at) == '.' && text.is(at + 1, DIGIT) {
        at = text.run(at + 1, DIGIT);
    }
    conversion(text, at, CONVERSIONS_OF_PYTHON)
}

fn conversion(text: &Text<'_>, place: usize, letters: &str) -> Option<usize> {
    letters.contains(text.at(place)).then_some(place + 1)
}

/// `%-5.2f`. After a digit it could be a percentage, so a word must end there.
fn of_printf(text: &Text<'_>, start: usize) -> Option<usize> {
    let mut at = start + 1;
    let position = text.run(at, DIGIT);
    if position > at && text.at(position) == '$' {
        at = position + 1;
    }
    loop {
        match text.at(at) {
            '+' | '#' | '0' | '\'' => at += 1,
            '-' if text.is(at + 1, DIGIT) || text.at(at + 1) == '*' => at += 1,
            _ => break,
        }
    }
    at = width(text, at);
    if text.at(at) == '.' {
        at = Some(width(text, at + 1)).filter(|&end| end > at + 1)?;
    }
    at += LENGTHS.iter().find(|length| text.starts_with(at, length)).map_or(0, |length| length.len());
    let end = conversion(text, at, CONVERSIONS)?;
    (!text.follows(start, DIGIT) || !text.is(end, LETTER)).then_some(end)
}

fn width(text: &Text<'_>, start: usize) -> usize {
    if text.at(start) == '*' {
        start + 1
    } else {
        text.run(start, DIGIT)
    }
}

/// `%Y`
fn of_time(text: &Text<'_>, start: usize) -> Option<usize> {
    let end = conversion(text, start + 1, PARTS_OF_TIMES)?;
    (!text.follows(start, WORD | PERCENT) && !text.is(end, WORD)).then_some(end)
}

/// `%1`, `%L1`
fn of_qt(text: &Text<'_>, start: usize) -> Option<usize> {
    let digits = start + 1 + usize::from(text.at(start + 1) == 'L');
    let end = text.short_run(digits, DIGIT, 2)?;
    (!text.follows(start, DIGIT | PERCENT)).then_some(end)
}

/// `%<name>s`
fn of_ruby(text: &Text<'_>, start: usize) -> Option<usize> {
    if text.at(start + 1) != '<' {
        return None;
    }
    let end = text.run(start + 2, WORD);
    (end > start + 2 && text.at(end) == '>' && text.is(end + 1, LETTER)).then_some(end + 2)
}

/// `$(NAME)`
fn of_make(text: &Text<'_>, start: usize) -> Option<usize> {
    if text.at(start + 1) != '(' || !text.is(start + 2, NAME_START) {
        return None;
    }
    let end = text.run(start + 2, WORD);
    (text.at(end) == ')').then_some(end + 1)
}

/// `$name`
fn of_shell(text: &Text<'_>, start: usize) -> Option<usize> {
    let is_variable = text.is(start + 1, NAME_START) && !text.follows(start, WORD | DOLLAR);
    is_variable.then(|| text.run(start + 1, WORD))
}
