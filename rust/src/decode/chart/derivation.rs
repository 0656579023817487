//! A derivation of a chart, with every feature value computed anew.

use super::application::EdgeApplication;
use super::filled::FilledChart;
use super::forest::{Hyperedge, HypothesisId};
use super::kbest::KBest;
use super::options::{own_positions, source_symbols};
use crate::decode::derivation::{Derivation, FeatureSums, Step};
use crate::decode::features::column;
use crate::decode::hypothesis_feature::HypothesisFeature;
use crate::decode::hypothesis_feature::{RuleKind, ValueSink};
use crate::decode::prepared::word_count;
use crate::decode::terms::TermUse;
use crate::decode::LanguageModel;
use crate::source::spans::Span;

/// The derivation of the sentence at a rank, if there is one.
///
/// Steps are in top-down order; all glue is one step with the pieces as children. The language model scores the whole
/// translation from left to right, so the score is computed independently of the search. With `words_only`, there is one
/// step, which has all target words and nothing else.
pub fn derive<F: HypothesisFeature>(
    chart: &FilledChart<'_, F>,
    derivations: &mut KBest<'_, F::State>,
    rank: u32,
    words_only: bool,
) -> Option<Derivation> {
    let goal = chart.forest.goal;
    let found = derivations.get(goal, rank)?;
    let hyperedge = chart.forest.hyperedges[found.hyperedge as usize];
    let mut builder = DerivationBuilder {
        chart,
        derivations,
        steps: Vec::new(),
        features: FeatureSums::new(chart.weights.len(), !words_only),
        lm_words: Vec::new(),
        words_only,
    };
    builder.add_glued(hyperedge.holes[0], found.ranks[0]);
    let DerivationBuilder { mut steps, features: FeatureSums { whole: mut features, .. }, lm_words, .. } =
        builder;
    let whole = &chart.forest.hypotheses[hyperedge.holes[0] as usize];
    chart.features.finish(&whole.features, &mut &mut features[..]);
    let step_of = if words_only { Vec::new() } else { step_of_each_word(&steps, lm_words.len()) };
    let lm = chart.lm;
    let mut state = lm.begin();
    for (at, &word) in lm_words.iter().chain(std::iter::once(&lm.end())).enumerate() {
        let (score, next) = LanguageModel::score(lm, &state, word);
        features[column::LM] += score;
        if let Some(&step) = step_of.get(at) {
            steps[step].features[column::LM] += score;
        }
        state = next;
    }
    let score = chart.weights.dot(&features);
    Some(Derivation { steps, features, score })
}

/// The number of the step that each target word belongs to.
fn step_of_each_word(steps: &[Step], words: usize) -> Vec<usize> {
    let mut step_of = vec![0; words];
    for (number, step) in steps.iter().enumerate() {
        for &place in &step.places {
            step_of[place] = number;
        }
    }
    step_of
}

struct DerivationBuilder<'a, 's, 'k, F: HypothesisFeature> {
    chart: &'a FilledChart<'s, F>,
    derivations: &'a mut KBest<'k, F::State>,
    steps: Vec<Step>,
    features: FeatureSums,
    lm_words: Vec<u32>,
    words_only: bool,
}

