//! Several hypothesis features as one: pairs, ended by `()`, which is none.

use super::{FeatureModel, HypothesisFeature, RuleApplication, ValueSink};
use crate::decode::features::Weights;
use crate::decode::sentence::Sentence;
use crate::error::Result;

impl HypothesisFeature for () {
    type State = ();

    fn is_active(&self) -> bool {
        false
    }

    #[inline]
    fn apply<A: RuleApplication>(
        &self,
        _: &A,
        _: &impl Fn(usize) -> Self::State,
        _: &mut impl ValueSink,
    ) -> Option<()> {
        Some(())
    }
}

/// `None` is a feature that is switched off: it has one state and no values.
impl<F: HypothesisFeature> HypothesisFeature for Option<F> {
    type State = F::State;

    const HAS_ESTIMATE: bool = F::HAS_ESTIMATE;

    fn is_active(&self) -> bool {
        self.as_ref().is_some_and(F::is_active)
    }

    fn begin(&self) -> Self::State {
        self.as_ref().map_or(F::State::default(), F::begin)
    }

    #[inline]
    fn apply<A: RuleApplication>(
        &self,
        applied: &A,
        antecedent: &impl Fn(usize) -> Self::State,
        values: &mut impl ValueSink,
    ) -> Option<Self::State> {
        match self {
            Some(feature) => feature.apply(applied, antecedent, values),
            None => Some(F::State::default()),
        }
    }

    #[inline]
    fn finish(&self, state: &Self::State, values: &mut impl ValueSink) -> bool {
        self.as_ref().is_none_or(|feature| feature.finish(state, values))
    }

    #[inline]
    fn estimate<A: RuleApplication>(&self, applied: &A, values: &mut impl ValueSink) {
        if let Some(feature) = self {
            feature.estimate(applied, values);
        }
    }
}

impl<F: HypothesisFeature, G: HypothesisFeature> HypothesisFeature for (F, G) {
    type State = (F::State, G::State);

    fn is_active(&self) -> bool {
        self.0.is_active() || self.1.is_active()
    }

    const HAS_ESTIMATE: bool = F::HAS_ESTIMATE || G::HAS_ESTIMATE;

    fn begin(&self) -> Self::State {
        (self.0.begin(), self.1.begin())
    }

    #[inline]
    fn apply<A: RuleApplication>(
        &self,
        applied: &A,
        antecedent: &impl Fn(usize) -> Self::State,
        values: &mut impl ValueSink,
    ) -> Option<Self::State> {
        let first = self.0.apply(applied, &|number| antecedent(number).0, values)?;
        let second = self.1.apply(applied, &|number| antecedent(number).1, values)?;
        Some((first, second))
    }

    #[inline]
    fn finish(&self, state: &Self::State, values: &mut impl ValueSink) -> bool {
        self.0.finish(&state.0, values) && self.1.finish(&state.1, values)
    }

    #[inline]
    fn estimate<A: RuleApplication>(&self, applied: &A, values: &mut impl ValueSink) {
        self.0.estimate(applied, values);
        self.1.estimate(applied, values);
    }
}

impl FeatureModel for () {
    const COLUMNS: usize = 0;

    type OnSentence<'a> = ();

    fn names() -> Vec<&'static str> {
        Vec::new()
    }

    fn on_sentence(&self, _: &Sentence, _: &Weights, _: usize) {}
}

impl<F: FeatureModel, G: FeatureModel> FeatureModel for (F, G) {
    const COLUMNS: usize = F::COLUMNS + G::COLUMNS;

    /// A feature without weights is off, so that it does not keep hypotheses apart.
    type OnSentence<'a> = (Option<F::OnSentence<'a>>, G::OnSentence<'a>);

    fn names() -> Vec<&'static str> {
        [F::names(), G::names()].concat()
    }

    fn on_sentence<'a>(
        &'a self,
        sentence: &'a Sentence,
        weights: &'a Weights,
        first_column: usize,
    ) -> Self::OnSentence<'a> {
        let second_column = first_column + F::COLUMNS;
        let has_weight = (first_column..second_column).any(|column| weights.of(column) != 0.0);
        let first = has_weight.then(|| self.0.on_sentence(sentence, weights, first_column));
        (first, self.1.on_sentence(sentence, weights, second_column))
    }

    fn check(&self) -> Result<()> {
        self.0.check()?;
        self.1.check()
    }
}
