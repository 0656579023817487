//! The source sentence as a graph: its tree, links, spans, head-dependents and fragments.

pub mod dependents;
pub mod fragments;
pub mod links;
pub mod spans;
pub mod tree;
