//! The cell that is being filled: its hypotheses so far, with equal ones recombined.

use std::hash::{Hash, Hasher};

use super::forest::{CellId, Forest, Hyperedge, Hypothesis, ScoredText};
use crate::decode::text_key::TextKey;
use crate::lm::ChartState;
use crate::store::hashing::{FastHasher, FastMap};

/// The hypotheses of a cell. Its buffers are reused for every cell.
pub struct OpenCell<S> {
    /// The number of each hypothesis by the hash of its states; after another with the same hash, by the next number.
    found: FastMap<u64, u32>,
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
        (lm, features): (&ChartState, S),
        hyperedge: Hyperedge,
        text: ScoredText,
    ) {
        let mut hasher = FastHasher::default();
        (lm, features).hash(&mut hasher);
        let (mut hash, fresh) = (hasher.finish(), self.hypotheses.len() as u32);
        let number = loop {
            let number = *self.found.entry(hash).or_insert(fresh);
            let known = self.hypotheses.get(number as usize);
            if known.is_none_or(|known| known.lm == *lm && known.features == features) {
                break number;
            }
            hash = hash.wrapping_add(1);
        };
        self.of_text.insert(text.key, (number, text.lm_score));
        if number < fresh {
            return self.join(forest, number, hyperedge, text);
        }
        let (at, score) = (forest.hyperedges.len() as u32, hyperedge.score);
        forest.hyperedges.push(hyperedge);
        self.hypotheses.push(Hypothesis { lm: *lm, features, score, bonus: 0.0, hyperedge: at, text });
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

#[cfg(test)]
mod tests {
    use super::super::forest::NONE;
    use super::*;
    use crate::rule::symbols::MAX_HOLES;

    fn hyperedge(edge: u32, score: f32) -> Hyperedge {
        Hyperedge { edge, rank: 0, hole_count: 0, holes: [NONE; MAX_HOLES], score, next: NONE }
    }

    fn text(word: u32, lm_score: f32) -> ScoredText {
        ScoredText { key: TextKey::of_number(word), lm_score }
    }

    /// Three combinations with the same states, of which the second is best, and one with others.
    fn filled(keep_hyperedges: bool) -> (Forest<u8>, OpenCell<u8>) {
        let (mut forest, mut cell) = (Forest::new(1), OpenCell::new(keep_hyperedges));
        let lm = ChartState::default();
        cell.add(&mut forest, (&lm, 0), hyperedge(0, -2.0), text(7, -0.5));
        cell.add(&mut forest, (&lm, 0), hyperedge(1, -1.0), text(8, -0.25));
        cell.join(&mut forest, 0, hyperedge(2, -3.0), text(7, -0.5));
        cell.add(&mut forest, (&lm, 1), hyperedge(3, -0.5), text(7, -0.5));
        (forest, cell)
    }

    #[test]
    fn equal_hypotheses_are_one_with_the_best_text_and_all_texts_are_known() {
        for keep_hyperedges in [false, true] {
            let (mut forest, mut cell) = filled(keep_hyperedges);
            let known = &cell.hypotheses[0];
            assert_eq!((cell.hypotheses.len(), known.score, known.text.lm_score), (2, -1.0, -0.25));
            assert_eq!(cell.with_text(&TextKey::of_number(8)), Some((0, -0.25)));
            assert!(cell.with_text(&TextKey::of_number(7)).is_some_and(|(_, lm_score)| lm_score == -0.5));
            assert_eq!(cell.with_text(&TextKey::of_number(9)), None);
            assert_eq!(cell.close(&mut forest, 0, 10, 11.5), [1, 0]);
            let edges: Vec<u32> = forest.hyperedges_of(1).map(|(_, one)| one.edge).collect();
            assert_eq!((edges.len(), edges[0]), (if keep_hyperedges { 3 } else { 1 }, 1));
            cell.clear();
            assert_eq!(cell.with_text(&TextKey::of_number(7)), None);
        }
    }

    #[test]
    fn a_closed_cell_keeps_the_best_within_the_limits() {
        let (mut forest, mut cell) = filled(false);
        assert_eq!(cell.close(&mut forest, 0, 1, 11.5), [1]);
        assert_eq!(cell.close(&mut forest, 0, 10, 0.25), [1]);
        assert_eq!(forest.hypotheses.len(), 2);
    }
}
