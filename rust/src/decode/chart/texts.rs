//! The texts of a chart's hypotheses, for span scorers.
//!
//! A span scorer needs all words of a hypothesis, so it can only score complete hypotheses, and the score of a larger
//! one replaces those of its parts. A cell is filled without it; then its hypotheses are re-ranked.

use super::edge::Edge;
use super::forest::{CellId, Forest, Hypothesis, HypothesisId};
use crate::decode::hypothesis_feature::RuleKind;
use crate::decode::prepared::hole;
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::{SentenceSpanScorer, SpanScorer};
use crate::source::spans::Span;
use crate::store::hashing::{mix, FastMap};

/// The texts of a chart's hypotheses and their scores.
pub struct HypothesisTexts<'a> {
    pub scorer: Box<dyn SentenceSpanScorer + 'a>,
    pub weights: &'a [f32],
    sentence: &'a Sentence,
    /// The texts of the forest's hypotheses, by number.
    kept: TextList,
    /// The forest's hypotheses, in each cell by score and bonus.
    order_with_bonus: Vec<HypothesisId>,
    /// The texts of the cell that is being filled.
    new: TextList,
    cache: ScoreCache,
    /// The index of each new text in the cache.
    places: Vec<usize>,
    values: Vec<f32>,
}

/// The scores of the texts of a span. The whole sentence has two cells, and a cell may have a text twice.
#[derive(Default)]
struct ScoreCache {
    span: Span,
    texts: TextList,
    bonuses: Vec<f32>,
    /// Indices of texts by hash. If two texts have the same hash, one is scored again.
    known: FastMap<u64, usize>,
}

impl ScoreCache {
    /// Clears the cache if it is for another span.
    fn enter(&mut self, span: Span) {
        if self.span != span {
            self.span = span;
            self.texts.clear();
            self.bonuses.clear();
            self.known.clear();
        }
    }

    /// The index of a text, which is added if it is new; a new text has no bonus yet.
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

/// An empty span, which no cell has.
const NO_SPAN: Span = (0, 0);

/// Texts, stored end to end.
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

    /// Sets the bonus of each hypothesis of a cell, relative to the best.
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
        if let Some(number) = edge.term {
            let words = &self.sentence.terms[number as usize].lookup;
            text.extend(words.iter().map(|word| self.scorer.word_id_of(word)));
            return;
        }
        for (&lm_word, &word) in chosen.rule.lm_words.iter().zip(&chosen.rule.rule.target) {
            match (hole(lm_word), edge.kind) {
                (Some(number), _) => {
                    let filler = hyperedge.holes[number] as usize;
                    // Only the empty beginning of the sentence was never kept.
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

    /// Keeps the texts of the hypotheses that were added to the forest from `from` on, in this order.
    pub fn keep<S>(&mut self, forest: &[Hypothesis<S>], from: u32, order: &[u32]) {
        self.kept.ends.resize(from as usize, self.kept.words.len());
        for &number in order {
            self.kept.words.extend_from_slice(self.new.get(number as usize));
            self.kept.end();
        }
        self.order_with_bonus.extend(self.order_with_bonus.len() as u32..forest.len() as u32);
        let total = |&number: &u32| forest[number as usize].score_with_bonus();
        self.order_with_bonus[from as usize..].sort_by(|a, b| total(b).total_cmp(&total(a)));
    }

    /// The hypothesis at this place of its cell when it is ordered by score and bonus.
    #[inline]
    pub fn by_score_with_bonus(&self, place: HypothesisId) -> HypothesisId {
        self.order_with_bonus.get(place as usize).copied().unwrap_or(place)
    }
}

pub fn weighted(weights: &[f32], values: &[f32]) -> f32 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
}
