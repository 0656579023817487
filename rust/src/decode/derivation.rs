//! A derivation: the rules of a translation step by step, with the value of every feature.

use super::hypothesis_feature::ValueSink;

/// One rule application of a derivation.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Source positions that its own words cover, ascending.
    pub positions: Vec<usize>,
    /// `basic`, `segmenting`, `selecting`, `copy` or `term`; in a chart `rule`, `phrase` (without structure, in Dep2Str),
    /// `glue`, `straight`, `inverted`, `pseudo`, `copy` or `term`.
    pub kind: &'static str,
    /// The positions that the rule's context requires to have links to words translated later; `None` for basic rules
    /// and copies.
    pub context: Option<Vec<usize>>,
    /// Its own target words.
    pub target: Vec<String>,
    /// The position of each of them in the whole translation.
    pub places: Vec<usize>,
    /// The steps that fill its holes, in target order.
    pub children: Vec<usize>,
    /// The label of each of these holes, for rules of a table.
    pub labels: Vec<String>,
    /// (source position, target position in the whole translation).
    pub alignment: Vec<(usize, usize)>,
    /// How often the rule was seen in training.
    pub count: f32,
    /// What the step adds to the features of the translation, by column; without details, empty.
    pub features: Vec<f32>,
}

/// The feature values of a derivation while its steps are added one by one: those of the whole, and those of a step.
///
/// The values of a step are summed on their own: the differences of the sums of the whole would be rounded otherwise.
pub struct FeatureSums {
    pub whole: Vec<f32>,
    step: Vec<f32>,
    has_steps: bool,
}

impl FeatureSums {
    /// All values are 0. Without `has_steps`, those of steps are not summed.
    pub fn new(columns: usize, has_steps: bool) -> Self {
        let step = if has_steps { vec![0.0; columns] } else { Vec::new() };
        FeatureSums { whole: vec![0.0; columns], step, has_steps }
    }

    /// The values added since the last call.
    pub fn end_step(&mut self) -> Vec<f32> {
        let empty = vec![0.0; self.step.len()];
        std::mem::replace(&mut self.step, empty)
    }
}

impl ValueSink for FeatureSums {
    fn add(&mut self, column: usize, value: f32) {
        self.whole[column] += value;
        if self.has_steps {
            self.step[column] += value;
        }
    }
}

#[derive(Clone, Debug)]
pub struct Derivation {
    pub steps: Vec<Step>,
    /// By column, see [`super::features`].
    pub features: Vec<f32>,
    pub score: f32,
}

impl Derivation {
    /// With this number of features.
    pub fn of_empty_sentence(features: usize) -> Self {
        Derivation { steps: Vec::new(), features: vec![0.0; features], score: 0.0 }
    }

    /// The words of the translation.
    pub fn target(&self) -> Vec<&str> {
        let mut words = vec![""; self.steps.iter().map(|step| step.places.len()).sum()];
        for step in &self.steps {
            for (word, &place) in step.target.iter().zip(&step.places) {
                words[place] = word;
            }
        }
        words
    }
}
