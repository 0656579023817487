//! Computes the probabilities and backoffs of the model from shares and weights, one order after the other.
//!
//! In suffix order, the n-grams of an order, their suffixes (for the lower-order probability) and the weights of
//! contexts (for the backoff) are read in one joint pass.

use super::record::{Key, Record};
use super::sorter::Sorted;
use super::spool::{Replay, Spool};
use super::Sink;
use crate::error::{Error, Result};
use crate::work::interrupt::Points;

/// Written for the logarithm of zero, which can occur with discounts of exactly zero.
const LOG_ZERO: f32 = -99.0;

pub fn log10(prob: f32) -> f32 {
    // Rounding can lift a probability slightly above one; + 0.0 turns negative zero into zero.
    prob.log10().clamp(LOG_ZERO, 0.0) + 0.0
}

/// The backoff of the n-gram `key`; both the weights and the calls must be in suffix order.
fn backoff(weights: &mut Option<Replay>, key: &Key) -> Result<f32> {
    let Some(weights) = weights else { return Ok(-0.0) };
    while weights.next().is_some_and(|weight| weight.key < *key) {
        weights.advance()?;
    }
    Ok(match weights.next().filter(|weight| weight.key == *key).map(Record::floats) {
        Some((gamma, extends)) if extends > 0.0 => log10(gamma),
        _ => -0.0,
    })
}

/// Renumbers words after pruning.
pub struct Renumber<'a>(pub Option<&'a [u32]>);

impl Renumber<'_> {
    #[inline]
    pub fn apply(&self, key: &Key, order: usize) -> Key {
        let Some(numbers) = self.0 else { return *key };
        let mut words = [0; super::MAX_ORDER];
        for (place, word) in words[..order].iter_mut().enumerate() {
            *word = numbers[key.word(place) as usize];
        }
        Key::new(&words[..order])
    }
}

/// Emits the unigrams; `kept` marks those in the model. Returns them with their probabilities.
pub fn unigrams(
    probs: &[f64],
    kept: impl Fn(usize) -> bool,
    mut weights: Option<Replay>,
    mut out: Spool,
    renumber: &Renumber,
    sink: &mut dyn Sink,
) -> Result<Spool> {
    for (word, &prob) in probs.iter().enumerate().filter(|(word, _)| kept(*word)) {
        let key = Key::new(&[word as u32]);
        let backoff = backoff(&mut weights, &key)?;
        sink.ngram(1, &renumber.apply(&key, 1), log10(prob as f32), backoff)?;
        out.push(Record::with_floats(key, prob as f32, 0.0))?;
    }
    Ok(out)
}

/// Emits the n-grams of an order from two on. `shorter` are those of the order below, `weights` (none for the highest
/// order) the contexts of this order; `out` gets the probabilities for the order above.
pub fn longer(
    order: usize,
    mut shares: Sorted,
    mut shorter: Replay,
    mut weights: Option<Replay>,
    mut out: Spool,
    renumber: &Renumber,
    sink: &mut dyn Sink,
) -> Result<Spool> {
    let mut points = Points::default();
    while let Some(record) = shares.read()? {
        points.pass();
        let suffix = record.key.prefix(order - 1);
        while shorter.next().is_some_and(|below| below.key < suffix) {
            shorter.advance()?;
        }
        let Some(below) = shorter.next().filter(|below| below.key == suffix) else {
            return Err(Error::internal(format!("the suffix of an n-gram of order {order} is missing.")));
        };
        let (share, gamma) = record.floats();
        let prob = (f64::from(share) + f64::from(gamma) * f64::from(below.floats().0)) as f32;
        let backoff = backoff(&mut weights, &record.key)?;
        sink.ngram(order, &renumber.apply(&record.key, order), log10(prob), backoff)?;
        if weights.is_some() {
            out.push(Record::with_floats(record.key, prob, 0.0))?;
        }
    }
    Ok(out)
}
