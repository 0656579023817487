//! Finds all strings similar to a given one by formula (10), through the trigrams they share.
//!
//! Without a common trigram the formula gives at most 1/16 + 1/8. For thresholds above that value the index is exact:
//! it finds the same strings as a comparison with every string, in time that grows with the number of matches rather
//! than pairs.

use super::similarity::{symmetric_bleu, MAX_WITHOUT_TRIGRAM};
use super::strings::Strings;
use crate::error::{Error, Result};
use crate::metric::bleu::{Reference, ORDER, UNSEEN};
use crate::store::hashing;
use crate::store::hashing::FastMap;

/// Tolerance for rounding errors when a bound is compared with a value.
const TOLERANCE: f64 = 1e-9;

/// Distinct strings and the postings of their trigrams. About four bytes a word for the strings and eight for the
/// postings.
#[derive(Default)]
pub struct Index {
    strings: Strings,
    /// Maps the hash of a string to the last string with that hash; `before` chains to the earlier ones.
    equal: FastMap<u64, u32>,
    before: FastMap<u32, u32>,
    /// The postings of bucket b are `postings[starts[b]..starts[b + 1]]`: one entry for each trigram of a string in
    /// that bucket. Trigrams that share a bucket cost only time, because every candidate is compared in full.
    starts: Vec<u32>,
    postings: Vec<u32>,
    shift: u32,
}

/// Buffers of a search; one for each thread.
#[derive(Default)]
pub struct Scratch {
    hits: Vec<u32>,
    touched: Vec<u32>,
    least: Vec<u32>,
    cache: SimilarityCache,
}

/// Cached values of formula (10). There are few distinct ones, because strings are short.
#[derive(Default)]
struct SimilarityCache(FastMap<u64, f64>);

/// Number of cached values at which the cache is cleared: about 2 MB.
const MAX_CACHED: usize = 1 << 16;

impl SimilarityCache {
    fn get(&mut self, matches: &[u32; ORDER], one: usize, other: usize) -> f64 {
        if one > 255 || other > 255 {
            return symmetric_bleu(matches, one, other);
        }
        let key = matches.iter().fold((one << 8 | other) as u64, |key, &n| key << 8 | u64::from(n));
        if self.0.len() > MAX_CACHED {
            self.0.clear();
        }
        *self.0.entry(key).or_insert_with(|| symmetric_bleu(matches, one, other))
    }

    /// The similarity of a string, given as a reference with its number of words, and another string.
    fn compared(&mut self, reference: &Reference, words: usize, other: &[u32]) -> f64 {
        let statistics = reference.statistics(other);
        let matches: &[u32; ORDER] = statistics.first_chunk().expect("four orders");
        self.get(matches, words, other.len())
    }

    /// The highest possible similarity of strings of these lengths with this many common trigrams.
    fn at_most(&mut self, own: usize, other: usize, hits: u32) -> f64 {
        // At most as many n-grams as the shorter string has, and at most as many four-grams as trigrams.
        let has = |n: usize| (own.min(other) + 1).saturating_sub(n) as u32;
        let hits = hits.min(has(3));
        self.get(&[has(1), has(2), hits, hits.min(has(4))], own, other)
    }
}

impl Scratch {
    /// The lowest number of common trigrams with which a string of `other` words can reach the threshold.
    fn least_hits(&mut self, own: usize, other: usize, threshold: f64) -> u32 {
        if self.least.len() <= other {
            self.least.resize(other + 1, u32::MAX);
        }
        if self.least[other] == u32::MAX {
            let trigrams = own.min(other).saturating_sub(2) as u32;
            let enough = |&hits: &u32| self.cache.at_most(own, other, hits) >= threshold - TOLERANCE;
            self.least[other] = (1..=trigrams).find(enough).unwrap_or(u32::MAX - 1);
        }
        self.least[other]
    }
}

impl Index {
    pub fn len(&self) -> usize {
        self.strings.len()
    }

    pub fn is_empty(&self) -> bool {
        self.strings.is_empty()
    }

    pub fn get(&self, string: u32) -> &[u32] {
        self.strings.get(string as usize)
    }

