//! An option applied to the translation so far, as hypothesis features see it.

use super::options::StackOptions;
use crate::decode::features::Weights;
use crate::decode::hypothesis_feature::{
    HypothesisFeature, RuleApplication, RuleKind, TargetSymbol, WeightedSum,
};
use crate::rule::bytes::Rule;
use crate::source::spans::Span;
use crate::store::bits::NodeSet;

/// The one antecedent is the translation so far; the words of the option follow it.
pub struct OptionApplication<'a, B: NodeSet> {
    pub options: &'a StackOptions<B>,
    pub option: u32,
}

impl<B: NodeSet> RuleApplication for OptionApplication<'_, B> {
    #[inline]
    fn number(&self) -> u32 {
        self.option
    }

    fn kind(&self) -> RuleKind {
        match self.options.term(self.option) {
            Some(_) => RuleKind::Term,
            None if self.options.is_copy(self.option) => RuleKind::Copy,
            None => RuleKind::Table,
        }
    }

    fn antecedents(&self) -> usize {
        1
    }

    fn span(&self) -> Span {
        let subgraph = self.options.subgraph(self.option);
        (subgraph.first, subgraph.last + 1)
    }

    fn split(&self) -> usize {
        self.span().0
    }

    fn rule(&self) -> &Rule {
        self.options.rule(self.option)
    }

    fn lm_target(&self) -> impl Iterator<Item = TargetSymbol> {
        after_antecedent(self.options.lm_words(self.option))
    }

    fn table_target(&self) -> impl Iterator<Item = TargetSymbol> {
        after_antecedent(&self.rule().target)
    }
}

#[inline]
fn after_antecedent(words: &[u32]) -> impl Iterator<Item = TargetSymbol> + '_ {
    std::iter::once(TargetSymbol::Antecedent(0)).chain(words.iter().map(|&word| TargetSymbol::Word(word)))
}

/// Adds the estimates of hypothesis features to those of the options, and re-ranks every list.
pub fn add_estimates<B: NodeSet, F: HypothesisFeature>(
    options: &mut StackOptions<B>,
    features: &F,
    weights: &Weights,
) {
    if !F::HAS_ESTIMATE {
        return;
    }
    for option in 0..options.len() as u32 {
        let mut sum = WeightedSum::new(weights);
        features.estimate(&OptionApplication { options, option }, &mut sum);
        options.estimate[option as usize] += sum.sum;
    }
    options.rank();
}
