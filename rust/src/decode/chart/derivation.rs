//! A derivation of a chart told rule by rule, with the value of every feature computed anew.

use super::edge::EdgeKind;
use super::extra::Extra;
use super::filled::FilledChart;
use super::forest::HypothesisId;
use super::kbest::KBest;
use super::options::{own_positions, source_symbols};
use crate::decode::derivation::{Derivation, Step};
use crate::decode::features::column;
use crate::decode::prepared::word_count;
use crate::decode::LanguageModel;
use crate::source::spans::Span;

/// The derivation of the sentence at a rank, if there are so many.
///
/// Steps come from the top down; what glue joins is one step with all pieces as children. The language model reads the
/// whole translation from left to right, so the score is independent of how the search added it up.
pub fn derive<E: Extra>(
    chart: &FilledChart<'_, E>,
    derivations: &mut KBest<'_, E::State>,
    rank: u32,
) -> Option<Derivation> {
    let goal = chart.forest.goal;
    let found = derivations.get(goal, rank)?;
    let hyperedge = chart.forest.hyperedges[found.hyperedge as usize];
    let mut builder = DerivationBuilder {
        chart,
        derivations,
        steps: Vec::new(),
        features: vec![0.0; chart.weights.len()],
        lm_words: Vec::new(),
    };
    builder.add_glued(hyperedge.holes[0], found.ranks[0]);
    let DerivationBuilder { steps, mut features, lm_words, .. } = builder;
    let lm = chart.lm;
    let mut state = lm.begin();
    for &word in lm_words.iter().chain(std::iter::once(&lm.end())) {
        let (score, next) = LanguageModel::score(lm, &state, word);
        features[column::LM] += score;
        state = next;
    }
    let score = chart.weights.dot(&features);
    Some(Derivation { steps, features, score })
}

struct DerivationBuilder<'a, 's, 'k, E: Extra> {
    chart: &'a FilledChart<'s, E>,
    derivations: &'a mut KBest<'k, E::State>,
    steps: Vec<Step>,
    features: Vec<f32>,
    lm_words: Vec<u32>,
}

impl<E: Extra> DerivationBuilder<'_, '_, '_, E> {
    /// Tells a beginning of the sentence that glue made.
    fn add_glued(&mut self, id: HypothesisId, rank: u32) {
        let mut pieces = Vec::new();
        let (mut id, mut rank) = (id, rank);
        while let Some(found) = self.derivations.get(id, rank) {
            let hyperedge = self.chart.forest.hyperedges[found.hyperedge as usize];
            let edge = self.chart.edge(hyperedge.edge);
            if edge.kind != EdgeKind::Glue {
                break;
            }
            self.features[column::GLUE] += 1.0;
            self.add_extra(hyperedge.edge, hyperedge.rank, hyperedge.holes());
            pieces.push((hyperedge.holes[1], found.ranks[1]));
            (id, rank) = (hyperedge.holes[0], found.ranks[0]);
        }
        let top = self.steps.len();
        self.steps.push(Step { kind: EdgeKind::Glue.name(), ..Step::default() });
        for (id, rank) in pieces.into_iter().rev() {
            let child = self.steps.len();
            self.steps[top].children.push(child);
            self.add_hypothesis(id, rank);
        }
    }

    fn add_extra(&mut self, edge: u32, rank: u16, holes: &[HypothesisId]) {
        let chart = self.chart;
        let states: Vec<E::State> =
            holes.iter().map(|&id| chart.forest.hypotheses[id as usize].extra).collect();
        let edge = chart.edge(edge);
        if let Some(chosen) = edge.rule_at(usize::from(rank)) {
            chart.extra.values(edge, chosen.rule, &states, &mut self.features);
        }
    }

    /// Tells a hypothesis of a span.
    fn add_hypothesis(&mut self, id: HypothesisId, rank: u32) {
        let Some(found) = self.derivations.get(id, rank) else { return };
        let chart = self.chart;
        let hyperedge = chart.forest.hyperedges[found.hyperedge as usize];
        let edge = chart.edge(hyperedge.edge);
        let Some(chosen) = edge.rule_at(usize::from(hyperedge.rank)) else { return };
        let rule = &chosen.rule.rule;
        if matches!(edge.kind, EdgeKind::Table | EdgeKind::Copy) {
            for (i, score) in rule.scores.iter().enumerate() {
                self.features[column::SCORES + i] += score;
            }
            self.features[column::RULE_PENALTY] += 1.0;
            self.features[column::BASIC_RULE] += 1.0;
            self.features[column::WORD_PENALTY] -= word_count(&chosen.rule.lm_words) as f32;
            self.features[column::UNKNOWN] -= f32::from(u8::from(edge.kind == EdgeKind::Copy));
        }
        if edge.kind == EdgeKind::Pseudo {
            self.features[column::GLUE] += 1.0;
        }
        for (column, value) in edge.added(usize::from(hyperedge.rank)).iter().enumerate() {
            self.features[column::ADDED + column] += value;
        }
        self.add_extra(hyperedge.edge, hyperedge.rank, hyperedge.holes());

        let holes: Vec<Span> = edge.holes().iter().map(|&cell| chart.forest.span(cell)).collect();
        let span = (usize::from(edge.first), usize::from(edge.end));
        let number = self.steps.len();
        self.steps.push(Step {
            kind: chart.kind(hyperedge.edge),
            positions: own_positions(span, &holes),
            count: rule.count,
            ..Step::default()
        });
        let mut places = Vec::new();
        let labels = chart.labels(hyperedge.edge);
        for (symbol, &lm_word) in
            chart.symbols(hyperedge.edge, hyperedge.rank).into_iter().zip(&chosen.rule.lm_words)
        {
            match symbol {
                Ok(word) => {
                    let at = self.lm_words.len();
                    places.push(Some(at));
                    self.steps[number].target.push(word.to_owned());
                    self.steps[number].places.push(at);
                    self.lm_words.push(lm_word);
                }
                Err(hole) => {
                    places.push(None);
                    let child = self.steps.len();
                    self.steps[number].children.push(child);
                    self.steps[number].labels.extend(labels.get(hole).map(|label| (*label).to_owned()));
                    self.add_hypothesis(hyperedge.holes[hole], found.ranks[hole]);
                }
            }
        }
        let symbols = source_symbols(span, &holes);
        let point =
            |&(s, t): &(u8, u8)| Some(((*symbols.get(usize::from(s))?)?, (*places.get(usize::from(t))?)?));
        self.steps[number].alignment = rule.alignment.iter().filter_map(point).collect();
    }
}