impl<F: HypothesisFeature> DerivationBuilder<'_, '_, '_, F> {
    /// Adds a beginning of the sentence that glue joined.
    fn add_glued(&mut self, id: HypothesisId, rank: u32) {
        let mut pieces = Vec::new();
        let (mut id, mut rank) = (id, rank);
        while let Some(found) = self.derivations.get(id, rank) {
            let hyperedge = self.chart.forest.hyperedges[found.hyperedge as usize];
            let edge = self.chart.edge(hyperedge.edge);
            if edge.kind != RuleKind::Glue {
                break;
            }
            self.features.add(column::GLUE, 1.0);
            self.add_hypothesis_features(&hyperedge);
            pieces.push((hyperedge.holes[1], found.ranks[1]));
            (id, rank) = (hyperedge.holes[0], found.ranks[0]);
        }
        let top = self.steps.len();
        let features = self.features.end_step();
        self.steps.push(Step { kind: RuleKind::Glue.name(), features, ..Step::default() });
        for (id, rank) in pieces.into_iter().rev() {
            if !self.words_only {
                let child = self.steps.len();
                self.steps[top].children.push(child);
            }
            self.add_hypothesis(id, rank);
        }
    }

    fn add_hypothesis_features(&mut self, hyperedge: &Hyperedge) {
        let chart = self.chart;
        let edge = chart.edge(hyperedge.edge);
        let Some(chosen) = edge.rule_at(usize::from(hyperedge.rank)) else { return };
        let applied = EdgeApplication { number: hyperedge.edge, edge, rule: chosen.rule };
        let antecedent = |number: usize| chart.forest.hypotheses[hyperedge.holes[number] as usize].features;
        chart.features.apply(&applied, &antecedent, &mut self.features);
    }

    /// Adds a hypothesis of a span.
    fn add_hypothesis(&mut self, id: HypothesisId, rank: u32) {
        let Some(found) = self.derivations.get(id, rank) else { return };
        let chart = self.chart;
        let hyperedge = chart.forest.hyperedges[found.hyperedge as usize];
        let edge = chart.edge(hyperedge.edge);
        let Some(chosen) = edge.rule_at(usize::from(hyperedge.rank)) else { return };
        let rule = &chosen.rule.rule;
        if matches!(edge.kind, RuleKind::Table | RuleKind::Copy | RuleKind::Term) {
            for (i, score) in rule.scores.iter().enumerate() {
                self.features.add(column::SCORES + i, *score);
            }
            self.features.add(column::RULE_PENALTY, 1.0);
            self.features.add(column::BASIC_RULE, 1.0);
            self.features.add(column::WORD_PENALTY, -(word_count(&chosen.rule.lm_words) as f32));
            self.features.add(column::UNKNOWN, -f32::from(u8::from(edge.kind == RuleKind::Copy)));
            self.features.add(column::CONTEXT_GAIN, chosen.rule.context.gain);
            self.features.add(column::CONTEXT_PROBABILITY, chosen.rule.context.probability);
        }
        let term = edge.term.map(|number| &chart.sentence.terms[number as usize]);
        if term.is_some_and(|term| term.usage == TermUse::Preferred) {
            self.features.add(column::GLOSSARY, 1.0);
        }
        for (column, value) in edge.structure.features() {
            self.features.add(column, value);
        }
        if edge.kind == RuleKind::Pseudo {
            self.features.add(column::GLUE, 1.0);
        }
        let first_added = chart.weights.first_added();
        for (column, value) in edge.added(usize::from(hyperedge.rank)).iter().enumerate() {
            self.features.add(first_added + column, *value);
        }
        self.add_hypothesis_features(&hyperedge);

        let described = !self.words_only;
        let span = (usize::from(edge.first), usize::from(edge.end));
        let (mut holes, mut labels): (Vec<Span>, Vec<&str>) = Default::default();
        let mut number = 0;
        if described {
            number = self.steps.len();
            self.steps.push(Step::default());
            holes = edge.holes().iter().map(|&cell| chart.forest.span(cell)).collect();
            labels = chart.labels(hyperedge.edge);
            let step = &mut self.steps[number];
            (step.kind, step.count) = (chart.kind(hyperedge.edge), rule.count);
            step.positions = own_positions(span, &holes);
            step.features = self.features.end_step();
        }
        let mut places = Vec::new();
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
                    if described {
                        let child = self.steps.len();
                        self.steps[number].children.push(child);
                        self.steps[number].labels.extend(labels.get(hole).map(|label| (*label).to_owned()));
                    }
                    self.add_hypothesis(hyperedge.holes[hole], found.ranks[hole]);
                }
            }
        }
        if described {
            let symbols = source_symbols(span, &holes);
            let point = |&(s, t): &(u8, u8)| {
                Some(((*symbols.get(usize::from(s))?)?, (*places.get(usize::from(t))?)?))
            };
            self.steps[number].alignment = rule.alignment.iter().filter_map(point).collect();
        }
    }
}
