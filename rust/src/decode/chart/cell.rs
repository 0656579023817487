//! The cell that is being filled: its hypotheses so far, with equal ones recombined.

use super::forest::{CellId, Forest, Hyperedge, Hypothesis};
use crate::decode::text_key::TextKey;
use crate::lm::ChartState;
use crate::store::hashing::FastMap;
use std::hash::Hash;

/// The words of a combination as the language model knows them.
#[derive(Clone, Copy)]
pub struct ScoredText {
    pub key: TextKey,
    /// log10 of their probability as far as the context in them tells.
    pub lm_score: f32,
}

/// The hypotheses of a cell. Its buffers are reused for every cell.
pub struct OpenCell<S> {
    /// The number of each pair of states.
    found: FastMap<(ChartState, S), u32>,
    /// For each text: a hypothesis with its state of the language model, and its score.
    of_text: FastMap<TextKey, (u32, f32)>,
    pub hypotheses: Vec<Hypothesis<S>>,
    order: Vec<u32>,
    /// Keep all hyperedges of a hypothesis, not only the best.
    keep_hyperedges: bool,
}

impl<S: Copy + Eq + Hash> OpenCell<S> {
    pub fn new(keep_hyperedges: bool) -> Self {
        let (found, of_text, hypotheses, order) = Default::default();
        OpenCell { found, of_text, hypotheses, order, keep_hyperedges }
    }

    /// Begins another cell.
    pub fn clear(&mut self) {
        self.found.clear();
        self.of_text.clear();
        self.hypotheses.clear();
    }

    /// A hypothesis with the language model's state after a text, and the text's score, if the cell has had the text.
    /// About half of the combinations of a hierarchical grammar have one that another made before.
    #[inline]
    pub fn with_text(&self, text: &TextKey) -> Option<(u32, f32)> {
        self.of_text.get(text).copied()
    }

    /// Adds a combination: as a hypothesis, or to the one with its states.
    pub fn add(
        &mut self,
        forest: &mut Forest<S>,
        (lm, features): (ChartState, S),
        hyperedge: Hyperedge,
        text: ScoredText,
    ) {
        let fresh = self.hypotheses.len() as u32;
        let number = *self.found.entry((lm, features)).or_insert(fresh);
        self.of_text.insert(text.key, (number, text.lm_score));
        if number < fresh {
            return self.join(forest, number, hyperedge, text);
        }
        let (at, score) = (forest.hyperedges.len() as u32, hyperedge.score);
        forest.hyperedges.push(hyperedge);
        self.hypotheses.push(Hypothesis { lm, features, score, bonus: 0.0, hyperedge: at, text });
    }

    /// Adds a combination to a hypothesis with its states.
    pub fn join(&mut self, forest: &mut Forest<S>, number: u32, hyperedge: Hyperedge, text: ScoredText) {
        let known = &mut self.hypotheses[number as usize];
        let at = forest.hyperedges.len() as u32;
        let best = &mut forest.hyperedges[known.hyperedge as usize];
        if hyperedge.score > known.score {
            (known.score, known.text) = (hyperedge.score, text);
            if self.keep_hyperedges {
                forest.hyperedges.push(Hyperedge { next: known.hyperedge, ..hyperedge });
                known.hyperedge = at;
            } else {
                *best = hyperedge;
            }
        } else if self.keep_hyperedges {
            let after = std::mem::replace(&mut best.next, at);
            forest.hyperedges.push(Hyperedge { next: after, ..hyperedge });
        }
    }

    /// Adds the best hypotheses to the forest, at most `limit` and none that is `threshold` below the best; returns their
    /// numbers.
    pub fn close(&mut self, forest: &mut Forest<S>, cell: CellId, limit: usize, threshold: f32) -> &[u32] {
        let hypotheses = &self.hypotheses;
        self.order.clear();
        self.order.extend(0..hypotheses.len() as u32);
        let score = |number: u32| hypotheses[number as usize].score;
        self.order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        let worst = self.order.first().map_or(0.0, |&best| score(best)) - threshold;
        let from = forest.hypotheses.len() as u32;
        let fits = |&&number: &&u32| score(number) >= worst;
        let kept = self.order.iter().take(limit).take_while(fits).count();
        let kept = &self.order[..kept];
        forest.hypotheses.extend(kept.iter().map(|&number| hypotheses[number as usize]));
        forest.set_cell(cell, from);
        kept
    }
}
