//! The parts of a rule: its source side, context and identity, its symbols, and its bytes.

pub mod bytes;
pub mod record;
pub mod symbols;

/// The scores of a rule: ln of p(g,c|t), p_lex(g|t), p(t|g,c), p_lex(t|g), in Moses' order.
pub const SCORES: usize = 4;

/// Orientation counts of a rule: monotone, swap, discontinuous towards the previous and towards the next.
pub const ORIENTATIONS: usize = 6;
