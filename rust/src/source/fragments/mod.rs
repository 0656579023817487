//! Dependency-graph fragments of continuous spans (Li, Way and Liu 2015, section 3): the cells, labels and structure of
//! DGST.
//!
//! Each word is an edge from the node of its head to its own node. The words of a span are a fragment if they are
//! connected and have at most `max_external` external nodes (two in the paper), which touch the rest of the graph: the
//! single node above them, and the open nodes, words of the span with a dependent outside. A single word is always a
//! fragment, so that every word with a rule can be translated.
//!
//! As an extension of the paper, a span that is not a fragment may be one with gaps, if its words outside the gaps
//! satisfy this definition. As another, the rules of HPB may be used beside those of fragments.

mod gaps;
mod shape;

use super::fragments::gaps::Gaps;
pub use super::fragments::shape::{FragmentLabels, FragmentShape};
use super::spans::{Span, Spans};
use crate::rule::symbols::{ANY, GAP};

/// Stands for the open node of a fragment without one.
const NONE: i16 = -1;
/// The node above a root word.
const ABOVE_ROOT: i16 = -2;

/// The properties of a span.
#[derive(Clone, Copy, Debug, Default)]
struct Fragment {
    is_fragment: bool,
    /// The symbol of its label, if any rule has it.
    symbol: Option<u32>,
    /// The word above the fragment: the head of its top words.
    head: i16,
    /// The word with dependents outside; the first of them if `max_external` is above two.
    open: i16,
}

/// The fragments of a sentence up to some length.
#[derive(Clone, Debug, Default)]
pub struct Fragments {
    longest: usize,
    structure: bool,
    heads: Vec<i32>,
    gaps: Option<Gaps>,
    /// The symbol of a hole over any span.
    any: Option<u32>,
    /// By first word and length.
    spans: Vec<Fragment>,
}

impl Fragments {
    /// `heads` from 0, -1 for the root word; `tags` are the parts of speech that labels are made of. `symbol` returns
    /// the number of a label, if it has one.
    pub fn new(
        heads: &[i32],
        tags: &[impl AsRef<str>],
        longest: usize,
        shape: FragmentShape,
        mut symbol: impl FnMut(&str) -> Option<u32>,
    ) -> Self {
        let words = heads.len();
        let longest = longest.min(words);
        let mut spans = vec![Fragment::default(); words * longest];
        let reach = DependentRange::new(heads);
        let mut label = String::new();
        for first in 0..words {
            let mut above = OutsideHeads::new(heads, first);
            let mut open = OpenWords::new(&reach, heads, first);
            for end in first + 1..=words.min(first + longest) {
                above.add(end - 1);
                open.add(end - 1);
                let few = end == first + 1 || open.count < shape.max_external.max(1);
                if above.different == 1 && few {
                    let mut tops = (first..end).filter(|&word| !inside(heads[word], first, end));
                    shape.labels.write(tops.clone().map(|word| tags[word].as_ref()), &mut label);
                    let is_open = |&word: &usize| reach.is_open(word, first, end);
                    spans[first * longest + end - first - 1] = Fragment {
                        is_fragment: true,
                        symbol: symbol(&label),
                        head: tops.next().map_or(NONE, |word| above_node(heads[word])),
                        open: (first..end).find(is_open).map_or(NONE, |word| word as i16),
                    };
                }
            }
        }
        let any = shape.any_span.then(|| symbol(ANY)).flatten();
        let gaps = (shape.max_gaps > 0).then(|| symbol(GAP)).flatten();
        let gaps = gaps.map(|symbol| Gaps { symbol, reach, max_external: shape.max_external });
        Fragments { longest, structure: shape.structure, heads: heads.to_vec(), gaps, any, spans }
    }

    fn get(&self, (first, end): Span) -> Fragment {
        if end - first > self.longest {
            return Fragment::default();
        }
        self.spans.get(first * self.longest + end - first - 1).copied().unwrap_or_default()
    }

    /// Every fragment: its span, the symbol of its label, the word above it (-2 above a root), and its open word (-1 if
    /// there is none).
    pub fn all(&self) -> impl Iterator<Item = (Span, Option<u32>, i16, i16)> + '_ {
        let span = |place: usize| (place / self.longest, place / self.longest + place % self.longest + 1);
        let found = self.spans.iter().enumerate().filter(|(_, fragment)| fragment.is_fragment);
        found.map(move |(place, fragment)| (span(place), fragment.symbol, fragment.head, fragment.open))
    }

    /// The node above a symbol and the node below it: of a word, or of a hole.
    fn nodes(&self, symbol: Span) -> (i16, i16) {
        if symbol.0 == symbol.1 {
            return (NONE, NONE);
        }
        if symbol.1 == symbol.0 + 1 {
            // The node of a word is open to the rest of a rule even if it is not open in the sentence.
            return (above_node(self.heads[symbol.0]), symbol.0 as i16);
        }
        let fragment = self.get(symbol);
        (fragment.head, fragment.open)
    }
}

