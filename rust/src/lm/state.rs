//! The language-model state of a hypothesis: small values that are equal exactly if the model scores all continuations
//! of two hypotheses equally.

use std::hash::{Hash, Hasher};

use super::table::Node;
use super::MAX_ORDER;

const CONTEXT: usize = MAX_ORDER - 1;

/// The words at the right end that can still matter: the longest suffix that is a context of some n-gram in the model.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    /// The latest word first.
    pub(crate) words: [u32; CONTEXT],
    /// The backoff of the context that ends with each of them.
    pub(crate) backoffs: [f32; CONTEXT],
    pub(crate) length: u8,
}

impl State {
    /// The words of the state, the latest first.
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

/// The words at the left end whose scores can still change when words are added before them.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeftState {
    /// The n-gram of the first word, of the first two, and so on.
    pub(crate) nodes: [Node; CONTEXT],
    pub(crate) length: u8,
    /// Whether the words after these are settled, whatever precedes them; if not, these are all words.
    pub(crate) full: bool,
}

impl LeftState {
    /// The first word; none if it is settled, whatever precedes it.
    #[inline]
    pub fn first_word(&self) -> Option<u32> {
        // The n-gram of the first word alone is the word.
        (self.length > 0).then(|| self.nodes[0].place)
    }

    #[inline]
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes[..self.length as usize]
    }

    /// The number of unsettled words at the left end.
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

/// Both ends of a piece of a sentence, for bottom-up search; made by [`super::RuleScore`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChartState {
    pub left: LeftState,
    pub right: State,
}
