//! The exact line search of minimum error rate training (Och 2003): along a direction the score of a hypothesis is a
//! line, the chosen translations are the upper envelope, and corpus BLEU (or TER) is constant between its breakpoints.

use rayon::prelude::*;

use super::lists::{List, Lists};
use crate::metric::bleu::{add, Statistics, Sums, LENGTH};
use crate::work::interrupt;

/// A point on the line at which one sentence changes its translation.
struct Breakpoint {
    at: f64,
    change: [i32; LENGTH],
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSearchResult {
    /// The best step along the direction; 0 if no step is better.
    pub step: f64,
    /// The objective (BLEU, or negated TER) after the step.
    pub quality: f64,
    /// The objective without a step.
    pub start_quality: f64,
}

/// The hypotheses of one sentence, sorted by their slopes along a direction.
#[derive(Default)]
struct SortedHypotheses {
    slopes: Vec<f64>,
    hypotheses: Vec<u32>,
}

/// Searches from different starting points in the same few directions. The order of slopes does not depend on the
/// starting point, so it is computed once for many searches: 12 bytes for each hypothesis and direction.
#[derive(Default)]
pub struct LineSearch {
    directions: Vec<Vec<SortedHypotheses>>,
    /// The current weights, and the scores of all hypotheses under them.
    weights: Vec<f64>,
    scores: Vec<Vec<f64>>,
}

impl LineSearch {
    pub fn new(lists: &Lists, directions: &[Vec<f64>]) -> Self {
        let sort = |list: &List, direction: &[f64]| {
            interrupt::point();
            let slopes = scores(list, direction);
            let mut hypotheses: Vec<u32> = (0..list.len() as u32).collect();
            hypotheses.sort_by(|&a, &b| slopes[a as usize].total_cmp(&slopes[b as usize]));
            SortedHypotheses { slopes: hypotheses.iter().map(|&h| slopes[h as usize]).collect(), hypotheses }
        };
        let directions = directions
            .iter()
            .map(|direction| lists.lists.par_iter().map(|list| sort(list, direction)).collect())
            .collect();
        LineSearch { directions, ..Default::default() }
    }

    pub fn directions(&self) -> usize {
        self.directions.len()
    }

    /// Sets the starting point.
    pub fn set_start(&mut self, lists: &Lists, weights: &[f64]) {
        if self.weights == weights {
            return;
        }
        self.weights = weights.to_vec();
        self.scores = lists.lists.par_iter().map(|list| scores(list, weights)).collect();
    }

