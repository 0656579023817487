//! The propagating probabilities T_l(e, e') between two lists of labels, formula (8), and sums weighted by them.

use std::borrow::Borrow;

use super::profiles::{Overlap, Profile};
use super::similarity::Measure;
use crate::error::{Error, Result};

/// How label similarities are normalised to the propagating probability T_l(e, e').
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalisation {
    /// Over the labels of the neighbour, formula (8). A neighbour with a single label then has T_l = 1 for every label
    /// that shares anything with it.
    Neighbour,
    /// Over the receiving labels: the p of a neighbour's label is divided among them.
    Receiver,
    /// No normalisation: T_l is the similarity.
    None,
}

impl Normalisation {
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "neighbour" => Ok(Normalisation::Neighbour),
            "receiver" => Ok(Normalisation::Receiver),
            "plain" => Ok(Normalisation::None),
            _ => Err(Error::option(format!(
                "unknown normalisation {name:?}; expected 'neighbour', 'receiver' or 'plain'."
            ))),
        }
    }
}

/// Which list of a pair receives: the first (rows) or the second (columns).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivers {
    Rows,
    Columns,
}

/// T_l in both directions between the labels of one list (rows) and those of another (columns), for each measure.
///
/// Similarities are symmetric, so they are stored once and unnormalised, together with their sums. Double precision is
/// needed only for ties: formula (8) gives many labels the same sum, and rounding to 32 bits would order them
/// arbitrarily.
pub struct Transfers {
    normalised: Normalisation,
    rows: usize,
    columns: usize,
    /// Row sums, column sums, then similarities row by row; `None` if all are 0.
    measures: Vec<Option<Box<[f64]>>>,
}

impl Transfers {
    pub fn new<P: Borrow<Profile>>(
        measures: &[Measure],
        normalised: Normalisation,
        rows: &[P],
        columns: &[P],
    ) -> Self {
        let (height, width) = (rows.len(), columns.len());
        let sums = height + width;
        let mut made = vec![vec![0f64; sums + height * width]; measures.len()];
        for (row, own) in rows.iter().map(Borrow::borrow).enumerate() {
            for (column, other) in columns.iter().map(Borrow::borrow).enumerate() {
                let overlap = Overlap::new(own, other);
                for (matrix, measure) in made.iter_mut().zip(measures) {
                    matrix[sums + row * width + column] = measure.of_labels(&overlap, own, other);
                }
            }
        }
        let finished = |mut matrix: Vec<f64>| {
            let (sums, values) = matrix.split_at_mut(sums);
            let (by_row, by_column) = sums.split_at_mut(height);
            for (row, sum) in values.chunks(width.max(1)).zip(by_row) {
                for (value, below) in row.iter().zip(by_column.iter_mut()) {
                    *sum += value;
                    *below += value;
                }
            }
            let any = sums.iter().any(|&sum| sum > 0.0);
            // Where all similarities are 0, divide by 1.
            sums.iter_mut().filter(|sum| **sum == 0.0).for_each(|sum| *sum = 1.0);
            any.then(|| matrix.into_boxed_slice())
        };
        let measures = made.into_iter().map(finished).collect();
        Transfers { normalised, rows: height, columns: width, measures }
    }

    /// Upper bound on the bytes of similarities for these numbers of measures and labels.
    pub fn most_bytes(measures: usize, rows: usize, columns: usize) -> usize {
        measures * (rows * columns + rows + columns) * size_of::<f64>()
    }

    pub fn bytes(&self) -> usize {
        self.measures.iter().flatten().map(|matrix| size_of_val(&**matrix)).sum()
    }

    fn parts(matrix: &[f64], rows: usize, columns: usize) -> (&[f64], &[f64], &[f64]) {
        let (sums, values) = matrix.split_at(rows + columns);
        let (by_row, by_column) = sums.split_at(rows);
        (by_row, by_column, values)
    }

    /// T_l of one row as the receiver, from each column, for one measure.
    pub fn of_row(&self, measure: usize, row: usize) -> Vec<f64> {
        let Some(matrix) = &self.measures[measure] else { return vec![0.0; self.columns] };
        let (by_row, by_column, values) = Self::parts(matrix, self.rows, self.columns);
        let own = values[row * self.columns..][..self.columns].iter();
        match self.normalised {
            Normalisation::None => own.copied().collect(),
            Normalisation::Neighbour => own.map(|value| value / by_row[row]).collect(),
            Normalisation::Receiver => own.zip(by_column).map(|(value, sum)| value / sum).collect(),
        }
    }

    /// Adds `share` times the sum over the neighbour's labels of T_l times p, for each receiving label and measure.
    /// Both `p` and `sums` are ordered by measure, then label.
    pub fn receive(&self, toward: Receivers, p: &[f64], share: f64, sums: &mut [f64]) {
        let (own, others) = match toward {
            Receivers::Rows => (self.rows, self.columns),
            Receivers::Columns => (self.columns, self.rows),
        };
        for (measure, matrix) in self.measures.iter().enumerate() {
            let Some(matrix) = matrix else { continue };
            let p = &p[measure * others..][..others];
            let sums = &mut sums[measure * own..][..own];
            let parts = Self::parts(matrix, self.rows, self.columns);
            match toward {
                Receivers::Rows => to_rows(self.normalised, parts, p, share, sums),
                Receivers::Columns => to_columns(self.normalised, parts, p, share, sums),
            }
        }
    }
}

