//! Reading, cleaning and counting text: what is done for every word of a corpus.

pub mod casing;
pub mod clean;
pub mod conllu;
pub mod markup;
mod sentence;
pub mod statistics;
pub mod text;
pub mod tokens;
pub mod trees;
