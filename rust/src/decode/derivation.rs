//! A translation told step by step, with the value of every feature.

use super::features::{column, Weights};
use super::stack::input::Input;
use super::stack::options::StackOptions;
use super::stack::search::reordering_values;
use super::LanguageModel;
use crate::rule::record::Context;
use crate::store::bits::NodeSet;
use crate::table::read::Table;

/// What one rule did.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Source positions that its own words cover, ascending.
    pub positions: Vec<usize>,
    /// `basic`, `segmenting`, `selecting` or `copy`; in a chart `rule`, `phrase` (without structure, in Dep2Str),
    /// `glue`, `straight`, `inverted`, `pseudo` or `copy`.
    pub kind: &'static str,
    /// The positions that the rule wanted linked to what follows; `None` for basic rules and copies.
    pub context: Option<Vec<usize>>,
    /// Its own target words.
    pub target: Vec<String>,
    /// Where each of them stands in the whole translation.
    pub places: Vec<usize>,
    /// The steps that fill its holes, in target order.
    pub children: Vec<usize>,
    /// What the rule calls each of these holes, for rules of a table.
    pub labels: Vec<String>,
    /// (source position, target position in the whole translation).
    pub alignment: Vec<(usize, usize)>,
    /// How often the rule was seen in training.
    pub count: f32,
}

#[derive(Clone, Debug)]
pub struct Derivation {
    pub steps: Vec<Step>,
    /// By place, see [`super::features`].
    pub features: Vec<f32>,
    pub score: f32,
}

impl Derivation {
    /// That of nothing, with this number of features.
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

/// The target words of an option; a copied word as it stands in the input.
pub fn target_words<B: NodeSet>(
    option: u32,
    input: &Input<'_, B>,
    options: &StackOptions<B>,
    table: &Table,
) -> Vec<String> {
    if options.is_copy(option) {
        return vec![input.surface[options.subgraph(option).first].clone()];
    }
    let vocabulary = table.target_words();
    options.rule(option).target.iter().map(|&word| vocabulary.word(word).to_owned()).collect()
}

/// Goes through a path of options again. The score is the weighted sum of the feature values, computed apart from the
/// search.
pub fn derive<B: NodeSet, L: LanguageModel>(
    path: &[u32],
    input: &Input<'_, B>,
    options: &StackOptions<B>,
    table: &Table,
    lm: &L,
    weights: &Weights,
) -> Derivation {
    let mut features = vec![0.0; weights.len()];
    let mut steps = Vec::with_capacity(path.len());
    let mut state = lm.begin();
    let mut cover = B::default();
    let mut last = -1i32;
    let mut target_at = 0;
    let words = input.len();
    for (k, &option) in path.iter().enumerate() {
        let at = options.subgraph(option);
        let rule = options.rule(option);
        let copied = options.is_copy(option);
        for (i, score) in rule.scores.iter().enumerate() {
            features[column::SCORES + i] += score;
        }
        features[column::RULE_PENALTY] += 1.0;
        features[column::WORD_PENALTY] -= rule.target.len() as f32;
        features[column::DISTORTION] -= at.first.abs_diff((last + 1) as usize) as f32;
        features[column::GAP] -= at.gap as f32;
        features[column::UNKNOWN] -= f32::from(u8::from(copied));
        features[column::BASIC_RULE] += f32::from(u8::from(rule.context == Context::Any));
        for &word in options.lm_words(option) {
            let (score, next) = lm.score(&state, word);
            features[column::LM] += score;
            state = next;
        }
        if !options.orientations.is_empty() {
            let previous = if k == 0 { super::stack::graph::NONE } else { path[k - 1] };
            reordering_values(options, previous, option, k + 1 == path.len(), words, |which, value| {
                features[column::REORDERING + which] += value;
            });
        }
        for column in 0..options.added_columns {
            features[column::ADDED + column] +=
                options.added[option as usize * options.added_columns + column];
        }
        let positions: Vec<usize> = at.set.iter().collect();
        let context = match rule.context {
            Context::Any => None,
            Context::Nodes(nodes) => Some(
                (0..positions.len())
                    .filter(|&i| nodes >> i & 1 == 1)
                    .map(|i| positions[i])
                    .collect::<Vec<_>>(),
            ),
        };
        if let Some(wanted) = &context {
            let open = B::range(0, words).minus(cover).minus(at.set);
            let linked = |&&p: &&usize| input.links[p].meets(open) != wanted.contains(&p);
            features[column::CONTEXT_MISMATCH] -= positions.iter().filter(linked).count() as f32;
        }
        let target = target_words(option, input, options, table);
        steps.push(Step {
            kind: match (&rule.context, copied) {
                (_, true) => "copy",
                (Context::Any, _) => "basic",
                (Context::Nodes(0), _) => "selecting",
                _ => "segmenting",
            },
            alignment: rule
                .alignment
                .iter()
                .filter_map(|&(s, t)| Some((*positions.get(s as usize)?, target_at + t as usize)))
                .collect(),
            context,
            count: rule.count,
            positions,
            places: (target_at..target_at + target.len()).collect(),
            children: Vec::new(),
            labels: Vec::new(),
            target,
        });
        target_at += rule.target.len();
        cover = cover.union(at.set);
        last = at.last as i32;
    }
    features[column::LM] += lm.score(&state, lm.end()).0;
    let score = weights.dot(&features);
    Derivation { steps, features, score }
}
