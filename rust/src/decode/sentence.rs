//! The input of both searches.

use super::terms::Term;

/// A sentence to be translated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentence {
    /// The words as the table spells them.
    pub words: Vec<String>,
    /// The words as they are copied if unknown.
    pub surface: Vec<String>,
    /// The head of each word, counted from 0; -1 for the root. Empty without a tree.
    pub heads: Vec<i32>,
    /// The part of speech of each word. Empty without a tree.
    pub tags: Vec<String>,
    /// P(z|d) of the sentence's document. Empty if no model uses it.
    pub topics: Vec<f32>,
    /// Translations of spans that are required, preferred or forbidden, see [`super::terms::check`].
    pub terms: Vec<Term>,
}
