//! BTG: phrases, and neighbouring blocks merged straight or inverted (Wu 1997; Xiong, Liu and Lin 2006).

use std::sync::Arc;

use super::edge::Edge;
use super::forest::Forest;
use super::glue::joining_rule;
use super::options::ChartOptions;
use crate::decode::features::column;
use crate::decode::hypothesis_feature::{HypothesisFeature, RuleApplication, RuleKind, ValueSink};
use crate::decode::sentence::Sentence;
use crate::error::Result;
use crate::reorder::model::{inverted, straight, Reordering, UNKNOWN};
use crate::table::read::Table;

/// The reordering model of a rule table.
pub struct BlockReordering {
    model: Reordering,
    /// The model's number of each target word of the table.
    target: Vec<u32>,
}

impl BlockReordering {
    pub fn new(model: Reordering, table: &Table) -> Self {
        let target = Reordering::numbers(model.target_words(), table.target_words());
        BlockReordering { model, target }
    }

    /// See [`crate::store::mapped::Mapped::check`].
    pub fn check(&self) -> Result<()> {
        self.model.check()
    }

    /// The model at work on one sentence.
    pub fn on_sentence<'a>(&'a self, sentence: &Sentence) -> MergeFeature<'a> {
        let (source, target) = (self.model.source_words(), self.model.target_words());
        let number = |word: &String| source.get(word).unwrap_or(UNKNOWN);
        let copy = |word: &String| target.get(word).unwrap_or(UNKNOWN);
        let source: Vec<u32> = sentence.words.iter().map(number).collect();
        let pairs_of = |&left: &u32| source.iter().map(move |&right| self.model.source_pair(left, right));
        let pairs = source.iter().flat_map(pairs_of).collect();
        MergeFeature { blocks: self, source, pairs, copies: sentence.surface.iter().map(copy).collect() }
    }
}

/// The first and last target word of a block.
pub type BoundaryWords = (u32, u32);

/// The features of merges in one sentence: ln p of their order, and minus the number of words that they move.
pub struct MergeFeature<'a> {
    blocks: &'a BlockReordering,
    source: Vec<u32>,
    /// For each two source words what [`Reordering::source_pair`] gives: blocks meet much more often than words.
    pairs: Vec<[f32; 4]>,
    copies: Vec<u32>,
}

impl MergeFeature<'_> {
    /// The boundary words of a phrase.
    fn phrase<A: RuleApplication>(&self, applied: &A) -> BoundaryWords {
        if applied.kind() == RuleKind::Copy {
            let word = self.copies[applied.span().0];
            return (word, word);
        }
        let number = |word: Option<&u32>| {
            word.and_then(|&word| self.blocks.target.get(word as usize)).copied().unwrap_or(UNKNOWN)
        };
        let target = &applied.rule().target;
        (number(target.first()), number(target.last()))
    }
}

impl HypothesisFeature for MergeFeature<'_> {
    type State = BoundaryWords;

    fn apply<A: RuleApplication>(
        &self,
        applied: &A,
        antecedent: &impl Fn(usize) -> BoundaryWords,
        values: &mut impl ValueSink,
    ) -> Option<BoundaryWords> {
        if applied.antecedents() < 2 {
            return Some(self.phrase(applied));
        }
        let ((first, end), middle) = (applied.span(), applied.split());
        let (left, right) = (antecedent(0), antecedent(1));
        if first == middle {
            // Glue to the empty beginning of the sentence.
            return Some(right);
        }
        let pair = |left: usize, right: usize| &self.pairs[left * self.source.len() + right];
        let odds = self.blocks.model.log_odds_with(
            &[self.source[first], self.source[middle - 1], left.0, left.1],
            &[self.source[middle], self.source[end - 1], right.0, right.1],
            [
                pair(first, middle)[0],
                pair(first, end - 1)[1],
                pair(middle - 1, middle)[2],
                pair(middle - 1, end - 1)[3],
            ],
        );
        if applied.kind() == RuleKind::Inverted {
            values.add(column::ORIENTATION, inverted(odds));
            values.add(column::DISTORTION, -((end - first) as f32));
            return Some((right.0, left.1));
        }
        values.add(column::ORIENTATION, straight(odds));
        Some((left.0, right.1))
    }
}

/// Adds the two merging rules wherever two spans meet.
pub fn push_merges<S: Copy>(options: &mut ChartOptions, forest: &Forest<S>, words: usize, max_span: usize) {
    let rules =
        [(RuleKind::Straight, joining_rule(&[0, 1], 0.0)), (RuleKind::Inverted, joining_rule(&[1, 0], 0.0))];
    for first in 0..words {
        for end in first + 2..=words.min(first + max_span) {
            for middle in first + 1..end {
                let holes = [forest.span_cell((first, middle)), forest.span_cell((middle, end))];
                for (kind, rule) in &rules {
                    let edge = Edge::new(*kind, (first, end), &holes, Arc::clone(rule));
                    options.push(forest, edge.meeting_at(middle));
                }
            }
        }
    }
}
