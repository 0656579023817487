//! The hot loops of graphmt, and nothing else. `python/` holds the bindings; everything else is plain Rust.

pub mod align;
pub mod error;

#[cfg(feature = "python")]
mod python;
