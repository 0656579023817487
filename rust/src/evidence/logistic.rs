//! Logistic regression on standardised features, by Newton's method.

use rayon::prelude::*;

use super::predictor::Table;
use crate::error::{Error, Result};
use crate::work::interrupt;

/// Rows summed up at a time; the sums are the same for any number of threads.
const CHUNK: usize = 4096;
const MAX_ITERATIONS: usize = 100;
/// The search ends when a step promises to lower the mean loss by no more than this.
const TOLERANCE: f64 = 1e-14;

#[derive(Clone, Copy, Debug)]
pub struct LogisticSettings {
    /// Inverse strength of the L2 penalty: ½‖w‖² + C Σ loss is minimised, without a penalty on the bias.
    pub c: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Logistic {
    pub bias: f64,
    pub means: Vec<f64>,
    /// Standard deviations; 1 for a feature that never changes.
    pub scales: Vec<f64>,
    pub weights: Vec<f64>,
}

impl Logistic {
    pub fn fit(table: &Table<'_>, settings: &LogisticSettings) -> Result<Self> {
        let (means, scales) = standardisation(table);
        let mut model = Logistic { bias: table.base(), means, scales, weights: vec![0.0; table.features] };
        if table.is_constant() {
            return Ok(model);
        }
        let mut point = vec![0.0; table.features + 1];
        point[table.features] = model.bias;
        let rows = table.len() as f64;
        let mut now = model.loss(table, settings, &point);
        for _ in 0..MAX_ITERATIONS {
            let (gradient, hessian) = (now.gradient.clone(), now.hessian.clone());
            let step = solve(hessian, gradient.clone())
                .ok_or_else(|| Error::internal("a logistic regression has no unique solution."))?;
            let promised: f64 = step.iter().zip(&gradient).map(|(step, slope)| step * slope).sum();
            if promised <= TOLERANCE * rows * settings.c {
                break;
            }
            // Full steps converge from any point in practice; halving makes sure of it.
            let mut length = 1.0;
            let next = loop {
                let moved: Vec<f64> = point.iter().zip(&step).map(|(at, by)| at - length * by).collect();
                let there = model.loss(table, settings, &moved);
                if there.value <= now.value || length < 1e-6 {
                    break (moved, there);
                }
                length /= 2.0;
            };
            if next.1.value > now.value {
                break;
            }
            (point, now) = next;
        }
        model.bias = point.pop().unwrap_or_default();
        model.weights = point;
        Ok(model)
    }

    /// ln (p / (1 − p)) of a row.
    pub fn score(&self, row: &[f32]) -> f64 {
        let parts = row.iter().zip(&self.means).zip(&self.scales).zip(&self.weights);
        self.bias + parts.map(|(((&x, mean), scale), w)| w * ((f64::from(x) - mean) / scale)).sum::<f64>()
    }

    fn loss(&self, table: &Table<'_>, settings: &LogisticSettings, point: &[f64]) -> Loss {
        let chunks = table.len().div_ceil(CHUNK);
        let part = |chunk: usize| {
            interrupt::point();
            let mut loss = Loss::new(point.len());
            let mut x = vec![1.0; point.len()];
            for row in chunk * CHUNK..((chunk + 1) * CHUNK).min(table.len()) {
                for (k, &value) in table.row(row).iter().enumerate() {
                    x[k] = (f64::from(value) - self.means[k]) / self.scales[k];
                }
                loss.add(&x, point, f64::from(table.label(row)));
            }
            loss
        };
        let parts: Vec<Loss> = (0..chunks).into_par_iter().map(part).collect();
        let mut whole = Loss::new(point.len());
        parts.iter().for_each(|part| whole.add_loss(part, settings.c));
        let features = point.len() - 1;
        for (k, &w) in point[..features].iter().enumerate() {
            whole.value += 0.5 * w * w;
            whole.gradient[k] += w;
            whole.hessian[k * point.len() + k] += 1.0;
        }
        whole
    }
}

/// A value with its first and second derivatives.
struct Loss {
    value: f64,
    gradient: Vec<f64>,
    /// Row by row; only the lower triangle is filled.
    hessian: Vec<f64>,
}

impl Loss {
    fn new(size: usize) -> Self {
        Loss { value: 0.0, gradient: vec![0.0; size], hessian: vec![0.0; size * size] }
    }

