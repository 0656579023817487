//! What a search keeps of the words it has scored: small values that are equal exactly if the model cannot tell the
//! futures of two hypotheses apart.

use std::hash::{Hash, Hasher};

use super::table::Node;
use super::MAX_ORDER;

const CONTEXT: usize = MAX_ORDER - 1;

/// The words at the right end that can still matter: the longest context that some n-gram of the model has.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    /// The latest word first.
    pub(crate) words: [u32; CONTEXT],
    /// The backoff of the context that ends with each of them.
    pub(crate) backoffs: [f32; CONTEXT],
    pub(crate) length: u8,
}

impl State {
    /// The words kept, the latest first.
    #[inline]
    pub fn words(&self) -> &[u32] {
        &self.words[..self.length as usize]
    }

    #[inline]
    pub(crate) fn backoffs(&self) -> &[f32] {
        &self.backoffs[..self.length as usize]
    }
}

impl PartialEq for State {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl Eq for State {}

impl Hash for State {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}

/// The words at the left end whose scores can still change when words come before them.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeftState {
    /// The n-gram of the first word, of the first two, and so on.
    pub(crate) nodes: [Node; CONTEXT],
    pub(crate) length: u8,
    /// Whether the words after these are settled, whatever comes before; if not, these are all words there are.
    pub(crate) full: bool,
}

impl LeftState {
    #[inline]
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes[..self.length as usize]
    }

    /// How many words at the left end are not settled.
    pub fn len(&self) -> usize {
        self.length as usize
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn is_full(&self) -> bool {
        self.full
    }
}

impl PartialEq for LeftState {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.full == other.full && self.nodes() == other.nodes()
    }
}

impl Eq for LeftState {}

impl Hash for LeftState {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.full.hash(state);
        self.nodes().hash(state);
    }
}

/// Both ends of a piece of a sentence, for searches that build bottom up; made by [`super::RuleScore`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChartState {
    pub left: LeftState,
    pub right: State,
}
