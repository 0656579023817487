//! Maximum-entropy models (conditional log-linear models) over sparse indicator features, with a Gaussian prior.
//!
//! What is minimised is the negative log-posterior, divided by the number of examples:
//! −(1/N) Σ count · ln p(class | features) + ‖w‖² / (2 σ² N). It is convex, and strictly so with the prior, so the
//! weights are the same whatever the search for them is.

pub mod binary;
pub mod lbfgs;
pub mod multiclass;
pub mod rows;
pub mod sums;

/// How a model is estimated.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The variance σ² of the Gaussian prior on every weight; infinite for none.
    pub variance: f64,
    pub search: lbfgs::Settings,
}

impl Settings {
    /// What ½ ‖w‖² is multiplied with, for so many examples.
    fn penalty(&self, examples: f64) -> f64 {
        1.0 / (self.variance * examples.max(1.0))
    }
}

/// Weights, and how the search for them ended.
#[derive(Clone, Debug)]
pub struct Estimate {
    pub weights: Vec<f64>,
    pub outcome: lbfgs::Outcome,
}
