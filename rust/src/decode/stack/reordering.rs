//! Lexicalised reordering (msd-bidirectional-fe): how a rule is oriented towards the previous and the next one.

use super::graph::NONE;
use super::options::StackOptions;
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::{HypothesisFeature, RuleApplication, ValueSink};
use crate::store::bits::NodeSet;

/// The orientations of the options of one sentence. The state is the last option, whose orientation towards the next is
/// still open.
pub struct LexicalReordering<'a, B: NodeSet> {
    options: &'a StackOptions<B>,
    words: usize,
}

impl<'a, B: NodeSet> LexicalReordering<'a, B> {
    /// `None` if the model has no weights for it.
    pub fn new(options: &'a StackOptions<B>, words: usize, weights: &Weights) -> Option<Self> {
        weights.has_reordering().then_some(LexicalReordering { options, words })
    }
}

impl<B: NodeSet> HypothesisFeature for LexicalReordering<'_, B> {
    type State = u32;

    fn begin(&self) -> u32 {
        NONE
    }

    #[inline]
    fn apply<A: RuleApplication>(
        &self,
        applied: &A,
        antecedent: &impl Fn(usize) -> u32,
        values: &mut impl ValueSink,
    ) -> Option<u32> {
        let (previous, option) = (antecedent(0), applied.number());
        let which = orientation(self.options, previous, option);
        values.add(column::REORDERING + which, self.options.orientations[option as usize][which]);
        if previous != NONE {
            let next = 3 + which;
            values.add(column::REORDERING + next, self.options.orientations[previous as usize][next]);
        }
        Some(option)
    }

    /// The orientation of the last rule towards the end of the sentence.
    #[inline]
    fn finish(&self, &option: &u32, values: &mut impl ValueSink) -> bool {
        let end = if self.options.subgraph(option).last + 1 == self.words { 3 } else { 5 };
        values.add(column::REORDERING + end, self.options.orientations[option as usize][end]);
        true
    }
}

/// The orientation of an option towards the previous one: 0 monotone, 1 swap, 2 discontinuous.
pub(super) fn orientation<B: NodeSet>(options: &StackOptions<B>, previous: u32, option: u32) -> usize {
    let subgraph = options.subgraph(option);
    if previous == NONE {
        return if subgraph.first == 0 { 0 } else { 2 };
    }
    let before = options.subgraph(previous);
    if subgraph.first == before.last + 1 {
        0
    } else if subgraph.last + 1 == before.first {
        1
    } else {
        2
    }
}
