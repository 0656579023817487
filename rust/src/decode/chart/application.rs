//! A rule of an edge, applied to what fills its holes.

use super::edge::Edge;
use crate::decode::hypothesis_feature::{RuleApplication, RuleKind, TargetSymbol};
use crate::decode::prepared::{hole, PreparedRule};
use crate::rule::bytes::Rule;
use crate::source::spans::Span;

/// The antecedents are the hypotheses that fill the holes, in source order.
pub struct EdgeApplication<'a> {
    /// The number of the edge.
    pub number: u32,
    pub edge: &'a Edge,
    pub rule: &'a PreparedRule,
}

impl RuleApplication for EdgeApplication<'_> {
    fn number(&self) -> u32 {
        self.number
    }

    #[inline]
    fn kind(&self) -> RuleKind {
        self.edge.kind
    }

    #[inline]
    fn antecedents(&self) -> usize {
        self.edge.holes().len()
    }

    #[inline]
    fn span(&self) -> Span {
        (usize::from(self.edge.first), usize::from(self.edge.end))
    }

    #[inline]
    fn split(&self) -> usize {
        usize::from(self.edge.middle)
    }

    #[inline]
    fn rule(&self) -> &Rule {
        &self.rule.rule
    }

    #[inline]
    fn lm_target(&self) -> impl Iterator<Item = TargetSymbol> {
        self.rule.lm_words.iter().map(|&word| symbol(word, word))
    }

    #[inline]
    fn table_target(&self) -> impl Iterator<Item = TargetSymbol> {
        let words = self.rule.lm_words.iter().zip(&self.rule.rule.target);
        words.map(|(&lm_word, &word)| symbol(lm_word, word))
    }
}

/// `lm_word` says whether it is a hole.
#[inline]
fn symbol(lm_word: u32, word: u32) -> TargetSymbol {
    hole(lm_word).map_or(TargetSymbol::Word(word), TargetSymbol::Antecedent)
}
