//! A discriminative word lexicon (DWL): for each ambiguous source word, a maximum-entropy classifier predicts its
//! translation from the words beside it, the word that it depends on, and all the other words of the sentence.
//!
//! Mauser, Hasan and Ney (2009) predict each target word from all source words; here each source word predicts the
//! target words that it is linked to, so that a classifier has few classes and few examples.
//!
//! `context` computes the features of a word, `train` collects the words of a corpus with their translations,
//! `annotator` applies the model to the options of a sentence.

pub mod annotator;
pub mod context;
pub mod train;
