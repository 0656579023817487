//! Translation consensus (Liu et al. 2012, "Learning Translation Consensus with Structured Label Propagation"): the
//! graph of similar source strings, structured label propagation over it, the resulting features, and MBR for
//! comparison.

#[cfg(test)]
mod convergence_tests;
pub mod explain;
pub mod graph;
pub mod index;
pub mod links;
pub mod lists;
pub mod local;
pub mod mbr;
pub mod memory;
mod neighbour_labels;
pub mod neighbourhood;
pub mod nodes;
pub mod profiles;
pub mod propagation;
pub mod similarity;
pub mod span_evidence;
pub mod span_features;
pub mod span_scorer;
pub mod spans;
pub mod strings;
pub mod transfers;
