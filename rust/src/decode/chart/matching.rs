//! Finds the source sides of a table of hierarchical rules in a sentence.

use crate::rule::symbols::MAX_HOLES;
use crate::source::spans::{Span, Spans};
use crate::table::read::{Node, Table};
use crate::work::interrupt;

/// Finds the source sides of a table in one sentence.
pub struct Matcher<'a, S: Spans> {
    pub table: &'a Table,
    /// The numbers of the words in the table; `None` for unknown words.
    pub words: &'a [Option<u32>],
    pub spans: &'a S,
    /// The length limit of the span of a rule, holes included.
    pub max_span: usize,
    /// Holes that any span can fill have labels beside them, see [`Match::labels`]; other holes are not looked for.
    pub labels_beside: bool,
}

/// A walk through the trie.
struct Walk {
    start: usize,
    /// A gap is an empty span, see [`Spans::joint`].
    symbols: Vec<Span>,
    holes: Vec<Span>,
    /// The holes that are gaps.
    gaps: Vec<Span>,
    /// The number of holes that any span can fill.
    unlabelled: usize,
}

/// A source side of the table that matches a span.
#[derive(Clone, Copy)]
pub struct Match<'a> {
    pub span: Span,
    /// From left to right.
    pub holes: &'a [Span],
    /// The number of holes with labels, where other holes have none.
    pub labelled: usize,
    pub node: Node,
    pub labels: HoleLabels,
}

/// What a table says about the labels of holes that any span can fill.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum HoleLabels {
    /// They were not looked for, there are no holes, or one of them has no label in this sentence.
    #[default]
    None,
    /// The table has no rules with the same words and these labels.
    Unseen,
    /// The rules with the same words and these labels.
    Seen(Node),
}

/// A node of the trie, and the node of the same symbols with labels in the place of holes that any span can fill.
#[derive(Clone, Copy)]
struct Place {
    node: Node,
    labelled: Option<Node>,
}

impl<S: Spans> Matcher<'_, S> {
    /// Calls `found` for every source side of the table that matches a span.
    pub fn matches(&self, mut found: impl FnMut(Match<'_>)) {
        for start in 0..self.words.len() {
            interrupt::point();
            let (symbols, holes, gaps) = Default::default();
            let mut walk = Walk { start, symbols, holes, gaps, unlabelled: 0 };
            self.extend(None, start, &mut walk, &mut found);
        }
    }

    /// Tries every next symbol.
    fn extend(&self, place: Option<Place>, at: usize, walk: &mut Walk, found: &mut impl FnMut(Match<'_>)) {
        let end = self.words.len().min(walk.start + self.max_span);
        if at >= end || place.is_some_and(|place| !self.table.has_children(place.node)) {
            return;
        }
        if let Some(word) = self.words[at] {
            self.advance(place, word, (at, at + 1), walk, found);
        }
        if walk.holes.len() == MAX_HOLES {
            return;
        }
        for to in (at + 1..=end).filter(|_| !self.labels_beside) {
            // A hole over the rule's whole span would be a rule without words, which no table has.
            if let Some(symbol) = self.spans.symbol((at, to)) {
                walk.holes.push((at, to));
                self.advance(place, symbol, (at, to), walk, found);
                walk.holes.pop();
            }
        }
        if let Some(any) = self.spans.any() {
            walk.unlabelled += 1;
            for to in at + 1..=end {
                walk.holes.push((at, to));
                self.advance(place, any, (at, to), walk, found);
                walk.holes.pop();
            }
            walk.unlabelled -= 1;
        }
        // A gap has words of the rule on both sides.
        let Some((_, gap)) = place.zip(self.spans.gap()) else { return };
        for to in at + 1..end {
            walk.holes.push((at, to));
            walk.gaps.push((at, to));
            self.advance(place, gap, (at, to), walk, found);
            walk.gaps.pop();
            walk.holes.pop();
        }
    }

    fn advance(
        &self,
        place: Option<Place>,
        word: u32,
        symbol: Span,
        walk: &mut Walk,
        found: &mut impl FnMut(Match<'_>),
    ) {
        // Only a gap has the same span as the last gap.
        let is_gap = walk.gaps.last() == Some(&symbol);
        let covered = if is_gap { (symbol.1, symbol.1) } else { symbol };
        let joint = if place.is_some() { self.spans.joint(&walk.symbols, covered) } else { 0 };
        let step = |from: Option<Node>, word| match from {
            None => self.table.start(word),
            Some(node) => self.table.step(node, word, joint),
        };
        let Some(node) = step(place.map(|place| place.node), word) else { return };
        let labelled = match (walk.unlabelled, self.labels_beside) {
            (_, false) => None,
            (0, true) => Some(node),
            (_, true) => {
                let symbol =
                    if Some(word) == self.spans.any() { self.spans.symbol(symbol) } else { Some(word) };
                match place {
                    None => symbol.and_then(|symbol| step(None, symbol)),
                    Some(Place { labelled, .. }) => {
                        labelled.zip(symbol).and_then(|(from, symbol)| step(Some(from), symbol))
                    }
                }
            }
        };
        let place = Place { node, labelled };
        let span = (walk.start, symbol.1);
        let labelled_holes = walk.holes.len() - walk.unlabelled;
        let fits_anywhere = self.spans.any().is_some() && labelled_holes == 0;
        if self.table.has_rules(node) && (fits_anywhere || self.spans.is_whole(span, &walk.gaps)) {
            let labels = self.labels(place, &walk.holes);
            found(Match { span, holes: &walk.holes, labelled: labelled_holes, node, labels });
        }
        walk.symbols.push(covered);
        self.extend(Some(place), symbol.1, walk, found);
        walk.symbols.pop();
    }

    fn labels(&self, place: Place, holes: &[Span]) -> HoleLabels {
        if !self.labels_beside || holes.is_empty() || !holes.iter().all(|&hole| self.spans.is_cell(hole)) {
            return HoleLabels::None;
        }
        let seen = place.labelled.filter(|&node| self.table.has_rules(node));
        seen.map_or(HoleLabels::Unseen, HoleLabels::Seen)
    }
}
