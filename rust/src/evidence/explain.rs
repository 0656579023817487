//! Which memory pairs support the n-grams of a candidate.

use super::features::{share, width, Evidence, SCALES};
use super::inputs::Inputs;
use super::memory::Memory;
use super::neighbours::Neighbour;
use super::ngrams::NgramSet;
use super::predictor::Predictor;
use super::rows::check_pairs;
use super::sentence::Lookup;
use super::{RowSettings, LONGEST, ORDERS};
use crate::error::{Error, Result};

/// A candidate of a sentence, both counted from 0.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    pub sentence: usize,
    pub candidate: usize,
}

/// A source n-gram of the input whose memory pairs often have a target n-gram.
#[derive(Clone, Debug)]
pub struct SourceSupport {
    /// Where it begins in the input, and how many words it has.
    pub position: usize,
    pub length: usize,
    /// |D|: the pairs that were examined.
    pub examined: usize,
    /// Those of them that have the target n-gram, in order.
    pub pairs: Vec<u32>,
}

/// An n-gram of a candidate.
#[derive(Clone, Debug)]
pub struct NgramSupport {
    /// Where it begins in the candidate, and how many words it has.
    pub position: usize,
    pub length: usize,
    /// p(g in reference).
    pub probability: f32,
    /// The source n-gram with the largest q_s(g), of equal ones the longest and leftmost; `None` if no pair has both.
    pub source: Option<SourceSupport>,
    /// The neighbours with it, by edit distance and by vectors.
    pub neighbours: Vec<Neighbour>,
    pub by_vectors: Vec<Neighbour>,
}

/// The distinct n-grams of a candidate with their support, by length and then from left to right.
pub fn explain(
    memory: &Memory,
    inputs: &Inputs,
    settings: RowSettings,
    predictor: &Predictor,
    chosen: Chosen,
) -> Result<Vec<NgramSupport>> {
    let Chosen { sentence, candidate } = chosen;
    if sentence >= inputs.len() || candidate >= inputs.list(sentence).len() {
        return Err(Error::input(format!("there is no candidate {candidate} of a sentence {sentence}.")));
    }
    let encoded = inputs.encode(memory);
    check_pairs(memory, &encoded)?;
    let (source, candidates) = (encoded.source(sentence), encoded.candidates(sentence));
    let ngrams = NgramSet::new(candidates.iter().map(Vec::as_slice), ORDERS);
    let lookup = Lookup::new(memory, settings, &source, encoded.left_out(sentence));
    predictor.check(width(inputs.has_vectors()))?;
    let mut evidence = Evidence::new(&lookup, &ngrams, inputs.by_vectors(sentence));
    let width = evidence.width();
    let features = evidence.features(&SCALES.map(|scale| inputs.posterior(sentence, scale)));
    let best = best_sources(&mut evidence);
    let mut found: Vec<NgramSupport> = Vec::new();
    for &ngram in ngrams.members(candidate) {
        let (ngram, length) = (ngram as usize, ngrams.get(ngram as usize).length);
        let row = &features[ngram * width..(ngram + 1) * width];
        let has = |pair: u32, evidence: &mut Evidence<'_>| evidence.hits.of(pair).contains(&(ngram as u32));
        let nearest = evidence.neighbours.clone();
        let by_vectors = evidence.by_vectors.clone().unwrap_or_default();
        let source = best[ngram].map(|(_, number)| {
            let examined = lookup.sample(number);
            let from = lookup.ngrams.get(number);
            SourceSupport {
                position: from.position as usize,
                length: from.length,
                examined: examined.len(),
                pairs: examined.into_iter().filter(|&pair| has(pair, &mut evidence)).collect(),
            }
        });
        found.push(NgramSupport {
            position: position(&ngrams, ngram, &candidates[candidate]),
            length,
            probability: predictor.orders[length - 1].probability(row),
            source,
            neighbours: nearest.into_iter().filter(|one| has(one.pair, &mut evidence)).collect(),
            by_vectors: by_vectors.into_iter().filter(|one| has(one.pair, &mut evidence)).collect(),
        });
    }
    found.sort_by_key(|support| (support.length, support.position));
    Ok(found)
}

/// For each target n-gram the largest q_s(g) of a source n-gram that shares pairs with it, and which that is.
fn best_sources(evidence: &mut Evidence<'_>) -> Vec<Option<(f64, usize)>> {
    let mut best: Vec<Option<(f64, usize)>> = vec![None; evidence.ngrams.len()];
    let (background, prior) = (evidence.background.clone(), evidence.lookup.settings.prior);
    for length in (1..=LONGEST).rev() {
        evidence.each_source_ngram(length, |source, pairs, counts| {
            for (ngram, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
                let q = share(count, pairs.len(), prior, background[ngram]);
                if best[ngram].is_none_or(|(most, _)| q > most) {
                    best[ngram] = Some((q, source));
                }
            }
        });
    }
    best
}

/// Where an n-gram first is in a candidate.
fn position(ngrams: &NgramSet, ngram: usize, words: &[u32]) -> usize {
    let mut wanted = Vec::new();
    let mut at = Some(ngram);
    while let Some(number) = at {
        wanted.push(ngrams.get(number).word);
        at = ngrams.get(number).parent();
    }
    wanted.reverse();
    words.windows(wanted.len()).position(|window| window == wanted).unwrap_or_default()
}
