//! The maximum-entropy reordering model of BTG (Xiong, Liu and Lin 2006): p(straight | left block, right block) from
//! the first and the last word of both blocks on both sides.
//!
//! `examples` finds block pairs in aligned text, `collect` collects them over a corpus, `features` and `columns` number
//! the frequent features, `train` estimates the weights, `model` is the file that a decoder reads.

pub mod collect;
mod columns;
pub mod examples;
pub mod features;
pub mod model;
pub mod train;
