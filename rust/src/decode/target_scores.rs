//! Language model scores of the target sides of a source side, without context. They come in order, for each context
//! again, so that the words that a target side shares with the one before it are scored once, and the target sides of
//! contextual rules not at all if their basic rules were scored.

use super::prepared::hole;
use super::LanguageModel;
use crate::rule::record::Context;

pub struct TargetScores<L: LanguageModel> {
    /// The words of the last target side that was scored; the state and the score after each.
    last: Vec<u32>,
    after: Vec<(L::State, f32)>,
    /// The target sides of basic rules that were scored: words, their ends, scores.
    basic: Vec<u32>,
    scored: Vec<(usize, f32)>,
    context: Context,
    /// The first of the scored ones that is not before the last target side of the context.
    next: usize,
}

impl<L: LanguageModel> Default for TargetScores<L> {
    fn default() -> Self {
        let (last, after, basic, scored) = Default::default();
        TargetScores { last, after, basic, scored, context: Context::Any, next: 0 }
    }
}

impl<L: LanguageModel> TargetScores<L> {
    /// Begins another source side.
    pub fn clear(&mut self) {
        self.basic.clear();
        self.scored.clear();
        (self.context, self.next) = (Context::Any, 0);
    }

    /// The score of a target side, given by the table's numbers of its words and by those of the language model.
    pub fn score(&mut self, lm: &L, context: Context, target: &[u32], lm_words: &[u32]) -> f32 {
        if context != self.context {
            (self.context, self.next) = (context, 0);
        }
        if context == Context::Any {
            let score = self.score_words(lm, lm_words);
            self.basic.extend_from_slice(target);
            self.scored.push((self.basic.len(), score));
            return score;
        }
        match self.of_basic(target) {
            Some(score) => score,
            None => self.score_words(lm, lm_words),
        }
    }

    /// The score of the basic rule with this target side, if it is known.
    fn of_basic(&mut self, target: &[u32]) -> Option<f32> {
        loop {
            let &(end, score) = self.scored.get(self.next)?;
            let start = self.next.checked_sub(1).map_or(0, |before| self.scored[before].0);
            match self.basic[start..end].cmp(target) {
                std::cmp::Ordering::Less => self.next += 1,
                std::cmp::Ordering::Equal => return Some(score),
                std::cmp::Ordering::Greater => return None,
            }
        }
    }

    fn score_words(&mut self, lm: &L, lm_words: &[u32]) -> f32 {
        let shared = self.last.iter().zip(lm_words).take_while(|(a, b)| a == b).count();
        self.last.truncate(shared);
        self.after.truncate(shared);
        let nothing = || (lm.no_context(), 0.0);
        let (mut state, mut sum) = self.after.last().copied().unwrap_or_else(nothing);
        for &word in &lm_words[shared..] {
            (state, sum) = score_next(lm, state, sum, word);
            self.last.push(word);
            self.after.push((state, sum));
        }
        sum
    }
}

/// The state and the score after another word; nothing is known after a hole.
fn score_next<L: LanguageModel>(lm: &L, state: L::State, sum: f32, word: u32) -> (L::State, f32) {
    if hole(word).is_some() {
        return (lm.no_context(), sum);
    }
    let (score, next) = lm.score(&state, word);
    (next, sum + score)
}

/// The language model score of words without left context.
pub fn lm_score_alone<L: LanguageModel>(lm: &L, words: &[u32]) -> f32 {
    words.iter().fold((lm.no_context(), 0.0), |(state, sum), &word| score_next(lm, state, sum, word)).1
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
        for _ in 0..200 {
            scores.clear();
            for context in [Context::Any, Context::Nodes(0), Context::Nodes(3)] {
                let mut side = || (0..1 + dice.below(4)).map(|_| dice.below(5) as u32).collect::<Vec<_>>();
                let mut targets: Vec<Vec<u32>> = (0..30).map(|_| side()).collect();
                targets.sort();
                // Not all are scored, and the order of a foreign table may be another.
                let kept = 1 + dice.below(targets.len());
                targets.rotate_left(dice.below(2) * kept / 2);
                for target in &targets[..kept] {
                    let words = known(target);
                    let found = scores.score(&Bigrams, context, target, &words);
                    assert_eq!(found, lm_score_alone(&Bigrams, &words));
                }
            }
        }
    }
}
