//! A derivation: the rules of a translation step by step, with the value of every feature.

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
