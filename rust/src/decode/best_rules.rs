//! The best rules of a source side and a context, up to a limit. Their memory is used again for the next ones.

use super::prepared::{ContextValues, PreparedRule};
use crate::rule::bytes::Rule;

#[derive(Default)]
pub struct BestRules {
    limit: usize,
    /// The estimates, best first, and the places of their rules.
    order: Vec<(f32, u32)>,
    /// As many as there are in `order` are in use.
    held: Vec<PreparedRule>,
}

impl BestRules {
    pub fn new(limit: usize) -> Self {
        BestRules { limit, ..BestRules::default() }
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

    /// Inserts a rule at its rank, with its score and its estimate.
    pub fn insert(
        &mut self,
        rank: usize,
        rule: &Rule,
        lm_words: &[u32],
        (score, estimate): (f32, f32),
        target_side: u32,
    ) {
        let place = if self.order.len() < self.limit {
            self.order.len() as u32
        } else {
            let Some((_, place)) = self.order.pop() else { return };
            place
        };
        self.order.insert(rank, (estimate, place));
        match self.held.get_mut(place as usize) {
            Some(held) => {
                held.rule.copy_from(rule);
                held.lm_words.set(lm_words);
                (held.score, held.estimate, held.target_side) = (score, estimate, target_side);
            }
            None => self.held.push(PreparedRule {
                rule: rule.clone(),
                lm_words: lm_words.into(),
                score,
                estimate,
                context: ContextValues::default(),
                target_side,
            }),
        }
    }

    /// Adds the rules to others, best first; there are none here afterwards.
    pub fn move_to(&mut self, ranked: &mut Vec<PreparedRule>) {
        let held = &self.held;
        ranked.extend(self.order.drain(..).map(|(_, place)| held[place as usize].clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::stack::tests::Dice;

    #[test]
    fn the_best_are_kept_in_order() {
        let mut best = BestRules::default();
        for seed in 0..200 {
            let mut dice = Dice(seed);
            let (limit, number) = (1 + dice.below(6), dice.below(20));
            best.limit = limit;
            let mut all: Vec<(f32, u32)> = Vec::new();
            for word in 0..number as u32 {
                let estimate = -(dice.below(8) as f32);
                all.push((estimate, word));
                let rule = Rule { target: vec![word; 1 + dice.below(4)][..].into(), ..Rule::default() };
                if let Some(rank) = best.rank(estimate) {
                    best.insert(rank, &rule, &[word], (estimate + 1.0, estimate), word);
                }
            }
            all.sort_by(|a, b| b.0.total_cmp(&a.0));
            all.truncate(limit);
            assert_eq!(best.last(), (all.len() == limit).then(|| all[limit - 1].0));
            let mut ranked = Vec::new();
            best.move_to(&mut ranked);
            let found: Vec<(f32, u32)> = ranked
                .iter()
                .map(|one| {
                    assert_eq!((one.lm_words[0], one.score), (one.rule.target[0], one.estimate + 1.0));
                    assert_eq!(one.target_side, one.lm_words[0]);
                    (one.estimate, one.lm_words[0])
                })
                .collect();
            assert_eq!(found, all);
        }
    }
}
