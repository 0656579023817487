//! Joins the cells of a chart to the whole sentence: S → S X | X (Chiang 2007, section 3.3).

use std::sync::Arc;

use super::cube::CubePruner;
use super::edge::Edge;
use super::forest::{Forest, Hyperedge, Hypothesis, ScoredText, NONE};
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::RuleKind;
use crate::decode::hypothesis_feature::{HypothesisFeature, WeightedSum};
use crate::decode::prepared::{ContextValues, PreparedRule, RankedRules, FIRST_HOLE, NOT_BASIC};
use crate::decode::text_key::TextKey;
use crate::lm::{ChartState, Model, RuleScore, BOS};
use crate::rule::bytes::{Rule, Symbols};
use crate::rule::symbols::MAX_HOLES;
use crate::work::interrupt;

/// Where glue rules may be used.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Glue {
    /// Anywhere.
    Free,
    /// Only in sentences longer than the longest span.
    BeyondSpans,
}

/// A rule that joins the holes in this order, with this score.
pub fn joining_rule(order: &[u32], score: f32) -> Arc<RankedRules> {
    let lm_words: Symbols = order.iter().map(|hole| FIRST_HOLE + hole).collect();
    let rule = Rule { target: lm_words.clone(), ..Rule::default() };
    Arc::new([PreparedRule {
        rule,
        lm_words,
        score,
        estimate: score,
        context: ContextValues::default(),
        target_side: NOT_BASIC,
    }])
}

/// The edge of the empty beginning of the sentence.
pub fn begin_edge() -> Edge {
    Edge::new(RuleKind::Begin, (0, 0), &[], joining_rule(&[], 0.0))
}

/// The edge that ends the sentence.
pub fn end_edge<S: Copy>(forest: &Forest<S>, words: usize) -> Edge {
    Edge::new(RuleKind::End, (0, words), &[forest.glue_cell(words)], joining_rule(&[0], 0.0))
}

/// Adds the glue edges of a sentence; returns their numbers for each beginning of the sentence.
pub fn glue_edges<S: Copy>(
    forest: &Forest<S>,
    words: usize,
    max_span: usize,
    glue: Glue,
    weights: &Weights,
    edges: &mut Vec<Edge>,
) -> Vec<Vec<u32>> {
    let rule = joining_rule(&[0, 1], weights.of(column::GLUE));
    let mut of_end = vec![Vec::new(); words + 1];
    let whole = glue == Glue::BeyondSpans && words <= max_span;
    for (end, numbers) in of_end.iter_mut().enumerate().skip(1) {
        if whole && end < words {
            continue;
        }
        let starts = if whole { 0..1 } else { end.saturating_sub(max_span)..end };
        for start in starts {
            let cells = [forest.glue_cell(start), forest.span_cell((start, end))];
            numbers.push(edges.len() as u32);
            edges.push(Edge::new(RuleKind::Glue, (0, end), &cells, rule.clone()).meeting_at(start));
        }
    }
    of_end
}

/// Adds the empty beginning of the sentence.
pub fn begin<F: HypothesisFeature>(forest: &mut Forest<F::State>, lm: &Model, features: &F, edge: u32) {
    let hyperedge = forest.hyperedges.len() as u32;
    let holes = [NONE; MAX_HOLES];
    forest.hyperedges.push(Hyperedge { edge, rank: 0, hole_count: 0, holes, score: 0.0, next: NONE });
    let from = forest.hypotheses.len() as u32;
    let mut start = RuleScore::new(lm);
    start.begin_sentence();
    let lm: ChartState = start.finish().0;
    // Unlike the empty text, it gives the words after it a context.
    let text = ScoredText { key: TextKey::of_number(BOS), lm_score: 0.0 };
    let features = features.begin();
    forest.hypotheses.push(Hypothesis { lm, features, score: 0.0, bonus: 0.0, hyperedge, text });
    forest.set_cell(forest.glue_cell(0), from);
}

/// Fills the glue cells from left to right.
pub fn fill<F: HypothesisFeature>(
    cube: &mut CubePruner<'_, F>,
    forest: &mut Forest<F::State>,
    edges: &[Edge],
    of_end: &[Vec<u32>],
    pops: usize,
) {
    for (end, numbers) in of_end.iter().enumerate().skip(1) {
        interrupt::point();
        cube.fill(forest, edges, numbers, forest.glue_cell(end), pops);
    }
}

/// Ends the sentence: every translation of all words is a hyperedge to the goal.
pub fn end<F: HypothesisFeature>(
    forest: &mut Forest<F::State>,
    lm: &Model,
    weights: &Weights,
    features: &F,
    words: usize,
    edge: u32,
    keep_hyperedges: bool,
) {
    let mut hyperedges: Vec<(f32, u32)> = forest
        .cell(forest.glue_cell(words))
        .filter_map(|id| {
            let whole = &forest.hypotheses[id as usize];
            let mut sum = WeightedSum::new(weights);
            if !features.finish(&whole.features, &mut sum) {
                return None;
            }
            let mut last = RuleScore::new(lm);
            last.nonterminal(&whole.lm, 0.0);
            last.terminal(lm.vocab().end_sentence());
            let change = last.finish().1;
            let lm_score = weights.of(column::LM) * std::f32::consts::LN_10 * change;
            Some((whole.score_with_bonus() + lm_score + sum.sum, id))
        })
        .collect();
    hyperedges.sort_by(|a, b| b.0.total_cmp(&a.0));
    if !keep_hyperedges {
        hyperedges.truncate(1);
    }
    let Some(&(score, _)) = hyperedges.first() else { return };
    let first = forest.hyperedges.len() as u32;
    let last = first + hyperedges.len() as u32 - 1;
    for (number, (score, id)) in (first..).zip(hyperedges) {
        let mut holes = [NONE; MAX_HOLES];
        holes[0] = id;
        let next = if number == last { NONE } else { number + 1 };
        forest.hyperedges.push(Hyperedge { edge, rank: 0, hole_count: 1, holes, score, next });
    }
    forest.goal = forest.hypotheses.len() as u32;
    forest.hypotheses.push(Hypothesis {
        lm: ChartState::default(),
        features: F::State::default(),
        score,
        bonus: 0.0,
        hyperedge: first,
        text: ScoredText { key: TextKey::EMPTY, lm_score: 0.0 },
    });
}
