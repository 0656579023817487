//! Features in at most 255 bins, for gradient boosting.

use rayon::prelude::*;

use super::predictor::Table;
use crate::work::interrupt;

/// Most bins of a feature.
pub const MAX_BINS: usize = 255;
/// Rows that the limits between bins are chosen from, evenly spaced.
const SAMPLE: usize = 1 << 16;

/// A table column by column, each value as the number of its bin.
pub struct Binned {
    pub rows: usize,
    /// The bins of each feature.
    pub columns: Vec<Vec<u8>>,
    /// For each feature the largest value of every bin but the last.
    pub limits: Vec<Vec<f32>>,
}

impl Binned {
    pub fn new(table: &Table<'_>) -> Self {
        let column = |feature: usize| {
            interrupt::point();
            let limits = limits(table, feature);
            let bin = |row: usize| {
                let value = table.row(row)[feature];
                limits.partition_point(|&limit| limit < value) as u8
            };
            let bins = (0..table.len()).map(bin).collect();
            (bins, limits)
        };
        let (columns, limits) = (0..table.features).into_par_iter().map(column).unzip();
        Binned { rows: table.len(), columns, limits }
    }
}

/// Limits between bins that hold about the same number of rows, or one value each if there are few values.
fn limits(table: &Table<'_>, feature: usize) -> Vec<f32> {
    let rows = table.len();
    let taken = rows.min(SAMPLE);
    let mut values: Vec<f32> = (0..taken).map(|k| table.row(k * rows / taken)[feature]).collect();
    values.sort_unstable_by(f32::total_cmp);
    let mut different = values.clone();
    different.dedup();
    let mut limits: Vec<f32> = if different.len() <= MAX_BINS {
        different.windows(2).map(|pair| between(pair[0], pair[1])).collect()
    } else {
        (1..MAX_BINS).map(|k| k * taken / MAX_BINS).map(|at| between(values[at - 1], values[at])).collect()
    };
    limits.dedup();
    limits
}

/// A value at least `low` and below `high`, near their middle; `low` where they are equal.
fn between(low: f32, high: f32) -> f32 {
    let middle = low + (high - low) / 2.0;
    if middle < high {
        middle
    } else {
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_keep_the_order_of_values() {
        for (rows, modulus) in [(1usize, 7usize), (40, 7), (3000, 1009), (3000, 255), (70_000, 60_001)] {
            let values: Vec<f32> = (0..rows).map(|row| (row * 31 % modulus) as f32 / 3.0).collect();
            let labels = vec![0; rows];
            let table = Table { values: &values, labels: &labels, features: 1, rows: None };
            let binned = Binned::new(&table);
            let (limits, bins) = (&binned.limits[0], &binned.columns[0]);
            assert!(limits.len() < MAX_BINS && limits.windows(2).all(|pair| pair[0] < pair[1]));
            for (&value, &bin) in values.iter().zip(bins) {
                let bin = usize::from(bin);
                assert!(bin == 0 || limits[bin - 1] < value);
                assert!(bin == limits.len() || value <= limits[bin]);
            }
            if rows > modulus && modulus <= MAX_BINS {
                assert_eq!(limits.len() + 1, modulus);
            }
        }
        assert_eq!(between(1.0, 1.0f32.next_up()), 1.0);
    }
}
