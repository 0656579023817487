//! Batch MIRA (Cherry and Foster 2012): for each sentence a step from the fear towards the hope hypothesis, at most as
//! long as needed and bounded by C, over fixed lists.

use rayon::prelude::*;

use super::lists::{List, Lists};
use crate::metric::bleu::{brevity, Statistics, LENGTH, ORDER, REFERENCE, TOTALS};
use crate::metric::random::Random;
use crate::store::hashing::FastMap;
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

/// The different statistics of a list: many hypotheses have the same, and their gain is computed once.
struct DifferentStatistics {
    /// The first hypothesis with each of them.
    firsts: Vec<u32>,
    /// For each hypothesis the place of its own in `firsts`.
    places: Vec<u32>,
}

impl DifferentStatistics {
    fn of(list: &List) -> Self {
        let mut known: FastMap<&Statistics, u32> = FastMap::default();
        let mut firsts = Vec::new();
        let place = |(hypothesis, statistics)| {
            *known.entry(statistics).or_insert_with(|| {
                firsts.push(hypothesis as u32);
                firsts.len() as u32 - 1
            })
        };
        let places = list.statistics.iter().enumerate().map(place).collect();
        DifferentStatistics { firsts, places }
    }
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
    let mut run = Run::new(lists, start, free, settings);
    // The start is not a candidate: it was the best on the lists of the previous iteration, and tuning would not
    // progress.
    let mut best = Tuned { weights: start.to_vec(), bleu: f64::NEG_INFINITY, epoch: 0 };
    // An epoch goes through the sentences one by one, so BLEU of its weights is computed beside the next epoch.
    let mut finished = (settings.epochs > 0).then(|| run.epoch());
    while let Some(Epoch { average, moved, number }) = finished {
        let more = moved && number < settings.epochs;
        let (next, bleu) = rayon::join(|| more.then(|| run.epoch()), || lists.bleu(&average));
        if bleu > best.bleu {
            best = Tuned { weights: average, bleu, epoch: number };
        }
        finished = next;
    }
    best
}

/// The outcome of an epoch.
struct Epoch {
    /// Of the weights after each sentence, from the first epoch on.
    average: Vec<f64>,
    /// Whether the weights changed.
    moved: bool,
    /// From 1.
    number: usize,
}

/// Weights on their way through the sentences.
struct Run<'a> {
    lists: &'a Lists,
    free: &'a [bool],
    settings: &'a MiraSettings,
    weights: Vec<f64>,
    /// The sum of the weights after each sentence, and how many these were.
    total: Vec<f64>,
    seen: f64,
    background: Background,
    order: Vec<usize>,
    random: Random,
    epochs: usize,
    different: Vec<DifferentStatistics>,
    /// Memory for the gains of a list.
    gains: Vec<f64>,
}

impl<'a> Run<'a> {
    fn new(lists: &'a Lists, start: &[f64], free: &'a [bool], settings: &'a MiraSettings) -> Self {
        Run {
            lists,
            free,
            settings,
            weights: start.to_vec(),
            total: vec![0.0; start.len()],
            seen: 0.0,
            background: Background::default(),
            order: (0..lists.lists.len()).filter(|&sentence| !lists.lists[sentence].is_empty()).collect(),
            random: Random::new(settings.seed, 0),
            epochs: 0,
            different: lists.lists.par_iter().map(DifferentStatistics::of).collect(),
            gains: Vec::new(),
        }
    }

    /// Goes through all sentences in random order.
    fn epoch(&mut self) -> Epoch {
        let features = self.weights.len();
        self.epochs += 1;
        self.random.shuffle(&mut self.order);
        let mut moved = false;
        for place in 0..self.order.len() {
            interrupt::point();
            let sentence = self.order[place];
            let list = &self.lists.lists[sentence];
            let found = self.hope_fear(sentence);
            let row = |hypothesis: usize| &list.values[hypothesis * features..(hypothesis + 1) * features];
            if found.hope != found.fear && found.cost > 0.0 {
                let (hope, fear) = (row(found.hope), row(found.fear));
                moved |= update(&mut self.weights, hope, fear, found.cost, self.settings.c, self.free);
            }
            self.background.follow(&list.statistics[found.hope], self.settings.decay);
            self.seen += 1.0;
            for (sum, weight) in self.total.iter_mut().zip(&self.weights) {
                *sum += weight;
            }
        }
        Epoch { average: self.total.iter().map(|sum| sum / self.seen).collect(), moved, number: self.epochs }
    }

    fn hope_fear(&mut self, sentence: usize) -> HopeFear {
        let (list, different) = (&self.lists.lists[sentence], &self.different[sentence]);
        let gain = |&first: &u32| self.background.gain(&list.statistics[first as usize]);
        self.gains.clear();
        self.gains.extend(different.firsts.iter().map(gain));
        let mut hope = (0, f64::NEG_INFINITY, 0.0);
        let mut fear = hope;
        list.for_each_score(&self.weights, |hypothesis, score| {
            let gain = self.gains[different.places[hypothesis] as usize];
            if score + gain > hope.1 {
                hope = (hypothesis, score + gain, gain);
            }
            if score - gain > fear.1 {
                fear = (hypothesis, score - gain, gain);
            }
        });
        HopeFear { hope: hope.0, fear: fear.0, cost: hope.2 - fear.2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::lists::tests::made;

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
    fn each_hypothesis_finds_its_statistics_among_the_different_ones() {
        let statistics = [3, 1, 3, 2, 1].map(|number| [number; LENGTH]);
        let hypotheses = statistics.iter().enumerate().map(|(n, &own)| (vec![n as f32], own)).collect();
        let lists = made(1, &[hypotheses]);
        let different = DifferentStatistics::of(&lists.lists[0]);
        assert_eq!(different.firsts, [0, 1, 3]);
        assert_eq!(different.places, [0, 1, 0, 2, 1]);
    }

    #[test]
    fn the_gain_of_a_sentence_by_hand() {
        // Matches 4+1, 3, 2, 1 of 4+1, 3, 2, 1; reference 4+2 words: exp(1 - 6/5) * 6.
        let gain = Background::default().gain(&[1, 0, 0, 0, 1, 0, 0, 0, 2, 0]);
        assert!((gain - (-0.2f64).exp() * 6.0).abs() < 1e-12);
    }
}
