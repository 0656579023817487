//! N-best lists accumulated over the iterations of tuning, as columns of feature values and of BLEU and TER statistics.
//! The words themselves are not kept.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::metric::bleu::{add, bleu, References, Smoothing, Statistics, Sums, EDITS, LENGTH};
use crate::metric::ter::ter;
use crate::store::hashing;
use crate::store::hashing::FastSet;
use crate::work::interrupt;

/// The hypotheses of one sentence; no two have both the same words and the same values.
#[derive(Debug, Default)]
pub struct List {
    /// A row for each hypothesis.
    pub values: Vec<f32>,
    pub statistics: Vec<Statistics>,
    /// The identity of each hypothesis: a hash of words and values.
    pub keys: Vec<u64>,
    known: FastSet<u64>,
}

impl List {
    pub fn len(&self) -> usize {
        self.statistics.len()
    }

    pub fn is_empty(&self) -> bool {
        self.statistics.is_empty()
    }

    fn push(&mut self, key: u64, values: &[f32], statistics: Statistics) -> bool {
        let new = self.known.insert(key);
        if new {
            self.keys.push(key);
            self.values.extend_from_slice(values);
            self.statistics.push(statistics);
        }
        new
    }

    /// Calls `read` with each hypothesis and the weighted sum of its values.
    ///
    /// Four sums are made at a time: a processor adds to them at once where it would wait for a single one.
    #[inline]
    pub fn for_each_score(&self, weights: &[f64], mut read: impl FnMut(usize, f64)) {
        const AT_ONCE: usize = 4;
        let features = weights.len();
        let mut first = 0;
        for rows in self.values.chunks((features * AT_ONCE).max(1)) {
            let mut sums = [0.0; AT_ONCE];
            if rows.len() == features * AT_ONCE {
                let rows: [&[f32]; AT_ONCE] =
                    std::array::from_fn(|row| &rows[row * features..(row + 1) * features]);
                for (feature, weight) in weights.iter().enumerate() {
                    for (sum, row) in sums.iter_mut().zip(rows) {
                        *sum += f64::from(row[feature]) * weight;
                    }
                }
            } else {
                for (sum, row) in sums.iter_mut().zip(rows.chunks(features)) {
                    *sum = row.iter().zip(weights).map(|(&value, weight)| f64::from(value) * weight).sum();
                }
            }
            for (hypothesis, sum) in (first..first + rows.len() / features).zip(sums) {
                read(hypothesis, sum);
            }
            first += AT_ONCE;
        }
    }

    fn variances(&self, features: usize) -> Vec<f64> {
        let number = self.len().max(1) as f64;
        let column =
            |feature: usize| self.values.iter().skip(feature).step_by(features).map(|&v| f64::from(v));
        let variance = |feature: usize| {
            let mean = column(feature).sum::<f64>() / number;
            column(feature).map(|value| (value - mean).powi(2)).sum::<f64>() / number
        };
        (0..features).map(variance).collect()
    }

    /// The hypothesis with the highest score, of several the first.
    pub fn best(&self, weights: &[f64]) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        self.for_each_score(weights, |hypothesis, score| {
            if score > best.1 {
                best = (hypothesis, score);
            }
        });
        best.0
    }
}

/// N-best lists of a corpus from a decoder; words are indices into `words`.
pub struct NbestColumns<'a> {
    /// The start of each sentence's hypotheses, and the end of the last.
    pub hypotheses: &'a [u32],
    /// The start of each hypothesis' words, and the end of the last.
    pub tokens: &'a [u32],
    pub numbers: &'a [u32],
    pub words: &'a [String],
    /// A row for each hypothesis.
    pub values: &'a [f32],
}

impl NbestColumns<'_> {
    fn check(&self, sentences: usize, features: usize) -> Result<()> {
        let number = self.hypotheses.last().copied().unwrap_or(0) as usize;
        let ascending =
            |offsets: &[u32]| offsets.first() == Some(&0) && offsets.windows(2).all(|p| p[0] <= p[1]);
        let whole = self.hypotheses.len() == sentences + 1
            && ascending(self.hypotheses)
            && self.tokens.len() == number + 1
            && ascending(self.tokens)
            && self.tokens.last().copied() == Some(self.numbers.len() as u32)
            && self.numbers.iter().all(|&word| (word as usize) < self.words.len())
            && self.values.len() == number * features;
        if !whole {
            return Err(Error::input(format!(
                "the columns of these n-best lists are inconsistent; lists of {sentences} sentences with {features} \
                 features were expected."
            )));
        }
        if let Some(sentence) = self.hypotheses.windows(2).position(|pair| pair[0] == pair[1]) {
            return Err(Error::input(format!("sentence {} has no hypothesis.", sentence + 1)));
        }
        if let Some(place) = self.values.iter().position(|value| !value.is_finite()) {
            let (hypothesis, feature) = (place / features, place % features);
            return Err(Error::input(format!(
                "value {} of hypothesis {} is not a finite number.",
                feature + 1,
                hypothesis + 1
            )));
        }
        Ok(())
    }
}

