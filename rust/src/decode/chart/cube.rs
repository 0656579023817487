//! Fills a cell by cube pruning (Chiang 2007): the most promising combinations of rules and hypotheses first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::application::EdgeApplication;
use super::edge::Edge;
use super::forest::{CellId, Forest, Hyperedge, Hypothesis, HypothesisId, NONE};
use super::texts::HypothesisTexts;
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::{HypothesisFeature, WeightedSum};
use crate::decode::prepared::hole;
use crate::lm::{ChartState, Model, RuleScore};
use crate::rule::symbols::MAX_HOLES;
use crate::store::hashing::{FastMap, FastSet};

/// How many combinations of a cell are tried, and how many are kept.
#[derive(Clone, Copy, Debug)]
pub struct CubeLimits {
    /// Combinations tried for a cell.
    pub pops: usize,
    /// Hypotheses kept in a cell.
    pub cell: usize,
    /// Hypotheses this far below the best of their cell are pruned.
    pub threshold: f32,
    /// Keep all hyperedges of a hypothesis, not only the best.
    pub keep_hyperedges: bool,
}

/// A combination: an edge, the rank of its rule, and the ranks of the hypotheses that fill its holes.
#[derive(Clone, Copy)]
struct Item {
    /// An estimate until the combination is scored.
    score: f32,
    edge: u32,
    rank: u16,
    holes: [u16; MAX_HOLES],
    /// Successors increase only this rank and those after it, so that every combination is reached once.
    from: u8,
    /// The index of its states, once it is scored.
    made: u32,
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Item {}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> Ordering {
        // Ties go to the first combination: results must not depend on how the heap was built.
        let place = |item: &Item| (item.edge, item.rank, item.holes);
        self.score.total_cmp(&other.score).then_with(|| place(other).cmp(&place(self)))
    }
}

/// The order in which hypotheses are tried: by score, or by score and bonus of the span scorer.
#[derive(Clone, Copy, Eq, PartialEq)]
enum HypothesisOrder {
    Score,
    ScoreWithBonus,
}

impl HypothesisOrder {
    #[inline]
    fn of<S>(self, hypothesis: &Hypothesis<S>) -> f32 {
        match self {
            HypothesisOrder::Score => hypothesis.score,
            HypothesisOrder::ScoreWithBonus => hypothesis.score_with_bonus(),
        }
    }
}

/// Fills the cells of one chart, and reuses its buffers for every cell.
pub struct CubePruner<'a, F: HypothesisFeature> {
    lm: &'a Model,
    features: &'a F,
    weights: &'a Weights,
    /// The weight of the language model for log10 scores.
    lm_weight: f32,
    limits: CubeLimits,
    open: BinaryHeap<Item>,
    /// States, and the score without bonuses.
    made: Vec<(ChartState, F::State, f32)>,
    found: FastMap<(ChartState, F::State), u32>,
    hypotheses: Vec<Hypothesis<F::State>>,
    order: Vec<u32>,
    texts: Option<HypothesisTexts<'a>>,
    /// Edge, rank and fillers of the combinations tried so far, if there are two orders.
    tried: FastSet<(u32, u16, [HypothesisId; MAX_HOLES])>,
}

impl<'a, F: HypothesisFeature> CubePruner<'a, F> {
    pub fn new(lm: &'a Model, weights: &'a Weights, features: &'a F, limits: CubeLimits) -> Self {
        CubePruner {
            lm,
            features,
            weights,
            lm_weight: weights.of(column::LM) * std::f32::consts::LN_10,
            limits,
            open: BinaryHeap::new(),
            made: Vec::new(),
            found: FastMap::default(),
            hypotheses: Vec::new(),
            order: Vec::new(),
            texts: None,
            tried: FastSet::default(),
        }
    }

    /// The same with the texts of hypotheses, for a span scorer.
    pub fn with_texts(self, texts: Option<HypothesisTexts<'a>>) -> Self {
        CubePruner { texts, ..self }
    }

