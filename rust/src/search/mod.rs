//! Left-to-right search over source subgraphs: PBMT, TBMT, GBMT and GBMT-ctx differ in their tables alone.

pub mod annotate;
pub mod columns;
pub mod decoder;
#[cfg(test)]
mod definitions;
pub mod derivation;
pub mod features;
pub mod future;
pub mod graph;
pub mod input;
pub mod kbest;
pub mod matching;
pub mod ngrams;
pub mod opinion;
pub mod options;
pub mod pieces;
pub mod pool;
pub mod prepare;
pub mod rows;
pub mod sentence;
pub mod stack;
#[cfg(test)]
mod tests;
pub mod translator;

use std::hash::Hash;

use crate::error::Result;

/// What the search asks of a language model. Probabilities are natural logarithms.
pub trait LanguageModel: Sync {
    type State: Copy + Eq + Hash + Send + Sync;
    /// The state at the beginning of a sentence.
    fn begin(&self) -> Self::State;
    /// The state of which nothing is known.
    fn nothing(&self) -> Self::State;
    /// The number of a word; unknown words have one too.
    fn word(&self, text: &str) -> u32;
    /// The word that ends a sentence.
    fn end(&self) -> u32;
    /// The probability of a word after a state, and the state after it.
    fn score(&self, state: &Self::State, word: u32) -> (f32, Self::State);
    /// Fails if what it said may be wrong, because its file was changed.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}
