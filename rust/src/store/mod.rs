//! Bytes in memory and on disk: mapped files, drafts, compression, vocabularies, hashing, bit sets, external sorting.

pub mod bits;
pub mod blocks;
pub mod compression;
pub mod deferred;
pub mod draft;
pub mod faults;
pub mod hashing;
mod large_pages;
pub mod mapped;
pub mod merge;
pub mod opening;
pub mod prefetch;
pub mod ranking;
pub mod runs;
pub mod short;
pub mod sums;
pub mod vocab;
pub mod watched;
