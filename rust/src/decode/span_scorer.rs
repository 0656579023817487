//! What is thought of whole texts: features of a span's translation that are no sums over the rules of a derivation.

use super::sentence::Sentence;
use crate::source::spans::Span;

/// Judges translations of spans as texts.
pub trait SpanScorer: Send + Sync {
    /// How many values it gives a text.
    fn columns(&self) -> usize;

    /// What judges the spans of a sentence.
    fn for_sentence<'a>(&'a self, sentence: &'a Sentence) -> Box<dyn SentenceSpanScorer + 'a>;
}

/// Judges the spans of one sentence. Texts are numbers of its own for words.
pub trait SentenceSpanScorer {
    /// The number of a word of the table's target vocabulary.
    fn word_id(&self, word: u32) -> u32;

    /// The number of a word as text.
    fn word_id_of(&self, word: &str) -> u32;

    /// Puts the values of each text of a span into `values`, text by text; false where nothing is known of the span.
    fn score(&mut self, span: Span, texts: &[&[u32]], values: &mut Vec<f32>) -> bool;
}
