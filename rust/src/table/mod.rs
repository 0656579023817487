//! The rule table: a trie over source sides in a memory-mapped file.

pub mod build;
pub mod filter;
pub mod inspect;
pub mod moses;
mod moses_holes;
pub mod prune;
pub mod read;

use crate::rule::record::Identity;
use crate::source::fragments::{FragmentLabels, FragmentShape};
use crate::store::mapped::Format;

pub const FORMAT: Format =
    Format { kind: b'R', name: "rule table", version: 5, sections: 13, large: &[section::RULES] };

/// The sections of a table file, in this order. The rules come first because they are written as they are added.
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

/// The kind of source sides in a table.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Grammar {
    /// Connected subgraphs, distinguished by [`Identity`].
    Subgraphs,
    /// Strings of words and holes (HPB).
    Hierarchical,
    /// Strings of words and holes of a dependency graph, each symbol with its head among them (DGST).
    Fragments,
    /// Heads with their dependents (Dep2Str).
    HeadDependents,
}

impl Grammar {
    const ALL: [Grammar; 4] =
        [Grammar::Subgraphs, Grammar::Hierarchical, Grammar::Fragments, Grammar::HeadDependents];

    /// The name in Python.
    pub fn name(self) -> &'static str {
        match self {
            Grammar::Subgraphs => "subgraphs",
            Grammar::Hierarchical => "hierarchical",
            Grammar::Fragments => "fragments",
            Grammar::HeadDependents => "head-dependents",
        }
    }
}

/// The properties of a table that matching needs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TableSettings {
    pub grammar: Grammar,
    pub identity: Identity,
    /// The highest number of positions from the first to the last word of a subgraph, or of a phrase pair that rules
    /// are extracted from.
    pub max_span: u32,
    /// Whether rules carry orientation counts.
    pub oriented: bool,
    /// The definition of dependency-graph fragments.
    pub shape: FragmentShape,
}

impl TableSettings {
    /// A table of connected subgraphs.
    pub fn subgraphs(identity: Identity, max_span: u32, oriented: bool) -> Self {
        TableSettings {
            grammar: Grammar::Subgraphs,
            identity,
            max_span,
            oriented,
            shape: FragmentShape::PAPER,
        }
    }

    /// A table of strings of words and holes; `max_span` is 0 if it is unknown.
    pub fn strings(grammar: Grammar, max_span: u32) -> Self {
        TableSettings {
            grammar,
            identity: Identity::Links,
            max_span,
            oriented: false,
            shape: FragmentShape::PAPER,
        }
    }

    /// The shape of fragments is omitted if it is the paper's.
    fn numbers(self) -> Vec<u32> {
        let identity = u32::from(self.identity == Identity::Gaps);
        let mut numbers = vec![identity, self.max_span, u32::from(self.oriented), self.grammar as u32];
        let FragmentShape { max_external, labels, structure, max_gaps } = self.shape;
        if self.shape != FragmentShape::PAPER {
            numbers.extend([max_external as u32, labels as u32, u32::from(structure), max_gaps as u32]);
        }
        numbers
    }

    fn from_numbers(numbers: &[u32]) -> Option<Self> {
        let &[identity, max_span, oriented, grammar, ref shape @ ..] = numbers else { return None };
        let identity = if identity == 1 { Identity::Gaps } else { Identity::Links };
        let grammar = *Grammar::ALL.get(grammar as usize)?;
        let shape = match *shape {
            [] => FragmentShape::PAPER,
            [max_external, labels, structure, max_gaps] => FragmentShape {
                max_external: max_external as usize,
                labels: *FragmentLabels::ALL.get(labels as usize)?,
                structure: structure == 1,
                max_gaps: max_gaps as usize,
            },
            _ => return None,
        };
        Some(TableSettings { grammar, identity, max_span, oriented: oriented == 1, shape })
    }
}

/// The rule offset of a node without rules.
pub const NO_RULES: u32 = u32::MAX;
