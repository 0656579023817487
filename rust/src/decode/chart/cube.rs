//! Fills a cell by cube pruning (Chiang 2007): the most promising combinations of rules and hypotheses first.

use std::collections::BinaryHeap;

use super::application::EdgeApplication;
use super::cell::OpenCell;
use super::edge::Edge;
use super::forest::{CellId, Forest, Hyperedge, Hypothesis, HypothesisId, ScoredText, NONE};
use super::texts::HypothesisTexts;
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::{HypothesisFeature, WeightedSum};
use crate::decode::prepared::{hole, PreparedRule};
use crate::decode::text_key::TextKey;
use crate::decode::word_pairs::WordPairs;
use crate::lm::{ChartState, Model, RuleScore};
use crate::rule::symbols::MAX_HOLES;
use crate::store::hashing::FastSet;
use crate::store::ranking::rank;

/// How many combinations of a cell are tried, and how many are kept.
#[derive(Clone, Copy, Debug)]
pub struct CubeLimits {
    /// Combinations tried for a cell, see [`Pops`](super::pops::Pops).
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
    edge: u32,
    rank: u16,
    holes: [u16; MAX_HOLES],
    /// Successors increase only this rank and those after it, so that every combination is reached once.
    from: u8,
}

impl Item {
    /// The best combination of an edge.
    fn best(edge: u32) -> Self {
        Item { edge, rank: 0, holes: [0; MAX_HOLES], from: 0 }
    }
}

/// Combinations by estimate, the best first; of equal ones, the one that came first.
#[derive(Default)]
struct Queue {
    /// The rank of the estimate in the high bits, the number of the item in the low ones, inverted: earlier is greater.
    open: BinaryHeap<u64>,
    items: Vec<Item>,
}

impl Queue {
    fn clear(&mut self) {
        self.open.clear();
        self.items.clear();
    }

    #[inline]
    fn push(&mut self, estimate: f32, item: Item) {
        self.open.push(u64::from(rank(estimate)) << 32 | u64::from(!(self.items.len() as u32)));
        self.items.push(item);
    }

