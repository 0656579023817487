//! Word alignment: the operations on every word of a corpus. Most alignment models are in libraries.
//!
//! [`gibbs`] is a model of our own, [`symmetrise`] combines two directions, [`error_rate`] compares with gold links,
//! [`encoded`] turns words into numbers, and [`lexical`] counts linked words ([`lexical_text`] is its file format). The
//! links themselves are in [`crate::corpus::links`].

pub mod encoded;
pub mod error_rate;
pub mod gibbs;
pub mod lexical;
pub mod lexical_counts;
pub mod lexical_text;
pub mod symmetrise;
