//! A small hypothesis feature that is not registered: the tests of both searches use it, and it shows how to write one.

use super::{FeatureModel, HypothesisFeature, RuleApplication, TargetSymbol, ValueSink};
use crate::decode::features::Weights;
use crate::decode::sentence::Sentence;

/// Counts target words that repeat the word before them, and translations that begin and end with the same word.
#[derive(Clone, Copy, Default)]
pub(in crate::decode) struct Repeats;

impl Repeats {
    /// Its values, counted on a whole translation.
    pub(in crate::decode) fn count(words: &[&str]) -> [f32; 2] {
        let repeats = words.windows(2).filter(|two| two[0] == two[1]).count();
        [repeats as f32, f32::from(u8::from(!words.is_empty() && words.first() == words.last()))]
    }
}

impl FeatureModel for Repeats {
    const COLUMNS: usize = 2;

    type OnSentence<'a> = SentenceRepeats;

    fn names() -> Vec<&'static str> {
        vec!["repeats", "same_ends"]
    }

    fn on_sentence(&self, _: &Sentence, _: &Weights, first_column: usize) -> SentenceRepeats {
        SentenceRepeats { repeats: first_column, same_ends: first_column + 1 }
    }
}

/// The columns of the two values.
pub(in crate::decode) struct SentenceRepeats {
    repeats: usize,
    same_ends: usize,
}

/// The first and last word of a translation that is not empty.
type Ends = Option<(u32, u32)>;

/// Calls `repeated` if one text ends with the word that the other begins with; returns the ends of both together.
fn join(left: Ends, right: Ends, repeated: impl FnOnce()) -> Ends {
    let (Some(one), Some(other)) = (left, right) else { return left.or(right) };
    if one.1 == other.0 {
        repeated();
    }
    Some((one.0, other.1))
}

impl HypothesisFeature for SentenceRepeats {
    type State = Ends;

    const HAS_ESTIMATE: bool = true;

    fn apply<A: RuleApplication>(
        &self,
        applied: &A,
        antecedent: &impl Fn(usize) -> Ends,
        values: &mut impl ValueSink,
    ) -> Option<Ends> {
        let ends = applied.lm_target().fold(None, |ends, symbol| {
            let next = match symbol {
                TargetSymbol::Word(word) => Some((word, word)),
                TargetSymbol::Antecedent(number) => antecedent(number),
            };
            join(ends, next, || values.add(self.repeats, 1.0))
        });
        Some(ends)
    }

    fn finish(&self, state: &Ends, values: &mut impl ValueSink) -> bool {
        if state.is_some_and(|(first, last)| first == last) {
            values.add(self.same_ends, 1.0);
        }
        true
    }

    /// Repeats within the rule.
    fn estimate<A: RuleApplication>(&self, applied: &A, values: &mut impl ValueSink) {
        self.apply(applied, &|_| None, values);
    }
}
