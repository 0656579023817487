//! The lexicalised rule selection model (LRSM, He, Liu and Lin 2008): for each ambiguous source side, a maximum-entropy
//! classifier predicts the target side from the surrounding words and the ends of its holes.
//!
//! `context` computes the features of a match, `train` collects the matches of a corpus, `annotator` applies the model to
//! the options of a sentence.

pub mod annotator;
pub mod context;
pub mod train;
