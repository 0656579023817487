//! Sums over sentences whose rows are permuted among runs: the inner loop of stratified approximate randomisation.

use rayon::prelude::*;

use super::random::Random;
use crate::error::{Error, Result};
use crate::work::interrupt;

/// The rows of several runs: values by run, sentence and column.
pub struct Rows<'a> {
    pub values: &'a [f64],
    pub runs: usize,
    pub sentences: usize,
    pub columns: usize,
}

impl Rows<'_> {
    /// For each trial, the sums of every run by column, after the rows of each sentence were randomly assigned to the
    /// runs. A trial depends only on its number and the seed.
    pub fn shuffled_sums(&self, trials: usize, seed: u64) -> Result<Vec<f64>> {
        if self.values.len() != self.runs * self.sentences * self.columns {
            let message = format!("{} values for {} runs.", self.values.len(), self.runs);
            return Err(Error::input(message));
        }
        let size = self.runs * self.columns;
        let mut sums = vec![0.0; trials * size];
        if size > 0 {
            sums.par_chunks_mut(size).enumerate().for_each(|(trial, sums)| self.trial(trial, seed, sums));
        }
        Ok(sums)
    }

    fn trial(&self, trial: usize, seed: u64, sums: &mut [f64]) {
        interrupt::point();
        let mut random = Random::new(seed, trial as u64);
        let mut order: Vec<usize> = (0..self.runs).collect();
        for sentence in 0..self.sentences {
            random.shuffle(&mut order);
            for (own, &run) in sums.chunks_exact_mut(self.columns).zip(&order) {
                let from = (run * self.sentences + sentence) * self.columns;
                let row = &self.values[from..from + self.columns];
                own.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_goes_to_one_run_and_all_orders_come_up() {
        // Two runs, three sentences, one column: 1 2 4 and 10 20 40. Eight possible assignments, all equally likely.
        let rows = Rows { values: &[1.0, 2.0, 4.0, 10.0, 20.0, 40.0], runs: 2, sentences: 3, columns: 1 };
        let sums = rows.shuffled_sums(8000, 3).unwrap();
        let mut seen = std::collections::BTreeMap::new();
        for pair in sums.chunks(2) {
            assert_eq!(pair[0] + pair[1], 77.0);
            *seen.entry(pair[0] as u32).or_insert(0) += 1;
        }
        assert_eq!(seen.keys().copied().collect::<Vec<_>>(), [7, 16, 25, 34, 43, 52, 61, 70]);
        assert!(seen.values().all(|&count| (900..1100).contains(&count)), "{seen:?}");
        assert!(Rows { runs: 3, ..rows }.shuffled_sums(1, 3).is_err());
    }
}
