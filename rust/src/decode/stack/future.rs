//! Future cost: the best possible score of the uncovered words, which makes hypotheses comparable.

use super::options::StackOptions;
use crate::store::bits::NodeSet;
use crate::work::interrupt::Points;

/// The best estimate for every run of positions.
pub struct FutureCost {
    words: usize,
    /// For `from` and `to`: positions `from..to`.
    costs: Vec<f32>,
}

impl FutureCost {
    /// Continuous options count as a whole; of a discontinuous one, every word gets an equal share. With continuous
    /// options only, the estimate is never too low.
    pub fn new<B: NodeSet>(words: usize, options: &StackOptions<B>) -> Self {
        let mut future = FutureCost { words, costs: vec![f32::NEG_INFINITY; (words + 1) * (words + 1)] };
        for subgraph in &options.subgraphs {
            for list in &options.lists[subgraph.from as usize..subgraph.to as usize] {
                if list.from == list.to {
                    continue;
                }
                let best = options.estimate[list.from as usize];
                if subgraph.gap == 0 {
                    future.raise(subgraph.first, subgraph.last + 1, best);
                } else {
                    let share = best / subgraph.set.len() as f32;
                    subgraph.set.iter().for_each(|p| future.raise(p, p + 1, share));
                }
            }
        }
        let mut points = Points::default();
        for length in 2..=words {
            for from in 0..=words - length {
                points.pass();
                let to = from + length;
                let split = (from + 1..to).map(|middle| future.of(from, middle) + future.of(middle, to));
                let best = split.fold(f32::NEG_INFINITY, f32::max);
                future.raise(from, to, best);
            }
        }
        future
    }

    fn raise(&mut self, from: usize, to: usize, cost: f32) {
        let old = &mut self.costs[from * (self.words + 1) + to];
        *old = old.max(cost);
    }

    #[inline]
    fn of(&self, from: usize, to: usize) -> f32 {
        self.costs[from * (self.words + 1) + to]
    }

    /// The best score that the positions outside `cover` can add, and the jumps that reach them all after `last`: from
    /// left to right, or to the right first if that is shorter. Without the jumps, hypotheses that leave gaps look better
    /// than they can become (Moore and Quirk 2007).
    #[inline]
    pub fn of_uncovered<B: NodeSet>(&self, cover: B, last: usize) -> (f32, usize) {
        let next = last + 1;
        let (mut sum, mut jumps, mut at) = (0.0, 0, next);
        // Where the last run before `next` ends.
        let mut before = None;
        let mut open = B::range(0, self.words).minus(cover);
        while let Some(from) = open.first() {
            let mut to = from + 1;
            while to < self.words && open.contains(to) {
                to += 1;
            }
            sum += self.of(from, to);
            jumps += from.abs_diff(at);
            at = to;
            if to <= next {
                before = Some(to);
            }
            open = open.minus(B::range(from, to));
        }
        // From left to right all runs are reached in `jumps`; to the right first, the way is shorter by `saved`.
        let saved = before.map_or(0, |before| (2 * next).saturating_sub(before + at));
        (sum, if at > next { jumps - saved } else { jumps })
    }
}
