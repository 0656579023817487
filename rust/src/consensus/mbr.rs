//! Minimum Bayes risk over n-best lists (Kumar and Byrne 2004): the expected gain of every candidate with the other
//! candidates as references.

use rayon::prelude::*;

use super::lists::{highest, Lists};
use super::profiles::{Overlap, Profile, MAX_ORDER};
use crate::error::{Error, Result};
use crate::metric::bleu::{sentence_bleu, LENGTH, ORDER, REFERENCE, TOTALS};
use crate::metric::ngrams::Ngrams;
use crate::work::interrupt;

/// β of chrF2, sacreBLEU's default.
const BETA: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// Sentence-level BLEU+1.
    Bleu,
    Chrf,
}

impl Gain {
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "bleu" => Ok(Gain::Bleu),
            "chrf" => Ok(Gain::Chrf),
            _ => Err(Error::option(format!("unknown gain {name:?}; expected bleu or chrf."))),
        }
    }

    /// The gain of a hypothesis against a reference, from 0 to 1.
    fn of(self, overlap: &Overlap, hypothesis: &Profile, reference: &Profile) -> f64 {
        match self {
            Gain::Bleu => {
                let mut statistics = [0; LENGTH];
                statistics[..ORDER].copy_from_slice(&overlap.clipped[..ORDER]);
                for order in 0..ORDER {
                    statistics[TOTALS + order] = hypothesis.total(order + 1) as u32;
                }
                statistics[REFERENCE] = reference.len() as u32;
                sentence_bleu(&statistics)
            }
            Gain::Chrf => chrf(overlap, hypothesis, reference),
        }
    }
}

/// F-score of the mean precision and recall over the orders that both sides have.
fn chrf(overlap: &Overlap, hypothesis: &Profile, reference: &Profile) -> f64 {
    let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
    for n in 1..=MAX_ORDER {
        let (own, other) = (hypothesis.total(n), reference.total(n));
        if own > 0 && other > 0 {
            let matches = f64::from(overlap.clipped[n - 1]);
            precision += matches / own as f64;
            recall += matches / other as f64;
            orders += 1.0;
        }
    }
    if precision + recall == 0.0 {
        return 0.0;
    }
    let factor = BETA * BETA;
    (1.0 + factor) * precision * recall / (factor * precision + recall) / orders
}

/// The expected gain of every candidate, with the `references` most probable candidates of its list as references.
pub fn expected_gain(lists: &Lists, posterior: &[f64], gain: Gain, references: usize) -> Result<Vec<f64>> {
    lists.check(posterior)?;
    let numbers = lists.renumbered(None);
    let of_sentence = |sentence: usize| {
        let mut known = Ngrams::default();
        let profiles = match gain {
            Gain::Bleu => lists.profiles(sentence, &numbers, &mut known, ORDER),
            Gain::Chrf => letters(lists, sentence, &mut known),
        };
        let own = &posterior[lists.range(sentence)];
        let mut expected = vec![0.0; profiles.len()];
        if profiles.len() > references {
            let references = highest(own, references);
            for (expected, hypothesis) in expected.iter_mut().zip(&profiles) {
                interrupt::point();
                let gains = references.iter().map(|&place| {
                    let overlap = Overlap::new(hypothesis, &profiles[place]);
                    own[place] * gain.of(&overlap, hypothesis, &profiles[place])
                });
                *expected = gains.sum();
            }
            return expected;
        }
        for one in 0..profiles.len() {
            interrupt::point();
            for other in one..profiles.len() {
                let overlap = Overlap::new(&profiles[one], &profiles[other]);
                expected[one] += own[other] * gain.of(&overlap, &profiles[one], &profiles[other]);
                if other > one {
                    expected[other] += own[one] * gain.of(&overlap, &profiles[other], &profiles[one]);
                }
            }
        }
        expected
    };
    Ok((0..lists.len()).into_par_iter().map(of_sentence).collect::<Vec<_>>().concat())
}

/// The candidates of a sentence as characters, without the spaces.
fn letters(lists: &Lists, sentence: usize, known: &mut Ngrams) -> Vec<Profile> {
    let mut units: Vec<u32> = Vec::new();
    lists
        .range(sentence)
        .map(|candidate| {
            units.clear();
            for &word in lists.candidates.get(candidate) {
                units.extend(lists.words.word(word).chars().map(u32::from));
            }
            Profile::new(known, &units, MAX_ORDER)
        })
        .collect()
}
