//! Collective lexical selection (GM): the translations of a sentence's content words support one another in a
//! translation graph, and a random walk finds how much evidence each of them has.
//!
//! `train` collects the statistics of a corpus (`share` from aligned pairs, `text` from one language; `votes` finds content
//! words, `numbers` lemmas), `write` and `model` are the file they are kept in, `graph` builds the translation graphs of a
//! sentence, `walk` is the random walk, `annotator` turns evidence into a feature of rules.

pub mod annotator;
pub mod graph;
pub mod model;
pub mod numbers;
pub mod pairs;
pub mod share;
pub mod text;
pub mod train;
pub mod translations;
pub mod votes;
pub mod walk;
pub mod write;
