//! The topic similarity model (TSM, Xiao et al. 2012): rules from documents about the same things as the one that is
//! translated are preferred.
//!
//! `train` gives every rule the topics of the documents it occurred in, `model` is the file they are kept in,
//! `annotator` compares them with the topics of the document at hand.

pub mod annotator;
pub mod model;
pub mod train;