    /// Fills a cell from its edges, given by number. The cells of their holes must be filled.
    ///
    /// With a span scorer, combinations are tried in two orders: by score alone, so that it loses nothing, and then a
    /// quarter as many by score and bonus.
    pub fn fill(&mut self, forest: &mut Forest<F::State>, edges: &[Edge], of_cell: &[u32], cell: CellId) {
        self.made.clear();
        self.found.clear();
        self.hypotheses.clear();
        self.tried.clear();
        self.combine(forest, edges, of_cell, HypothesisOrder::Score, self.limits.pops);
        if self.texts.is_some() {
            self.combine(
                forest,
                edges,
                of_cell,
                HypothesisOrder::ScoreWithBonus,
                self.limits.pops.div_ceil(4),
            );
        }
        self.close(forest, edges, cell);
    }

    /// Tries up to `limit` combinations, most promising first.
    fn combine(
        &mut self,
        forest: &mut Forest<F::State>,
        edges: &[Edge],
        of_cell: &[u32],
        order: HypothesisOrder,
        limit: usize,
    ) {
        self.open.clear();
        for &edge in of_cell {
            let item = Item { score: 0.0, edge, rank: 0, holes: [0; MAX_HOLES], from: 0, made: NONE };
            self.push(forest, edges, item, order);
        }
        let mut pops = 0;
        while let Some(mut item) = self.open.pop() {
            let new = item.made != NONE || self.is_new(forest, edges, &item, order);
            if new && item.made == NONE {
                let Some(score) = self.score(forest, edges, &item, order) else {
                    self.push_next(forest, edges, &item, order);
                    continue;
                };
                item.score = score;
                item.made = self.made.len() as u32 - 1;
                if self.open.peek().is_some_and(|next| next > &item) {
                    self.open.push(item);
                    continue;
                }
            }
            if new {
                self.keep(forest, edges, &item, order);
            }
            self.push_next(forest, edges, &item, order);
            pops += 1;
            if pops >= limit {
                break;
            }
        }
    }

    /// Whether a combination was not tried in the other order.
    fn is_new(&self, forest: &Forest<F::State>, edges: &[Edge], item: &Item, order: HypothesisOrder) -> bool {
        let holes = || self.hole_ids(forest, &edges[item.edge as usize], item, order);
        order == HypothesisOrder::Score || !self.tried.contains(&(item.edge, item.rank, holes()))
    }

    /// The hypothesis of a cell at a rank, if there is one.
    fn filler(
        &self,
        forest: &Forest<F::State>,
        cell: CellId,
        rank: u16,
        order: HypothesisOrder,
    ) -> Option<HypothesisId> {
        let range = forest.cell(cell);
        let place = range.start + u32::from(rank);
        (place < range.end).then(|| match (&self.texts, order) {
            (Some(texts), HypothesisOrder::ScoreWithBonus) => texts.by_score_with_bonus(place),
            _ => place,
        })
    }

    /// Pushes a combination if it exists, with an estimate that does not combine its parts.
    fn push(&mut self, forest: &Forest<F::State>, edges: &[Edge], mut item: Item, order: HypothesisOrder) {
        let edge = &edges[item.edge as usize];
        let Some(chosen) = edge.rule_at(usize::from(item.rank)) else { return };
        item.score = chosen.estimate;
        if F::HAS_ESTIMATE {
            let mut sum = WeightedSum::new(self.weights);
            let applied = EdgeApplication { number: item.edge, edge, rule: chosen.rule };
            self.features.estimate(&applied, &mut sum);
            item.score += sum.sum;
        }
        for (&cell, &rank) in edge.holes().iter().zip(&item.holes) {
            let Some(filler) = self.filler(forest, cell, rank, order) else { return };
            item.score += order.of(&forest.hypotheses[filler as usize]);
        }
        item.made = NONE;
        self.open.push(item);
    }

    fn push_next(&mut self, forest: &Forest<F::State>, edges: &[Edge], item: &Item, order: HypothesisOrder) {
        let dimensions = edges[item.edge as usize].holes().len() as u8 + 1;
        for dimension in item.from..dimensions {
            let mut next = Item { from: dimension, ..*item };
            match dimension {
                0 => next.rank += 1,
                hole => next.holes[usize::from(hole) - 1] += 1,
            }
            self.push(forest, edges, next, order);
        }
    }

    fn hole_ids(
        &self,
        forest: &Forest<F::State>,
        edge: &Edge,
        item: &Item,
        order: HypothesisOrder,
    ) -> [HypothesisId; MAX_HOLES] {
        let mut ids = [NONE; MAX_HOLES];
        for (id, (&cell, &rank)) in ids.iter_mut().zip(edge.holes().iter().zip(&item.holes)) {
            *id = self.filler(forest, cell, rank, order).unwrap_or(NONE);
        }
        ids
    }

