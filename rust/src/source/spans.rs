//! What a grammar over continuous spans makes of a source sentence.

use crate::rule::record::Identity;

/// From the first word to the one after the last.
pub type Span = (usize, usize);

/// Which spans of a sentence can be translated on their own, what they are called as holes, and how the symbols of a
/// rule hang together. Extraction and matching ask the same questions.
pub trait Spans {
    /// Whether the span can be the whole of a rule, and so a hole of another.
    fn is_cell(&self, span: Span) -> bool;
    /// The source symbol of a hole over such a span; `None` where no rule knows its label.
    fn symbol(&self, span: Span) -> Option<u32>;
    /// What the identity of a rule says of a symbol beside its word or label, given the symbols before it. A gap is an
    /// empty span here: nothing hangs on it.
    fn joint(&self, earlier: &[Span], symbol: Span) -> u16;
    /// The source symbol of a gap, where rules may have them: a hole that any span with a translation can fill.
    fn gap(&self) -> Option<u32> {
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

    fn is_whole(&self, span: Span, gaps: &[Span]) -> bool {
        (**self).is_whole(span, gaps)
    }
}

/// HPB: every span is an X, and nothing is said of structure (Chiang 2007).
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

/// BTG: continuous phrases of a table of subgraphs; there are no holes.
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
        // In a phrase each word is linked to the one before it, and there is no gap.
        match self.identity {
            Identity::Links => 1 << (earlier.len() - 1),
            Identity::Gaps => 0,
        }
    }
}
