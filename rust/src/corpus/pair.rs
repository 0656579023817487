//! A sentence pair, the input of rule extraction.

use crate::source::dependents::HeadDependents;
use crate::source::fragments::Fragments;
use crate::store::bits::MAX_WORDS;

/// A sentence pair, its words as numbers.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    pub source: Vec<u32>,
    /// From 0, -1 for the root word; empty without a tree.
    pub heads: Vec<i32>,
    /// The part of speech of each source word, as numbered by [`super::pair_reader::PairReader`]; empty without a tree.
    pub tags: Vec<u32>,
    pub target: Vec<u32>,
    pub points: Vec<(u16, u16)>,
    /// The fragments of the source tree, for grammars that use them.
    pub fragments: Fragments,
    /// The heads of the source tree with their dependents, for grammars that use them.
    pub dependents: HeadDependents,
}

impl Pair {
    /// Whether a side has more words than any search accepts.
    pub fn is_too_long(&self) -> bool {
        self.source.len().max(self.target.len()) > MAX_WORDS
    }
}
