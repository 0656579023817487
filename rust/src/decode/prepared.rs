//! Rules with everything that is known before they are matched in a sentence.

use crate::rule::bytes::{Rule, Symbols};
use crate::rule::record::Context;
use crate::rule::symbols::MAX_HOLES;

/// In [`PreparedRule::lm_words`], hole `k` of a rule is this number plus `k`.
pub const FIRST_HOLE: u32 = u32::MAX - MAX_HOLES as u32;

/// The number of the hole that an element of [`PreparedRule::lm_words`] stands for, if it is one.
#[inline]
pub fn hole(lm_word: u32) -> Option<usize> {
    (lm_word >= FIRST_HOLE).then(|| (lm_word - FIRST_HOLE) as usize)
}

/// What the context of an application adds; zero for rules without one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContextValues {
    /// ln p(t|g,c) / p(t|g).
    pub gain: f32,
    /// ln p(c|g).
    pub probability: f32,
}

/// A rule with everything that is known before it is matched in a sentence.
#[derive(Clone, Debug)]
pub struct PreparedRule {
    pub rule: Rule,
    /// The target words as the language model numbers them; holes from [`FIRST_HOLE`] on.
    pub lm_words: Symbols,
    /// Weighted sum of the rule's own features.
    pub score: f32,
    /// `score` plus the language model score of the target words without context.
    pub estimate: f32,
    pub context: ContextValues,
    /// The number of its target side among those of the basic rules with the same source side, or [`NOT_BASIC`].
    pub target_side: u32,
}

/// No basic rule is known to have this target side.
pub const NOT_BASIC: u32 = u32::MAX;

/// The rules of a source side, in one piece of memory: those of a context follow one another, best first.
pub type RankedRules = [PreparedRule];

/// The rules of each context.
pub fn by_context(ranked: &RankedRules) -> impl Iterator<Item = (Context, &[PreparedRule])> {
    let one_context = |a: &PreparedRule, b: &PreparedRule| a.rule.context == b.rule.context;
    ranked.chunk_by(one_context).map(|rules| (rules[0].rule.context, rules))
}

/// The index of ln p(t|g,c) among a rule's scores.
pub const TARGET_GIVEN_SOURCE: usize = 2;

/// The number of words, not counting holes.
pub fn word_count(lm_words: &[u32]) -> usize {
    lm_words.iter().filter(|&&word| hole(word).is_none()).count()
}