    /// The score of a combination with the bonuses of its parts; its states go to `made`.
    fn score(
        &mut self,
        forest: &Forest<F::State>,
        edges: &[Edge],
        item: &Item,
        order: HypothesisOrder,
    ) -> Option<f32> {
        let edge = &edges[item.edge as usize];
        let chosen = edge.rule_at(usize::from(item.rank))?;
        let holes = self.hole_ids(forest, edge, item, order);
        let (mut score, mut parts) = (chosen.score, 0.0);
        for &id in &holes[..edge.holes().len()] {
            let filler = &forest.hypotheses[id as usize];
            score += filler.score;
            parts += order.of(filler) - filler.score;
        }
        let applied = EdgeApplication { number: item.edge, edge, rule: chosen.rule };
        let antecedent = |number: usize| forest.hypotheses[holes[number] as usize].features;
        let mut sum = WeightedSum::new(self.weights);
        let features = self.features.apply(&applied, &antecedent, &mut sum)?;
        let mut joined = RuleScore::new(self.lm);
        for &word in &chosen.rule.lm_words {
            match hole(word) {
                Some(number) => {
                    joined.nonterminal(&forest.hypotheses[holes[number] as usize].lm, 0.0);
                }
                None => joined.terminal(word),
            }
        }
        let (state, change) = joined.finish();
        let score = score + sum.sum + self.lm_weight * change;
        self.made.push((state, features, score));
        Some(score + parts)
    }

    /// Makes a scored combination a hypothesis, or recombines it with an equal one.
    fn keep(&mut self, forest: &mut Forest<F::State>, edges: &[Edge], item: &Item, order: HypothesisOrder) {
        let edge = &edges[item.edge as usize];
        let (lm, features, score) = self.made[item.made as usize];
        let holes = self.hole_ids(forest, edge, item, order);
        if self.texts.is_some() {
            self.tried.insert((item.edge, item.rank, holes));
        }
        let hyperedge = Hyperedge {
            edge: item.edge,
            rank: item.rank,
            hole_count: edge.holes().len() as u8,
            holes,
            score,
            next: NONE,
        };
        let fresh = self.hypotheses.len() as u32;
        let number = *self.found.entry((lm, features)).or_insert(fresh);
        if number == fresh {
            let at = forest.hyperedges.len() as u32;
            forest.hyperedges.push(hyperedge);
            self.hypotheses.push(Hypothesis { lm, features, score, bonus: 0.0, hyperedge: at });
            return;
        }
        let known = &mut self.hypotheses[number as usize];
        let better = score > known.score;
        if !self.limits.keep_hyperedges {
            if better {
                known.score = score;
                forest.hyperedges[known.hyperedge as usize] = hyperedge;
            }
            return;
        }
        let at = forest.hyperedges.len() as u32;
        if better {
            known.score = score;
            forest.hyperedges.push(Hyperedge { next: known.hyperedge, ..hyperedge });
            known.hyperedge = at;
        } else {
            let best = &mut forest.hyperedges[known.hyperedge as usize];
            let after = std::mem::replace(&mut best.next, at);
            forest.hyperedges.push(Hyperedge { next: after, ..hyperedge });
        }
    }

    /// Sorts and prunes the hypotheses of the cell, and adds them to the forest.
    fn close(&mut self, forest: &mut Forest<F::State>, edges: &[Edge], cell: CellId) {
        if let Some(texts) = &mut self.texts {
            texts.rank(forest, edges, cell, &mut self.hypotheses);
        }
        let hypotheses = &self.hypotheses;
        self.order.clear();
        self.order.extend(0..hypotheses.len() as u32);
        let score = |number: u32| hypotheses[number as usize].score;
        self.order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        let worst = self.order.first().map_or(0.0, |&best| score(best)) - self.limits.threshold;
        let from = forest.hypotheses.len() as u32;
        let fits = |&&number: &&u32| score(number) >= worst;
        let kept = self.order.iter().take(self.limits.cell).take_while(fits).count();
        let kept = &self.order[..kept];
        forest.hypotheses.extend(kept.iter().map(|&number| hypotheses[number as usize]));
        if let Some(texts) = &mut self.texts {
            texts.keep(&forest.hypotheses, from, kept);
        }
        forest.set_cell(cell, from);
    }
}