/// The result of an addition.
#[derive(Clone, Copy, Debug, Default)]
pub struct Added {
    /// The number of new hypotheses.
    pub new: usize,
    /// The statistics of the first hypothesis of every sentence.
    pub first: Sums,
}

/// The metric to tune for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Metric {
    Bleu,
    Ter,
}

/// The lists of a corpus with its references.
pub struct Lists {
    references: References,
    pub features: usize,
    pub lists: Vec<List>,
    metric: Metric,
    /// Mean length of the references, over the corpus.
    length: f64,
}

impl Lists {
    pub fn new(references: References, features: usize, metric: Metric) -> Self {
        let lists = (0..references.len()).map(|_| List::default()).collect();
        let length = references.mean_length();
        Lists { references, features, lists, metric, length }
    }

    pub fn hypotheses(&self) -> usize {
        self.lists.iter().map(List::len).sum()
    }

    /// Adds the new hypotheses. The result does not depend on the number of threads.
    pub fn add(&mut self, columns: &NbestColumns<'_>) -> Result<Added> {
        let (features, references, metric) = (self.features, &self.references, self.metric);
        columns.check(references.len(), features)?;
        let numbers: Vec<u32> = columns.words.iter().map(|word| references.number(word)).collect();
        let hashes: Vec<u64> = columns.words.iter().map(|word| hashing::word(word.as_bytes())).collect();
        let added: Vec<(usize, Statistics)> = self
            .lists
            .par_iter_mut()
            .enumerate()
            .map(|(sentence, list)| {
                let mut new = 0;
                let mut first = [0; LENGTH];
                let (from, to) =
                    (columns.hypotheses[sentence] as usize, columns.hypotheses[sentence + 1] as usize);
                for hypothesis in from..to {
                    interrupt::point();
                    let range = columns.tokens[hypothesis] as usize..columns.tokens[hypothesis + 1] as usize;
                    let tokens = &columns.numbers[range];
                    let values = &columns.values[hypothesis * features..(hypothesis + 1) * features];
                    let key = key(tokens.iter().map(|&token| hashes[token as usize]), values);
                    if hypothesis > from && list.known.contains(&key) {
                        continue;
                    }
                    let words: Vec<u32> = tokens.iter().map(|&token| numbers[token as usize]).collect();
                    let mut statistics = references.statistics(sentence, &words);
                    if metric == Metric::Ter {
                        statistics[EDITS] = references.edits(sentence, &words);
                    }
                    if hypothesis == from {
                        first = statistics;
                    }
                    new += usize::from(list.push(key, values, statistics));
                }
                (new, first)
            })
            .collect();
        let mut answer = Added::default();
        for (new, first) in &added {
            answer.new += new;
            add(&mut answer.first, first);
        }
        Ok(answer)
    }

    /// Restores hypotheses that were saved from the columns of these lists.
    pub fn restore(
        &mut self,
        counts: &[u32],
        values: &[f32],
        statistics: &[u32],
        keys: &[u64],
    ) -> Result<()> {
        let number: usize = counts.iter().map(|&count| count as usize).sum();
        let whole = counts.len() == self.lists.len()
            && values.len() == number * self.features
            && statistics.len() == number * LENGTH
            && keys.len() == number;
        if !whole {
            return Err(Error::input("these stored lists do not belong to this tuning run."));
        }
        let mut at = 0;
        for (list, &count) in self.lists.iter_mut().zip(counts) {
            for hypothesis in at..at + count as usize {
                let mut own = [0; LENGTH];
                own.copy_from_slice(&statistics[hypothesis * LENGTH..(hypothesis + 1) * LENGTH]);
                list.push(
                    keys[hypothesis],
                    &values[hypothesis * self.features..(hypothesis + 1) * self.features],
                    own,
                );
            }
            at += count as usize;
        }
        Ok(())
    }

    /// The statistics of the best translations under the weights.
    pub fn sums(&self, weights: &[f64]) -> Sums {
        let chosen: Vec<Statistics> =
            self.lists.par_iter().filter(|l| !l.is_empty()).map(|l| l.statistics[l.best(weights)]).collect();
        let mut sums = [0; LENGTH];
        chosen.iter().for_each(|statistics| add(&mut sums, statistics));
        sums
    }

