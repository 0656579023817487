//! The hot loops of graphmt, and nothing else. `python/` holds the bindings; everything else is plain Rust.

pub mod corpus;
pub mod align;
pub mod error;
pub mod graph;
pub mod lm;

#[cfg(feature = "python")]
mod python;
