//! The rule table: a trie over source sides in a memory-mapped file.

pub mod build;
pub mod bytes;
pub mod filter;
pub mod inspect;
pub mod moses;
pub mod read;

use crate::extract::record::Identity;
use crate::mapped::Format;

pub const FORMAT: Format = Format { kind: b'R', name: "rule table", version: 2, sections: 13 };

/// The sections of a table file, in this order. The rules come first because they are written as they arrive.
pub mod section {
    pub const RULES: usize = 0;
    pub const META: usize = 1;
    pub const SOURCE_TEXT: usize = 2;
    pub const SOURCE_OFFSETS: usize = 3;
    pub const SOURCE_SLOTS: usize = 4;
    pub const TARGET_TEXT: usize = 5;
    pub const TARGET_OFFSETS: usize = 6;
    pub const TARGET_SLOTS: usize = 7;
    pub const NODE_WORD: usize = 8;
    pub const NODE_JOINT: usize = 9;
    pub const NODE_CHILDREN: usize = 10;
    pub const NODE_RULES: usize = 11;
    pub const SETTINGS: usize = 12;
}

/// What matching a table against a sentence needs to know of how it was made.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Settings {
    pub identity: Identity,
    /// Most positions from the first to the last word of a source side.
    pub max_span: u32,
    /// Whether rules carry orientation counts.
    pub oriented: bool,
}

impl Settings {
    fn numbers(self) -> [u32; 3] {
        [u32::from(self.identity == Identity::Gaps), self.max_span, u32::from(self.oriented)]
    }

    fn from_numbers(numbers: &[u32]) -> Option<Self> {
        let &[identity, max_span, oriented] = numbers else { return None };
        let identity = if identity == 1 { Identity::Gaps } else { Identity::Links };
        Some(Settings { identity, max_span, oriented: oriented == 1 })
    }
}

/// Where a node without rules says its rules are.
pub const NO_RULES: u32 = u32::MAX;

/// How many scores a rule has: ln of p(g,c|t), p_lex(g|t), p(t|g,c), p_lex(t|g), in Moses' order.
pub const SCORES: usize = 4;

/// Orientation counts of a rule: monotone, swap, discontinuous towards the previous and towards the next.
pub const ORIENTATIONS: usize = 6;
