//! A packed forest: the hypotheses of a chart and their hyperedges.

use crate::decode::text_key::TextKey;
use crate::lm::ChartState;
use crate::rule::symbols::MAX_HOLES;

/// A cell of the chart.
pub type CellId = u32;

/// A hypothesis by its number.
pub type HypothesisId = u32;

pub const NONE: u32 = u32::MAX;

/// The words of a combination as the language model knows them.
#[derive(Clone, Copy)]
pub struct ScoredText {
    pub key: TextKey,
    /// log10 of their probability as far as the context in them tells.
    pub lm_score: f32,
}

/// All translations of a span with the same states.
#[derive(Clone, Copy)]
pub struct Hypothesis<S> {
    pub lm: ChartState,
    /// The states of the hypothesis features.
    pub features: S,
    /// The score of its best derivation.
    pub score: f32,
    /// The score of its text by the span scorer, minus that of the best text in the cell; 0 without a span scorer.
    pub bonus: f32,
    /// The best hyperedge; others follow it through [`Hyperedge::next`].
    pub hyperedge: u32,
    /// The text of its best derivation.
    pub text: ScoredText,
}

impl<S> Hypothesis<S> {
    /// The order of hypotheses for a span scorer.
    #[inline]
    pub fn score_with_bonus(&self) -> f32 {
        self.score + self.bonus
    }
}

/// A rule applied to hypotheses.
#[derive(Clone, Copy, Debug)]
pub struct Hyperedge {
    pub edge: u32,
    /// The rank of the rule in its edge.
    pub rank: u16,
    pub hole_count: u8,
    pub holes: [HypothesisId; MAX_HOLES],
    /// The score of the best derivation that uses it.
    pub score: f32,
    pub next: u32,
}

impl Hyperedge {
    /// The hypotheses that fill the holes, in source order.
    #[inline]
    pub fn holes(&self) -> &[HypothesisId] {
        &self.holes[..usize::from(self.hole_count)]
    }
}

/// The cells of a sentence of `words` words: one for each span, and one for each beginning of the sentence, which glue
/// rules join.
pub struct Forest<S> {
    words: usize,
    pub hypotheses: Vec<Hypothesis<S>>,
    pub hyperedges: Vec<Hyperedge>,
    /// The range of each cell's hypotheses, best first.
    cells: Vec<(u32, u32)>,
    /// The whole sentence; [`NONE`] if there is no translation.
    pub goal: HypothesisId,
}

impl<S: Copy> Forest<S> {
    pub fn new(words: usize) -> Self {
        let cells = vec![(0, 0); (words + 2) * (words + 1)];
        Forest { words, hypotheses: Vec::new(), hyperedges: Vec::new(), cells, goal: NONE }
    }

    /// The cell of a span.
    #[inline]
    pub fn span_cell(&self, (first, end): (usize, usize)) -> CellId {
        (first * (self.words + 1) + end) as CellId
    }

    /// The cell of the first `end` words, joined by glue.
    #[inline]
    pub fn glue_cell(&self, end: usize) -> CellId {
        ((self.words + 1) * (self.words + 1) + end) as CellId
    }

    /// The span that a cell covers.
    #[inline]
    pub fn span(&self, cell: CellId) -> (usize, usize) {
        let (row, end) = (cell as usize / (self.words + 1), cell as usize % (self.words + 1));
        (if row > self.words { 0 } else { row }, end)
    }

    /// The numbers of a cell's hypotheses, best first.
    #[inline]
    pub fn cell(&self, cell: CellId) -> std::ops::Range<u32> {
        let (from, to) = self.cells[cell as usize];
        from..to
    }

    pub fn set_cell(&mut self, cell: CellId, from: u32) {
        self.cells[cell as usize] = (from, self.hypotheses.len() as u32);
    }

