//! Measures of translation quality, and the random numbers of sampling and significance tests.

pub mod bleu;
pub mod ngrams;
pub mod random;
pub mod repeats;
pub mod shuffles;
pub mod ter;
