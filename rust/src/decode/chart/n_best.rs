//! The n best translations of a filled chart, re-ranked by a span scorer if there is one.

use super::decoder::ChartDecoder;
use super::derivation::derive;
use super::filled::{FilledChart, TargetWord};
use super::texts::{weighted, TextList};
use crate::decode::derivation::Derivation;
use crate::decode::hypothesis_feature::{FeatureModel, HypothesisFeature};
use crate::decode::translator::NBestRequest;
use crate::error::Result;

/// A span scorer may reorder the list, so it chooses from twice as many texts as requested, and this many more.
const EXTRA_CANDIDATES: usize = 20;

/// The fewest texts that a span scorer chooses from: as many as for lists of 100, on which its weights are tuned.
const MIN_POOL: usize = 2 * 100 + EXTRA_CANDIDATES;

impl<R: FeatureModel> ChartDecoder<R> {
    /// The best derivations of a sentence. A span scorer ranks texts, not derivations, so with one the list holds every
    /// text once.
    pub(super) fn best<F: HypothesisFeature>(
        &self,
        chart: &FilledChart<'_, F>,
        request: &NBestRequest,
    ) -> Result<Vec<Derivation>> {
        let number = request.n_best.max(1);
        let Some(span_scorer) = &self.span_scorer else {
            return Ok(chart.k_best(request.distinct, |derivations| {
                (0..number as u32)
                    .map_while(|rank| derive(chart, derivations, rank, request.words_only))
                    .collect()
            }));
        };
        let forest = &chart.forest;
        let (weights, columns) = (self.added()?.1, span_scorer.columns());
        let mut scorer = span_scorer.for_sentence(chart.sentence);
        let best = chart.k_best(true, |derivations| {
            // The score from the search, without the bonus of the span scorer.
            let mut found: Vec<(f32, u32)> = Vec::new();
            let mut texts = TextList::default();
            for rank in 0..(2 * number + EXTRA_CANDIDATES).max(MIN_POOL) as u32 {
                let Some(one) = derivations.get(forest.goal, rank) else { break };
                let whole = forest.hyperedges[one.hyperedge as usize].holes[0];
                found.push((one.score - forest.hypotheses[whole as usize].bonus, rank));
                chart.for_each_word(derivations, rank, &mut |word| {
                    texts.words.push(match word {
                        TargetWord::OfTable(word) => scorer.word_id(word),
                        TargetWord::Text(word) => scorer.word_id_of(word),
                    });
                });
                texts.end();
            }
            let texts = texts.all();
            let mut values = Vec::new();
            if !scorer.score((0, chart.sentence.words.len()), &texts, &mut values) {
                values = vec![0.0; texts.len() * columns];
            }
            let mut ranked: Vec<(f32, u32, &[f32])> = found
                .into_iter()
                .zip(values.chunks_exact(columns))
                .map(|((score, rank), values)| (score + weighted(weights, values), rank, values))
                .collect();
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            ranked.truncate(number);
            let rescored = ranked.into_iter().map_while(|(_, rank, values)| {
                let mut one = derive(chart, derivations, rank, request.words_only)?;
                let from = one.features.len() - columns;
                one.features[from..].copy_from_slice(values);
                one.score = self.weights.dot(&one.features);
                Some(one)
            });
            rescored.collect()
        });
        Ok(best)
    }

    /// The n best distinct texts of a sentence, as words and scores.
    pub(super) fn best_texts<F: HypothesisFeature>(
        &self,
        chart: &FilledChart<'_, F>,
        number: usize,
    ) -> Result<Vec<(Vec<String>, f32)>> {
        if self.span_scorer.is_some() {
            let request = NBestRequest { n_best: number, distinct: true, graph: false, words_only: false };
            let words = |one: &Derivation| one.target().into_iter().map(str::to_owned).collect();
            let best = self.best(chart, &request)?;
            return Ok(best.iter().map(|one| (words(one), one.score)).collect());
        }
        Ok(chart.k_best(true, |derivations| {
            let text = |rank| {
                let score = derivations.get(chart.forest.goal, rank)?.score;
                Some((chart.words_of(derivations, rank), score))
            };
            (0..number as u32).map_while(text).collect()
        }))
    }
}
