//! What fragments are and what rules know of them: the options of extraction that a table carries to the search.

use crate::rule::symbols::X;

/// What the labels of fragments show.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Labels {
    /// The part of speech of every word whose head is outside (the paper's).
    All,
    /// The first and the last of these.
    Ends,
    /// Nothing: every fragment is an X.
    None,
}

impl Labels {
    pub const ALL: [Labels; 3] = [Labels::All, Labels::Ends, Labels::None];

    /// What Python calls it.
    pub fn name(self) -> &'static str {
        match self {
            Labels::All => "all",
            Labels::Ends => "ends",
            Labels::None => "none",
        }
    }

    /// Writes the label of words with these parts of speech.
    pub(super) fn write<'a>(self, mut tags: impl DoubleEndedIterator<Item = &'a str>, label: &mut String) {
        label.clear();
        if self == Labels::None {
            label.push_str(X);
            return;
        }
        label.push_str(tags.next().unwrap_or_default());
        let mut add = |tag| {
            label.push('_');
            label.push_str(tag);
        };
        match self {
            Labels::Ends => tags.next_back().into_iter().for_each(&mut add),
            _ => tags.for_each(&mut add),
        }
    }
}

/// What a fragment is and what rules know of it; extraction and matching must agree on it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Shape {
    /// Most nodes that touch the rest of the graph.
    pub max_external: usize,
    pub labels: Labels,
    /// Whether rules are told apart by which symbol hangs on which.
    pub structure: bool,
    /// Most gaps of a discontinuous fragment.
    pub max_gaps: usize,
}

impl Shape {
    /// As in the paper.
    pub const PAPER: Shape = Shape { max_external: 2, labels: Labels::All, structure: true, max_gaps: 0 };
}
