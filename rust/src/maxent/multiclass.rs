//! Any number of classes: p(c | features) ∝ e^(sum of the features' weights for c).

use std::ops::Range;

use super::binary::finish;
use super::lbfgs::minimise;
use super::rows::Rows;
use super::sums::Gradients;
use super::{Estimate, MaxentSettings};
use crate::error::Result;

/// Examples; pass equal ones once, with their count, for speed.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    pub rows: Rows,
    /// The class of each row, and its count.
    pub classes: Vec<(u32, f32)>,
}

/// Turns scores into log probabilities.
pub fn normalise(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
    let whole = most + sum.ln();
    scores.iter_mut().for_each(|score| *score -= whole);
}

/// ln p(c | features) for every class; the weight of feature f for class c is `weights[f · classes + c]`.
pub fn log_probabilities(features: &[u32], weights: &[f64], scores: &mut [f64]) {
    let classes = scores.len();
    scores.fill(0.0);
    for &feature in features {
        let own = &weights[feature as usize * classes..][..classes];
        scores.iter_mut().zip(own).for_each(|(score, weight)| *score += weight);
    }
    normalise(scores);
}

impl Examples {
    fn part(&self, classes: usize, range: Range<usize>, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        let mut scores = vec![0.0; classes];
        for row in range {
            let (class, count) = self.classes[row];
            let count = f64::from(count);
            log_probabilities(self.rows.row(row), weights, &mut scores);
            value -= count * scores[class as usize];
            scores.iter_mut().for_each(|score| *score = count * score.exp());
            scores[class as usize] -= count;
            for &feature in self.rows.row(row) {
                let own = &mut gradient[feature as usize * classes..][..classes];
                own.iter_mut().zip(&scores).for_each(|(slope, score)| *slope += score);
            }
        }
        value
    }

    /// The most probable weights, feature by feature, given the examples and the prior.
    pub fn train(
        &self,
        features: usize,
        classes: usize,
        settings: &MaxentSettings,
        progress: impl FnMut(usize, f64) -> Result<()>,
    ) -> Result<Estimate> {
        let total = self.classes.iter().map(|&(_, count)| f64::from(count)).sum::<f64>().max(1.0);
        let penalty = settings.penalty(total);
        let mut gradients = Gradients::default();
        let mut weights = vec![0.0; features * classes];
        let evaluate = |weights: &[f64], gradient: &mut [f64]| {
            let part = |range: Range<usize>, own: &mut [f64]| self.part(classes, range, weights, own);
            let value = gradients.sum(self.rows.len(), gradient, part);
            finish(value, weights, gradient, total, penalty)
        };
        let scales = vec![1.0; weights.len()];
        let outcome = minimise(&mut weights, &scales, &settings.search, evaluate, progress)?;
        Ok(Estimate { weights, outcome })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{binary, lbfgs};
    use super::*;

    fn exact(variance: f64) -> MaxentSettings {
        let search = lbfgs::LbfgsSettings { tolerance: 1e-15, max_iterations: 1000, ..Default::default() };
        MaxentSettings { variance, search }
    }

    /// One feature, classes seen 1, 2 and 5 times: with a negligible prior p = 1/8, 2/8, 5/8.
    #[test]
    fn with_a_weak_prior_one_feature_gives_the_frequencies() {
        let mut examples = Examples::default();
        for (class, count) in [(0, 1.0), (1, 2.0), (2, 5.0)] {
            examples.rows.push([0]);
            examples.classes.push((class, count));
        }
        let weights = examples.train(1, 3, &exact(1e6), |_, _| Ok(())).unwrap().weights;
        let mut scores = [0.0; 3];
        log_probabilities(&[0], &weights, &mut scores);
        for (score, wanted) in scores.iter().zip([0.125, 0.25, 0.625]) {
            assert!((score.exp() - wanted).abs() < 1e-5, "{scores:?}");
        }
    }

    /// Two classes with weights ±w/2 are the binary model with weights w; the prior counts both halves, so that
    /// variance 1 here is variance 2 there.
    #[test]
    fn two_classes_are_the_binary_model() {
        let rows: [(&[u32], [f32; 2]); 4] =
            [(&[0, 1], [3.0, 1.0]), (&[0], [1.0, 4.0]), (&[0, 2], [0.0, 2.0]), (&[0, 1, 2], [1.0, 1.0])];
        let (mut two, mut many) = (binary::Examples::default(), Examples::default());
        for (features, counts) in rows {
            two.rows.push(features.iter().copied());
            two.counts.push(counts);
            for (class, count) in counts.into_iter().enumerate() {
                many.rows.push(features.iter().copied());
                many.classes.push((class as u32, count));
            }
        }
        let two = two.train(3, &exact(2.0), |_, _| Ok(())).unwrap().weights;
        let many = many.train(3, 2, &exact(1.0), |_, _| Ok(())).unwrap().weights;
        for feature in 0..3 {
            let difference = many[2 * feature + 1] - many[2 * feature];
            assert!((difference - two[feature]).abs() < 1e-6, "{two:?} {many:?}");
        }
    }
}
