//! Finds the source sides of a table of hierarchical rules in a sentence.

use crate::rule::symbols::MAX_HOLES;
use crate::source::spans::{Span, Spans};
use crate::table::read::{Node, Table};

/// Finds the source sides of a table in one sentence.
pub struct Matcher<'a, S: Spans> {
    pub table: &'a Table,
    /// The numbers of the words in the table; `None` for unknown words.
    pub words: &'a [Option<u32>],
    pub spans: &'a S,
    /// The length limit of the span of a rule, holes included.
    pub max_span: usize,
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
}

impl<S: Spans> Matcher<'_, S> {
    /// Calls `found` for every source side of the table that matches a span.
    pub fn matches(&self, mut found: impl FnMut(Match<'_>)) {
        for start in 0..self.words.len() {
            let (symbols, holes, gaps) = Default::default();
            let mut walk = Walk { start, symbols, holes, gaps, unlabelled: 0 };
            self.extend(None, start, &mut walk, &mut found);
        }
    }

    /// Tries every next symbol.
    fn extend(&self, node: Option<Node>, at: usize, walk: &mut Walk, found: &mut impl FnMut(Match<'_>)) {
        let end = self.words.len().min(walk.start + self.max_span);
        if at >= end || node.is_some_and(|node| !self.table.has_children(node)) {
            return;
        }
        if let Some(word) = self.words[at] {
            self.advance(node, word, (at, at + 1), walk, found);
        }
        if walk.holes.len() == MAX_HOLES {
            return;
        }
        for to in at + 1..=end {
            // A hole over the rule's whole span would be a rule without words, which no table has.
            if let Some(symbol) = self.spans.symbol((at, to)) {
                walk.holes.push((at, to));
                self.advance(node, symbol, (at, to), walk, found);
                walk.holes.pop();
            }
        }
        if let Some(any) = self.spans.any() {
            walk.unlabelled += 1;
            for to in at + 1..=end {
                walk.holes.push((at, to));
                self.advance(node, any, (at, to), walk, found);
                walk.holes.pop();
            }
            walk.unlabelled -= 1;
        }
        // A gap has words of the rule on both sides.
        let Some((_, gap)) = node.zip(self.spans.gap()) else { return };
        for to in at + 1..end {
            walk.holes.push((at, to));
            walk.gaps.push((at, to));
            self.advance(node, gap, (at, to), walk, found);
            walk.gaps.pop();
            walk.holes.pop();
        }
    }

    fn advance(
        &self,
        node: Option<Node>,
        word: u32,
        symbol: Span,
        walk: &mut Walk,
        found: &mut impl FnMut(Match<'_>),
    ) {
        // Only a gap has the same span as the last gap.
        let is_gap = walk.gaps.last() == Some(&symbol);
        let place = if is_gap { (symbol.1, symbol.1) } else { symbol };
        let child = match node {
            None => self.table.start(word),
            Some(node) => self.table.step(node, word, self.spans.joint(&walk.symbols, place)),
        };
        let Some(child) = child else { return };
        let span = (walk.start, symbol.1);
        let labelled = walk.holes.len() - walk.unlabelled;
        let fits_anywhere = self.spans.any().is_some() && labelled == 0;
        if self.table.has_rules(child) && (fits_anywhere || self.spans.is_whole(span, &walk.gaps)) {
            found(Match { span, holes: &walk.holes, labelled, node: child });
        }
        walk.symbols.push(place);
        self.extend(Some(child), symbol.1, walk, found);
        walk.symbols.pop();
    }
}
