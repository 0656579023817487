//! The rule table: a trie over source sides in a memory-mapped file, or in several that open as one.
//!
//! A table in parts is divided by the first symbol of its source sides. The first part is the file of the table and
//! has the vocabularies; it lists the further parts, which are beside it: `rules.bin`, `rules.bin.1`, `rules.bin.2`.

pub mod build;
pub mod filter;
pub mod inspect;
pub mod moses;
mod moses_holes;
mod part;
pub mod prune;
pub mod read;
pub mod split;

use std::path::{Path, PathBuf};

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

    /// The shape of fragments is omitted if it is the paper's and the table has one part.
    fn numbers(self, place: &Place) -> Vec<u32> {
        let identity = u32::from(self.identity == Identity::Gaps);
        let mut numbers = vec![identity, self.max_span, u32::from(self.oriented), self.grammar as u32];
        let FragmentShape { max_external, labels, structure, max_gaps, any_span } = self.shape;
        let flags = u32::from(structure) | u32::from(any_span) << 1;
        if self.shape != FragmentShape::PAPER || *place != Place::Whole {
            numbers.extend([max_external as u32, labels as u32, flags, max_gaps as u32]);
        }
        match place {
            Place::Whole => {}
            Place::First(parts) => {
                numbers.push(parts.len() as u32);
                numbers.extend(
                    parts.iter().flat_map(|part| [part.first, part.sum as u32, (part.sum >> 32) as u32]),
                );
            }
            Place::Further(number) => numbers.extend([FURTHER, *number]),
        }
        numbers
    }

    fn from_numbers(numbers: &[u32]) -> Option<(Self, Place)> {
        let &[identity, max_span, oriented, grammar, ref more @ ..] = numbers else { return None };
        let identity = if identity == 1 { Identity::Gaps } else { Identity::Links };
        let grammar = *Grammar::ALL.get(grammar as usize)?;
        let (shape, place) = match *more {
            [] => (FragmentShape::PAPER, Place::Whole),
            [max_external, labels, flags, max_gaps, ref place @ ..] => {
                let shape = FragmentShape {
                    max_external: max_external as usize,
                    labels: *FragmentLabels::ALL.get(labels as usize)?,
                    structure: flags & 1 == 1,
                    max_gaps: max_gaps as usize,
                    any_span: flags >> 1 & 1 == 1,
                };
                (shape, Place::from_numbers(place)?)
            }
            _ => return None,
        };
        Some((TableSettings { grammar, identity, max_span, oriented: oriented == 1, shape }, place))
    }
}

/// Marks a further part, where the first one has the number of parts.
const FURTHER: u32 = u32::MAX;

/// A further part of a table, as the first one lists it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct FurtherPart {
    /// The lowest first symbol of its source sides.
    first: u32,
    /// See [`crate::store::mapped::Mapped::sum`].
    sum: u64,
}

/// What a file is of a table.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Place {
    Whole,
    /// The first part, with the further ones.
    First(Vec<FurtherPart>),
    /// A further part, with its number from 1.
    Further(u32),
}

impl Place {
    fn from_numbers(numbers: &[u32]) -> Option<Self> {
        match *numbers {
            [] => Some(Place::Whole),
            [FURTHER, number] => Some(Place::Further(number)),
            [parts, ref listed @ ..] if listed.len() == 3 * parts as usize => {
                let part = |three: &[u32]| FurtherPart {
                    first: three[0],
                    sum: u64::from(three[1]) | u64::from(three[2]) << 32,
                };
                let parts: Vec<FurtherPart> = listed.chunks(3).map(part).collect();
                parts.windows(2).all(|two| two[0].first < two[1].first).then_some(Place::First(parts))
            }
            _ => None,
        }
    }
}

/// The file of a further part.
fn further_path(table: &Path, number: u32) -> PathBuf {
    let mut name = table.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{number}"));
    table.with_file_name(name)
}

/// The rule offset of a node without rules.
pub const NO_RULES: u32 = u32::MAX;
