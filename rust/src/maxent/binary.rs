//! Two classes: logistic regression. p(1 | features) = 1 / (1 + e^−s), s the sum of the features' weights.

use std::ops::Range;

use super::lbfgs::minimise;
use super::rows::Rows;
use super::sums::{dot, Gradients};
use super::{Estimate, MaxentSettings};
use crate::error::Result;
use crate::store::prefetch::prefetch;

/// Rows between the prefetch of a row's weights and slopes and their use: there are more of them than caches hold.
const AHEAD: usize = 8;

/// The curvature that examples have when most of them are explained, relative to that of the first weights: 0.1
/// to 0.03 has the fewest iterations for the same likelihood of other examples (docs/benchmarks/reordering.md).
const LATER: f64 = 0.03;

/// Examples; pass equal ones once, with their counts, for speed.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    pub rows: Rows,
    /// For each row its counts of class 0 and class 1.
    pub counts: Vec<[f32; 2]>,
}

impl Examples {
    pub fn total(&self) -> f64 {
        (0..self.rows.len()).map(|row| self.examples(row)).sum()
    }

    /// The number of examples of a row.
    fn examples(&self, row: usize) -> f64 {
        self.counts[row].iter().map(|&n| f64::from(n)).sum()
    }

    /// ln p(1) / p(0) of a row.
    #[inline]
    pub fn log_odds(&self, row: usize, weights: &[f64]) -> f64 {
        self.rows.row(row).iter().map(|&feature| weights[feature as usize]).sum()
    }

    fn part(&self, range: Range<usize>, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        // Of Π (1 + e^−|s|), whose logarithm is part of the value: one logarithm for many rows.
        let mut product = 1.0;
        let end = range.end;
        for row in range {
            if row + AHEAD < end {
                for &feature in self.rows.row(row + AHEAD) {
                    prefetch(weights, feature as usize);
                    prefetch(gradient, feature as usize);
                }
            }
            let [zero, one] = self.counts[row].map(f64::from);
            let sum = self.log_odds(row, weights);
            // −ln p(1) = ln(1 + e^−|s|) + max(−s, 0); −ln p(0) likewise, with max(s, 0).
            let rare = (-sum.abs()).exp();
            value += if sum < 0.0 { -sum * one } else { sum * zero };
            if zero + one == 1.0 {
                product *= 1.0 + rare;
                if product > 1e300 {
                    value += f64::ln(product);
                    product = 1.0;
                }
            } else {
                value += (zero + one) * rare.ln_1p();
            }
            let probability = if sum < 0.0 { rare } else { 1.0 } / (1.0 + rare);
            let slope = (zero + one) * probability - one;
            for &feature in self.rows.row(row) {
                gradient[feature as usize] += slope;
            }
        }
        value + product.ln()
    }

    /// The most probable weights of `features` features given the examples and the prior.
    pub fn train(
        &self,
        features: usize,
        settings: &MaxentSettings,
        progress: impl FnMut(usize, f64) -> Result<()>,
    ) -> Result<Estimate> {
        let total = self.total().max(1.0);
        let penalty = settings.penalty(total);
        let mut gradients = Gradients::default();
        let (mut weights, scales) = self.start(features, total, penalty);
        let evaluate = |weights: &[f64], gradient: &mut [f64]| {
            let value = gradients.sum(self.rows.len(), gradient, |range, own| self.part(range, weights, own));
            finish(value, weights, gradient, total, penalty)
        };
        let outcome = minimise(&mut weights, &scales, &settings.search, evaluate, progress)?;
        Ok(Estimate { weights, outcome })
    }

    /// The weights that the search begins with, and the scale of its first step for each of them.
    ///
    /// If there is a feature of all examples, its weight gives every example the probabilities of the classes; all other
    /// weights are 0. There the curvature is known without another look at the examples: for a feature of n of them it
    /// is n · p(0) · p(1), and the prior's. Features of one example share its error, so a step along all axes is
    /// shorter than along one by their number.
    fn start(&self, features: usize, total: f64, penalty: f64) -> (Vec<f64>, Vec<f64>) {
        let occurrences = self.rows.occurrences(features, |row| self.examples(row));
        let mut weights = vec![0.0; features];
        let mut one = 0.5;
        if let Some(always) = occurrences.iter().position(|&n| n == total) {
            // Half an example more of each class: no probability is 0.
            one = (self.counts.iter().map(|&[_, one]| f64::from(one)).sum::<f64>() + 0.5) / (total + 1.0);
            weights[always] = (one / (1.0 - one)).ln();
        }
        let variance = LATER * one * (1.0 - one);
        let together = (occurrences.iter().sum::<f64>() / total).max(1.0);
        let scale = |n: &f64| match n * variance / total + penalty {
            // No example has the feature and there is no prior: the weight stays.
            0.0 => 1.0,
            curvature => 1.0 / (together * curvature),
        };
        (weights, occurrences.iter().map(scale).collect())
    }
}

