//! Translation consensus (Liu et al. 2012, "Learning Translation Consensus with Structured Label Propagation"): the graph
//! of similar source strings, structured label propagation over it, the features that come of it, and MBR beside them.

pub mod explain;
pub mod graph;
pub mod index;
pub mod judge;
pub mod links;
pub mod lists;
pub mod local;
pub mod mbr;
pub mod memory;
pub mod neighbourhood;
pub mod profiles;
pub mod propagation;
#[cfg(test)]
mod settling_tests;
pub mod similarity;
pub mod spans;
pub mod strings;
pub mod transfers;
