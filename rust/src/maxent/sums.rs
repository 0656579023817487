//! Sums that do not depend on the number of threads: the order of summation depends only on lengths.

use std::ops::Range;

use crate::work::interrupt;
use rayon::prelude::*;

/// Numbers processed by one thread at a time.
const STRETCH: usize = 1 << 15;

/// Sums that are added up independently of each other, so that none waits for the one before.
const LANES: usize = 8;

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let part = |(a, b): (&[f64], &[f64])| {
        let mut lanes = [0.0; LANES];
        let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
        let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
        for (a, b) in a.zip(b) {
            for k in 0..LANES {
                lanes[k] += a[k] * b[k];
            }
        }
        lanes.iter().sum::<f64>() + rest
    };
    if a.len() <= STRETCH {
        return part((a, b));
    }
    let parts: Vec<f64> = a.par_chunks(STRETCH).zip(b.par_chunks(STRETCH)).map(part).collect();
    parts.iter().sum()
}

/// `to` += `scale` · `from`
pub fn add(to: &mut [f64], scale: f64, from: &[f64]) {
    let part = |(to, from): (&mut [f64], &[f64])| {
        to.iter_mut().zip(from).for_each(|(to, from)| *to += scale * from);
    };
    if to.len() <= STRETCH {
        return part((to, from));
    }
    to.par_chunks_mut(STRETCH).zip(from.par_chunks(STRETCH)).for_each(part);
}

/// Sums a value and its gradient over many rows.
#[derive(Default)]
pub struct Gradients {
    /// A gradient for each part of the rows, reused from call to call.
    parts: Vec<Vec<f64>>,
}

impl Gradients {
    /// The highest number of parts: it limits both parallelism and the number of gradients in memory.
    const PARTS: usize = 8;
    /// Fewer rows than this do not justify another part.
    const ROWS: usize = 2048;

    /// Fills `gradient` and returns the value; `part` does this for a range of rows, starting from a gradient of zeros.
    pub fn sum(
        &mut self,
        rows: usize,
        gradient: &mut [f64],
        part: impl Fn(Range<usize>, &mut [f64]) -> f64 + Sync,
    ) -> f64 {
        let number = rows.div_ceil(Self::ROWS).clamp(1, Self::PARTS);
        if number == 1 {
            gradient.fill(0.0);
            return part(0..rows, gradient);
        }
        self.parts.resize_with(number, Vec::new);
        let each = rows.div_ceil(number);
        let values: Vec<f64> = self
            .parts
            .par_iter_mut()
            .enumerate()
            .map(|(k, own)| {
                interrupt::point();
                own.clear();
                own.resize(gradient.len(), 0.0);
                part((k * each).min(rows)..((k + 1) * each).min(rows), own)
            })
            .collect();
        let parts = &self.parts;
        gradient.par_chunks_mut(STRETCH).enumerate().for_each(|(k, piece)| {
            let from = k * STRETCH;
            piece.copy_from_slice(&parts[0][from..from + piece.len()]);
            for other in &parts[1..] {
                piece.iter_mut().zip(&other[from..]).for_each(|(sum, value)| *sum += value);
            }
        });
        values.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_every_row_once() {
        for rows in [0, 1, 2047, 2048, 2049, 5000, 100_000] {
            let mut gradient = vec![7.0; 3];
            let value = Gradients::default().sum(rows, &mut gradient, |range, own| {
                own[1] += range.len() as f64;
                range.map(|row| row as f64).sum()
            });
            assert_eq!(value, (0..rows).map(|row| row as f64).sum::<f64>(), "{rows} rows");
            assert_eq!(gradient, [0.0, rows as f64, 0.0], "{rows} rows");
        }
    }

    #[test]
    fn long_vectors_are_added_and_multiplied_whole() {
        let ones = vec![1.0; 3 * STRETCH + 5];
        let mut twos = ones.clone();
        add(&mut twos, 1.0, &ones);
        assert_eq!(dot(&twos, &ones), 2.0 * ones.len() as f64);
    }
}
