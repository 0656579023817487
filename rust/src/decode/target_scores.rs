//! Language model scores of the target sides of a source side, without context. The rules of each context come in the
//! order of their target sides, so that contextual rules take over the scores of basic ones.

use super::prepared::{hole, NOT_BASIC};
use super::LanguageModel;
use crate::rule::record::Context;

pub struct TargetScores {
    /// The target sides of basic rules that were scored: words, their ends, scores.
    words: Vec<u32>,
    scored: Vec<(usize, f32)>,
    context: Context,
    /// The first of the scored ones that is not before the last target side of the context.
    next: usize,
}

impl Default for TargetScores {
    fn default() -> Self {
        TargetScores { words: Vec::new(), scored: Vec::new(), context: Context::Any, next: 0 }
    }
}

impl TargetScores {
    /// Begins another source side.
    pub fn clear(&mut self) {
        self.words.clear();
        self.scored.clear();
        (self.context, self.next) = (Context::Any, 0);
    }

    /// The score of a target side, given by the table's numbers of its words and by those of the language model; also its
    /// number among the target sides of basic rules, or [`NOT_BASIC`].
    pub fn score<L: LanguageModel>(
        &mut self,
        lm: &L,
        context: Context,
        target: &[u32],
        lm_words: &[u32],
    ) -> (f32, u32) {
        if context != self.context {
            (self.context, self.next) = (context, 0);
        }
        if context == Context::Any {
            let score = lm_score_alone(lm, lm_words);
            self.words.extend_from_slice(target);
            self.scored.push((self.words.len(), score));
            return (score, self.scored.len() as u32 - 1);
        }
        self.of_basic(target).unwrap_or_else(|| (lm_score_alone(lm, lm_words), NOT_BASIC))
    }

    /// The score and the number of the basic rule with this target side, if it is known.
    fn of_basic(&mut self, target: &[u32]) -> Option<(f32, u32)> {
        loop {
            let &(end, score) = self.scored.get(self.next)?;
            let start = self.next.checked_sub(1).map_or(0, |before| self.scored[before].0);
            match self.words[start..end].cmp(target) {
                std::cmp::Ordering::Less => self.next += 1,
                std::cmp::Ordering::Equal => return Some((score, self.next as u32)),
                std::cmp::Ordering::Greater => return None,
            }
        }
    }
}

/// The language model score of words without left context; nothing is known after a hole either.
pub fn lm_score_alone<L: LanguageModel>(lm: &L, words: &[u32]) -> f32 {
    let mut state = lm.no_context();
    let mut sum = 0.0;
    for &word in words {
        if hole(word).is_some() {
            state = lm.no_context();
            continue;
        }
        let (score, next) = lm.score(&state, word);
        sum += score;
        state = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::prepared::FIRST_HOLE;
    use super::super::stack::tests::{Bigrams, Dice};
    use super::*;

    /// Words of a target side in the language model, where two of them are holes.
    fn known(target: &[u32]) -> Vec<u32> {
        target.iter().map(|&word| if word < 2 { FIRST_HOLE + word } else { 900 - word }).collect()
    }

    #[test]
    fn scores_are_those_of_each_target_side_alone() {
        let mut dice = Dice(5);
        let mut scores = TargetScores::default();
        let mut matched = 0;
        for _ in 0..200 {
            scores.clear();
            let mut basic = Vec::new();
            for context in [Context::Any, Context::Nodes(0), Context::Nodes(3)] {
                let mut side = || (0..1 + dice.below(4)).map(|_| dice.below(5) as u32).collect::<Vec<_>>();
                let mut targets: Vec<Vec<u32>> = (0..30).map(|_| side()).collect();
                targets.sort();
                // Not all are scored, and the order of a foreign table may be another.
                let kept = 1 + dice.below(targets.len());
                targets.rotate_left(dice.below(2) * kept / 2);
                for target in &targets[..kept] {
                    let words = known(target);
                    let (found, number) = scores.score(&Bigrams, context, target, &words);
                    assert_eq!(found, lm_score_alone(&Bigrams, &words));
                    if context == Context::Any {
                        basic.push(target.clone());
                    }
                    assert!(number == NOT_BASIC || basic[number as usize] == *target);
                    matched += usize::from(context != Context::Any && number != NOT_BASIC);
                }
            }
        }
        assert!(matched > 100, "contextual rules find basic ones: {matched}");
    }
}