    #[inline]
    fn pop(&mut self) -> Option<Item> {
        let key = self.open.pop()?;
        Some(self.items[!(key as u32) as usize])
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
    open: Queue,
    pairs: WordPairs,
    cell: OpenCell<F::State>,
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
            open: Queue::default(),
            pairs: WordPairs::default(),
            cell: OpenCell::new(limits.keep_hyperedges),
            texts: None,
            tried: FastSet::default(),
        }
    }

    /// The same with the texts of hypotheses, for a span scorer.
    pub fn with_texts(self, texts: Option<HypothesisTexts<'a>>) -> Self {
        CubePruner { texts, ..self }
    }

    /// Fills a cell from its edges, given by number, with up to `pops` combinations. The cells of their holes must be
    /// filled.
    ///
    /// With a span scorer, combinations are tried in two orders: by score alone, so that it loses nothing, and then a
    /// quarter as many by score and bonus.
    pub fn fill(
        &mut self,
        forest: &mut Forest<F::State>,
        edges: &[Edge],
        of_cell: &[u32],
        cell: CellId,
        pops: usize,
    ) {
        self.cell.clear();
        self.tried.clear();
        self.combine(forest, edges, of_cell, HypothesisOrder::Score, pops);
        if self.texts.is_some() {
            self.combine(forest, edges, of_cell, HypothesisOrder::ScoreWithBonus, pops.div_ceil(4));
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
            self.push(forest, edges, Item::best(edge), order);
        }
        let mut pops = 0;
        while let Some(item) = self.open.pop() {
            let edge = &edges[item.edge as usize];
            let holes = self.hole_ids(forest, edge, &item.holes, order);
            // With two orders, a combination may have been tried in the other one.
            let is_new =
                order == HypothesisOrder::Score || !self.tried.contains(&(item.edge, item.rank, holes));
            let was_possible = !is_new || self.make(forest, edge, &item, holes);
            self.push_next(forest, edges, &item, order);
            pops += usize::from(was_possible);
            if pops >= limit {
                break;
            }
        }
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

    /// Pushes a combination if it exists, with an estimate: of the language model's scores where words of the rule and of
    /// its parts meet, it has those of the second word after the first alone.
    fn push(&mut self, forest: &Forest<F::State>, edges: &[Edge], item: Item, order: HypothesisOrder) {
        let edge = &edges[item.edge as usize];
        let Some(chosen) = edge.rule_at(usize::from(item.rank)) else { return };
        let mut estimate = chosen.estimate;
        if F::HAS_ESTIMATE {
            let mut sum = WeightedSum::new(self.weights);
            let applied = EdgeApplication { number: item.edge, edge, rule: chosen.rule };
            self.features.estimate(&applied, &mut sum);
            estimate += sum.sum;
        }
        let fillers = self.hole_ids(forest, edge, &item.holes, order);
        for &filler in &fillers[..edge.holes().len()] {
            if filler == NONE {
                return;
            }
            estimate += order.of(&forest.hypotheses[filler as usize]);
        }
        if !edge.holes().is_empty() {
            estimate += self.weights.of(column::LM) * self.gain(forest, chosen.rule, &fillers);
        }
        self.open.push(estimate, item);
    }

    /// The gains of the words at the edges of a rule's holes by the words before them.
    fn gain(
        &mut self,
        forest: &Forest<F::State>,
        rule: &PreparedRule,
        fillers: &[HypothesisId; MAX_HOLES],
    ) -> f32 {
        let mut sum = 0.0;
        let (mut last, mut after_hole) = (None, false);
        for &symbol in &rule.lm_words {
            let (first, next) = match hole(symbol) {
                Some(number) => {
                    let part = &forest.hypotheses[fillers[number] as usize].lm;
                    (part.left.first_word(), part.right.words().first().copied())
                }
                // The scores of adjacent words of a rule are in its estimate.
                None => (after_hole.then_some(symbol), Some(symbol)),
            };
            if let (Some(last), Some(first)) = (last, first) {
                sum += self.pairs.gain(self.lm, last, first);
            }
            (last, after_hole) = (next, hole(symbol).is_some());
        }
        sum
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

    /// The hypotheses that fill the holes of an edge, by their ranks; [`NONE`] where there is none.
    #[inline]
    fn hole_ids(
        &self,
        forest: &Forest<F::State>,
        edge: &Edge,
        ranks: &[u16; MAX_HOLES],
        order: HypothesisOrder,
    ) -> [HypothesisId; MAX_HOLES] {
        let mut ids = [NONE; MAX_HOLES];
        for (id, (&cell, &rank)) in ids.iter_mut().zip(edge.holes().iter().zip(ranks)) {
            *id = self.filler(forest, cell, rank, order).unwrap_or(NONE);
        }
        ids
    }

    /// Makes a combination a hypothesis, or recombines it with an equal one; false if features forbid it.
    fn make(
        &mut self,
        forest: &mut Forest<F::State>,
        edge: &Edge,
        item: &Item,
        holes: [HypothesisId; MAX_HOLES],
    ) -> bool {
        let Some(chosen) = edge.rule_at(usize::from(item.rank)) else { return false };
        let fillers = &holes[..edge.holes().len()];
        let parts: f32 = fillers.iter().map(|&id| forest.hypotheses[id as usize].score).sum();
        let applied = EdgeApplication { number: item.edge, edge, rule: chosen.rule };
        let antecedent = |number: usize| forest.hypotheses[holes[number] as usize].features;
        let mut sum = WeightedSum::new(self.weights);
        let Some(features) = self.features.apply(&applied, &antecedent, &mut sum) else { return false };
        let (key, lm_parts) = text(forest, chosen.rule, &holes);
        if self.texts.is_some() {
            self.tried.insert((item.edge, item.rank, holes));
        }
        let hyperedge = |lm_score: f32| Hyperedge {
            edge: item.edge,
            rank: item.rank,
            hole_count: edge.holes().len() as u8,
            holes,
            score: chosen.score + parts + sum.sum + self.lm_weight * (lm_score - lm_parts),
            next: NONE,
        };
        match self.cell.with_text(&key) {
            Some((number, lm_score)) => {
                let (hyperedge, text) = (hyperedge(lm_score), ScoredText { key, lm_score });
                let known = &self.cell.hypotheses[number as usize];
                if known.features == features {
                    self.cell.join(forest, number, hyperedge, text);
                } else {
                    let lm = known.lm;
                    self.cell.add(forest, (&lm, features), hyperedge, text);
                }
            }
            None => {
                let (lm, change) = self.joined(forest, chosen.rule, &holes);
                let lm_score = lm_parts + change;
                let text = ScoredText { key, lm_score };
                self.cell.add(forest, (&lm, features), hyperedge(lm_score), text);
            }
        }
        true
    }

    /// The language model's state after a combination, and its score less those of the parts.
    fn joined(
        &self,
        forest: &Forest<F::State>,
        rule: &PreparedRule,
        fillers: &[HypothesisId; MAX_HOLES],
    ) -> (ChartState, f32) {
        let mut joined = RuleScore::new(self.lm);
        for &symbol in &rule.lm_words {
            match hole(symbol) {
                Some(number) => joined.nonterminal(&forest.hypotheses[fillers[number] as usize].lm, 0.0),
                None => joined.terminal(symbol),
            }
        }
        joined.finish()
    }

    /// Adds the best hypotheses of the cell to the forest.
    fn close(&mut self, forest: &mut Forest<F::State>, edges: &[Edge], cell: CellId) {
        self.cell.close(forest, cell, self.limits.cell, self.limits.threshold);
        if let Some(texts) = &mut self.texts {
            texts.rank(forest, edges, cell);
        }
    }
}

/// The key of a combination's text, and the sum of the language model's scores of its parts.
fn text<S>(forest: &Forest<S>, rule: &PreparedRule, fillers: &[HypothesisId; MAX_HOLES]) -> (TextKey, f32) {
    let (mut key, mut lm_parts) = (TextKey::EMPTY, 0.0);
    for &symbol in &rule.lm_words {
        key = key.then(match hole(symbol) {
            Some(number) => {
                let text = &forest.hypotheses[fillers[number] as usize].text;
                lm_parts += text.lm_score;
                text.key
            }
            None => TextKey::of_number(symbol),
        });
    }
    (key, lm_parts)
}
