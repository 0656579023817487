//! Batch MIRA (Cherry and Foster 2012): for each sentence a step from the fear towards the hope hypothesis, at most as
//! long as needed and bounded by C, over fixed lists.

use super::lists::{List, Lists};
use crate::metric::bleu::{brevity, Statistics, LENGTH, ORDER, REFERENCE, TOTALS};
use crate::metric::random::Random;
use crate::work::interrupt;

#[derive(Clone, Copy, Debug)]
pub struct MiraSettings {
    /// The longest step.
    pub c: f64,
    /// The decay of the background from one sentence to the next.
    pub decay: f64,
    pub epochs: usize,
    pub seed: u64,
}

/// Decayed statistics of recent translations. BLEU of a sentence is computed in this context, as its contribution to a
/// corpus.
#[derive(Clone, Copy, Debug)]
pub struct Background([f64; LENGTH]);

impl Default for Background {
    /// A short initial sentence, so that no logarithm of 0 is taken.
    fn default() -> Self {
        let mut sums = [ORDER as f64; LENGTH];
        for order in 0..ORDER {
            sums[order] = (ORDER - order) as f64;
            sums[TOTALS + order] = (ORDER - order) as f64;
        }
        Background(sums)
    }
}

impl Background {
    /// BLEU (0 to 1) of the background together with the sentence, scaled by the reference length (Chiang, Marton and
    /// Resnik 2008).
    pub fn gain(&self, statistics: &Statistics) -> f64 {
        let sum = |place: usize| self.0[place] + f64::from(statistics[place]);
        // The fourth root by two square roots: this is the innermost loop, and logarithms are slow.
        let product: f64 = (0..ORDER).map(|order| sum(order) / sum(TOTALS + order)).product();
        product.sqrt().sqrt() * brevity(sum(TOTALS), sum(REFERENCE)) * sum(REFERENCE)
    }

    fn follow(&mut self, statistics: &Statistics, decay: f64) {
        for (sum, &one) in self.0.iter_mut().zip(statistics) {
            *sum = *sum * decay + f64::from(one);
        }
    }
}

/// The hypotheses with the highest score plus and minus gain, and the difference of their gains.
struct HopeFear {
    hope: usize,
    fear: usize,
    /// Gain of hope minus gain of fear.
    cost: f64,
}

fn hope_fear(list: &List, weights: &[f64], background: &Background) -> HopeFear {
    let mut hope = (0, f64::NEG_INFINITY, 0.0);
    let mut fear = hope;
    list.for_each_score(weights, |hypothesis, score| {
        let gain = background.gain(&list.statistics[hypothesis]);
        if score + gain > hope.1 {
            hope = (hypothesis, score + gain, gain);
        }
        if score - gain > fear.1 {
            fear = (hypothesis, score - gain, gain);
        }
    });
    HopeFear { hope: hope.0, fear: fear.0, cost: hope.2 - fear.2 }
}

/// Moves the weights so that hope beats fear by the cost, as far as a step of at most `c` times their difference
/// allows. Returns whether the weights changed.
pub fn update(weights: &mut [f64], hope: &[f32], fear: &[f32], cost: f64, c: f64, free: &[bool]) -> bool {
    let difference: Vec<f64> = hope.iter().zip(fear).map(|(&h, &f)| f64::from(h) - f64::from(f)).collect();
    let margin: f64 = weights.iter().zip(&difference).map(|(weight, d)| weight * d).sum();
    let square: f64 = difference.iter().zip(free).filter(|(_, &free)| free).map(|(d, _)| d * d).sum();
    let loss = cost - margin;
    if loss <= 0.0 || square == 0.0 {
        return false;
    }
    let step = c.min(loss / square);
    for ((weight, d), _) in weights.iter_mut().zip(&difference).zip(free).filter(|(_, &free)| free) {
        *weight += step * d;
    }
    true
}

/// The result of a run: the averaged weights of the epoch with the best BLEU on the lists, that BLEU, and the number of
/// that epoch.
#[derive(Clone, Debug)]
pub struct Tuned {
    pub weights: Vec<f64>,
    pub bleu: f64,
    pub epoch: usize,
}

/// Runs all epochs. `free` marks the weights that may change.
pub fn mira(lists: &Lists, start: &[f64], free: &[bool], settings: &MiraSettings) -> Tuned {
    let mut weights = start.to_vec();
    let mut total = vec![0.0; start.len()];
    let mut seen = 0.0;
    let mut background = Background::default();
    let mut order: Vec<usize> = (0..lists.lists.len()).filter(|&s| !lists.lists[s].is_empty()).collect();
    let mut random = Random::new(settings.seed, 0);
    // The start is not a candidate: it was the best on the lists of the previous iteration, and tuning would not
    // progress.
    let mut best = Tuned { weights: start.to_vec(), bleu: f64::NEG_INFINITY, epoch: 0 };
    for epoch in 1..=settings.epochs {
        random.shuffle(&mut order);
        let mut moved = false;
        for &sentence in &order {
            interrupt::point();
            let list = &lists.lists[sentence];
            let found = hope_fear(list, &weights, &background);
            let row =
                |hypothesis: usize| &list.values[hypothesis * start.len()..(hypothesis + 1) * start.len()];
            if found.hope != found.fear && found.cost > 0.0 {
                moved |= update(&mut weights, row(found.hope), row(found.fear), found.cost, settings.c, free);
            }
            background.follow(&list.statistics[found.hope], settings.decay);
            seen += 1.0;
            for (sum, weight) in total.iter_mut().zip(&weights) {
                *sum += weight;
            }
        }
        let average: Vec<f64> = total.iter().map(|sum| sum / seen).collect();
        let bleu = lists.bleu(&average);
        if bleu > best.bleu {
            best = Tuned { weights: average, bleu, epoch };
        }
        if !moved {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_by_hand() {
        // Difference (2, -1), margin 1 * 2 - 1 * 1 = 1, cost 2: loss 1, squared norm 5, step 1/5.
        let mut weights = [1.0, 1.0];
        assert!(update(&mut weights, &[3.0, 0.0], &[1.0, 1.0], 2.0, 1.0, &[true, true]));
        assert!((weights[0] - 1.4).abs() < 1e-12 && (weights[1] - 0.8).abs() < 1e-12);
        // After it the margin equals the cost, and no update is needed.
        assert!((2.0 * weights[0] - weights[1] - 2.0).abs() < 1e-12);
        assert!(!update(&mut weights, &[3.0, 0.0], &[1.0, 1.0], 1.9, 1.0, &[true, true]));
        // C bounds the step; a fixed weight stays.
        let mut weights = [1.0, 1.0];
        assert!(update(&mut weights, &[3.0, 0.0], &[1.0, 1.0], 2.0, 0.01, &[true, false]));
        assert!((weights[0] - 1.02).abs() < 1e-12 && weights[1] == 1.0);
    }

    #[test]
    fn the_gain_of_a_sentence_by_hand() {
        // Matches 4+1, 3, 2, 1 of 4+1, 3, 2, 1; reference 4+2 words: exp(1 - 6/5) * 6.
        let gain = Background::default().gain(&[1, 0, 0, 0, 1, 0, 0, 0, 2, 0]);
        assert!((gain - (-0.2f64).exp() * 6.0).abs() < 1e-12);
    }
}
