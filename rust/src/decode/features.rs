//! The features of the log-linear model and their weights.

use crate::error::{Error, Result};
use crate::rule::{ORIENTATIONS, SCORES};

/// The place of each feature in a vector of weights or values.
pub mod column {
    /// ln p(g,c|t), ln p_lex(g|t), ln p(t|g,c), ln p_lex(t|g).
    pub const SCORES: usize = 0;
    pub const LM: usize = 4;
    /// 1 for each rule.
    pub const RULE_PENALTY: usize = 5;
    /// -1 for each target word.
    pub const WORD_PENALTY: usize = 6;
    /// Minus the jump from the end of the previous rule to the beginning of this one.
    pub const DISTORTION: usize = 7;
    /// Minus the number of positions in the gaps of a rule's source side.
    pub const GAP: usize = 8;
    /// -1 for each copied word.
    pub const UNKNOWN: usize = 9;
    /// 1 for each basic rule.
    pub const BASIC_RULE: usize = 10;
    /// Minus the number of nodes in which a rule's context differs from what is there.
    pub const CONTEXT_MISMATCH: usize = 11;
    /// ln p of the orientation towards the previous (monotone, swap, discontinuous) and the next rule.
    pub const REORDERING: usize = 12;
    /// 1 for each glue rule and each pseudo rule of a chart.
    pub const GLUE: usize = 18;
    /// ln p of straight or inverted order of two neighbouring blocks.
    pub const ORIENTATION: usize = 19;
    /// Columns added to the options.
    pub const ADDED: usize = 20;
}

/// The names of the built-in features, by place.
pub const NAMES: [&str; column::ADDED] = [
    "p_source_given_target",
    "lex_source_given_target",
    "p_target_given_source",
    "lex_target_given_source",
    "lm",
    "rule_penalty",
    "word_penalty",
    "distortion",
    "gap",
    "unknown",
    "basic_rule",
    "context_mismatch",
    "reorder_previous_monotone",
    "reorder_previous_swap",
    "reorder_previous_other",
    "reorder_next_monotone",
    "reorder_next_swap",
    "reorder_next_other",
    "glue",
    "orientation",
];

const _: () = assert!(column::LM == SCORES && column::GLUE == column::REORDERING + ORIENTATIONS);

/// The largest weight, either sign. Values are at most some hundreds for a word (probabilities are 1e-45 at the least, and
/// [`MAX_WEIGHT`] bounds added ones), so no sum over a sentence comes near the largest `f32`.
pub const MAX_WEIGHT: f32 = 1e9;

/// A weight for each feature: the built-in ones, then one for each added column.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    values: Vec<f32>,
}

impl Weights {
    pub fn new(values: Vec<f32>) -> Result<Self> {
        if values.len() < column::ADDED {
            let message = format!("{} weights, but there are {} features.", values.len(), column::ADDED);
            return Err(Error::option(message));
        }
        let in_range = |value: &f32| value.abs() <= MAX_WEIGHT;
        if let Some(bad) = values.iter().position(|value| !in_range(value)) {
            let name =
                NAMES.get(bad).map_or(format!("added feature {}", bad - column::ADDED), |&name| name.into());
            let message =
                format!("the weight of {name} is {}; at most {MAX_WEIGHT:e} was expected.", values[bad]);
            return Err(Error::option(message));
        }
        Ok(Weights { values })
    }

    #[inline]
    pub fn of(&self, place: usize) -> f32 {
        self.values[place]
    }

    pub fn added(&self) -> &[f32] {
        &self.values[column::ADDED..]
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }

    /// Whether any lexicalised reordering weight is set.
    pub fn has_reordering(&self) -> bool {
        self.values[column::REORDERING..column::GLUE].iter().any(|&weight| weight != 0.0)
    }

    pub fn dot(&self, values: &[f32]) -> f32 {
        self.values.iter().zip(values).map(|(weight, value)| weight * value).sum()
    }
}
