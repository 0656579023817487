//! Text that must not change: variables, tags, addresses, numbers and patterns of the user, found in a line.
//!
//! Every kind is a function of a text and a place, which gives the end of the item that starts there. They are written
//! by hand instead of as regular expressions so that a line takes time linear in its length, whatever it holds:
//!
//! - no function tries a second way: a run of characters is as long as it can be;
//! - an attempt reads only as far as no other attempt of its kind starts (a tag stops at the next `<`, an address starts
//!   only where its run starts), or a limited number of characters;
//! - what could be asked again is remembered ([`needle`], [`addresses::Hopeless`]).
//!
//! [`text::Text`] counts the characters that were looked at, and a test compares the counts for texts of double length.

pub mod addresses;
pub mod braces;
pub mod classes;
pub mod needle;
pub mod numbers;
pub mod patterns;
pub mod scanner;
pub mod tags;
pub mod text;
pub mod trailing;
pub mod variables;
