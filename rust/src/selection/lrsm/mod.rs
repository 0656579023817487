//! The lexicalised rule selection model (LRSM, He, Liu and Lin 2008): for each ambiguous source side a maximum-entropy
//! classifier says which target side fits the words around it and the ends of its holes.
//!
//! `context` says what is seen of a match, `train` gathers matches and estimates, `model` is the file, `annotator` asks
//! it for the options of a sentence.

pub mod annotator;
pub mod context;
pub mod model;
pub mod train;
