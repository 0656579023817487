//! Forced decoding: only hypotheses whose words are a substring of the reference survive.

use crate::decode::hypothesis_feature::{
    HypothesisFeature, RuleApplication, RuleKind, TargetSymbol, ValueSink,
};
use crate::decode::text_key::TextKey;
use crate::store::hashing::{FastMap, FastSet};
use crate::store::vocab::Words;

/// Constrains hypotheses to a reference. The state is their words, so that two hypotheses that differ inside do not
/// recombine.
pub struct ReferenceConstraint<'a> {
    /// Every substring of the reference, the empty one included.
    substrings: FastSet<TextKey>,
    whole: TextKey,
    /// The keys of the reference's words, by number in the table. Rules with other words are rejected at once.
    words: FastMap<u32, TextKey>,
    surface: &'a [String],
}

impl<'a> ReferenceConstraint<'a> {
    pub fn new(reference: &[String], surface: &'a [String], vocabulary: Words<'_>) -> Self {
        let key = |word: &String| TextKey::of(std::iter::once(word.as_str()));
        let keys: Vec<TextKey> = reference.iter().map(key).collect();
        let mut substrings = FastSet::default();
        substrings.insert(TextKey::EMPTY);
        for first in 0..keys.len() {
            let mut text = TextKey::EMPTY;
            for &word in &keys[first..] {
                text = text.then(word);
                substrings.insert(text);
            }
        }
        let whole = keys.iter().fold(TextKey::EMPTY, |text, &word| text.then(word));
        let known = reference.iter().zip(&keys);
        let words = known.filter_map(|(word, &key)| Some((vocabulary.get(word)?, key))).collect();
        ReferenceConstraint { substrings, whole, words, surface }
    }

    fn text<A: RuleApplication>(
        &self,
        applied: &A,
        antecedent: &impl Fn(usize) -> TextKey,
    ) -> Option<TextKey> {
        if applied.kind() == RuleKind::Copy {
            return Some(TextKey::of(std::iter::once(self.surface[applied.span().0].as_str())));
        }
        let mut text = TextKey::EMPTY;
        for symbol in applied.table_target() {
            text = text.then(match symbol {
                TargetSymbol::Antecedent(number) => antecedent(number),
                TargetSymbol::Word(word) => *self.words.get(&word)?,
            });
        }
        Some(text)
    }
}

impl HypothesisFeature for ReferenceConstraint<'_> {
    type State = TextKey;

    fn apply<A: RuleApplication>(
        &self,
        applied: &A,
        antecedent: &impl Fn(usize) -> TextKey,
        _: &mut impl ValueSink,
    ) -> Option<TextKey> {
        self.text(applied, antecedent).filter(|text| self.substrings.contains(text))
    }

    fn finish(&self, state: &TextKey, _: &mut impl ValueSink) -> bool {
        *state == self.whole
    }
}
