//! Collective lexical selection (GM): the translations of a sentence's content words support one another in a
//! translation graph, and a random walk computes the evidence of each.
//!
//! `train` collects the statistics of a corpus (`chunk_counts` from aligned pairs, `text` from monolingual text;
//! `link_counts` finds content words, `word_keys` lemmas), `write` and `model` are the file format, `graph` builds the
//! translation graphs of a sentence, `walk` is the random walk, `annotator` turns evidence into a feature of rules.

pub mod annotator;
pub mod chunk_counts;
pub mod graph;
pub mod link_counts;
pub mod model;
pub mod pairs;
pub mod text;
pub mod train;
pub mod translations;
pub mod walk;
pub mod word_keys;
pub mod write;
