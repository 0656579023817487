//! Features that depend on the hypothesis, in one form for both searches.
//!
//! Both searches build hypotheses the same way: a rule is applied to antecedents, and the result is a new hypothesis.
//! Left to right, the antecedent is the translation so far, and the words of the rule follow it. In a chart, the
//! antecedents fill the holes of the rule. A feature is written once, against [`RuleApplication`], and works in both.
//!
//! A feature whose value depends only on the rule, its position and the source sentence is not a hypothesis feature:
//! it is a column of the options, see [`super::annotate`]. Three built-in features are no hypothesis features either:
//! the language model, whose state has a form of its own in each search, and distortion and context mismatch, which
//! are the same for all hypotheses of a group.

pub mod compose;
pub mod registered;
#[cfg(test)]
pub(super) mod repeats;

use std::hash::Hash;

use super::features::Weights;
use super::sentence::Sentence;
use crate::error::Result;
use crate::rule::bytes::Rule;
use crate::source::spans::Span;

/// A feature at work on one sentence.
///
/// It reports unweighted values. The search weighs them, and the derivation lists them, so the two cannot disagree.
pub trait HypothesisFeature: Sync {
    /// What later values depend on. Hypotheses recombine only if their states are equal.
    type State: Copy + Eq + Hash + Default + Send + Sync + 'static;

    /// Whether [`HypothesisFeature::estimate`] reports anything.
    const HAS_ESTIMATE: bool = false;

    /// Whether it reports anything at all. If not, hypotheses with the same words and coverage differ by the scores of
    /// their options alone.
    fn is_active(&self) -> bool {
        true
    }

    /// The state of the empty translation.
    fn begin(&self) -> Self::State {
        Self::State::default()
    }

    /// Applies a rule: reports the values that this adds to those of the antecedents, and returns the state of the
    /// result; `None` forbids it. `antecedent` gives the state of an antecedent by its number in source order.
    fn apply<A: RuleApplication>(
        &self,
        applied: &A,
        antecedent: &impl Fn(usize) -> Self::State,
        values: &mut impl ValueSink,
    ) -> Option<Self::State>;

    /// Ends the sentence: reports the values that this adds; false forbids a translation with this state.
    fn finish(&self, _state: &Self::State, _values: &mut impl ValueSink) -> bool {
        true
    }

    /// Reports an estimate of what a rule will add, whatever its antecedents are. It orders and prunes hypotheses (in
    /// the left-to-right search it is part of the future cost) but is no part of their scores.
    fn estimate<A: RuleApplication>(&self, _applied: &A, _values: &mut impl ValueSink) {}
}

/// A hypothesis feature as a decoder holds it.
pub trait FeatureModel: Clone + Send + Sync + 'static {
    /// How many values it has.
    const COLUMNS: usize;

    type OnSentence<'a>: HypothesisFeature;

    /// The names of its columns, as users write them in files of weights.
    fn names() -> Vec<&'static str>;

    /// The feature at work on a sentence; its columns begin at `first_column`.
    fn on_sentence<'a>(
        &'a self,
        sentence: &'a Sentence,
        weights: &'a Weights,
        first_column: usize,
    ) -> Self::OnSentence<'a>;

    /// Fails if a file that it reads was changed or is damaged.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// What kind of rule is applied.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RuleKind {
    /// From the table.
    Table,
    /// Copies an unknown word.
    Copy,
    /// Translates a term of a glossary.
    Term,
    /// Appends the next piece to the translation so far.
    Glue,
    /// Joins two neighbouring blocks in the order of the source.
    Straight,
    /// Joins two neighbouring blocks in the opposite order.
    Inverted,
    /// Joins pieces in the order of the source where no rule of the table matches.
    Pseudo,
    /// The empty beginning of the sentence.
    Begin,
    /// The end of the sentence.
    End,
}

impl RuleKind {
    /// The name that derivations give it.
    pub fn name(self) -> &'static str {
        match self {
            RuleKind::Table => "rule",
            RuleKind::Copy => "copy",
            RuleKind::Term => "term",
            RuleKind::Glue | RuleKind::Begin | RuleKind::End => "glue",
            RuleKind::Straight => "straight",
            RuleKind::Inverted => "inverted",
            RuleKind::Pseudo => "pseudo",
        }
    }
}

/// A symbol of the target side of a rule application.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TargetSymbol {
    Word(u32),
    /// All words of an antecedent, by its number in source order.
    Antecedent(usize),
}

/// A rule applied at a place of the sentence.
pub trait RuleApplication {
    /// The number of the option (left to right) or of the edge (chart).
    fn number(&self) -> u32;

    fn kind(&self) -> RuleKind;

    /// How many antecedents there are.
    fn antecedents(&self) -> usize;

    /// The first source position that the rule covers, and the one after the last; in a chart with its holes.
    fn span(&self) -> Span;

    /// Where the second of two neighbouring antecedents begins; the start of the span for other rules.
    fn split(&self) -> usize;

    fn rule(&self) -> &Rule;

    /// The target side, with words as the language model numbers them.
    fn lm_target(&self) -> impl Iterator<Item = TargetSymbol>;

    /// The target side, with words as the table numbers them; a word without a number is `u32::MAX`.
    fn table_target(&self) -> impl Iterator<Item = TargetSymbol>;
}

/// Takes the values that features report.
pub trait ValueSink {
    fn add(&mut self, column: usize, value: f32);
}

/// Values by column.
impl ValueSink for [f32] {
    fn add(&mut self, column: usize, value: f32) {
        self[column] += value;
    }
}

/// By reference, so that a slice can be handed on where the sink's size must be known.
impl<V: ValueSink + ?Sized> ValueSink for &mut V {
    fn add(&mut self, column: usize, value: f32) {
        (**self).add(column, value);
    }
}

/// The weighted sum of values.
pub struct WeightedSum<'a> {
    weights: &'a Weights,
    pub sum: f32,
}

impl<'a> WeightedSum<'a> {
    #[inline]
    pub fn new(weights: &'a Weights) -> Self {
        WeightedSum { weights, sum: 0.0 }
    }
}

impl ValueSink for WeightedSum<'_> {
    #[inline]
    fn add(&mut self, column: usize, value: f32) {
        self.sum += self.weights.of(column) * value;
    }
}
