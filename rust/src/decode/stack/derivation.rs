//! The derivation of a path through the search graph, with every feature value computed anew.

use super::application::OptionApplication;
use super::input::Input;
use super::options::StackOptions;
use crate::decode::derivation::{Derivation, Step};
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::HypothesisFeature;
use crate::decode::terms::TermUse;
use crate::decode::LanguageModel;
use crate::rule::record::Context;
use crate::store::bits::NodeSet;
use crate::table::read::Table;

/// The target words of an option; a copied word as the input spells it.
pub fn target_words<B: NodeSet>(
    option: u32,
    input: &Input<'_, B>,
    options: &StackOptions<B>,
    table: &Table,
) -> Vec<String> {
    if options.is_copy(option) {
        return vec![input.surface[options.subgraph(option).first].clone()];
    }
    if let Some(term) = options.term(option) {
        return term.target.clone();
    }
    let vocabulary = table.target_words();
    options.rule(option).target.iter().map(|&word| vocabulary.word(word).to_owned()).collect()
}

/// The derivation of a path of options. The score is the weighted sum of the feature values, computed independently of
/// the search.
pub fn derive<B: NodeSet, L: LanguageModel, F: HypothesisFeature>(
    path: &[u32],
    input: &Input<'_, B>,
    options: &StackOptions<B>,
    table: &Table,
    lm: &L,
    hypothesis_features: &F,
    weights: &Weights,
) -> Derivation {
    let mut features: Vec<f32> = vec![0.0; weights.len()];
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
            features[column::SCORES + i] += score;
        }
        features[column::RULE_PENALTY] += 1.0;
        features[column::WORD_PENALTY] -= rule.target.len() as f32;
        features[column::DISTORTION] -= at.first.abs_diff((last + 1) as usize) as f32;
        features[column::GAP] -= at.gap as f32;
        features[column::UNKNOWN] -= f32::from(u8::from(copied));
        let preferred = term.is_some_and(|term| term.usage == TermUse::Preferred);
        features[column::GLOSSARY] += f32::from(u8::from(preferred));
        features[column::BASIC_RULE] += f32::from(u8::from(rule.context == Context::Any));
        let added = options.context(option);
        features[column::CONTEXT_GAIN] += added.gain;
        // The last rule of a sentence has no context.
        if cover.union(at.set).len() < words {
            features[column::CONTEXT_PROBABILITY] += added.probability;
        }
        for &word in options.lm_words(option) {
            let (score, next) = lm.score(&state, word);
            features[column::LM] += score;
            state = next;
        }
        let applied = OptionApplication { options, option };
        let next = hypothesis_features.apply(&applied, &|_| feature_state, &mut &mut features[..]);
        // A path that the search found has no forbidden step.
        feature_state = next.unwrap_or_default();
        for column in 0..options.added_columns {
            features[weights.first_added() + column] +=
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
                _ if term.is_some() => "term",
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
    hypothesis_features.finish(&feature_state, &mut &mut features[..]);
    let score = weights.dot(&features);
    Derivation { steps, features, score }
}
