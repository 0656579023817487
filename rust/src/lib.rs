//! The hot loops of graphmt, and nothing else. `python/` holds the bindings; everything else is plain Rust.

pub mod align;
pub mod bits;
pub mod blocks;
pub mod chart;
pub mod consensus;
pub mod corpus;
pub mod dependents;
pub mod draft;
pub mod error;
pub mod extract;
pub mod faults;
pub mod fragments;
pub mod graph;
pub mod hashing;
pub mod interrupt;
pub mod links;
pub mod lm;
pub mod mapped;
pub mod maxent;
pub mod ngrams;
pub mod prefetch;
pub mod reorder;
pub mod search;
pub mod selection;
pub mod shuffles;
pub mod spans;
pub mod table;
pub mod threads;
pub mod tune;
pub mod vocab;
pub mod watched;

#[cfg(feature = "python")]
mod python;
