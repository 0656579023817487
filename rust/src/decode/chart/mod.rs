//! Bottom-up search over source spans: one chart with cube pruning, parametrised by cells, labels and rules.

pub mod annotation;
pub mod application;
pub mod blocks;
pub mod cell;
pub mod cube;
pub mod decoder;
pub mod dependents;
pub mod derivation;
pub mod edge;
pub mod filled;
pub mod first_pass;
pub mod forced;
pub mod forest;
pub mod glue;
pub mod hypergraph;
pub mod kbest;
pub mod matching;
mod n_best;
pub mod options;
pub mod pops;
pub mod system;
#[cfg(test)]
mod tests;
pub mod texts;
mod translate;