    /// The hypotheses and hyperedges that derivations of the goal use, in the same order, and for each edge whether they
    /// use it; edges are renumbered among those in use.
    pub fn useful(&self) -> (Forest<S>, Vec<bool>) {
        let (mut kept, mut used) = (vec![false; self.hypotheses.len()], Vec::new());
        if let Some(goal) = kept.get_mut(self.goal as usize) {
            *goal = true;
        }
        // The hypotheses that fill a hole have smaller numbers.
        for id in (0..self.hypotheses.len()).rev() {
            if !kept[id] {
                continue;
            }
            for (_, hyperedge) in self.hyperedges_of(id as HypothesisId) {
                hyperedge.holes().iter().for_each(|&filler| kept[filler as usize] = true);
                let edge = hyperedge.edge as usize;
                used.resize(used.len().max(edge + 1), false);
                used[edge] = true;
            }
        }
        let (numbers, edges) = (numbers_of(&kept), numbers_of(&used));
        let mut made = Forest::new(self.words);
        for id in (0..self.hypotheses.len()).filter(|&id| kept[id]) {
            let first = made.hyperedges.len() as u32;
            for (_, hyperedge) in self.hyperedges_of(id as HypothesisId) {
                let mut copy = Hyperedge { edge: edges[hyperedge.edge as usize], ..*hyperedge };
                let holes = &mut copy.holes[..usize::from(copy.hole_count)];
                holes.iter_mut().for_each(|filler| *filler = numbers[*filler as usize]);
                copy.next = made.hyperedges.len() as u32 + 1;
                made.hyperedges.push(copy);
            }
            if let Some(last) = made.hyperedges.last_mut() {
                last.next = NONE;
            }
            made.hypotheses.push(Hypothesis { hyperedge: first, ..self.hypotheses[id] });
        }
        let range = |&(from, to): &(u32, u32)| (numbers[from as usize], numbers[to as usize]);
        made.cells = self.cells.iter().map(range).collect();
        made.goal = numbers.get(self.goal as usize).copied().unwrap_or(NONE);
        (made, used)
    }

    /// The hyperedges of a hypothesis that were kept, best first, with their numbers.
    pub fn hyperedges_of(&self, hypothesis: HypothesisId) -> impl Iterator<Item = (u32, &Hyperedge)> {
        let mut at = self.hypotheses[hypothesis as usize].hyperedge;
        std::iter::from_fn(move || {
            let hyperedge = self.hyperedges.get(at as usize)?;
            let number = at;
            at = hyperedge.next;
            Some((number, hyperedge))
        })
    }
}

/// For each item the number of kept ones before it, and last the number of all.
fn numbers_of(kept: &[bool]) -> Vec<u32> {
    let count = |sum: &mut u32, &one: &bool| Some(std::mem::replace(sum, *sum + u32::from(one)));
    kept.iter().chain(std::iter::once(&false)).scan(0, count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hyperedge(edge: u32, fillers: &[HypothesisId], next: u32) -> Hyperedge {
        let mut holes = [NONE; MAX_HOLES];
        holes[..fillers.len()].copy_from_slice(fillers);
        Hyperedge { edge, rank: 0, hole_count: fillers.len() as u8, holes, score: -1.0, next }
    }

    /// Hypotheses 0 and 1 of one cell, 2 and 3 of another, which use 1 and 0; the goal 4 uses 2 alone, in two ways.
    fn forest() -> Forest<u8> {
        let mut forest = Forest::new(2);
        forest.hyperedges = vec![
            hyperedge(5, &[], NONE),
            hyperedge(6, &[], NONE),
            hyperedge(2, &[1], NONE),
            hyperedge(3, &[0], NONE),
            hyperedge(9, &[2], 5),
            hyperedge(8, &[2], NONE),
        ];
        let text = ScoredText { key: TextKey::EMPTY, lm_score: 0.0 };
        for (features, hyperedge) in (10..).zip([0, 1, 2, 3, 4]) {
            let lm = ChartState::default();
            forest.hypotheses.push(Hypothesis { lm, features, score: -1.0, bonus: 0.0, hyperedge, text });
        }
        (forest.cells[1], forest.cells[2], forest.goal) = ((0, 2), (2, 4), 4);
        forest
    }

    #[test]
    fn what_no_derivation_of_the_goal_uses_is_left_out() {
        let (useful, used) = forest().useful();
        assert_eq!(useful.hypotheses.iter().map(|one| one.features).collect::<Vec<_>>(), [11, 12, 14]);
        assert_eq!((useful.cell(1), useful.cell(2), useful.goal), (0..1, 1..2, 2));
        let of = |id| {
            useful.hyperedges_of(id).map(|(_, one)| (one.edge, one.holes().to_vec())).collect::<Vec<_>>()
        };
        assert_eq!((of(0), of(1)), (vec![(1, vec![])], vec![(0, vec![0])]));
        assert_eq!(of(2), [(3, vec![1]), (2, vec![1])]);
        let edges: Vec<usize> = (0..used.len()).filter(|&edge| used[edge]).collect();
        assert_eq!(edges, [2, 6, 8, 9]);
    }

    #[test]
    fn a_forest_without_goal_has_nothing_useful() {
        let (useful, used) = Forest { goal: NONE, ..forest() }.useful();
        assert!(useful.hypotheses.is_empty() && useful.hyperedges.is_empty() && used.is_empty());
        assert_eq!((useful.goal, useful.cell(2)), (NONE, 0..0));
    }
}
