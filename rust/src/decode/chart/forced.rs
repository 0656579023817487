//! ReferenceConstraint decoding: only hypotheses whose words are a substring of the reference survive.

use super::edge::{Edge, EdgeKind};
use super::extra::Extra;
use crate::decode::prepared::{hole, PreparedRule};
use crate::decode::stack::kbest::TextKey;
use crate::store::hashing::{FastMap, FastSet};
use crate::store::vocab::Words;

/// Holds hypotheses to a reference. Their words are part of their state: two that differ inside are two.
pub struct ReferenceConstraint<'a, E> {
    inner: &'a E,
    /// Every substring of the reference, the empty one included.
    substrings: FastSet<TextKey>,
    whole: TextKey,
    /// The keys of the reference's words, by number in the table; a rule with another word is refused at distinct.
    words: FastMap<u32, TextKey>,
    surface: &'a [String],
}

impl<'a, E> ReferenceConstraint<'a, E> {
    pub fn new(inner: &'a E, reference: &[String], surface: &'a [String], vocabulary: Words<'_>) -> Self {
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
        ReferenceConstraint { inner, substrings, whole, words, surface }
    }

    fn text<S>(&self, edge: &Edge, rule: &PreparedRule, holes: &[(S, TextKey)]) -> Option<TextKey> {
        if edge.kind == EdgeKind::Copy {
            return Some(TextKey::of(std::iter::once(self.surface[usize::from(edge.first)].as_str())));
        }
        let mut text = TextKey::EMPTY;
        for (&lm_word, word) in rule.lm_words.iter().zip(&rule.rule.target) {
            text = text.then(match hole(lm_word) {
                Some(number) => holes[number].1,
                None => *self.words.get(word)?,
            });
        }
        Some(text)
    }
}

impl<E: Extra> Extra for ReferenceConstraint<'_, E> {
    type State = (E::State, TextKey);

    fn apply(&self, edge: &Edge, rule: &PreparedRule, holes: &[Self::State]) -> Option<(f32, Self::State)> {
        let text = self.text(edge, rule, holes)?;
        if !self.substrings.contains(&text) {
            return None;
        }
        let (score, state) = self.inner.apply(edge, rule, &inner_states(holes))?;
        Some((score, (state, text)))
    }

    fn may_end(&self, state: &Self::State) -> bool {
        state.1 == self.whole && self.inner.may_end(&state.0)
    }

    fn values(&self, edge: &Edge, rule: &PreparedRule, holes: &[Self::State], features: &mut [f32]) {
        self.inner.values(edge, rule, &inner_states(holes), features);
    }
}

fn inner_states<S: Copy>(holes: &[(S, TextKey)]) -> Vec<S> {
    holes.iter().map(|&(state, _)| state).collect()
}