    /// The best step along a direction from the starting point. Intervals narrower than `narrowest` are skipped, as are
    /// those that contain no floating-point number; of equally good ones the nearest is taken.
    pub fn search(&self, lists: &Lists, direction: usize, narrowest: f64) -> LineSearchResult {
        let parts: Vec<(Statistics, Vec<Breakpoint>)> = lists
            .lists
            .par_iter()
            .zip(&self.directions[direction])
            .zip(&self.scores)
            .filter(|((list, _), _)| !list.is_empty())
            .map(|((list, sorted), scores)| {
                interrupt::point();
                breakpoints(list, &envelope(scores, sorted))
            })
            .collect();
        let mut sums: Sums = [0; LENGTH];
        let mut all = Vec::new();
        for (first, own) in parts {
            add(&mut sums, &first);
            all.extend(own);
        }
        all.sort_unstable_by(|a, b| a.at.total_cmp(&b.at));
        sweep(lists, sums, &all, narrowest)
    }
}

fn scores(list: &List, weights: &[f64]) -> Vec<f64> {
    // Adding 0 turns -0 into 0, so that ties keep their order.
    let mut sums = Vec::with_capacity(list.len());
    list.for_each_score(weights, |_, sum| sums.push(sum + 0.0));
    sums
}

/// The hypotheses on the upper envelope from left to right, each with the start of its interval.
fn envelope(scores: &[f64], sorted: &SortedHypotheses) -> Vec<(f64, u32)> {
    // (start of its interval, hypothesis, its slope, its score)
    let mut hull: Vec<(f64, u32, f64, f64)> = Vec::new();
    for (&slope, &hypothesis) in sorted.slopes.iter().zip(&sorted.hypotheses) {
        let score = scores[hypothesis as usize];
        let mut begin = f64::NEG_INFINITY;
        if let Some(&(_, _, last, high)) = hull.last() {
            if last == slope {
                if score <= high {
                    continue;
                }
                hull.pop();
            }
        }
        while let Some(&(from, _, last, high)) = hull.last() {
            let meet = (high - score) / (slope - last);
            if meet > from {
                begin = meet;
                break;
            }
            hull.pop();
        }
        hull.push((begin, hypothesis, slope, score));
    }
    hull.into_iter().map(|(begin, hypothesis, ..)| (begin, hypothesis)).collect()
}

/// The statistics at the left end, and every change along the line.
fn breakpoints(list: &List, hull: &[(f64, u32)]) -> (Statistics, Vec<Breakpoint>) {
    let of = |place: usize| &list.statistics[hull[place].1 as usize];
    let changes = (1..hull.len()).map(|place| {
        let (from, to) = (of(place - 1), of(place));
        Breakpoint { at: hull[place].0, change: std::array::from_fn(|k| to[k] as i32 - from[k] as i32) }
    });
    (*of(0), changes.filter(|breakpoint| breakpoint.change.iter().any(|&one| one != 0)).collect())
}

/// How far outside the outermost breakpoint a step goes, relative to its position.
const OUTER_MARGIN: f64 = 0.1;

fn sweep(lists: &Lists, mut sums: Sums, breakpoints: &[Breakpoint], narrowest: f64) -> LineSearchResult {
    let mut left = f64::NEG_INFINITY;
    let mut best: Option<(f64, f64, f64)> = None; // quality, distance from the start, step
    let mut start_quality = 0.0;
    let mut next = 0;
    loop {
        let right = breakpoints.get(next).map_or(f64::INFINITY, |breakpoint| breakpoint.at);
        let score = lists.quality(&sums);
        let holds_zero = left <= 0.0 && 0.0 < right;
        if holds_zero {
            start_quality = score;
        }
        let step = match (left.is_finite(), right.is_finite()) {
            (true, true) => left + (right - left) / 2.0,
            (true, false) => left + OUTER_MARGIN * left.abs().max(1.0),
            (false, true) => right - OUTER_MARGIN * right.abs().max(1.0),
            (false, false) => 0.0,
        };
        let inside = left < step && step < right && right - left >= narrowest;
        let away = if holds_zero { 0.0 } else { left.abs().min(right.abs()) };
        let better = match best {
            Some((top, near, _)) => score > top || (score == top && away < near),
            None => true,
        };
        if (inside || holds_zero) && better {
            best = Some((score, away, if holds_zero { 0.0 } else { step }));
        }
        if next == breakpoints.len() {
            break;
        }
        while next < breakpoints.len() && breakpoints[next].at == right {
            for (sum, &change) in sums.iter_mut().zip(&breakpoints[next].change) {
                *sum += i64::from(change);
            }
            next += 1;
        }
        left = right;
    }
    let (quality, _, step) = best.unwrap_or((start_quality, 0.0, 0.0));
    LineSearchResult { step, quality, start_quality }
}

#[cfg(test)]
mod tests {
    use super::super::lists::tests::made;
    use super::*;

    /// Only unigram matches, of ten words: BLEU grows with them.
    fn with(matches: u32) -> Statistics {
        [matches, 3, 2, 1, 10, 9, 8, 7, 10, 0]
    }

    #[test]
    fn the_envelope_of_three_lines_by_hand() {
        // 1 - x, 0.6 and x: the second is best between 0.4 and 0.6.
        let sorted = SortedHypotheses { slopes: vec![-1.0, 0.0, 1.0], hypotheses: vec![2, 1, 0] };
        let hull = envelope(&[0.0, 0.6, 1.0], &sorted);
        assert_eq!(hull, vec![(f64::NEG_INFINITY, 2), (0.4, 1), (0.6, 0)]);
        // At 0.5 the middle one is never best.
        let hull = envelope(&[0.0, 0.4, 1.0], &sorted);
        assert_eq!(hull, vec![(f64::NEG_INFINITY, 2), (0.5, 0)]);
    }

    #[test]
    fn the_best_interval_is_found_and_its_middle_taken() {
        let lists = made(
            2,
            &[vec![(vec![0.0, 1.0], with(4)), (vec![0.6, 0.0], with(9)), (vec![1.0, -1.0], with(2))]],
        );
        let mut search = LineSearch::new(&lists, &[vec![0.0, 1.0]]);
        search.set_start(&lists, &[1.0, 0.0]);
        let found = search.search(&lists, 0, 0.0);
        assert!((found.step - 0.5).abs() < 1e-12);
        assert!(found.quality > found.start_quality);
        assert_eq!(found.quality, lists.bleu(&[1.0, found.step]));
        // Too narrow: the next best is taken.
        let found = search.search(&lists, 0, 0.5);
        assert_eq!(found.quality, lists.bleu(&[1.0, 10.0]));
    }
}
