//! A sentence, as every search gets it.

/// A sentence to be translated.
#[derive(Clone, Debug, Default)]
pub struct Sentence {
    /// As the table knows the words.
    pub words: Vec<String>,
    /// As unknown words are copied.
    pub surface: Vec<String>,
    /// From 0, -1 for the root word; empty where there is no tree.
    pub heads: Vec<i32>,
    /// The part of speech of each word; empty where there is no tree.
    pub tags: Vec<String>,
    /// P(z|d) of the document that the sentence is from; empty where no model asks.
    pub topics: Vec<f32>,
}
