//! Moses' hierarchical rules: a hole is `[X][X]`, both sides end with the left-hand side `[X]`, and the alignment
//! points give the order of the holes.
//!
//! In our tables the target symbols give the order (see [`crate::rule::symbols`]), so an alignment contains only points
//! of words.

use crate::corpus::links::Link;
use crate::error::{Error, Result};
use crate::rule::bytes::Rule;
use crate::rule::symbols::{hole, label, target_hole, STRING_HOLES, TARGET_HOLES, X};
use crate::store::vocab::{Interner, Words};

/// Whether a line of a table is a hierarchical rule: both sides have symbols and a left-hand side.
pub fn is_rule(line: &str) -> bool {
    let mut sides = line.split("|||");
    let mut ends = || sides.next().is_some_and(|side| left_hand(side).is_some());
    ends() && ends()
}

/// The symbols of a side, and the label of its left-hand side.
fn left_hand(side: &str) -> Option<(&str, &str)> {
    let (symbols, last) = side.trim().rsplit_once(' ')?;
    let label = last.strip_prefix('[')?.strip_suffix(']')?;
    (!label.is_empty() && !label.contains(['[', ']'])).then_some((symbols, label))
}

/// The source label and the target label of a hole.
fn hole_labels(symbol: &str) -> Option<(&str, &str)> {
    symbol.strip_prefix('[')?.strip_suffix(']')?.split_once("][")
}

fn symbols(side: &str) -> Result<Vec<&str>> {
    match left_hand(side) {
        Some((symbols, X)) => Ok(symbols.split_ascii_whitespace().collect()),
        Some((_, other)) => {
            Err(Error::input(format!("the left-hand side is [{other}]; only [{X}] is supported.")))
        }
        None => Err(Error::input(format!("{side:?} does not end with a left-hand side such as [{X}]."))),
    }
}

/// Turns both sides into numbers and removes the points of holes from `links`.
pub fn read_sides(
    (from, to): (&str, &str),
    links: &mut Vec<Link>,
    source: &mut Interner,
    target: &mut Interner,
) -> Result<(Vec<u32>, Vec<u32>)> {
    let (from, to) = (symbols(from)?, symbols(to)?);
    let at = |symbols: &[&str], k: u16| symbols.get(usize::from(k)).is_some_and(|s| hole_labels(s).is_some());
    // By number of the hole, counted from the left of the source side: its position on the target side.
    let mut goes_to = Vec::new();
    for (k, _) in from.iter().enumerate().filter(|(_, symbol)| hole_labels(symbol).is_some()) {
        let points: Vec<u16> =
            links.iter().filter(|link| usize::from(link.source) == k).map(|l| l.target).collect();
        match points[..] {
            [point] if at(&to, point) => goes_to.push(usize::from(point)),
            _ => {
                return Err(Error::input(format!(
                    "hole {k} of the source side is not aligned to a hole of the target side."
                )))
            }
        }
    }
    let holes = to.iter().filter(|symbol| hole_labels(symbol).is_some()).count();
    if goes_to.len() > STRING_HOLES {
        return Err(Error::input(format!("{} holes; a rule has at most {STRING_HOLES}.", goes_to.len())));
    }
    if holes != goes_to.len() || (holes == 2 && goes_to[0] == goes_to[1]) {
        return Err(Error::input("the holes of the two sides are not aligned one to one."));
    }
    links.retain(|link| !at(&from, link.source) && !at(&to, link.target));
    let mut source_symbol = |symbol: &&str| match hole_labels(symbol) {
        Some((label, _)) => source.intern(&hole(label)),
        None => source.intern(symbol),
    };
    let words = from.iter().map(&mut source_symbol).collect::<Result<_>>()?;
    let mut target_symbol = |(k, symbol): (usize, &&str)| match goes_to.iter().position(|&point| point == k) {
        Some(number) => target.intern(TARGET_HOLES[number]),
        None => target.intern(symbol),
    };
    Ok((words, to.iter().enumerate().map(&mut target_symbol).collect::<Result<_>>()?))
}

/// Both sides and the alignment of a rule in Moses' format.
pub fn write_sides(
    side: &[(u32, u16)],
    rule: &Rule,
    (source, target): (Words<'_>, Words<'_>),
) -> Result<(String, String, String)> {
    let mut points: Vec<(usize, usize)> =
        rule.alignment.iter().map(|&(s, t)| (usize::from(s), usize::from(t))).collect();
    let (mut from, mut holes) = (String::new(), Vec::new());
    for (k, &(symbol, _)) in side.iter().enumerate() {
        match label(source.word(symbol)) {
            Some(label) => {
                holes.push((k, label));
                from.push_str(&format!("[{label}][{X}] "));
            }
            None => push_word(&mut from, source.word(symbol))?,
        }
    }
    let mut to = String::new();
    for (k, &symbol) in rule.target.iter().enumerate() {
        let hole = target_hole(target.word(symbol)).and_then(|number| holes.get(number));
        match hole {
            Some(&(position, label)) => {
                points.push((position, k));
                to.push_str(&format!("[{label}][{X}] "));
            }
            None => push_word(&mut to, target.word(symbol))?,
        }
    }
    points.sort_unstable();
    let points: Vec<String> = points.iter().map(|(s, t)| format!("{s}-{t}")).collect();
    Ok((format!("{from}[{X}]"), format!("{to}[{X}]"), points.join(" ")))
}

fn push_word(side: &mut String, word: &str) -> Result<()> {
    if word.starts_with('[') && word.ends_with(']') && word.len() > 2 {
        return Err(Error::input(format!(
            "the word {word:?} looks like a label, and Moses could not distinguish them."
        ))
        .hint("Escape brackets as &#91; and &#93; before training."));
    }
    side.push_str(word);
    side.push(' ');
    Ok(())
}
