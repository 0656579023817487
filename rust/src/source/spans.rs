//! The view of a source sentence in a grammar over continuous spans.

use crate::rule::record::Identity;

/// First word, and one past the last.
pub type Span = (usize, usize);

/// Which spans of a sentence can be translated on their own, their labels as holes, and the structure among the symbols
/// of a rule. Both extraction and matching use this.
pub trait Spans {
    /// Whether the span can be covered by a rule, and so be a hole of another.
    fn is_cell(&self, span: Span) -> bool;
    /// The source symbol of a hole over such a span; `None` if no rule has its label.
    fn symbol(&self, span: Span) -> Option<u32>;
    /// The part of a rule's identity that a symbol adds besides its word or label, given the symbols before it. A gap
    /// is an empty span here: nothing depends on it.
    fn joint(&self, earlier: &[Span], symbol: Span) -> u16;
    /// The source symbol of a gap, if rules may have gaps: a hole that any translated span can fill.
    fn gap(&self) -> Option<u32> {
        None
    }
    /// The source symbol of a hole over any span, if there are such holes besides those with labels of their own.
    fn any(&self) -> Option<u32> {
        None
    }
    /// Whether a rule with these gaps may cover the span.
    fn is_whole(&self, span: Span, gaps: &[Span]) -> bool {
        gaps.is_empty() && self.is_cell(span)
    }
}

impl<T: Spans> Spans for &T {
    fn is_cell(&self, span: Span) -> bool {
        (**self).is_cell(span)
    }

    fn symbol(&self, span: Span) -> Option<u32> {
        (**self).symbol(span)
    }

    fn joint(&self, earlier: &[Span], symbol: Span) -> u16 {
        (**self).joint(earlier, symbol)
    }

    fn gap(&self) -> Option<u32> {
        (**self).gap()
    }

    fn any(&self) -> Option<u32> {
        (**self).any()
    }

    fn is_whole(&self, span: Span, gaps: &[Span]) -> bool {
        (**self).is_whole(span, gaps)
    }
}

/// HPB: every span is an X, and rules have no structure (Chiang 2007).
pub struct AnySpan {
    /// The symbol of an X.
    pub x: Option<u32>,
}

impl Spans for AnySpan {
    fn is_cell(&self, _: Span) -> bool {
        true
    }

    fn symbol(&self, _: Span) -> Option<u32> {
        self.x
    }

    fn joint(&self, _: &[Span], _: Span) -> u16 {
        0
    }
}

/// BTG: continuous phrases of a subgraph table; there are no holes.
pub struct Phrases {
    pub identity: Identity,
}

impl Spans for Phrases {
    fn is_cell(&self, _: Span) -> bool {
        true
    }

    fn symbol(&self, _: Span) -> Option<u32> {
        None
    }

    fn joint(&self, earlier: &[Span], _: Span) -> u16 {
        // In a phrase each word is linked to the previous one, and there is no gap.
        match self.identity {
            Identity::Links => 1 << (earlier.len() - 1),
            Identity::Gaps => 0,
        }
    }
}
