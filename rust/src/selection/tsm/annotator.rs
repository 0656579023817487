//! TSM as features of rules: how unlike the topics of a rule are those of the document, on both sides, and how much the
//! rule keeps to few topics.

use std::sync::Arc;

use super::model::{Model, UNIT};
use crate::error::{Error, Result};
use crate::hashing::mix;
use crate::search::annotate::Annotator;
use crate::search::decoder::{OptionColumns, Sentence};
use crate::selection::rules::{option_source, option_target, rule, sentence_numbers};
use crate::selection::Selector;
use crate::table::read::Table;

/// Source and target distance, source and target entropy.
const COLUMNS: usize = 4;

/// TSM for any rule table.
pub struct TsmSelector {
    pub model: Arc<Model>,
}

impl Selector for TsmSelector {
    fn on(&self, table: &Arc<Table>) -> Result<Arc<dyn Annotator>> {
        Ok(Arc::new(Tsm { model: self.model.clone(), table: table.clone() }))
    }
}

struct Tsm {
    model: Arc<Model>,
    table: Arc<Table>,
}

/// Σ (√P(z|d) − √P(z|r))², the squared Hellinger distance without its factor, of √P in the file's units.
fn distance(document: &[f32], rule: &[u16]) -> f32 {
    document.iter().zip(rule).map(|(d, &r)| (d - f32::from(r)).powi(2)).sum::<f32>() / (UNIT * UNIT)
}

impl Tsm {
    /// Where the model has the rule of each option.
    ///
    /// The model is larger than any cache: what is looked at is asked for first, for all options at once.
    fn places(&self, options: &dyn OptionColumns, sentence: &Sentence) -> Vec<Option<usize>> {
        let words = sentence_numbers(sentence, &self.table);
        // The rules of a source side come one after the other: its number, and where its rules end.
        let (mut sides, mut rules): (Vec<(u64, usize)>, Vec<Option<u64>>) = Default::default();
        options.each(&mut |row| {
            let source = option_source(&row, &words);
            if sides.last().is_none_or(|&(last, _)| last != source) {
                self.model.fetch_side(source);
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
            .inspect(|range| self.model.fetch_rules(range))
            .collect();
        let (mut places, mut start) = (Vec::with_capacity(rules.len()), 0);
        for ((_, end), range) in sides.into_iter().zip(ranges) {
            places.extend(rules[start..end].iter().map(|rule| {
                let place = self.model.place(range.clone(), (*rule)?)?;
                self.model.fetch(place);
                Some(place)
            }));
            start = end;
        }
        places
    }
}

impl Annotator for Tsm {
    fn columns(&self) -> usize {
        COLUMNS
    }

    fn scope(&self, sentence: &Sentence) -> Option<u64> {
        Some(sentence.topics.iter().fold(0, |scope, p| mix(scope, u64::from(p.to_bits()))))
    }

    fn annotate(&self, options: &dyn OptionColumns, sentence: &Sentence) -> Result<Vec<f32>> {
        if sentence.topics.len() != self.model.topics {
            let (given, wanted) = (sentence.topics.len(), self.model.topics);
            let message = format!("a sentence with {given} topics of its document; tsm knows {wanted}.");
            return Err(Error::input(message));
        }
        let document: Vec<f32> = sentence.topics.iter().map(|p| p.sqrt() * UNIT).collect();
        let mut values = Vec::with_capacity(COLUMNS * options.number());
        for place in self.places(options, sentence) {
            values.extend(place.map_or([0.0; COLUMNS], |place| {
                let topics = self.model.get(place);
                let [source, target] = topics.entropies;
                [distance(&document, topics.source), distance(&document, topics.target), source, target]
            }));
        }
        Ok(values)
    }
}
