//! Maximum-entropy models (conditional log-linear models) over sparse indicator features, with a Gaussian prior.
//!
//! The objective is the negative log posterior, divided by the number of examples: −(1/N) Σ count · ln p(class |
//! features) + ‖w‖² / (2 σ² N). It is convex, and strictly convex with the prior, so the weights do not depend on the
//! search.

pub mod binary;
pub mod lbfgs;
pub mod multiclass;
pub mod rows;
pub mod sums;

/// How a model is estimated.
#[derive(Clone, Copy, Debug)]
pub struct MaxentSettings {
    /// The variance σ² of the Gaussian prior on every weight; infinite for no prior.
    pub variance: f64,
    pub search: lbfgs::LbfgsSettings,
}

impl MaxentSettings {
    /// The factor of ½ ‖w‖² for this many examples.
    fn penalty(&self, examples: f64) -> f64 {
        1.0 / (self.variance * examples.max(1.0))
    }
}

/// Weights, and the outcome of the search.
#[derive(Clone, Debug)]
pub struct Estimate {
    pub weights: Vec<f64>,
    pub outcome: lbfgs::Outcome,
}
