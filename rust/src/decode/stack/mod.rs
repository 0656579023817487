//! Left-to-right search over source subgraphs. PBMT, TBMT, GBMT and GBMT-ctx differ only in their tables.

pub mod application;
mod choices;
pub mod decoder;
#[cfg(test)]
mod definitions;
pub mod derivation;
pub mod future;
pub mod graph;
pub mod grid;
pub mod input;
pub mod kbest;
pub mod matching;
pub mod options;
mod orientations;
pub mod reordering;
pub mod search;
#[cfg(test)]
pub(super) mod tests;
