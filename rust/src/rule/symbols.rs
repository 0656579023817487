//! Holes of hierarchical rules as symbols, in addition to the words of a rule.
//!
//! A hole is an entry of the vocabulary like a word, marked by a leading space, which no word has. On the source side
//! it carries the label of its filler (` X`); on the target side it carries the index of the source hole, counted from
//! the left (` 0`, ` 1`).

/// The only label of rules without syntax.
pub const X: &str = "X";

/// The label of a hole that is a gap in a discontinuous fragment; no part of speech has this name.
pub const GAP: &str = "<gap>";

/// The label of a hole over any span, in a grammar whose other holes are fragments; no part of speech has this name.
pub const ANY: &str = "<any>";
/// The source symbol of such a hole, the first of its table.
pub const ANY_HOLE: &str = " <any>";

/// The highest number of holes in a rule of any grammar.
pub const MAX_HOLES: usize = 5;

/// The highest number of holes in a rule that is a string of words and holes (Chiang 2007, section 3.1).
pub const STRING_HOLES: usize = 2;

/// The target symbols of the holes, by number.
pub const TARGET_HOLES: [&str; MAX_HOLES] = [" 0", " 1", " 2", " 3", " 4"];

/// The source symbol of a hole with this label.
pub fn hole(label: &str) -> String {
    format!(" {label}")
}

/// The label of a source symbol, if it is a hole.
pub fn label(symbol: &str) -> Option<&str> {
    symbol.strip_prefix(' ')
}

/// The number of the source hole that a target symbol stands for, if it is a hole.
pub fn target_hole(symbol: &str) -> Option<usize> {
    TARGET_HOLES.iter().position(|&other| other == symbol)
}

/// A source symbol in readable form, a hole with its label in brackets.
pub fn shown_source(symbol: &str) -> String {
    match label(symbol) {
        Some(label) => format!("[{label}]"),
        None => symbol.to_owned(),
    }
}

/// A target symbol in readable form, a hole with its number in brackets, counted from 1 as readers do.
pub fn shown_target(symbol: &str) -> String {
    match target_hole(symbol) {
        Some(hole) => format!("[{}]", hole + 1),
        None => symbol.to_owned(),
    }
}
