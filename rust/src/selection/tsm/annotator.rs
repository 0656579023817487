//! TSM as features of rules: the distance between the topics of a rule and of the document, on both sides, and the
//! entropies of the rule's topics.

use std::sync::Arc;

use super::model::{in_units, Profile, TsmModel, UNIT};
use crate::decode::annotate::Annotator;
use crate::decode::option_rows::OptionColumns;
use crate::decode::sentence::Sentence;
use crate::error::{Error, Result};
use crate::selection::rules::{option_source, option_target, rule, sentence_numbers};
use crate::selection::Selector;
use crate::table::read::Table;

/// Source and target distance, source and target entropy.
const COLUMNS: usize = 4;

/// TSM for any rule table.
pub struct TsmSelector {
    pub model: Arc<TsmModel>,
}

impl Selector for TsmSelector {
    fn for_table(&self, table: &Arc<Table>) -> Result<Arc<dyn Annotator>> {
        Ok(Arc::new(Tsm { model: self.model.clone(), table: table.clone() }))
    }
}

struct Tsm {
    model: Arc<TsmModel>,
    table: Arc<Table>,
}

/// Σ (√P(z|d) − √P(z|r))², the squared Hellinger distance without its factor, of √P in the file's units.
///
/// As probabilities sum to one, it is 2 − 2 Σ √P(z|d) √P(z|r); the sum is at most one.
fn distance(document: &[i16], rule: &[i16]) -> f32 {
    let alike: i32 = document.iter().zip(rule).map(|(&d, &r)| i32::from(d) * i32::from(r)).sum();
    (2.0 - 2.0 / (UNIT * UNIT) * alike as f32).max(0.0)
}

impl Tsm {
    /// The profile of each option's rule, if the model has one.
    ///
    /// The model is larger than any cache, so every lookup is prefetched for all options before it is made.
    fn profiles(&self, options: &dyn OptionColumns, sentence: &Sentence) -> Vec<Option<usize>> {
        let words = sentence_numbers(sentence, &self.table);
        // Each source side, and the end of its options.
        let (mut sides, mut rules): (Vec<(u64, usize)>, Vec<Option<u64>>) = Default::default();
        let (mut place, mut source) = (None, 0);
        options.each(&mut |row| {
            if place != Some(row.match_id) {
                place = Some(row.match_id);
                source = option_source(&row, &words);
                self.model.prefetch_side(source);
                sides.push((source, rules.len()));
            }
            rules.push((!row.copied).then(|| rule(source, option_target(&row))));
            if let Some((_, end)) = sides.last_mut() {
                *end = rules.len();
            }
        });
        let ranges: Vec<_> = sides
            .iter()
            .map(|&(source, _)| self.model.side(source))
            .inspect(|range| self.model.prefetch_rules(range))
            .collect();
        let (mut indices, mut start): (Vec<Option<usize>>, _) = (Vec::with_capacity(rules.len()), 0);
        for ((_, end), range) in sides.into_iter().zip(ranges) {
            indices.extend(rules[start..end].iter().map(|rule| {
                let index = self.model.find(range.clone(), (*rule)?)?;
                self.model.prefetch_index(index);
                Some(index)
            }));
            start = end;
        }
        let profile = |index: Option<usize>| {
            let profile = self.model.profile(index?);
            self.model.prefetch(profile);
            Some(profile)
        };
        indices.into_iter().map(profile).collect()
    }
}

impl Annotator for Tsm {
    fn columns(&self) -> usize {
        COLUMNS
    }

    fn ignores_position(&self) -> bool {
        true
    }

    fn check(&self) -> Result<()> {
        self.model.check()
    }

    fn annotate(&self, options: &dyn OptionColumns, sentence: &Sentence) -> Result<Vec<f32>> {
        if sentence.topics.len() != self.model.topics {
            let (given, wanted) = (sentence.topics.len(), self.model.topics);
            let message = format!("the document of this sentence has {given} topics; tsm expects {wanted}.");
            return Err(Error::input(message));
        }
        let document: Vec<i16> = sentence.topics.iter().map(|p| in_units(p.sqrt())).collect();
        let mut values = Vec::with_capacity(COLUMNS * options.number());
        for profile in self.profiles(options, sentence) {
            values.extend(profile.map_or([0.0; COLUMNS], |profile| {
                let Profile { source, target, entropies: [of_source, of_target] } = self.model.get(profile);
                [distance(&document, source), distance(&document, target), of_source, of_target]
            }));
        }
        Ok(values)
    }
}
