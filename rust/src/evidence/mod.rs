//! Memory n-gram posteriors: the probability that the reference of a sentence contains an n-gram, predicted from a
//! translation memory and the n-best list, as features for re-ranking.
//!
//! [`memory`] indexes a translation memory by n-grams. [`rows`] gives each distinct n-gram of the candidates of a
//! sentence a row of features. [`predictor`] holds a classifier for each n-gram order and turns rows into probabilities;
//! their sums are features of the candidates. [`explain`] lists the memory pairs that support the n-grams of a
//! candidate.

pub mod bins;
pub mod boosting;
pub mod distinct;
pub mod edit_distance;
pub mod explain;
pub mod features;
pub mod file;
pub mod inputs;
pub mod logistic;
pub mod memory;
pub mod neighbours;
pub mod ngrams;
pub mod predictor;
pub mod rows;
pub mod sentence;
pub mod suffixes;
pub mod text;
pub mod tree;

/// Orders of target n-grams: a classifier and a candidate feature for each.
pub const ORDERS: usize = 4;
/// The longest source n-grams looked up in the memory.
pub const LONGEST: usize = 6;

/// How rows are made from a memory.
#[derive(Clone, Copy, Debug)]
pub struct RowSettings {
    /// The most memory pairs examined for one source n-gram, evenly spaced over its occurrences.
    pub sample: usize,
    /// How many pairs the background probability counts as when q_s(g) is smoothed.
    pub prior: f64,
    /// Source n-grams in so many pairs or more are not used to find neighbours.
    pub frequent: usize,
    /// Neighbour candidates compared by edit distance.
    pub compared: usize,
    /// Ignore memory pairs whose source is the input itself, so that a memory can tune on its own sentences.
    pub skip_identical: bool,
}

impl Default for RowSettings {
    fn default() -> Self {
        RowSettings { sample: 150, prior: 1.5, frequent: 2000, compared: 60, skip_identical: false }
    }
}
