//! Word alignment: what is done for every word of a corpus. The models themselves are libraries' work.
//!
//! [`symmetrise`] joins two directions, [`error_rate`] compares with hand-made links, [`encoded`] turns words into numbers,
//! and [`lexical`] counts which words are linked to which ([`lexical_text`] is its form on disk). The links themselves are
//! in [`crate::corpus::links`].

pub mod encoded;
pub mod error_rate;
pub mod lexical;
pub mod lexical_counts;
pub mod lexical_text;
pub mod symmetrise;
