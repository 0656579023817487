//! The topic similarity model (TSM, Xiao et al. 2012): prefers rules from documents with topics similar to those of the
//! translated document.
//!
//! `train` gives every rule the topics of the documents it occurs in, `model` is the file format, `annotator` compares
//! them with the topics of the current document.

pub mod annotator;
pub mod model;
pub mod train;
