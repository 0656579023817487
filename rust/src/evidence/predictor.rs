//! A classifier for each n-gram order: the probability that the reference has the n-gram of a row.

use rayon::prelude::*;

use super::boosting::{Boosted, BoostingSettings};
use super::features::{logit, FEATURES};
use super::logistic::{sigmoid, Logistic, LogisticSettings};
use super::rows::Rows;
use super::ORDERS;
use crate::error::{Error, Result};
use crate::work::interrupt;

/// Rows predicted at a time.
const CHUNK: usize = 4096;

/// Labelled rows, or some of them.
pub struct Table<'a> {
    /// `features` values a row.
    pub values: &'a [f32],
    pub labels: &'a [u8],
    pub features: usize,
    /// The rows of the table; `None`: all.
    pub rows: Option<Vec<u32>>,
}

impl Table<'_> {
    pub fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.labels.len(), Vec::len)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    fn place(&self, row: usize) -> usize {
        self.rows.as_ref().map_or(row, |rows| rows[row] as usize)
    }

    #[inline]
    pub fn row(&self, row: usize) -> &[f32] {
        let place = self.place(row);
        &self.values[place * self.features..(place + 1) * self.features]
    }

    #[inline]
    pub fn label(&self, row: usize) -> u8 {
        self.labels[self.place(row)]
    }

    fn positive(&self) -> usize {
        (0..self.len()).filter(|&row| self.label(row) == 1).count()
    }

    /// Whether all rows have the same label, so that there is nothing to learn from their features.
    pub fn is_constant(&self) -> bool {
        let positive = self.positive();
        positive == 0 || positive == self.len()
    }

    /// The logit of the share of positive rows; of half a row more on either side where that is infinite.
    pub fn base(&self) -> f64 {
        let (positive, rows) = (self.positive() as f64, self.len() as f64);
        match self.is_constant() {
            true => logit((positive + 0.5) / (rows + 1.0)),
            false => logit(positive / rows),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub enum ClassifierSettings {
    Logistic(LogisticSettings),
    Boosting(BoostingSettings),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Classifier {
    Logistic(Logistic),
    Boosted(Boosted),
}

impl Classifier {
    pub fn fit(table: &Table<'_>, settings: &ClassifierSettings) -> Result<Self> {
        Ok(match settings {
            ClassifierSettings::Logistic(settings) => Classifier::Logistic(Logistic::fit(table, settings)?),
            ClassifierSettings::Boosting(settings) => Classifier::Boosted(Boosted::fit(table, settings)),
        })
    }

    pub fn probability(&self, row: &[f32]) -> f32 {
        let score = match self {
            Classifier::Logistic(model) => model.score(row),
            Classifier::Boosted(model) => model.score(row),
        };
        sigmoid(score) as f32
    }

    /// The probability of each row of a table of values.
    pub fn probabilities(&self, values: &[f32], features: usize) -> Vec<f32> {
        let chunk = |values: &[f32]| {
            interrupt::point();
            values.chunks_exact(features).map(|row| self.probability(row)).collect::<Vec<_>>()
        };
        values.par_chunks(CHUNK * features).flat_map_iter(chunk).collect()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Predictor {
    /// The values of the rows that it was fitted to.
    pub features: usize,
    pub orders: [Classifier; ORDERS],
}

impl Predictor {
    /// Fits the classifiers of all orders to labelled rows.
    pub fn fit(rows: &Rows, settings: &ClassifierSettings) -> Result<Self> {
        fits(rows)?;
        let fit = |order: usize| Classifier::fit(&table(rows, order, Part::All), settings);
        let fitted: Result<Vec<Classifier>> = (0..ORDERS).into_par_iter().map(fit).collect();
        let orders = <[Classifier; ORDERS]>::try_from(fitted?);
        let orders = orders.map_err(|_| Error::internal("a classifier is missing."))?;
        Ok(Predictor { features: rows.width, orders })
    }

    /// Fails for rows with other features than those that it was fitted to.
    pub fn check(&self, width: usize) -> Result<()> {
        let message = match (self.features, width) {
            (own, given) if own == given => return Ok(()),
            (own, _) if own > FEATURES => {
                "the classifiers were fitted to sentences with vectors, these have none."
            }
            _ => "the sentences have vectors, those that the classifiers were fitted to had none.",
        };
        Err(Error::input(message).hint("Give vectors both for tuning and for re-ranking, or for neither."))
    }

    /// p(g in reference) of each row, by order.
    pub fn probabilities(&self, rows: &Rows) -> Result<[Vec<f32>; ORDERS]> {
        self.check(rows.width)?;
        let one = |order: usize| self.orders[order].probabilities(&rows.orders[order].features, rows.width);
        Ok(std::array::from_fn(one))
    }
}

/// The same for the rows that classifiers are fitted to: sentence k is in fold k modulo `folds`, and the rows of a fold
/// get the predictions of classifiers fitted to the other folds.
pub fn cross_fit(rows: &Rows, settings: &ClassifierSettings, folds: usize) -> Result<[Vec<f32>; ORDERS]> {
    fits(rows)?;
    if folds < 2 {
        return Err(Error::option(format!("folds must be at least 2, not {folds}.")));
    }
    let task = |order| (0..folds).map(move |number| (order, Fold { number, of: folds }));
    let tasks: Vec<(usize, Fold)> = (0..ORDERS).flat_map(task).collect();
    let predict = |&(order, fold): &(usize, Fold)| {
        let classifier = Classifier::fit(&table(rows, order, Part::Outside(fold)), settings)?;
        let held_out = table(rows, order, Part::Inside(fold));
        Ok((0..held_out.len()).map(|row| classifier.probability(held_out.row(row))).collect())
    };
    let parts: Result<Vec<Vec<f32>>> = tasks.par_iter().map(predict).collect();
    let mut found: [Vec<f32>; ORDERS] = std::array::from_fn(|order| vec![0.0; rows.orders[order].len()]);
    for (&(order, fold), part) in tasks.iter().zip(parts?) {
        let places = table(rows, order, Part::Inside(fold)).rows.unwrap_or_default();
        places.into_iter().zip(part).for_each(|(row, p)| found[order][row as usize] = p);
    }
    Ok(found)
}

#[derive(Clone, Copy)]
struct Fold {
    number: usize,
    of: usize,
}

impl Fold {
    fn has(self, sentence: usize) -> bool {
        sentence % self.of == self.number
    }
}

/// Which sentences' rows a table has.
enum Part {
    All,
    Inside(Fold),
    Outside(Fold),
}

fn fits(rows: &Rows) -> Result<()> {
    match rows.has_labels() {
        true => Ok(()),
        false => {
            Err(Error::input("classifiers need rows with labels.")
                .hint("Give the references of the sentences."))
        }
    }
}

/// The rows of an order.
fn table(rows: &Rows, order: usize, part: Part) -> Table<'_> {
    let from = &rows.orders[order];
    let chosen = |is_chosen: &dyn Fn(usize) -> bool| {
        let of_sentence = |sentence| from.starts[sentence] as u32..from.starts[sentence + 1] as u32;
        Some((0..rows.sentences).filter(|&sentence| is_chosen(sentence)).flat_map(of_sentence).collect())
    };
    let features = rows.width;
    let rows = match part {
        Part::All => None,
        Part::Inside(fold) => chosen(&|sentence| fold.has(sentence)),
        Part::Outside(fold) => chosen(&|sentence| !fold.has(sentence)),
    };
    Table { values: &from.features, labels: &from.labels, features, rows }
}
