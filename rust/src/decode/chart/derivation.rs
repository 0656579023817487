//! A derivation of a chart told rule by rule, with the value of every feature computed anew.

use super::edge::Kind;
use super::extra::Extra;
use super::forest::HypothesisId;
use super::kbest::KBest;
use super::options::{own_positions, source_symbols};
use super::searched::Searched;
use crate::decode::derivation::{Derivation, Step};
use crate::decode::features::place;
use crate::decode::prepared::word_count;
use crate::decode::LanguageModel;
use crate::source::spans::Span;

/// The derivation of the sentence at a rank, if there are so many.
///
/// Steps come from the top down; what glue joins is one step with all pieces as children. The language model reads the
/// whole translation from left to right, so the score is independent of how the search added it up.
pub fn derive<E: Extra>(
    searched: &Searched<'_, E>,
    derivations: &mut KBest<'_, E::State>,
    rank: u32,
) -> Option<Derivation> {
    let goal = searched.forest.goal;
    let found = derivations.get(goal, rank)?;
    let way = searched.forest.ways[found.way as usize];
    let mut teller = Teller {
        searched,
        derivations,
        steps: Vec::new(),
        features: vec![0.0; searched.weights.len()],
        lm_words: Vec::new(),
    };
    teller.glued(way.holes[0], found.ranks[0]);
    let Teller { steps, mut features, lm_words, .. } = teller;
    let lm = searched.lm;
    let mut state = lm.begin();
    for &word in lm_words.iter().chain(std::iter::once(&lm.end())) {
        let (score, next) = LanguageModel::score(lm, &state, word);
        features[place::LM] += score;
        state = next;
    }
    let score = searched.weights.dot(&features);
    Some(Derivation { steps, features, score })
}

struct Teller<'a, 's, 'k, E: Extra> {
    searched: &'a Searched<'s, E>,
    derivations: &'a mut KBest<'k, E::State>,
    steps: Vec<Step>,
    features: Vec<f32>,
    lm_words: Vec<u32>,
}

impl<E: Extra> Teller<'_, '_, '_, E> {
    /// Tells a beginning of the sentence that glue made.
    fn glued(&mut self, id: HypothesisId, rank: u32) {
        let mut pieces = Vec::new();
        let (mut id, mut rank) = (id, rank);
        while let Some(found) = self.derivations.get(id, rank) {
            let way = self.searched.forest.ways[found.way as usize];
            let edge = self.searched.edge(way.edge);
            if edge.kind != Kind::Glue {
                break;
            }
            self.features[place::GLUE] += 1.0;
            self.add_extra(way.edge, way.rank, way.holes());
            pieces.push((way.holes[1], found.ranks[1]));
            (id, rank) = (way.holes[0], found.ranks[0]);
        }
        let top = self.steps.len();
        self.steps.push(Step { kind: Kind::Glue.name(), ..Step::default() });
        for (id, rank) in pieces.into_iter().rev() {
            let child = self.steps.len();
            self.steps[top].children.push(child);
            self.tell(id, rank);
        }
    }

    fn add_extra(&mut self, edge: u32, rank: u16, holes: &[HypothesisId]) {
        let searched = self.searched;
        let states: Vec<E::State> =
            holes.iter().map(|&id| searched.forest.hypotheses[id as usize].extra).collect();
        let edge = searched.edge(edge);
        if let Some(choice) = edge.choice(usize::from(rank)) {
            searched.extra.values(edge, choice.rule, &states, &mut self.features);
        }
    }

    /// Tells a hypothesis of a span.
    fn tell(&mut self, id: HypothesisId, rank: u32) {
        let Some(found) = self.derivations.get(id, rank) else { return };
        let searched = self.searched;
        let way = searched.forest.ways[found.way as usize];
        let edge = searched.edge(way.edge);
        let Some(choice) = edge.choice(usize::from(way.rank)) else { return };
        let rule = &choice.rule.rule;
        if matches!(edge.kind, Kind::Table | Kind::Copy) {
            for (i, score) in rule.scores.iter().enumerate() {
                self.features[place::SCORES + i] += score;
            }
            self.features[place::RULE_PENALTY] += 1.0;
            self.features[place::BASIC_RULE] += 1.0;
            self.features[place::WORD_PENALTY] -= word_count(&choice.rule.lm_words) as f32;
            self.features[place::UNKNOWN] -= f32::from(u8::from(edge.kind == Kind::Copy));
        }
        if edge.kind == Kind::Pseudo {
            self.features[place::GLUE] += 1.0;
        }
        for (column, value) in edge.added(usize::from(way.rank)).iter().enumerate() {
            self.features[place::ADDED + column] += value;
        }
        self.add_extra(way.edge, way.rank, way.holes());

        let holes: Vec<Span> = edge.holes().iter().map(|&cell| searched.forest.span(cell)).collect();
        let span = (usize::from(edge.first), usize::from(edge.end));
        let number = self.steps.len();
        self.steps.push(Step {
            kind: searched.kind(way.edge),
            positions: own_positions(span, &holes),
            count: rule.count,
            ..Step::default()
        });
        let mut places = Vec::new();
        let labels = searched.labels(way.edge);
        for (symbol, &lm_word) in searched.symbols(way.edge, way.rank).into_iter().zip(&choice.rule.lm_words)
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
                    self.tell(way.holes[hole], found.ranks[hole]);
                }
            }
        }
        let symbols = source_symbols(span, &holes);
        let point =
            |&(s, t): &(u8, u8)| Some(((*symbols.get(usize::from(s))?)?, (*places.get(usize::from(t))?)?));
        self.steps[number].alignment = rule.alignment.iter().filter_map(point).collect();
    }
}
