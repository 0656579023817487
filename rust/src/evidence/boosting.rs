//! Gradient boosting of regression trees on binned features, for the log-loss of two classes (Friedman 2001; histograms
//! and growth by leaves as in LightGBM, Ke et al. 2017).

use super::bins::Binned;
use super::logistic::sigmoid;
use super::predictor::Table;
use super::tree::{Grower, Slope, Tree};
use crate::work::interrupt;

#[derive(Clone, Copy, Debug)]
pub struct BoostingSettings {
    pub trees: usize,
    /// What the values of the leaves are multiplied with.
    pub rate: f64,
    /// Most leaves of a tree.
    pub leaves: usize,
    /// Fewest rows of a leaf.
    pub leaf_rows: usize,
    /// L2 penalty on the values of the leaves.
    pub penalty: f64,
}

impl Default for BoostingSettings {
    fn default() -> Self {
        BoostingSettings { trees: 120, rate: 0.08, leaves: 15, leaf_rows: 60, penalty: 1.0 }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Boosted {
    /// The score before any tree.
    pub base: f64,
    pub trees: Vec<Tree>,
}

impl Boosted {
    pub fn fit(table: &Table<'_>, settings: &BoostingSettings) -> Self {
        let base = table.base();
        let mut trees = Vec::new();
        if table.is_constant() {
            return Boosted { base, trees };
        }
        let binned = Binned::new(table);
        let mut grower = Grower::new(&binned, settings);
        let mut scores = vec![base; table.len()];
        let mut slopes = vec![Slope::default(); table.len()];
        for _ in 0..settings.trees {
            interrupt::point();
            for ((slope, &score), row) in slopes.iter_mut().zip(&scores).zip(0..) {
                let p = sigmoid(score);
                slope.first = (p - f64::from(table.label(row))) as f32;
                slope.second = (p * (1.0 - p)) as f32;
            }
            trees.push(grower.grow(&slopes, &mut scores));
        }
        Boosted { base, trees }
    }

    /// ln (p / (1 − p)) of a row.
    pub fn score(&self, row: &[f32]) -> f64 {
        self.base + self.trees.iter().map(|tree| tree.value(row)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One feature of two values, one tree of two leaves: the value of a leaf is −rate · G / (H + penalty).
    #[test]
    fn the_first_leaves_worked_by_hand() {
        let values = [0.0f32, 0.0, 0.0, 1.0, 1.0, 1.0];
        let labels = [0u8, 0, 1, 1, 1, 1];
        let table = Table { values: &values, labels: &labels, features: 1, rows: None };
        let settings = BoostingSettings { trees: 1, rate: 0.5, leaves: 2, leaf_rows: 1, penalty: 1.0 };
        let model = Boosted::fit(&table, &settings);
        // p = 4/6 everywhere: slopes 2/3 and −1/3, curvature 2/9.
        assert!((model.base - 2f64.ln()).abs() < 1e-12);
        let left = -0.5 * (2.0 / 3.0 + 2.0 / 3.0 - 1.0 / 3.0) / (3.0 * 2.0 / 9.0 + 1.0);
        let right = -0.5 * (-1.0) / (3.0 * 2.0 / 9.0 + 1.0);
        let found: Vec<f64> = [0.0, 1.0].iter().map(|&x| model.score(&[x]) - model.base).collect();
        assert!((found[0] - left).abs() < 1e-6 && (found[1] - right).abs() < 1e-6, "{found:?}");
        assert_eq!(model.trees[0].nodes[0].limit, 0.5);
    }

    #[test]
    fn no_leaf_is_smaller_than_allowed() {
        let values: Vec<f32> = (0..500).map(|row| row as f32).collect();
        let labels: Vec<u8> = (0..500).map(|row| u8::from(row / 7 % 3 == 0)).collect();
        let table = Table { values: &values, labels: &labels, features: 1, rows: None };
        let settings = BoostingSettings { trees: 20, leaf_rows: 60, ..Default::default() };
        for tree in &Boosted::fit(&table, &settings).trees {
            let mut rows = std::collections::BTreeMap::new();
            for value in &values {
                *rows.entry(tree.value(&[*value]).to_bits()).or_insert(0) += 1;
            }
            assert!(rows.values().all(|&rows| rows >= 60), "{rows:?}");
            assert!(tree.nodes.len() < 2 * 15);
        }
    }
}
