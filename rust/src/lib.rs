//! The hot loops of graphmt, and nothing else. `python/` holds the bindings; everything else is plain Rust.

pub mod error;
pub mod lm;

#[cfg(feature = "python")]
mod python;
