//! Links as text: a line a sentence, `0-0 1-2` (source-target), as Pharaoh, Moses and fast_align write them.
//!
//! Gold files may mark a possible link with `p` or `?` instead of the dash, and may count from 1.

use std::fmt::Write;

use crate::error::{Error, Result};

use super::links::{position, Link, Links, Position};

/// Parses one line and appends its links to `links`.
pub fn parse_line(line: &str, one_based: bool, links: &mut Vec<Link>) -> Result<()> {
    for token in line.split_ascii_whitespace() {
        let link = parse_link(token).ok_or_else(|| {
            Error::input(format!("{token:?} is not a link."))
                .hint("A link is written source-target, for example 0-0, or 0p0 or 0?0 for a possible one.")
        })?;
        let (source, target, possible) = link;
        let first = u64::from(one_based);
        if source < first || target < first {
            return Err(Error::input(format!(
                "link {token:?} has position 0, but positions should start at 1."
            ))
            .hint("Read the file with positions from 0."));
        }
        links.push(Link { source: position(source - first)?, target: position(target - first)?, possible });
    }
    Ok(())
}

fn parse_link(token: &str) -> Option<(u64, u64, bool)> {
    let (source, rest) = parse_number(token.as_bytes())?;
    let (kind, rest) = rest.split_first()?;
    let (target, rest) = parse_number(rest)?;
    (b"-p?".contains(kind) && rest.is_empty()).then_some((source, target, *kind != b'-'))
}

/// The number that some bytes begin with, and the bytes after it.
fn parse_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at(digits);
    let next = |number: u64, digit: &u8| number.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    let number = digits.iter().try_fold(0, next)?;
    (!digits.is_empty()).then_some((number, rest))
}

/// Fails if a link is out of range.
pub fn check_range(links: &[Link], source_length: u32, target_length: u32) -> Result<()> {
    for link in links {
        let sides = [("source", link.source, source_length), ("target", link.target, target_length)];
        for (side, at, length) in sides {
            if u32::from(at) >= length {
                return Err(Error::input(format!(
                    "link {}-{} points to {side} word {at} (counted from 0), but the {side} sentence has {}.",
                    link.source,
                    link.target,
                    words(length)
                ))
                .hint(
                    "Check that alignment and text belong together and whether positions start at 0 or 1.",
                ));
            }
        }
    }
    Ok(())
}

fn words(length: u32) -> String {
    if length == 1 {
        "1 word".to_owned()
    } else {
        format!("{length} words")
    }
}

/// Appends the lines of the sentences `start..end`, positions from 0.
pub fn write_lines(links: &Links, start: usize, end: usize, text: &mut String) {
    for number in start..end.min(links.len()) {
        for (k, link) in links.sentence(number).enumerate() {
            if k > 0 {
                text.push(' ');
            }
            push_number(text, link.source);
            text.push(if link.possible { 'p' } else { '-' });
            push_number(text, link.target);
        }
        text.push('\n');
    }
}

fn push_number(text: &mut String, number: Position) {
    // Writing to a String cannot fail.
    let _ = write!(text, "{number}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str, one_based: bool) -> Result<Vec<(Position, Position, bool)>> {
        let mut links = Vec::new();
        parse_line(line, one_based, &mut links)?;
        Ok(links.iter().map(|l| (l.source, l.target, l.possible)).collect())
    }

    #[test]
    fn every_kind_of_link() {
        assert_eq!(parsed("", false).unwrap(), []);
        assert_eq!(parsed(" 0-1\t12p3 4?5 ", false).unwrap(), [(0, 1, false), (12, 3, true), (4, 5, true)]);
        assert_eq!(parsed("1-1 2p3", true).unwrap(), [(0, 0, false), (1, 2, true)]);
    }

    #[test]
    fn what_is_no_link() {
        for bad in
            ["1", "-", "1-", "-1", "a-b", "1-2-3", "1p", "+1-2", "1-2,", "1--2", "99999999999999999999-1"]
        {
            let error = parsed(bad, false).unwrap_err();
            assert!(error.message.contains(&format!("{bad:?}")), "{error}");
        }
        assert!(parsed("0-1", true).unwrap_err().message.contains("start at 1"));
        assert!(parsed("65536-0", false).unwrap_err().message.contains("65536"));
        assert!(parsed("65535-0", false).is_ok());
    }

    #[test]
    fn ranges() {
        let links = [Link::sure(2, 0)];
        assert!(check_range(&links, 3, 1).is_ok());
        assert!(check_range(&links, 2, 1).unwrap_err().message.contains("source word 2"));
        assert!(check_range(&links, 3, 0).unwrap_err().message.contains("target word 0"));
    }
}