    fn add(&mut self, x: &[f64], point: &[f64], label: f64) {
        let score: f64 = x.iter().zip(point).map(|(x, w)| x * w).sum();
        let p = sigmoid(score);
        // ln(1 + e^score) − label · score, without overflow.
        self.value += score.max(0.0) + (-score.abs()).exp().ln_1p() - label * score;
        let curvature = p * (1.0 - p);
        for (k, &a) in x.iter().enumerate() {
            self.gradient[k] += (p - label) * a;
            let row = &mut self.hessian[k * x.len()..k * x.len() + k + 1];
            row.iter_mut().zip(x).for_each(|(sum, b)| *sum += curvature * a * b);
        }
    }

    fn add_loss(&mut self, other: &Loss, scale: f64) {
        self.value += scale * other.value;
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(sum, value)| *sum += scale * value);
        self.hessian.iter_mut().zip(&other.hessian).for_each(|(sum, value)| *sum += scale * value);
    }
}

pub fn sigmoid(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

/// Mean and standard deviation of each feature.
fn standardisation(table: &Table<'_>) -> (Vec<f64>, Vec<f64>) {
    let rows = table.len().max(1) as f64;
    let column = |k: usize| {
        let values = || (0..table.len()).map(move |row| f64::from(table.row(row)[k]));
        let mean = values().sum::<f64>() / rows;
        let variance = values().map(|value| (value - mean) * (value - mean)).sum::<f64>() / rows;
        // Rounding alone must not make a feature of a constant.
        let is_constant = variance.sqrt() <= 1e-7 * mean.abs().max(f64::MIN_POSITIVE);
        (mean, if is_constant { 1.0 } else { variance.sqrt() })
    };
    (0..table.features).into_par_iter().map(column).unzip()
}

/// x with A x = b for a positive definite A, given as its lower triangle; `None` if A is not positive definite.
fn solve(mut a: Vec<f64>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - sum;
            if i == j && rest <= 0.0 {
                return None;
            }
            a[i * n + j] = if i == j { rest.sqrt() } else { rest / a[j * n + j] };
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| a[i * n + k] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[k * n + i] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i * n + i];
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_of_equations_is_solved() {
        // [[4, 2], [2, 3]] x = [8, 8] has the solution [1, 2].
        let found = solve(vec![4.0, 0.0, 2.0, 3.0], vec![8.0, 8.0]).unwrap();
        assert!((found[0] - 1.0).abs() < 1e-12 && (found[1] - 2.0).abs() < 1e-12);
        assert!(solve(vec![0.0], vec![1.0]).is_none());
    }

    /// With one feature of ±1 the standardised feature is the same, and the gradient can be written down: at the minimum
    /// w = C · Σ (label − p) x and Σ (label − p) = 0.
    #[test]
    fn the_minimum_satisfies_its_equations() {
        let values = [1.0f32, 1.0, 1.0, -1.0, -1.0, -1.0];
        let labels = [1u8, 1, 0, 0, 0, 1];
        let table = Table { values: &values, labels: &labels, features: 1, rows: None };
        let model = Logistic::fit(&table, &LogisticSettings { c: 1.0 }).unwrap();
        let residual = |row: usize| f64::from(labels[row]) - sigmoid(model.score(&values[row..row + 1]));
        let slope: f64 = (0..6).map(|row| residual(row) * f64::from(values[row])).sum();
        assert!((model.weights[0] - slope).abs() < 1e-9 && model.weights[0] > 0.1);
        assert!((0..6).map(residual).sum::<f64>().abs() < 1e-9);
    }
}
