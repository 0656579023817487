//! The propagating probabilities T_l(e, e') between two lists of labels, formula (8), and what is heard through them.

use super::profiles::{Overlap, Profile};
use super::similarity::Measure;
use crate::error::{Error, Result};

/// How a similarity of labels becomes the propagating probability T_l(e, e').
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalised {
    /// Over the labels of the neighbour, formula (8). A neighbour with one label then says the same, 1, of every label
    /// that has anything in common with it.
    Neighbour,
    /// Over the labels that receive: what a neighbour has to give is divided among them.
    Receiver,
    /// Not at all: T_l is the similarity.
    Not,
}

impl Normalised {
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "neighbour" => Ok(Normalised::Neighbour),
            "receiver" => Ok(Normalised::Receiver),
            "plain" => Ok(Normalised::Not),
            _ => Err(Error::option(format!(
                "similarities are normalised over 'neighbour' or 'receiver' or left 'plain', not {name:?}."
            ))),
        }
    }
}

/// Who receives: the labels of the first list of a pair, or those of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    Rows,
    Columns,
}

/// T_l in both directions between the labels of one list (rows) and those of another (columns), by each measure.
///
/// Similarities are the same from either side, so they are kept once, as they are, with the sums that normalise them. They have
/// twice the precision that they need for anything but ties: formula (8) gives many labels the same sum, and rounding in 32
/// bits would put them into an order.
pub struct Transfers {
    normalised: Normalised,
    rows: usize,
    columns: usize,
    /// Sums of the rows, sums of the columns, similarities row by row; nothing where all are 0.
    measures: Vec<Option<Box<[f64]>>>,
}

