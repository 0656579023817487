//! BTG: phrases, and neighbouring blocks merged straight or inverted (Wu 1997; Xiong, Liu and Lin 2006).

use std::sync::Arc;

use super::edge::{Edge, EdgeKind};
use super::extra::Extra;
use super::forest::Forest;
use super::glue::joining_rule;
use super::options::ChartOptions;
use crate::decode::features::{column, Weights};
use crate::decode::prepared::PreparedRule;
use crate::decode::sentence::Sentence;
use crate::error::Result;
use crate::reorder::model::{inverted, straight, Reordering, UNKNOWN};
use crate::table::read::Table;

/// The reordering model beside a rule table.
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
    pub fn on<'a>(&'a self, sentence: &Sentence, weights: &Weights) -> MergeFeature<'a> {
        let (source, target) = (self.model.source_words(), self.model.target_words());
        let number = |word: &String| source.get(word).unwrap_or(UNKNOWN);
        let copy = |word: &String| target.get(word).unwrap_or(UNKNOWN);
        MergeFeature {
            blocks: self,
            source: sentence.words.iter().map(number).collect(),
            copies: sentence.surface.iter().map(copy).collect(),
            orientation: weights.of(column::ORIENTATION),
            distortion: weights.of(column::DISTORTION),
        }
    }
}

/// First and last target word of a block.
pub type BoundaryWords = (u32, u32);

/// The score of merges in one sentence.
pub struct MergeFeature<'a> {
    blocks: &'a BlockReordering,
    source: Vec<u32>,
    copies: Vec<u32>,
    orientation: f32,
    distortion: f32,
}

/// What a merge is worth: ln p of its order, and minus the words that it moves.
struct MergeValues {
    orientation: f32,
    distortion: f32,
    ends: BoundaryWords,
}

impl MergeFeature<'_> {
    fn merge(&self, edge: &Edge, holes: &[BoundaryWords]) -> MergeValues {
        let (first, middle, end) = (usize::from(edge.first), usize::from(edge.middle), usize::from(edge.end));
        let (left, right) = (holes[0], holes[1]);
        if first == middle {
            // Glue to the empty beginning of the sentence.
            return MergeValues { orientation: 0.0, distortion: 0.0, ends: right };
        }
        let odds = self.blocks.model.log_odds(
            &[self.source[first], self.source[middle - 1], left.0, left.1],
            &[self.source[middle], self.source[end - 1], right.0, right.1],
        );
        match edge.kind {
            EdgeKind::Inverted => MergeValues {
                orientation: inverted(odds),
                distortion: -((end - first) as f32),
                ends: (right.0, left.1),
            },
            _ => MergeValues { orientation: straight(odds), distortion: 0.0, ends: (left.0, right.1) },
        }
    }

    fn leaf(&self, edge: &Edge, rule: &PreparedRule) -> BoundaryWords {
        if edge.kind == EdgeKind::Copy {
            let word = self.copies[usize::from(edge.first)];
            return (word, word);
        }
        let number = |word: Option<&u32>| {
            word.and_then(|&word| self.blocks.target.get(word as usize)).copied().unwrap_or(UNKNOWN)
        };
        (number(rule.rule.target.first()), number(rule.rule.target.last()))
    }
}

impl Extra for MergeFeature<'_> {
    type State = BoundaryWords;

    fn apply(
        &self,
        edge: &Edge,
        rule: &PreparedRule,
        holes: &[BoundaryWords],
    ) -> Option<(f32, BoundaryWords)> {
        if holes.len() < 2 {
            return Some((0.0, self.leaf(edge, rule)));
        }
        let merge = self.merge(edge, holes);
        let score = self.orientation * merge.orientation + self.distortion * merge.distortion;
        Some((score, merge.ends))
    }

    fn values(&self, edge: &Edge, _: &PreparedRule, holes: &[BoundaryWords], features: &mut [f32]) {
        if holes.len() == 2 {
            let merge = self.merge(edge, holes);
            features[column::ORIENTATION] += merge.orientation;
            features[column::DISTORTION] += merge.distortion;
        }
    }
}

/// The two merging rules, wherever two spans meet.
pub fn push_merges<S: Copy>(options: &mut ChartOptions, forest: &Forest<S>, words: usize, max_span: usize) {
    let rules =
        [(EdgeKind::Straight, joining_rule(&[0, 1], 0.0)), (EdgeKind::Inverted, joining_rule(&[1, 0], 0.0))];
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
