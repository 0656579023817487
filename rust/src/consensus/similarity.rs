//! Similarities of strings: symmetric sentence BLEU (formula 10), Dice of n-gram sets, identity.

use super::profiles::{Overlap, Profile};
use super::strings::numbered;
use crate::error::{Error, Result};
use crate::metric::bleu::{brevity, ORDER};
use crate::metric::ngrams::Ngrams;
use crate::store::vocab::Interner;

/// Formula (10), one direction: BLEU with n-grams up to i, halved for each order below four. `matches` are clipped.
fn directed(matches: &[u32; ORDER], hypothesis: usize, reference: usize) -> f64 {
    let (mut product, mut sum) = (1.0, 0.0);
    for (order, &own) in matches.iter().enumerate() {
        if own == 0 {
            break;
        }
        product *= f64::from(own) / (hypothesis - order) as f64;
        let mean = match order {
            0 => product,
            1 => product.sqrt(),
            2 => product.cbrt(),
            _ => product.sqrt().sqrt(),
        };
        sum += mean / f64::from(1 << (ORDER - order));
    }
    brevity(hypothesis as f64, reference as f64) * sum
}

/// Formula (10), the mean of both directions, for two different strings of these lengths. Clipped matches are
/// symmetric.
pub fn symmetric_bleu(matches: &[u32; ORDER], one: usize, other: usize) -> f64 {
    (directed(matches, one, other) + directed(matches, other, one)) / 2.0
}

/// The highest value of formula (10) for strings without a common trigram: 1/16 + 1/8.
pub const MAX_WITHOUT_TRIGRAM: f64 = 3.0 / 16.0;

/// A similarity of labels. Equal strings always have 1, even if they are too short for an n-gram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The Dice coefficient of the sets of n-grams.
    Dice(usize),
    /// Symmetric sentence BLEU, for Struct-LP.
    Bleu,
    /// 1 for equal strings and 0 otherwise, which turns structured propagation into ordinary label propagation, rule
    /// (2).
    Identity,
}

impl Measure {
    /// `dice1` to `dice4`, `bleu` or `identity`.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "dice1" | "dice2" | "dice3" | "dice4" => {
                Ok(Measure::Dice(usize::from(name.as_bytes()[4] - b'0')))
            }
            "bleu" => Ok(Measure::Bleu),
            "identity" => Ok(Measure::Identity),
            _ => Err(Error::option(format!(
                "unknown similarity {name:?}; expected dice1 to dice4, bleu or identity."
            ))),
        }
    }

    /// The similarity of two candidates. Empty ones resemble nothing, not even each other: otherwise the empty
    /// candidates of similar sentences would support only one another, and fully.
    pub fn of_labels(self, overlap: &Overlap, one: &Profile, other: &Profile) -> f64 {
        if one.is_empty() || other.is_empty() {
            return 0.0;
        }
        self.of(overlap, one, other)
    }

    pub fn of(self, overlap: &Overlap, one: &Profile, other: &Profile) -> f64 {
        if overlap.equal {
            return 1.0;
        }
        match self {
            Measure::Dice(n) => {
                let both = one.distinct(n) + other.distinct(n);
                f64::from(2 * overlap.shared[n - 1]) / f64::from(both.max(1))
            }
            Measure::Bleu => {
                let matches = overlap.clipped.first_chunk().expect("four orders");
                symmetric_bleu(matches, one.len(), other.len())
            }
            Measure::Identity => 0.0,
        }
    }
}

/// The similarity of a tokenised text to each of the others.
pub fn of_texts<'a>(measure: Measure, one: &str, others: impl Iterator<Item = &'a str>) -> Result<Vec<f64>> {
    let (mut words, mut known, mut numbers) = (Interner::default(), Ngrams::default(), Vec::new());
    let mut profile = |text: &str| {
        numbered(&mut words, text, false, &mut numbers)?;
        Ok(Profile::new(&mut known, &numbers, ORDER))
    };
    let one = profile(one)?;
    let similarity = |other: &str| {
        let other = profile(other)?;
        Ok(measure.of(&Overlap::new(&one, &other), &one, &other))
    };
    others.map(similarity).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_labels_resemble_nothing() {
        let mut known = Ngrams::default();
        let [empty, short] = [&[][..], &[7]].map(|units| Profile::new(&mut known, units, ORDER));
        for measure in [Measure::Dice(1), Measure::Dice(4), Measure::Bleu, Measure::Identity] {
            let of =
                |one: &Profile, other: &Profile| measure.of_labels(&Overlap::new(one, other), one, other);
            assert_eq!([of(&empty, &empty), of(&empty, &short), of(&short, &short)], [0.0, 0.0, 1.0]);
        }
    }

    #[test]
    fn formula_10_by_hand() {
        // a b c d against a b c e: 3 words of 4, 2 bigrams of 3, 1 trigram of 2, no four-gram, equal lengths.
        let wanted = (3.0 / 4.0) / 16.0
            + f64::sqrt(3.0 / 4.0 * 2.0 / 3.0) / 8.0
            + f64::cbrt(3.0 / 4.0 * 2.0 / 3.0 / 2.0) / 4.0;
        assert!((symmetric_bleu(&[3, 2, 1, 0], 4, 4) - wanted).abs() < 1e-12);
        // a b against a b c: all of 2 words but too short, exp(1 - 3/2); 2 of 3 words, 1 of 2 bigrams.
        let short = f64::exp(-0.5) * (1.0 / 16.0 + 1.0 / 8.0);
        let long = 2.0 / 3.0 / 16.0 + f64::sqrt(1.0 / 3.0) / 8.0;
        assert!((symmetric_bleu(&[2, 1, 0, 0], 2, 3) - (short + long) / 2.0).abs() < 1e-12);
        assert!(symmetric_bleu(&[9, 8, 0, 0], 9, 9) <= MAX_WITHOUT_TRIGRAM);
    }
}