impl Spans for Fragments {
    fn is_cell(&self, span: Span) -> bool {
        self.get(span).is_fragment
    }

    fn symbol(&self, span: Span) -> Option<u32> {
        self.get(span).symbol
    }

    /// Two bits for each earlier symbol: whether this symbol depends on it, and whether it depends on this symbol. A
    /// symbol without a head in the rule is on top.
    fn joint(&self, earlier: &[Span], symbol: Span) -> u16 {
        if !self.structure {
            return 0;
        }
        let (head, open) = self.nodes(symbol);
        earlier.iter().enumerate().fold(0, |bits, (k, &other)| {
            let (others_head, others_open) = self.nodes(other);
            let hangs = u16::from(others_open >= 0 && head == others_open);
            let carries = u16::from(open >= 0 && others_head == open);
            bits | hangs << (2 * k) | carries << (2 * k + 1)
        })
    }

    fn gap(&self) -> Option<u32> {
        self.gaps.as_ref().map(|gaps| gaps.symbol)
    }

    fn any(&self) -> Option<u32> {
        self.any
    }

    /// A span that is a fragment needs no gaps.
    fn is_whole(&self, span: Span, gaps: &[Span]) -> bool {
        match (&self.gaps, self.is_cell(span)) {
            (_, is_cell) if gaps.is_empty() => is_cell,
            (Some(known), false) => known.are_in_a_fragment(&self.heads, span, gaps),
            _ => false,
        }
    }
}

fn inside(head: i32, first: usize, end: usize) -> bool {
    (first as i32..end as i32).contains(&head)
}

fn above_node(head: i32) -> i16 {
    if head < 0 {
        ABOVE_ROOT
    } else {
        head as i16
    }
}

/// The first and the last dependent of each word.
#[derive(Clone, Debug)]
struct DependentRange {
    ends: Vec<Option<(usize, usize)>>,
}

impl DependentRange {
    fn new(heads: &[i32]) -> Self {
        let mut ends: Vec<Option<(usize, usize)>> = vec![None; heads.len()];
        for (word, &head) in heads.iter().enumerate() {
            if let Some(slot) = usize::try_from(head).ok().and_then(|head| ends.get_mut(head)) {
                *slot = Some(slot.map_or((word, word), |(first, _)| (first, word)));
            }
        }
        DependentRange { ends }
    }

    /// Whether a word of a span has a dependent outside it.
    fn is_open(&self, word: usize, first: usize, end: usize) -> bool {
        self.ends[word].is_some_and(|(from, to)| from < first || to >= end)
    }
}

/// The number of distinct heads outside a growing span.
struct OutsideHeads<'a> {
    heads: &'a [i32],
    first: usize,
    /// The number of words of the span that depend on each word, and on the root.
    dependents: Vec<u32>,
    different: usize,
}

impl<'a> OutsideHeads<'a> {
    fn new(heads: &'a [i32], first: usize) -> Self {
        OutsideHeads { heads, first, dependents: vec![0; heads.len() + 1], different: 0 }
    }

    /// Adds the next word after the span.
    fn add(&mut self, word: usize) {
        if self.dependents[word] > 0 {
            self.different -= 1;
        }
        let head = self.heads[word];
        let slot = usize::try_from(head).unwrap_or(self.heads.len());
        self.dependents[slot] += 1;
        if self.dependents[slot] == 1 && !inside(head, self.first, word + 1) {
            self.different += 1;
        }
    }
}

/// The number of words in a growing span with a dependent outside.
struct OpenWords<'a> {
    reach: &'a DependentRange,
    heads: &'a [i32],
    first: usize,
    count: usize,
}

impl<'a> OpenWords<'a> {
    fn new(reach: &'a DependentRange, heads: &'a [i32], first: usize) -> Self {
        OpenWords { reach, heads, first, count: 0 }
    }

    /// Adds the next word after the span.
    fn add(&mut self, word: usize) {
        let end = word + 1;
        self.count += usize::from(self.reach.is_open(word, self.first, end));
        // This may have been the only dependent of its head outside the span.
        if let Ok(head) = usize::try_from(self.heads[word]) {
            let closes = (self.first..word).contains(&head) && !self.reach.is_open(head, self.first, end);
            self.count -= usize::from(closes);
        }
    }
}