impl Transfers {
    pub fn new(measures: &[Measure], normalised: Normalised, rows: &[Profile], columns: &[Profile]) -> Self {
        let (height, width) = (rows.len(), columns.len());
        let sums = height + width;
        let mut made = vec![vec![0f64; sums + height * width]; measures.len()];
        for (row, own) in rows.iter().enumerate() {
            for (column, other) in columns.iter().enumerate() {
                let overlap = Overlap::new(own, other);
                for (matrix, measure) in made.iter_mut().zip(measures) {
                    matrix[sums + row * width + column] = measure.of(&overlap, own, other);
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
            // What has nothing in common is divided by 1.
            sums.iter_mut().filter(|sum| **sum == 0.0).for_each(|sum| *sum = 1.0);
            any.then(|| matrix.into_boxed_slice())
        };
        let measures = made.into_iter().map(finished).collect();
        Transfers { normalised, rows: height, columns: width, measures }
    }

    /// The most bytes that the similarities of so many labels take.
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

    /// T_l of a row as it receives from each column, by one measure.
    pub fn of_row(&self, measure: usize, row: usize) -> Vec<f64> {
        let Some(matrix) = &self.measures[measure] else { return vec![0.0; self.columns] };
        let (by_row, by_column, values) = Self::parts(matrix, self.rows, self.columns);
        let own = values[row * self.columns..][..self.columns].iter();
        match self.normalised {
            Normalised::Not => own.copied().collect(),
            Normalised::Neighbour => own.map(|value| value / by_row[row]).collect(),
            Normalised::Receiver => own.zip(by_column).map(|(value, sum)| value / sum).collect(),
        }
    }

    /// Adds `share` times the sum over the neighbour's labels of T_l times p, for each receiving label and measure. Both p
    /// and the sums are by measure, then label.
    pub fn receive(&self, toward: Toward, p: &[f64], share: f64, sums: &mut [f64]) {
        let (own, others) = match toward {
            Toward::Rows => (self.rows, self.columns),
            Toward::Columns => (self.columns, self.rows),
        };
        for (measure, matrix) in self.measures.iter().enumerate() {
            let Some(matrix) = matrix else { continue };
            let p = &p[measure * others..][..others];
            let sums = &mut sums[measure * own..][..own];
            let parts = Self::parts(matrix, self.rows, self.columns);
            match toward {
                Toward::Rows => to_rows(self.normalised, parts, p, share, sums),
                Toward::Columns => to_columns(self.normalised, parts, p, share, sums),
            }
        }
    }
}

/// Sums of rows, sums of columns, values.
type Parts<'a> = (&'a [f64], &'a [f64], &'a [f64]);

fn to_rows(normalised: Normalised, parts: Parts<'_>, p: &[f64], share: f64, sums: &mut [f64]) {
    let (by_row, by_column, values) = parts;
    for ((sum, row), &all) in sums.iter_mut().zip(values.chunks(p.len())).zip(by_row) {
        let pairs = row.iter().zip(p);
        let heard: f64 = match normalised {
            Normalised::Not => pairs.map(|(&value, p)| value * p).sum(),
            Normalised::Neighbour => pairs.map(|(value, p)| (value / all) * p).sum(),
            Normalised::Receiver => pairs.zip(by_column).map(|((value, p), all)| (value / all) * p).sum(),
        };
        *sum += share * heard;
    }
}

/// The same the other way; of a receiving label the sum runs over rows, in the same order.
fn to_columns(normalised: Normalised, parts: Parts<'_>, p: &[f64], share: f64, sums: &mut [f64]) {
    let (by_row, by_column, values) = parts;
    let mut heard = vec![0.0; sums.len()];
    for ((p, row), &all) in p.iter().zip(values.chunks(sums.len())).zip(by_row) {
        let pairs = heard.iter_mut().zip(row);
        match normalised {
            Normalised::Not => pairs.for_each(|(sum, &value)| *sum += value * p),
            Normalised::Receiver => pairs.for_each(|(sum, value)| *sum += (value / all) * p),
            Normalised::Neighbour => {
                let pairs = pairs.zip(by_column);
                pairs.for_each(|((sum, value), all)| *sum += (value / all) * p);
            }
        }
    }
    sums.iter_mut().zip(heard).for_each(|(sum, heard)| *sum += share * heard);
}

/// Values by measure and label as values by label and measure.
pub fn by_label(values: &[f64], measures: usize) -> Vec<f64> {
    let labels = values.len() / measures.max(1);
    let of_label = |label: usize| (0..measures).map(move |measure| values[measure * labels + label]);
    (0..labels).flat_map(of_label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::ngrams::Ngrams;

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
        assert_eq!(found(Normalised::Not), [1.0, 0.5, 0.5, 0.5]);
        assert_eq!(found(Normalised::Neighbour), [1.0 / 1.5, 0.5 / 1.5, 0.5, 0.5]);
        assert_eq!(found(Normalised::Receiver), [1.0 / 1.5, 0.5, 0.5 / 1.5, 0.5]);
        // No bigram in common, and equal strings have 1 in any measure.
        let both = [Measure::Dice(2), Measure::Identity];
        let made = Transfers::new(&both, Normalised::Neighbour, &receivers, &labels);
        assert_eq!([matrix(&made, 0), matrix(&made, 1)], [[1.0, 0.0, 0.0, 0.0]; 2].map(Vec::from));
    }

    #[test]
    fn both_directions_are_in_one_pair() {
        let known = &mut Ngrams::default();
        let mut profile = |words: &[u32]| Profile::new(known, words, 4);
        let one = [profile(&[1, 2, 3]), profile(&[1, 2]), profile(&[4])];
        let other = [profile(&[2, 3]), profile(&[1, 2, 5])];
        let measures = [Measure::Dice(1), Measure::Dice(2), Measure::Bleu, Measure::Dice(4)];
        for normalised in [Normalised::Neighbour, Normalised::Receiver, Normalised::Not] {
            let (forth, back) = (
                Transfers::new(&measures, normalised, &one, &other),
                Transfers::new(&measures, normalised, &other, &one),
            );
            for (toward, labels, from) in [(Toward::Rows, 3, 2), (Toward::Columns, 2, 3)] {
                let p: Vec<f64> = (0..measures.len() * from).map(|k| 0.1 + 0.07 * k as f64).collect();
                let turned = if toward == Toward::Rows { Toward::Columns } else { Toward::Rows };
                let mut sums = [vec![0.5; measures.len() * labels], vec![0.5; measures.len() * labels]];
                forth.receive(toward, &p, 0.3, &mut sums[0]);
                back.receive(turned, &p, 0.3, &mut sums[1]);
                assert_eq!(sums[0], sums[1]);
                assert!(sums[0].iter().any(|&sum| sum > 0.5));
            }
            // Nothing is kept of four-grams, which nobody has.
            assert_eq!(forth.bytes(), Transfers::most_bytes(3, 3, 2));
        }
    }
}
