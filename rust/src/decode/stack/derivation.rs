//! The derivation of a path through the search graph, with every feature value computed anew.

use super::application::OptionApplication;
use super::input::Input;
use super::options::StackOptions;
use crate::decode::derivation::{Derivation, FeatureSums, Step};
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::{HypothesisFeature, ValueSink};
use crate::decode::terms::TermUse;
use crate::decode::LanguageModel;
use crate::rule::record::Context;
use crate::store::bits::NodeSet;
use crate::table::read::Table;

/// A sentence with its options.
pub struct Matched<'a, B: NodeSet> {
    pub input: &'a Input<'a, B>,
    pub options: &'a StackOptions<B>,
    pub table: &'a Table,
}

impl<B: NodeSet> Matched<'_, B> {
    /// The target words of an option; a copied word as the input spells it.
    pub fn target_words(&self, option: u32) -> Vec<String> {
        let options = self.options;
        if options.is_copy(option) {
            return vec![self.input.surface[options.subgraph(option).first].clone()];
        }
        if let Some(term) = options.term(option) {
            return term.target.clone();
        }
        let vocabulary = self.table.target_words();
        options.rule(option).target.iter().map(|&word| vocabulary.word(word).to_owned()).collect()
    }
}

/// The derivation of a path of options. The score is the weighted sum of the feature values, computed independently of
/// the search. With `words_only`, steps have target words and nothing else.
pub fn derive<B: NodeSet, L: LanguageModel, F: HypothesisFeature>(
    path: &[u32],
    matched: &Matched<'_, B>,
    lm: &L,
    hypothesis_features: &F,
    weights: &Weights,
    words_only: bool,
) -> Derivation {
    let (input, options) = (matched.input, matched.options);
    let mut features = FeatureSums::new(weights.len(), !words_only);
    let mut steps = Vec::with_capacity(path.len());
    let (mut state, mut feature_state) = (lm.begin(), hypothesis_features.begin());
    let mut cover = B::default();
    let mut last = -1i32;
    let mut target_at = 0;
    let words = input.len();
    for &option in path {
        let at = options.subgraph(option);
        let rule = options.rule(option);
        let (copied, term) = (options.is_copy(option), options.term(option));
        for (i, score) in rule.scores.iter().enumerate() {
            features.add(column::SCORES + i, *score);
        }
        features.add(column::RULE_PENALTY, 1.0);
        features.add(column::WORD_PENALTY, -(rule.target.len() as f32));
        features.add(column::DISTORTION, -(at.first.abs_diff((last + 1) as usize) as f32));
        features.add(column::GAP, -(at.gap as f32));
        features.add(column::UNKNOWN, -f32::from(u8::from(copied)));
        let preferred = term.is_some_and(|term| term.usage == TermUse::Preferred);
        features.add(column::GLOSSARY, f32::from(u8::from(preferred)));
        features.add(column::BASIC_RULE, f32::from(u8::from(rule.context == Context::Any)));
        let added = options.context(option);
        features.add(column::CONTEXT_GAIN, added.gain);
        // The last rule of a sentence has no context.
        if cover.union(at.set).len() < words {
            features.add(column::CONTEXT_PROBABILITY, added.probability);
        }
        for &word in options.lm_words(option) {
            let (score, next) = lm.score(&state, word);
            features.add(column::LM, score);
            state = next;
        }
        let applied = OptionApplication { options, option };
        let next = hypothesis_features.apply(&applied, &|_| feature_state, &mut features);
        // A path that the search found has no forbidden step.
        feature_state = next.unwrap_or_default();
        for column in 0..options.added_columns {
            features.add(
                weights.first_added() + column,
                options.added[option as usize * options.added_columns + column],
            );
        }
        if let Context::Nodes(nodes) = rule.context {
            let open = B::range(0, words).minus(cover).minus(at.set);
            let differs = |&(k, p): &(usize, usize)| input.links[p].meets(open) != (nodes >> k & 1 == 1);
            features
                .add(column::CONTEXT_MISMATCH, -(at.set.iter().enumerate().filter(differs).count() as f32));
        }
        let target = matched.target_words(option);
        let places = (target_at..target_at + target.len()).collect();
        steps.push(match words_only {
            true => Step { target, places, ..Step::default() },
            false => {
                Step { target, places, features: features.end_step(), ..step(option, options, target_at) }
            }
        });
        target_at += rule.target.len();
        cover = cover.union(at.set);
        last = at.last as i32;
    }
    let FeatureSums { whole: mut features, .. } = features;
    features[column::LM] += lm.score(&state, lm.end()).0;
    hypothesis_features.finish(&feature_state, &mut &mut features[..]);
    let score = weights.dot(&features);
    Derivation { steps, features, score }
}

/// What a step has besides its target words, whose first place is `target_at`.
fn step<B: NodeSet>(option: u32, options: &StackOptions<B>, target_at: usize) -> Step {
    let rule = options.rule(option);
    let positions: Vec<usize> = options.subgraph(option).set.iter().collect();
    let place = |&(s, t): &(u8, u8)| Some((*positions.get(usize::from(s))?, target_at + usize::from(t)));
    let nodes = |nodes| positions.iter().enumerate().filter(move |&(k, _)| nodes >> k & 1 == 1);
    Step {
        kind: match rule.context {
            _ if options.term(option).is_some() => "term",
            _ if options.is_copy(option) => "copy",
            Context::Any => "basic",
            Context::Nodes(0) => "selecting",
            Context::Nodes(_) => "segmenting",
        },
        alignment: rule.alignment.iter().filter_map(place).collect(),
        context: match rule.context {
            Context::Any => None,
            Context::Nodes(set) => Some(nodes(set).map(|(_, &p)| p).collect()),
        },
        count: rule.count,
        positions,
        ..Step::default()
    }
}