/// Sums of rows, sums of columns, values.
type Parts<'a> = (&'a [f64], &'a [f64], &'a [f64]);

fn to_rows(normalised: Normalisation, parts: Parts<'_>, p: &[f64], share: f64, sums: &mut [f64]) {
    let (by_row, by_column, values) = parts;
    for ((sum, row), &all) in sums.iter_mut().zip(values.chunks(p.len())).zip(by_row) {
        let pairs = row.iter().zip(p);
        let received: f64 = match normalised {
            Normalisation::None => pairs.map(|(&value, p)| value * p).sum(),
            Normalisation::Neighbour => pairs.map(|(value, p)| (value / all) * p).sum(),
            Normalisation::Receiver => pairs.zip(by_column).map(|((value, p), all)| (value / all) * p).sum(),
        };
        *sum += share * received;
    }
}

/// Like [`to_rows`] with the columns as receivers; the sum for each label runs over rows, in the same order.
fn to_columns(normalised: Normalisation, parts: Parts<'_>, p: &[f64], share: f64, sums: &mut [f64]) {
    let (by_row, by_column, values) = parts;
    let mut received = vec![0.0; sums.len()];
    for ((p, row), &all) in p.iter().zip(values.chunks(sums.len())).zip(by_row) {
        let pairs = received.iter_mut().zip(row);
        match normalised {
            Normalisation::None => pairs.for_each(|(sum, &value)| *sum += value * p),
            Normalisation::Receiver => pairs.for_each(|(sum, value)| *sum += (value / all) * p),
            Normalisation::Neighbour => {
                let pairs = pairs.zip(by_column);
                pairs.for_each(|((sum, value), all)| *sum += (value / all) * p);
            }
        }
    }
    sums.iter_mut().zip(received).for_each(|(sum, received)| *sum += share * received);
}

/// The maximum memory for similarities that are used once.
const BLOCK_BYTES: usize = 64 << 20;

/// Transfers that are used once: their similarities are computed in blocks of at most 64 MiB, and none is kept.
pub struct BlockedTransfers<'a> {
    measures: &'a [Measure],
    normalised: Normalisation,
    bytes: usize,
}

impl<'a> BlockedTransfers<'a> {
    pub fn new(measures: &'a [Measure], normalised: Normalisation) -> Self {
        Self { measures, normalised, bytes: BLOCK_BYTES }
    }

    /// Adds what [`Transfers::receive`] adds for rows.
    pub fn receive<P: Borrow<Profile>>(
        &self,
        rows: &[P],
        columns: &[P],
        p: &[f64],
        share: f64,
        sums: &mut [f64],
    ) {
        let Self { measures, normalised, bytes } = *self;
        let fitting =
            |across: usize| (bytes / Transfers::most_bytes(measures.len(), 1, across).max(1)).max(1);
        match normalised {
            // Sums over rows must be whole, so blocks have all rows.
            Normalisation::Receiver => {
                let size = fitting(rows.len());
                for (number, block) in columns.chunks(size).enumerate() {
                    let own = of_block(p, columns.len(), number * size, block.len());
                    Transfers::new(measures, normalised, rows, block).receive(
                        Receivers::Rows,
                        &own,
                        share,
                        sums,
                    );
                }
            }
            Normalisation::Neighbour | Normalisation::None => {
                let size = fitting(columns.len());
                for (number, block) in rows.chunks(size).enumerate() {
                    let first = number * size;
                    let mut own = of_block(sums, rows.len(), first, block.len());
                    let transfers = Transfers::new(measures, normalised, block, columns);
                    transfers.receive(Receivers::Rows, p, share, &mut own);
                    for (all, own) in sums.chunks_mut(rows.len()).zip(own.chunks(block.len())) {
                        all[first..first + block.len()].copy_from_slice(own);
                    }
                }
            }
        }
    }
}

/// T_l of one row as the receiver, from each column, for each measure; similarities are not kept.
pub fn one_row(
    measures: &[Measure],
    normalised: Normalisation,
    rows: &[Profile],
    columns: &[Profile],
    row: usize,
) -> Vec<Vec<f64>> {
    if normalised != Normalisation::Receiver {
        let made = Transfers::new(measures, normalised, &rows[row..=row], columns);
        return (0..measures.len()).map(|number| made.of_row(number, 0)).collect();
    }
    // Sums over the receivers need the other rows.
    let mut found = vec![Vec::with_capacity(columns.len()); measures.len()];
    for column in columns {
        let made = Transfers::new(measures, normalised, rows, std::slice::from_ref(column));
        found.iter_mut().enumerate().for_each(|(number, values)| values.extend(made.of_row(number, row)));
    }
    found
}

/// Some labels' values by measure, of those of `labels` labels.
pub fn of_block(values: &[f64], labels: usize, first: usize, size: usize) -> Vec<f64> {
    values.chunks(labels.max(1)).flat_map(|one| &one[first..first + size]).copied().collect()
}