    /// The number of a string; unknown strings are added.
    pub fn insert(&mut self, words: &[u32]) -> Result<u32> {
        if let Some(known) = self.find(words) {
            return Ok(known);
        }
        let new = self.strings.len() as u32;
        self.strings.push(words)?;
        if let Some(before) = self.equal.insert(key(words), new) {
            self.before.insert(new, before);
        }
        Ok(new)
    }

    /// The number of an equal string.
    pub fn find(&self, words: &[u32]) -> Option<u32> {
        let mut next = self.equal.get(&key(words)).copied();
        while let Some(place) = next {
            if self.strings.get(place as usize) == words {
                return next;
            }
            next = self.before.get(&place).copied();
        }
        None
    }

    /// Builds the trigram postings; call it once all strings are inserted.
    pub fn finish(&mut self) {
        let trigrams =
            (0..self.strings.len()).map(|n| self.strings.get(n).len().saturating_sub(2)).sum::<usize>();
        // As many buckets as trigrams, so that few trigrams share a bucket.
        let bits = trigrams.max(1024).ilog2().min(26);
        self.shift = 64 - bits;
        let mut starts = vec![0u32; (1 << bits) + 1];
        for string in 0..self.strings.len() {
            for trigram in self.strings.get(string).windows(3) {
                starts[bucket(trigram, self.shift) + 1] += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut postings = vec![0; trigrams];
        let mut free = starts.clone();
        for string in 0..self.strings.len() {
            for trigram in self.strings.get(string).windows(3) {
                let at = &mut free[bucket(trigram, self.shift)];
                postings[*at as usize] = string as u32;
                *at += 1;
            }
        }
        (self.starts, self.postings) = (starts, postings);
    }

    /// All strings with a similarity of at least `threshold`, by number, with their similarity. An equal string has 1.
    ///
    /// Words unknown to the index are [`UNSEEN`].
    pub fn search(&self, words: &[u32], threshold: f64, scratch: &mut Scratch) -> Vec<(u32, f64)> {
        let mut found = self.equal_and_count(words, scratch);
        let reference = Reference::new(&[words.to_vec()]);
        scratch.touched.sort_unstable();
        for place in std::mem::take(&mut scratch.touched) {
            let hits = std::mem::take(&mut scratch.hits[place as usize]);
            let other = self.get(place);
            if hits == 0 || hits < scratch.least_hits(words.len(), other.len(), threshold) {
                continue;
            }
            let similarity = scratch.cache.compared(&reference, words.len(), other);
            if similarity >= threshold {
                found.push((place, similarity));
            }
        }
        found.sort_unstable_by_key(|&(place, _)| place);
        found
    }

    /// The `most` most similar strings that [`Index::search`] would find, in descending order of similarity and then by
    /// number.
    ///
    /// Strings are compared in descending order of the upper bound their trigrams allow, until no other can be better.
    pub fn search_best(
        &self,
        words: &[u32],
        threshold: f64,
        most: usize,
        scratch: &mut Scratch,
    ) -> Vec<(u32, f64)> {
        if most == 0 {
            return Vec::new();
        }
        let mut found = self.equal_and_count(words, scratch);
        let mut open: Vec<(f64, u32)> = Vec::new();
        for place in std::mem::take(&mut scratch.touched) {
            let hits = std::mem::take(&mut scratch.hits[place as usize]);
            let other = self.get(place).len();
            if hits > 0 && hits >= scratch.least_hits(words.len(), other, threshold) {
                open.push((scratch.cache.at_most(words.len(), other, hits), place));
            }
        }
        open.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let reference = Reference::new(&[words.to_vec()]);
        for (bound, place) in open {
            if found.get(most - 1).is_some_and(|last: &(u32, f64)| last.1 > bound + TOLERANCE) {
                break;
            }
            let similarity = scratch.cache.compared(&reference, words.len(), self.get(place));
            if similarity >= threshold {
                let better = |&(known, value): &(u32, f64)| (value, place) >= (similarity, known);
                let at = found.partition_point(better);
                found.insert(at, (place, similarity));
            }
        }
        found.truncate(most);
        found
    }

    /// The equal string, if there is one; also counts the trigrams in common with every other string.
    fn equal_and_count(&self, words: &[u32], scratch: &mut Scratch) -> Vec<(u32, f64)> {
        self.count(words, scratch);
        let equal = self.find(words);
        if let Some(equal) = equal {
            scratch.hits[equal as usize] = 0;
        }
        equal.map(|equal| (equal, 1.0)).into_iter().collect()
    }

    /// Counts the trigrams in common with each string. The count is never below the number of clipped matches.
    fn count(&self, words: &[u32], scratch: &mut Scratch) {
        scratch.hits.resize(self.len(), 0);
        scratch.touched.clear();
        scratch.least.clear();
        for trigram in words.windows(3).filter(|trigram| !trigram.contains(&UNSEEN)) {
            let bucket = bucket(trigram, self.shift);
            for &place in &self.postings[self.starts[bucket] as usize..self.starts[bucket + 1] as usize] {
                let hits = &mut scratch.hits[place as usize];
                if *hits == 0 {
                    scratch.touched.push(place);
                }
                *hits += 1;
            }
        }
    }
}

/// Rejects thresholds at which a search would miss strings.
pub fn check_threshold(threshold: f64) -> Result<()> {
    if threshold > MAX_WITHOUT_TRIGRAM && threshold <= 1.0 {
        return Ok(());
    }
    Err(Error::option(format!("the similarity threshold is {threshold}."))
        .hint("Choose a value above 0.1875 and at most 1: at lower values similar sentences need not share three words in a row."))
}

fn key(words: &[u32]) -> u64 {
    let mut state = words.len() as u64;
    for &word in words {
        state = hashing::mix(state, u64::from(word));
    }
    state
}

fn bucket(trigram: &[u32], shift: u32) -> usize {
    (key(trigram) >> shift) as usize
}

#[cfg(test)]
mod tests {
    use super::super::profiles::{Overlap, Profile};
    use super::super::similarity::Measure;
    use super::*;
    use crate::metric::ngrams::Ngrams;
    use crate::metric::random::Random;

    #[test]
    fn the_index_finds_what_a_comparison_with_all_finds() {
        let mut random = Random::new(3, 0);
        let mut index = Index::default();
        let mut strings: Vec<Vec<u32>> = Vec::new();
        for _ in 0..600 {
            let length = random.below(9);
            strings.push((0..length).map(|_| random.below(4) as u32).collect());
        }
        for string in &strings {
            index.insert(string).unwrap();
        }
        index.finish();
        let mut known = Ngrams::default();
        let mut scratch = Scratch::default();
        let mut edges = 0;
        for query in strings.iter().take(200) {
            let own = Profile::new(&mut known, query, 4);
            for threshold in [0.19, 0.3, 0.6] {
                let found = index.search(query, threshold, &mut scratch);
                let mut wanted = Vec::new();
                for place in 0..index.len() as u32 {
                    let other = Profile::new(&mut known, index.get(place), 4);
                    let similarity = Measure::Bleu.of(&Overlap::new(&own, &other), &own, &other);
                    if similarity >= threshold {
                        wanted.push((place, similarity));
                    }
                }
                assert_eq!(found, wanted);
                edges += found.len();
                wanted.sort_by(|a, b| b.1.total_cmp(&a.1));
                wanted.truncate(7);
                assert_eq!(index.search_best(query, threshold, 7, &mut scratch), wanted);
                assert_eq!(index.search_best(query, threshold, 0, &mut scratch), []);
            }
        }
        assert!(edges > 5_000, "{edges}");
    }

    #[test]
    fn equal_strings_are_joined_however_short() {
        let mut index = Index::default();
        for string in [&[1][..], &[], &[1, 2]] {
            index.insert(string).unwrap();
        }
        assert_eq!(index.insert(&[1]).unwrap(), 0);
        index.finish();
        let mut scratch = Scratch::default();
        assert_eq!(index.search(&[1], 0.3, &mut scratch), [(0, 1.0)]);
        assert_eq!(index.search(&[], 0.3, &mut scratch), [(1, 1.0)]);
        assert_eq!(index.search(&[UNSEEN], 0.3, &mut scratch), []);
    }

    #[test]
    fn thresholds_that_would_miss_strings_are_refused() {
        assert!(
            check_threshold(0.1875).is_err()
                && check_threshold(1.1).is_err()
                && check_threshold(f64::NAN).is_err()
        );
        assert!(check_threshold(0.19).is_ok() && check_threshold(1.0).is_ok());
    }
}
