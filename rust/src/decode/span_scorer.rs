//! Features of the text of a span's translation, which are no sums over the rules of a derivation.

use super::sentence::Sentence;
use crate::source::spans::Span;

/// Scores translations of spans by their text.
pub trait SpanScorer: Send + Sync {
    /// The number of values for each text.
    fn columns(&self) -> usize;

    /// Whether it orders the hypotheses of every cell during the search; otherwise it ranks the translations that a search
    /// without it finds.
    fn scores_cells(&self) -> bool;

    /// The scorer for the spans of a sentence.
    fn for_sentence<'a>(&'a self, sentence: &'a Sentence) -> Box<dyn SentenceSpanScorer + 'a>;
}

/// Scores translations of the spans of one sentence. It numbers words in its own way.
pub trait SentenceSpanScorer {
    /// The number of a word of the table's target vocabulary.
    fn word_id(&self, word: u32) -> u32;

    /// The number of a word given as text.
    fn word_id_of(&self, word: &str) -> u32;

    /// Writes the values of each text of a span to `values`, text by text; false if it knows nothing about the span.
    fn score(&mut self, span: Span, texts: &[&[u32]], values: &mut Vec<f32>) -> bool;
}