    /// The spread of each feature among the hypotheses of a sentence: the root of the mean variance.
    pub fn spread(&self) -> Vec<f64> {
        let variances: Vec<Vec<f64>> =
            self.lists.par_iter().map(|list| list.variances(self.features)).collect();
        let mut spread = vec![0.0; self.features];
        for own in &variances {
            spread.iter_mut().zip(own).for_each(|(sum, variance)| *sum += variance);
        }
        spread.iter().map(|sum| (sum / variances.len().max(1) as f64).sqrt()).collect()
    }

    /// Corpus BLEU of the best translations under the weights.
    pub fn bleu(&self, weights: &[f64]) -> f64 {
        bleu(&self.sums(weights), Smoothing::Exponential)
    }

    /// The objective to maximise: BLEU, or negated TER.
    pub fn quality(&self, sums: &Sums) -> f64 {
        match self.metric {
            Metric::Bleu => bleu(sums, Smoothing::Exponential),
            Metric::Ter => -ter(sums[EDITS], self.length),
        }
    }
}

fn key(words: impl Iterator<Item = u64>, values: &[f32]) -> u64 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |state: u64, next: u64| ((state ^ next).wrapping_mul(K)).rotate_left(29);
    let words = words.fold(K, mix);
    // 0 and -0 are the same value.
    let all =
        values.iter().fold(mix(words, 1), |state, &value| mix(state, u64::from((value + 0.0).to_bits())));
    all ^ all >> 32
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Lists of made-up numbers: (values, statistics) for each hypothesis of each sentence.
    pub fn made(features: usize, sentences: &[Vec<(Vec<f32>, Statistics)>]) -> Lists {
        let mut lists =
            Lists::new(References::new(&vec![vec![]; sentences.len()]).unwrap(), features, Metric::Bleu);
        for (list, hypotheses) in lists.lists.iter_mut().zip(sentences) {
            for (key, (values, statistics)) in hypotheses.iter().enumerate() {
                list.push(key as u64, values, *statistics);
            }
        }
        lists
    }

    #[test]
    fn the_same_words_with_other_values_are_another_hypothesis() {
        let references = References::new(&[vec![vec!["a".to_owned(), "b".to_owned()]]]).unwrap();
        let mut lists = Lists::new(references, 1, Metric::Bleu);
        let words = ["a".to_owned(), "x".to_owned(), "y".to_owned()];
        let columns = NbestColumns {
            hypotheses: &[0, 4],
            tokens: &[0, 2, 4, 6, 8],
            numbers: &[0, 1, 0, 1, 0, 1, 0, 2],
            words: &words,
            values: &[1.0, 1.0, 2.0, 1.0],
        };
        let added = lists.add(&columns).unwrap();
        assert_eq!((added.new, lists.hypotheses()), (3, 3));
        assert_eq!(added.first, [1, 0, 0, 0, 2, 1, 0, 0, 2, 0]);
        assert_eq!(lists.add(&columns).unwrap().new, 0);
        assert_eq!(lists.lists[0].best(&[1.0]), 1);
        assert_eq!(lists.lists[0].best(&[0.0]), 0);
    }

    #[test]
    fn every_hypothesis_has_the_sum_of_its_own_values() {
        for number in 0..10 {
            let row = |hypothesis: usize| vec![hypothesis as f32, 0.5, -(hypothesis as f32 * 0.1)];
            let hypotheses = (0..number).map(|one| (row(one), [one as u32; LENGTH])).collect();
            let lists = made(3, &[hypotheses]);
            let mut found = Vec::new();
            lists.lists[0].for_each_score(&[1.0, 2.0, 3.0], |hypothesis, sum| found.push((hypothesis, sum)));
            let sum = |one: usize| row(one).iter().zip([1.0, 2.0, 3.0]).map(|(&v, w)| f64::from(v) * w).sum();
            assert_eq!(found, (0..number).map(|one| (one, sum(one))).collect::<Vec<(usize, f64)>>());
        }
    }

    #[test]
    fn columns_that_do_not_go_together_are_refused() {
        let mut lists = Lists::new(References::new(&[vec![vec![]]]).unwrap(), 1, Metric::Bleu);
        let columns =
            |values| NbestColumns { hypotheses: &[0, 1], tokens: &[0, 0], numbers: &[], words: &[], values };
        assert!(lists.add(&columns(&[1.0, 2.0])).is_err());
        assert!(lists.add(&columns(&[f32::NAN])).is_err());
        assert_eq!(lists.add(&columns(&[1.0])).unwrap().new, 1);
    }
}
