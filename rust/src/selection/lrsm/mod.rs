//! The lexicalised rule selection model (LRSM, He, Liu and Lin 2008): for each ambiguous source side, a maximum-entropy
//! classifier predicts the target side from the surrounding words and the ends of its holes.
//!
//! `context` computes the features of a match, `train` collects matches and estimates the classifiers, `model` is the
//! file format, `annotator` applies the model to the options of a sentence.

pub mod annotator;
pub mod context;
pub mod model;
pub mod train;
