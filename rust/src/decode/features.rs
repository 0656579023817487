//! The features of the log-linear model and their weights.

use super::hypothesis_feature::registered::Registered;
use super::hypothesis_feature::FeatureModel;
use crate::error::{Error, Result};
use crate::rule::{ORIENTATIONS, SCORES};

/// The column of each built-in feature in a vector of weights or values.
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
    /// Minus the number of nodes in which a rule's context differs from the sentence's.
    pub const CONTEXT_MISMATCH: usize = 11;
    /// ln p of the orientation towards the previous (monotone, swap, discontinuous) and the next rule.
    pub const REORDERING: usize = 12;
    /// 1 for each glue rule and each pseudo rule of a chart.
    pub const GLUE: usize = 18;
    /// ln p of straight or inverted order of two neighbouring blocks.
    pub const ORIENTATION: usize = 19;
    /// 1 for each preferred term.
    pub const GLOSSARY: usize = 20;
    /// In a chart of fragments and other spans: 1 for each rule over a fragment, the number of its holes that are
    /// fragments, and the number of its holes with labels.
    pub const STRUCTURE: usize = 21;
    /// What the context of a rule adds if contexts are features: ln p(t|g,c) / p(t|g), and ln p(c|g).
    pub const CONTEXT_GAIN: usize = STRUCTURE + super::STRUCTURE;
    pub const CONTEXT_PROBABILITY: usize = CONTEXT_GAIN + 1;
    /// In a chart of heads with their dependents: the numbers of heads, of leaves and of internal dependents that a rule
    /// knows only by their parts of speech.
    pub const GENERAL: usize = CONTEXT_PROBABILITY + 1;
    /// The first column of registered hypothesis features. Columns that are added to the options follow.
    pub const REGISTERED: usize = GENERAL + super::STRUCTURE;
}

/// The number of structural features of a grammar.
pub const STRUCTURE: usize = 3;

/// The names of the built-in features, by column.
const BUILT_IN: [&str; column::REGISTERED] = [
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
    "glossary",
    "fragment",
    "fragment_holes",
    "labelled_holes",
    "context_gain",
    "context_probability",
    "general_heads",
    "general_leaves",
    "general_subtrees",
];

const _: () = assert!(column::LM == SCORES && column::GLUE == column::REORDERING + ORIENTATIONS);

/// The names of all features except added ones, by column.
pub fn names() -> Vec<&'static str> {
    [BUILT_IN.to_vec(), Registered::names()].concat()
}

/// The largest weight, either sign. Values are at most some hundreds for a word (probabilities are 1e-45 or more, and
/// this limit holds for added values too), so no sum over a sentence comes near the largest `f32`.
pub const MAX_WEIGHT: f32 = 1e9;

/// A weight for each feature: built-in ones, hypothesis features, then one for each added column.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    values: Vec<f32>,
    first_added: usize,
}

impl Weights {
    /// For a decoder with the registered hypothesis features.
    pub fn new(values: Vec<f32>) -> Result<Self> {
        Self::for_features::<Registered>(values)
    }

    /// For a decoder with these hypothesis features.
    pub fn for_features<R: FeatureModel>(values: Vec<f32>) -> Result<Self> {
        let first_added = column::REGISTERED + R::COLUMNS;
        if values.len() < first_added {
            let message = format!("{} weights, but there are {first_added} features.", values.len());
            return Err(Error::option(message));
        }
        if let Some(bad) = values.iter().position(|value| !in_range(*value)) {
            let names = [BUILT_IN.to_vec(), R::names()].concat();
            let added = || format!("added feature {}", bad - first_added);
            let name = names.get(bad).map_or_else(added, |&name| name.into());
            let message =
                format!("the weight of {name} is {}; at most {MAX_WEIGHT:e} was expected.", values[bad]);
            return Err(Error::option(message));
        }
        Ok(Weights { values, first_added })
    }

    pub fn all(&self) -> &[f32] {
        &self.values
    }

    #[inline]
    pub fn of(&self, column: usize) -> f32 {
        self.values[column]
    }

    /// The first column that an annotator or a span scorer adds.
    pub fn first_added(&self) -> usize {
        self.first_added
    }

    /// The weights of added columns.
    pub fn added(&self) -> &[f32] {
        &self.values[self.first_added..]
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }

    /// Whether any weight of lexicalised reordering is set.
    pub fn has_reordering(&self) -> bool {
        self.values[column::REORDERING..column::GLUE].iter().any(|&weight| weight != 0.0)
    }

    pub fn dot(&self, values: &[f32]) -> f32 {
        self.values.iter().zip(values).map(|(weight, value)| weight * value).sum()
    }
}

/// False for NaN.
fn in_range(weight: f32) -> bool {
    weight.abs() <= MAX_WEIGHT
}
