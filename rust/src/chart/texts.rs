//! The texts of a chart's hypotheses, for opinions of them.
//!
//! Opinions look at all words of a hypothesis, so they are there when it is made and no earlier, and a larger hypothesis has
//! its own instead of those of its parts. A cell is filled as if there were none; then its hypotheses are ranked anew.

use super::edge::{Edge, Kind};
use super::forest::{CellId, Forest, Hypothesis, HypothesisId};
use crate::search::decoder::Sentence;
use crate::search::opinion::{Judge, Opinion};
use crate::search::prepare::hole;

/// The texts of a chart's hypotheses, and what is thought of them.
pub struct Texts<'a> {
    pub judge: Box<dyn Judge + 'a>,
    pub weights: &'a [f32],
    sentence: &'a Sentence,
    /// Those of the forest, by number.
    kept: Strings,
    /// The forest's hypotheses, in each cell by score and opinion.
    liked: Vec<HypothesisId>,
    /// Those of the cell that is being filled.
    new: Strings,
    values: Vec<f32>,
}

/// Many texts end to end.
#[derive(Default)]
struct Strings {
    words: Vec<u32>,
    ends: Vec<usize>,
}

impl Strings {
    fn get(&self, number: usize) -> &[u32] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.words[start..self.ends[number]]
    }

    fn end(&mut self) {
        self.ends.push(self.words.len());
    }
}

impl<'a> Texts<'a> {
    pub fn new(opinion: &'a dyn Opinion, sentence: &'a Sentence, weights: &'a [f32]) -> Self {
        let judge = opinion.on(sentence);
        Texts {
            judge,
            weights,
            sentence,
            kept: Strings::default(),
            liked: Vec::new(),
            new: Strings::default(),
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
        self.new.words.clear();
        self.new.ends.clear();
        for hypothesis in hypotheses.iter() {
            self.write(forest, edges, hypothesis);
            self.new.end();
        }
        let texts: Vec<&[u32]> = (0..hypotheses.len()).map(|number| self.new.get(number)).collect();
        if !self.judge.judge(forest.span(cell), &texts, &mut self.values) {
            return;
        }
        for (hypothesis, values) in hypotheses.iter_mut().zip(self.values.chunks_exact(self.weights.len())) {
            hypothesis.bonus = weighted(self.weights, values);
        }
        let best = hypotheses.iter().map(|hypothesis| hypothesis.bonus).fold(f32::NEG_INFINITY, f32::max);
        hypotheses.iter_mut().for_each(|hypothesis| hypothesis.bonus -= best);
    }

    fn write<S: Copy>(&mut self, forest: &Forest<S>, edges: &[Edge], hypothesis: &Hypothesis<S>) {
        let way = &forest.ways[hypothesis.way as usize];
        let edge = &edges[way.edge as usize];
        let Some(choice) = edge.choice(usize::from(way.rank)) else { return };
        let text = &mut self.new.words;
        for (&lm_word, &word) in choice.rule.lm_words.iter().zip(&choice.rule.rule.target) {
            match (hole(lm_word), edge.kind) {
                (Some(number), _) => {
                    let filler = way.holes[number] as usize;
                    // What was never kept is the empty beginning of the sentence.
                    if filler < self.kept.ends.len() {
                        text.extend_from_slice(self.kept.get(filler));
                    }
                }
                (None, Kind::Copy) => {
                    text.push(self.judge.number_of(&self.sentence.surface[usize::from(edge.first)]));
                }
                (None, _) => text.push(self.judge.number(word)),
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
        self.liked.extend(self.liked.len() as u32..forest.len() as u32);
        let total = |&number: &u32| forest[number as usize].score + forest[number as usize].bonus;
        self.liked[from as usize..].sort_by(|a, b| total(b).total_cmp(&total(a)));
    }

    /// The hypothesis of this place in its cell when opinions count.
    #[inline]
    pub fn liked(&self, place: HypothesisId) -> HypothesisId {
        self.liked.get(place as usize).copied().unwrap_or(place)
    }
}

pub fn weighted(weights: &[f32], values: &[f32]) -> f32 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
}