/// Reorders values from measure-major to label-major.
pub fn by_label(values: &[f64], measures: usize) -> Vec<f64> {
    let labels = values.len() / measures.max(1);
    let of_label = |label: usize| (0..measures).map(move |measure| values[measure * labels + label]);
    (0..labels).flat_map(of_label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::ngrams::Ngrams;
    use crate::metric::random::Random;

    fn matrix(transfers: &Transfers, measure: usize) -> Vec<f64> {
        (0..transfers.rows).flat_map(|row| transfers.of_row(measure, row)).collect()
    }

    #[test]
    fn propagating_probabilities_by_hand() {
        let known = &mut Ngrams::default();
        let receivers = [Profile::new(known, &[1, 2], 4), Profile::new(known, &[1, 3], 4)];
        let labels = [Profile::new(known, &[1, 2], 4), Profile::new(known, &[2, 3], 4)];
        // Dice of words: (1 2, 1 2) = 1, (1 2, 2 3) = 2/4, (1 3, 1 2) = 2/4, (1 3, 2 3) = 2/4.
        let found =
            |normalised| matrix(&Transfers::new(&[Measure::Dice(1)], normalised, &receivers, &labels), 0);
        assert_eq!(found(Normalisation::None), [1.0, 0.5, 0.5, 0.5]);
        assert_eq!(found(Normalisation::Neighbour), [1.0 / 1.5, 0.5 / 1.5, 0.5, 0.5]);
        assert_eq!(found(Normalisation::Receiver), [1.0 / 1.5, 0.5, 0.5 / 1.5, 0.5]);
        // No bigram in common, and equal strings have 1 in any measure.
        let both = [Measure::Dice(2), Measure::Identity];
        let made = Transfers::new(&both, Normalisation::Neighbour, &receivers, &labels);
        assert_eq!([matrix(&made, 0), matrix(&made, 1)], [[1.0, 0.0, 0.0, 0.0]; 2].map(Vec::from));
    }

    #[test]
    fn both_directions_are_in_one_pair() {
        let known = &mut Ngrams::default();
        let mut profile = |words: &[u32]| Profile::new(known, words, 4);
        let one = [profile(&[1, 2, 3]), profile(&[1, 2]), profile(&[4])];
        let other = [profile(&[2, 3]), profile(&[1, 2, 5])];
        let measures = [Measure::Dice(1), Measure::Dice(2), Measure::Bleu, Measure::Dice(4)];
        for normalised in [Normalisation::Neighbour, Normalisation::Receiver, Normalisation::None] {
            let (forth, back) = (
                Transfers::new(&measures, normalised, &one, &other),
                Transfers::new(&measures, normalised, &other, &one),
            );
            for (toward, labels, from) in [(Receivers::Rows, 3, 2), (Receivers::Columns, 2, 3)] {
                let p: Vec<f64> = (0..measures.len() * from).map(|k| 0.1 + 0.07 * k as f64).collect();
                let turned = if toward == Receivers::Rows { Receivers::Columns } else { Receivers::Rows };
                let mut sums = [vec![0.5; measures.len() * labels], vec![0.5; measures.len() * labels]];
                forth.receive(toward, &p, 0.3, &mut sums[0]);
                back.receive(turned, &p, 0.3, &mut sums[1]);
                assert_eq!(sums[0], sums[1]);
                assert!(sums[0].iter().any(|&sum| sum > 0.5));
            }
            // Nothing is stored for four-grams, since no label has one.
            assert_eq!(forth.bytes(), Transfers::most_bytes(3, 3, 2));
        }
    }

    #[test]
    fn blocks_add_up_to_the_whole() {
        let known = &mut Ngrams::default();
        let mut random = Random::new(11, 0);
        let mut list = |labels: usize| -> Vec<Profile> {
            let mut words = || (0..1 + random.below(4)).map(|_| random.below(5) as u32).collect::<Vec<_>>();
            (0..labels).map(|_| Profile::new(known, &words(), 4)).collect()
        };
        let (rows, columns) = (list(7), list(5));
        let measures = [Measure::Dice(1), Measure::Dice(2), Measure::Bleu];
        let p: Vec<f64> = (0..measures.len() * columns.len()).map(|k| 0.1 + 0.03 * k as f64).collect();
        for normalised in [Normalisation::Neighbour, Normalisation::Receiver, Normalisation::None] {
            let mut wanted = vec![0.25; measures.len() * rows.len()];
            let whole = Transfers::new(&measures, normalised, &rows, &columns);
            whole.receive(Receivers::Rows, &p, 0.7, &mut wanted);
            for bytes in [0, 400, 700, BLOCK_BYTES] {
                let mut found = vec![0.25; wanted.len()];
                BlockedTransfers { measures: &measures, normalised, bytes }
                    .receive(&rows, &columns, &p, 0.7, &mut found);
                let near = found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-12);
                assert!(near, "{normalised:?} in blocks of {bytes} bytes: {found:?}, not {wanted:?}");
            }
        }
    }
}
