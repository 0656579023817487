//! The texts of a chart's hypotheses, for opinions of them.
//!
//! Opinions look at all words of a hypothesis, so they are there when it is made and no earlier, and a larger hypothesis has
//! its own instead of those of its parts. A cell is filled as if there were none; then its hypotheses are ranked anew.

use super::edge::Edge;
use super::forest::{CellId, Forest, Hypothesis, HypothesisId};
use crate::decode::hypothesis_feature::RuleKind;
use crate::decode::prepared::hole;
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::{SentenceSpanScorer, SpanScorer};
use crate::source::spans::Span;
use crate::store::hashing::{mix, FastMap};

/// The texts of a chart's hypotheses, and what is thought of them.
pub struct HypothesisTexts<'a> {
    pub scorer: Box<dyn SentenceSpanScorer + 'a>,
    pub weights: &'a [f32],
    sentence: &'a Sentence,
    /// Those of the forest, by number.
    kept: TextList,
    /// The forest's hypotheses, in each cell by score and span_scorer.
    order_with_bonus: Vec<HypothesisId>,
    /// Those of the cell that is being filled.
    new: TextList,
    cache: ScoreCache,
    /// The place of each new one among what was heard.
    places: Vec<usize>,
    values: Vec<f32>,
}

/// What is thought of the texts of a span. The whole sentence has two cells, and a cell may have a text twice.
#[derive(Default)]
struct ScoreCache {
    span: Span,
    texts: TextList,
    bonuses: Vec<f32>,
    /// Their places, by a hash; of two with the same hash one is heard again.
    known: FastMap<u64, usize>,
}

impl ScoreCache {
    /// Of another span all is forgotten.
    fn enter(&mut self, span: Span) {
        if self.span != span {
            self.span = span;
            self.texts.clear();
            self.bonuses.clear();
            self.known.clear();
        }
    }

    /// The place of a text, which is new if there is no bonus there yet.
    fn place(&mut self, text: &[u32]) -> usize {
        let hash = text.iter().fold(0, |hash, &word| mix(hash, u64::from(word)));
        let new = self.texts.ends.len();
        let place = *self.known.entry(hash).or_insert(new);
        if place < new && self.texts.get(place) == text {
            return place;
        }
        self.texts.words.extend_from_slice(text);
        self.texts.end();
        new
    }
}

/// The span of nothing.
const NO_SPAN: Span = (0, 0);

/// Many texts end to end.
#[derive(Default)]
struct TextList {
    words: Vec<u32>,
    ends: Vec<usize>,
}

impl TextList {
    fn get(&self, number: usize) -> &[u32] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.words[start..self.ends[number]]
    }

    fn end(&mut self) {
        self.ends.push(self.words.len());
    }

    fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
    }
}

impl<'a> HypothesisTexts<'a> {
    pub fn new(span_scorer: &'a dyn SpanScorer, sentence: &'a Sentence, weights: &'a [f32]) -> Self {
        let scorer = span_scorer.for_sentence(sentence);
        HypothesisTexts {
            scorer,
            weights,
            sentence,
            kept: TextList::default(),
            order_with_bonus: Vec::new(),
            new: TextList::default(),
            cache: ScoreCache::default(),
            places: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Gives each hypothesis of a cell what it is behind the one that is thought best of.
    pub fn rank<S: Copy>(
        &mut self,
        forest: &Forest<S>,
        edges: &[Edge],
        cell: CellId,
        hypotheses: &mut [Hypothesis<S>],
    ) {
        self.new.clear();
        if hypotheses.is_empty() {
            return;
        }
        self.cache.enter(forest.span(cell));
        self.places.clear();
        for (number, hypothesis) in hypotheses.iter().enumerate() {
            self.write(forest, edges, hypothesis);
            self.new.end();
            self.places.push(self.cache.place(self.new.get(number)));
        }
        let known = self.cache.bonuses.len();
        let texts: Vec<&[u32]> =
            (known..self.cache.texts.ends.len()).map(|place| self.cache.texts.get(place)).collect();
        if !self.scorer.score(forest.span(cell), &texts, &mut self.values) {
            self.cache.enter(NO_SPAN);
            return;
        }
        let values = self.values.chunks_exact(self.weights.len());
        self.cache.bonuses.extend(values.map(|values| weighted(self.weights, values)));
        for (hypothesis, &place) in hypotheses.iter_mut().zip(&self.places) {
            hypothesis.bonus = self.cache.bonuses[place];
        }
        let best = hypotheses.iter().map(|hypothesis| hypothesis.bonus).fold(f32::NEG_INFINITY, f32::max);
        hypotheses.iter_mut().for_each(|hypothesis| hypothesis.bonus -= best);
    }

    fn write<S: Copy>(&mut self, forest: &Forest<S>, edges: &[Edge], hypothesis: &Hypothesis<S>) {
        let hyperedge = &forest.hyperedges[hypothesis.hyperedge as usize];
        let edge = &edges[hyperedge.edge as usize];
        let Some(chosen) = edge.rule_at(usize::from(hyperedge.rank)) else { return };
        let text = &mut self.new.words;
        for (&lm_word, &word) in chosen.rule.lm_words.iter().zip(&chosen.rule.rule.target) {
            match (hole(lm_word), edge.kind) {
                (Some(number), _) => {
                    let filler = hyperedge.holes[number] as usize;
                    // What was never kept is the empty beginning of the sentence.
                    if filler < self.kept.ends.len() {
                        text.extend_from_slice(self.kept.get(filler));
                    }
                }
                (None, RuleKind::Copy) => {
                    text.push(self.scorer.word_id_of(&self.sentence.surface[usize::from(edge.first)]));
                }
                (None, _) => text.push(self.scorer.word_id(word)),
            }
        }
    }

    /// Those hypotheses of the cell that are in the forest from `from` on, in this order.
    pub fn keep<S>(&mut self, forest: &[Hypothesis<S>], from: u32, order: &[u32]) {
        self.kept.ends.resize(from as usize, self.kept.words.len());
        for &number in order {
            self.kept.words.extend_from_slice(self.new.get(number as usize));
            self.kept.end();
        }
        self.order_with_bonus.extend(self.order_with_bonus.len() as u32..forest.len() as u32);
        let judged = |&number: &u32| forest[number as usize].score_with_bonus();
        self.order_with_bonus[from as usize..].sort_by(|a, b| judged(b).total_cmp(&judged(a)));
    }

    /// The hypothesis of this place in its cell when opinions count.
    #[inline]
    pub fn by_score_with_bonus(&self, place: HypothesisId) -> HypothesisId {
        self.order_with_bonus.get(place as usize).copied().unwrap_or(place)
    }
}

pub fn weighted(weights: &[f32], values: &[f32]) -> f32 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
}
