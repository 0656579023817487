//! The best rules of a source side, up to a limit. A rule that is no longer among them leaves its memory to the next.

use super::context_features::ContextValues;
use super::prepared::PreparedRule;
use crate::rule::bytes::Rule;

pub struct BestRules {
    limit: usize,
    /// The estimates, best first, and the places of their rules.
    order: Vec<(f32, u32)>,
    held: Vec<PreparedRule>,
}

impl BestRules {
    pub fn new(limit: usize) -> Self {
        BestRules { limit, order: Vec::new(), held: Vec::new() }
    }

    /// The estimate of the last rule, if there are as many as the limit allows.
    pub fn last(&self) -> Option<f32> {
        self.order.last().filter(|_| self.order.len() == self.limit).map(|&(estimate, _)| estimate)
    }

    /// The rank of a rule with this estimate: of equal ones, earlier rules are better. `None` if it is not among the best.
    pub fn rank(&self, estimate: f32) -> Option<usize> {
        let rank = self.order.partition_point(|&(other, _)| other >= estimate);
        (rank < self.limit).then_some(rank)
    }

    /// Inserts a rule at its rank.
    pub fn insert(&mut self, rank: usize, rule: &Rule, lm_words: &[u32], score: f32, estimate: f32) {
        let place = if self.order.len() < self.limit {
            let context = ContextValues::default();
            self.held.push(PreparedRule {
                rule: rule.clone(),
                lm_words: lm_words.into(),
                score,
                estimate,
                context,
            });
            self.held.len() as u32 - 1
        } else {
            let Some((_, place)) = self.order.pop() else { return };
            let held = &mut self.held[place as usize];
            held.rule.copy_from(rule);
            held.lm_words.set(lm_words);
            (held.score, held.estimate) = (score, estimate);
            place
        };
        self.order.insert(rank, (estimate, place));
    }

    /// The rules, best first.
    pub fn into_ranked(mut self) -> Vec<PreparedRule> {
        // Each rule moves to its place once.
        for rank in 0..self.order.len() {
            let mut place = self.order[rank].1 as usize;
            // It may have moved before.
            while place < rank {
                place = self.order[place].1 as usize;
            }
            self.held.swap(rank, place);
        }
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::stack::tests::Dice;

    #[test]
    fn the_best_are_kept_in_order() {
        for seed in 0..200 {
            let mut dice = Dice(seed);
            let (limit, number) = (1 + dice.below(6), dice.below(20));
            let mut best = BestRules::new(limit);
            let mut all: Vec<(f32, u32)> = Vec::new();
            for word in 0..number as u32 {
                let estimate = -(dice.below(8) as f32);
                all.push((estimate, word));
                let rule = Rule { target: vec![word; 1 + dice.below(4)][..].into(), ..Rule::default() };
                if let Some(rank) = best.rank(estimate) {
                    best.insert(rank, &rule, &[word], estimate + 1.0, estimate);
                }
            }
            all.sort_by(|a, b| b.0.total_cmp(&a.0));
            all.truncate(limit);
            assert_eq!(best.last(), (all.len() == limit).then(|| all[limit - 1].0));
            let found: Vec<(f32, u32)> = best
                .into_ranked()
                .iter()
                .map(|one| {
                    assert_eq!((one.lm_words[0], one.score), (one.rule.target[0], one.estimate + 1.0));
                    (one.estimate, one.lm_words[0])
                })
                .collect();
            assert_eq!(found, all);
        }
    }
}
