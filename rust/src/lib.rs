//! The hot loops of graphmt, and nothing else. `python/` holds the bindings; everything else is plain Rust.
//!
//! Modules are listed from the bottom up: each uses those above it in this list, and none below it.

pub mod error;

pub mod work;

pub mod protect;

pub mod store;

pub mod rule;

pub mod source;

pub mod corpus;

pub mod metric;

pub mod maxent;

pub mod align;

pub mod lm;

pub mod table;

pub mod extract;

pub mod reorder;

pub mod decode;

pub mod tune;

pub mod selection;

pub mod evidence;

pub mod consensus;

#[cfg(feature = "python")]
mod python;
