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
