//! The definition of fragments and of their identity in rules: options of extraction that a table passes on to the
//! search.

use crate::error::{Error, Result};
use crate::rule::symbols::X;

/// The content of fragment labels.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FragmentLabels {
    /// The part of speech of every word whose head is outside (as in the paper).
    All,
    /// The first and the last of these.
    Ends,
    /// Nothing: every fragment is an X.
    None,
}

impl FragmentLabels {
    pub const ALL: [FragmentLabels; 3] = [FragmentLabels::All, FragmentLabels::Ends, FragmentLabels::None];

    /// The name in Python.
    pub fn name(self) -> &'static str {
        match self {
            FragmentLabels::All => "all",
            FragmentLabels::Ends => "ends",
            FragmentLabels::None => "none",
        }
    }

    /// Writes the label of words with these parts of speech.
    pub(super) fn write<'a>(self, mut tags: impl DoubleEndedIterator<Item = &'a str>, label: &mut String) {
        label.clear();
        if self == FragmentLabels::None {
            label.push_str(X);
            return;
        }
        label.push_str(tags.next().unwrap_or_default());
        let mut add = |tag| {
            label.push('_');
            label.push_str(tag);
        };
        match self {
            FragmentLabels::Ends => tags.next_back().into_iter().for_each(&mut add),
            _ => tags.for_each(&mut add),
        }
    }
}

/// The definition of fragments and of their identity in rules; extraction and matching must agree on it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FragmentShape {
    /// The highest number of nodes that touch the rest of the graph.
    pub max_external: usize,
    pub labels: FragmentLabels,
    /// Whether rules are distinguished by the dependencies among their symbols.
    pub structure: bool,
    /// The highest number of gaps in a discontinuous fragment.
    pub max_gaps: usize,
    /// Whether there are also the rules of HPB, whose spans and holes need not be fragments.
    pub any_span: bool,
}

impl FragmentShape {
    /// As in the paper.
    pub const PAPER: FragmentShape = FragmentShape {
        max_external: 2,
        labels: FragmentLabels::All,
        structure: true,
        max_gaps: 0,
        any_span: false,
    };

    /// Fails if the rules over any span cannot be told apart from the others, or if these have what they do not.
    pub fn check(&self) -> Result<()> {
        if self.any_span && (self.structure || self.max_gaps > 0 || self.labels == FragmentLabels::None) {
            return Err(Error::option(
                "rules over any span have no structure and no gaps, and the others have labels.",
            )
            .hint("Choose structure = false, max_gaps = 0, and labels all or ends."));
        }
        Ok(())
    }
}
