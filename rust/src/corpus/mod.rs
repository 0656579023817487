//! Reading, cleaning and counting text: the operations on every word of a corpus.

pub mod casing;
pub mod clean;
pub mod conllu;
pub mod links;
pub mod markup;
pub mod pair;
pub mod pair_reader;
pub mod pharaoh;
mod sentence;
pub mod statistics;
pub mod text;
pub mod tokens;
pub mod trees;
