//! The texts of a chart's hypotheses, for span scorers.
//!
//! A span scorer needs all words of a hypothesis, so it can only score complete hypotheses, and the score of a larger
//! one replaces those of its parts. A cell is filled and closed without it; then its hypotheses are re-ranked.

use super::edge::Edge;
use super::forest::{CellId, Forest, Hypothesis, HypothesisId};
use crate::decode::hypothesis_feature::RuleKind;
use crate::decode::prepared::hole;
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::{SentenceSpanScorer, SpanScorer};
use crate::source::spans::Span;
use crate::store::hashing::{mix, FastMap};

/// The most hypotheses of a cell that are scored, best first, unless they cover the sentence. A cell that uses them as
/// parts tries few in the order with bonus.
const MOST_SCORED: usize = 5;

/// The texts of a chart's hypotheses and their scores.
pub struct HypothesisTexts<'a> {
    pub scorer: Box<dyn SentenceSpanScorer + 'a>,
    pub weights: &'a [f32],
    sentence: &'a Sentence,
    /// The texts of the forest's hypotheses, by number.
    kept: TextList,
    /// The forest's hypotheses, in each cell by score and bonus.
    order_with_bonus: Vec<HypothesisId>,
    cache: ScoreCache,
    /// The index of each scored text of a cell in the cache.
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
pub struct TextList {
    pub words: Vec<u32>,
    ends: Vec<usize>,
}

impl TextList {
    fn get(&self, number: usize) -> &[u32] {
        &self.words[range(&self.ends, number)]
    }

    /// All texts, in the order in which they were added.
    pub fn all(&self) -> Vec<&[u32]> {
        (0..self.ends.len()).map(|number| self.get(number)).collect()
    }

    /// Ends the text whose words were appended last.
    pub fn end(&mut self) {
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
            cache: ScoreCache::default(),
            places: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Sets the bonuses of the hypotheses of a cell that was closed, relative to the best, and their order with bonus.
    /// Those that are not scored have the lowest bonus of the others.
    pub fn rank<S: Copy>(&mut self, forest: &mut Forest<S>, edges: &[Edge], cell: CellId) {
        let (span, ids) = (forest.span(cell), forest.cell(cell));
        self.kept.ends.resize(ids.start as usize, self.kept.words.len());
        for id in ids.clone() {
            self.write(forest, edges, &forest.hypotheses[id as usize]);
            self.kept.end();
        }
        let hypotheses = &mut forest.hypotheses[ids.start as usize..ids.end as usize];
        let is_whole = span == (0, self.sentence.words.len());
        let scored = if is_whole { hypotheses.len() } else { hypotheses.len().min(MOST_SCORED) };
        if scored > 0 && self.score(span, ids.start as usize, scored) {
            let bonuses = || self.places.iter().map(|&place| self.cache.bonuses[place]);
            let (best, worst) =
                (bonuses().fold(f32::NEG_INFINITY, f32::max), bonuses().fold(f32::INFINITY, f32::min));
            let all = bonuses().chain(std::iter::repeat(worst));
            hypotheses.iter_mut().zip(all).for_each(|(one, bonus)| one.bonus = bonus - best);
        }
        self.order_with_bonus.extend(self.order_with_bonus.len() as u32..ids.end);
        let total = |&number: &u32| forest.hypotheses[number as usize].score_with_bonus();
        self.order_with_bonus[ids.start as usize..].sort_by(|a, b| total(b).total_cmp(&total(a)));
    }

    /// Finds the scores of a cell's first texts; false if the scorer does not know the span.
    fn score(&mut self, span: Span, first: usize, number: usize) -> bool {
        self.cache.enter(span);
        self.places.clear();
        for text in first..first + number {
            self.places.push(self.cache.place(self.kept.get(text)));
        }
        let new = self.cache.bonuses.len()..self.cache.texts.ends.len();
        let texts: Vec<&[u32]> = new.map(|place| self.cache.texts.get(place)).collect();
        if !self.scorer.score(span, &texts, &mut self.values) {
            self.cache.enter(NO_SPAN);
            return false;
        }
        let values = self.values.chunks_exact(self.weights.len());
        self.cache.bonuses.extend(values.map(|values| weighted(self.weights, values)));
        true
    }

    fn write<S: Copy>(&mut self, forest: &Forest<S>, edges: &[Edge], hypothesis: &Hypothesis<S>) {
        let hyperedge = &forest.hyperedges[hypothesis.hyperedge as usize];
        let edge = &edges[hyperedge.edge as usize];
        let Some(chosen) = edge.rule_at(usize::from(hyperedge.rank)) else { return };
        let TextList { words: text, ends } = &mut self.kept;
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
                    if filler < ends.len() {
                        text.extend_from_within(range(ends, filler));
                    }
                }
                (None, RuleKind::Copy) => {
                    text.push(self.scorer.word_id_of(&self.sentence.surface[usize::from(edge.first)]));
                }
                (None, _) => text.push(self.scorer.word_id(word)),
            }
        }
    }

    /// The hypothesis at this place of its cell when it is ordered by score and bonus.
    #[inline]
    pub fn by_score_with_bonus(&self, place: HypothesisId) -> HypothesisId {
        self.order_with_bonus.get(place as usize).copied().unwrap_or(place)
    }
}

/// Where a text begins and ends, given the ends of all.
fn range(ends: &[usize], number: usize) -> std::ops::Range<usize> {
    let start = if number == 0 { 0 } else { ends[number - 1] };
    start..ends[number]
}

pub fn weighted(weights: &[f32], values: &[f32]) -> f32 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
}
