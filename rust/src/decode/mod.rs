//! Decoding: the input and output of a search, and the two searches, left to right (`stack/`) and bottom-up (`chart/`).

pub mod annotate;
pub mod best_rules;
pub mod chart;
pub mod context_features;
pub mod derivation;
pub mod features;
pub mod hypothesis_feature;
pub mod nbest_columns;
pub mod ngram_model;
pub mod option_rows;
pub mod pieces;
pub mod preparation;
pub mod prepared;
pub mod sentence;
pub mod shared_rules;
pub mod span_scorer;
pub mod stack;
pub mod target_scores;
pub mod terms;
pub mod text_key;
pub mod translator;
pub mod word_pairs;

use std::hash::Hash;

use crate::error::Result;

/// A language model as the search uses it. Probabilities are natural logarithms.
pub trait LanguageModel: Sync {
    type State: Copy + Eq + Hash + Send + Sync;
    /// The state at the beginning of a sentence.
    fn begin(&self) -> Self::State;
    /// The state without any left context.
    fn no_context(&self) -> Self::State;
    /// The number of a word; unknown words have one, too.
    fn word(&self, text: &str) -> u32;
    /// The word that ends a sentence.
    fn end(&self) -> u32;
    /// The probability of a word after a state, and the state after it.
    fn score(&self, state: &Self::State, word: u32) -> (f32, Self::State);
    /// The last word of a state; none if the next word does not depend on it.
    fn last_word(&self, state: &Self::State) -> Option<u32>;
    /// How much more probable a word is after another one than without context.
    fn gain(&self, last: u32, word: u32) -> f32;
    /// Fails if its scores may be wrong because its file was changed.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}
