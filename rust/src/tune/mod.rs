//! Tuning the weights of a log-linear model on n-best lists: accumulated lists, and the inner loops of MERT, batch MIRA
//! and PRO.

pub mod line_search;
pub mod lists;
pub mod mira;
pub mod pro;