/// Turns sums over examples into the objective: their mean plus the prior.
pub(super) fn finish(value: f64, weights: &[f64], gradient: &mut [f64], total: f64, penalty: f64) -> f64 {
    for (slope, weight) in gradient.iter_mut().zip(weights) {
        *slope = *slope / total + penalty * weight;
    }
    value / total + 0.5 * penalty * dot(weights, weights)
}

#[cfg(test)]
mod tests {
    use super::super::lbfgs;
    use super::*;
    use crate::metric::random::Random;

    fn exact(variance: f64) -> MaxentSettings {
        let search = lbfgs::LbfgsSettings { tolerance: 1e-15, max_iterations: 1000, ..Default::default() };
        MaxentSettings { variance, search }
    }

    fn random_examples(rows: usize, features: usize) -> Examples {
        let mut random = Random::new(1, 2);
        let mut made = Examples::default();
        for _ in 0..rows {
            let own: Vec<u32> = (0..features as u32).filter(|_| random.below(3) == 0).collect();
            made.rows.push(own);
            made.counts.push([random.below(3) as f32, random.below(2) as f32]);
        }
        made
    }

    /// One feature in all of 8 examples, 6 of them of class 1, and no prior: p = 3/4, so w = ln 3.
    #[test]
    fn without_a_prior_the_one_feature_gives_the_frequency() {
        let mut examples = Examples::default();
        examples.rows.push([0]);
        examples.counts.push([2.0, 6.0]);
        let made = examples.train(1, &exact(f64::INFINITY), |_, _| Ok(())).unwrap();
        assert!((made.weights[0] - 3f64.ln()).abs() < 1e-7, "{made:?}");
    }

    /// With a prior the slope at the maximum is 0: Σ (count · p − positive) + w / σ² = 0.
    #[test]
    fn the_prior_draws_weights_towards_zero_as_much_as_it_says() {
        let mut examples = Examples::default();
        examples.rows.push([0]);
        examples.counts.push([2.0, 6.0]);
        let w = examples.train(1, &exact(0.5), |_, _| Ok(())).unwrap().weights[0];
        assert!((8.0 / (1.0 + (-w).exp()) - 6.0 + w / 0.5).abs() < 1e-6, "{w}");
        assert!(0.0 < w && w < 3f64.ln());
    }

    #[test]
    fn the_gradient_is_that_of_the_value() {
        let examples = random_examples(50, 6);
        let mut random = Random::new(3, 4);
        let weights: Vec<f64> = (0..6).map(|_| random.below(400) as f64 / 100.0 - 2.0).collect();
        let value = |weights: &[f64]| {
            let mut gradient = vec![0.0; 6];
            let value = examples.part(0..50, weights, &mut gradient);
            (finish(value, weights, &mut gradient, 50.0, 0.3), gradient)
        };
        let (_, gradient) = value(&weights);
        for k in 0..6 {
            let moved = |by: f64| {
                let mut moved = weights.clone();
                moved[k] += by;
                value(&moved).0
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope - gradient[k]).abs() < 1e-8, "feature {k}: {slope} {}", gradient[k]);
        }
    }

    /// The search begins with the class probabilities, and rare features are not lost beside one of all examples.
    #[test]
    fn a_feature_of_all_examples_begins_with_the_frequencies() {
        let mut examples = Examples::default();
        for (feature, counts) in [(1, [1.0, 90.0]), (2, [9.0, 0.0])] {
            examples.rows.push([0, feature]);
            examples.counts.push(counts);
        }
        let (weights, scales) = examples.start(4, 100.0, 0.01);
        assert!(
            (weights[0] - (90.5f64 / 10.5).ln()).abs() < 1e-12 && weights[1..] == [0.0; 3],
            "{weights:?}"
        );
        assert!(scales[0] < scales[1] && scales[1] < scales[2] && scales[2] < scales[3]);
        let (_, scales) = examples.start(4, 100.0, 0.0);
        assert_eq!(scales[3], 1.0);
        let made = examples.train(4, &exact(1.0), |_, _| Ok(())).unwrap();
        assert!(made.outcome.converged, "{made:?}");
        assert!(made.weights[1] > 1.0 && made.weights[2] < -1.0 && made.weights[3] == 0.0, "{made:?}");
    }

    #[test]
    fn threads_change_no_bit() {
        let examples = random_examples(9000, 40);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| examples.train(40, &exact(1.0), |_, _| Ok(())).unwrap().weights)
        };
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn far_sums_stay_numbers() {
        let mut examples = Examples::default();
        examples.rows.push([0]);
        examples.counts.push([2.0, 3.0]);
        for (weight, value, slope) in [(1000.0, 2000.0, 2.0), (-1000.0, 3000.0, -3.0)] {
            let mut gradient = [0.0];
            assert_eq!(examples.part(0..1, &[weight], &mut gradient), value);
            assert_eq!(gradient, [slope]);
        }
        assert!((examples.part(0..1, &[0.0], &mut [0.0]) - 5.0 * 2f64.ln()).abs() < 1e-14);
    }
}
