//! The memory pairs whose sources are most similar to an input.

use super::edit_distance::edit_distance;
use super::sentence::Lookup;
use super::LONGEST;
use crate::store::hashing::FastMap;
use crate::work::interrupt;

/// How many neighbours are kept.
pub const KEPT: usize = 10;

/// A memory pair and the similarity of its source to the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    pub pair: u32,
    /// 1 − edit distance / length of the longer source, in words; or the cosine of vectors.
    pub similarity: f64,
}

/// The [`KEPT`] most similar pairs, the most similar first.
///
/// Pairs are candidates by the sum of m · ln(N / F_s) over the shared source n-grams of m = 2 to 6 words that are in
/// fewer than `frequent` pairs; of equal sums the pair with the lower number comes first. The `compared` best are ranked
/// by edit distance; of equal distances the one with the larger sum comes first.
pub fn neighbours(lookup: &Lookup<'_>) -> Vec<Neighbour> {
    let (memory, settings) = (lookup.memory, lookup.settings);
    let mut sums: FastMap<u32, f64> = FastMap::default();
    for length in 2..=LONGEST {
        for ngram in lookup.ngrams.of_length(length) {
            let frequency = lookup.frequencies[ngram];
            if frequency == 0 || frequency >= settings.frequent {
                continue;
            }
            interrupt::point();
            let weight = length as f64 * (lookup.pairs() as f64 / frequency as f64).ln();
            let range = lookup.ranges[ngram].clone();
            for pair in memory.sources.each_sentence(&memory.source, range, length) {
                *sums.entry(pair).or_default() += weight;
            }
        }
    }
    let mut best: Vec<(u32, f64)> = sums.into_iter().filter(|&(pair, _)| !lookup.is_left_out(pair)).collect();
    let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if settings.compared < best.len() {
        if settings.compared > 0 {
            best.select_nth_unstable_by(settings.compared - 1, order);
        }
        best.truncate(settings.compared);
    }
    best.sort_unstable_by(order);
    let compare = |(pair, _)| {
        let source = memory.source.get(pair as usize);
        let longer = lookup.source.len().max(source.len()) as f64;
        Neighbour { pair, similarity: 1.0 - edit_distance(lookup.source, source) as f64 / longer }
    };
    let mut found: Vec<Neighbour> = best.into_iter().map(compare).collect();
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    found.truncate(KEPT);
    found
}

/// The [`KEPT`] most similar of the given neighbours that are not left out; of equal ones the pair with the lower number
/// comes first.
pub fn nearest_kept(lookup: &Lookup<'_>, given: &[Neighbour]) -> Vec<Neighbour> {
    let mut found: Vec<Neighbour> =
        given.iter().copied().filter(|one| !lookup.is_left_out(one.pair)).collect();
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.pair.cmp(&b.pair)));
    found.truncate(KEPT);
    found
}
