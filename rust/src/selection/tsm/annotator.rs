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

/// Σ (√P(z|d) − √P(z|r))², the squared Hellinger distance without its factor.
fn distance(document: &[f32], rule: &[u16]) -> f32 {
    document.iter().zip(rule).map(|(d, &r)| (d - f32::from(r) / UNIT).powi(2)).sum()
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
        let document: Vec<f32> = sentence.topics.iter().map(|p| p.sqrt()).collect();
        let words = sentence_numbers(sentence, &self.table);
        let mut values = Vec::with_capacity(COLUMNS * options.number());
        // The rules of a place come one after the other.
        let mut last = (0, 0..0);
        options.each(&mut |row| {
            let known = match row.copied {
                true => None,
                false => {
                    let source = option_source(&row, &words);
                    if last.0 != source {
                        last = (source, self.model.side(source));
                    }
                    self.model.get(last.1.clone(), rule(source, option_target(&row)))
                }
            };
            values.extend(known.map_or([0.0; COLUMNS], |topics| {
                let [source, target] = topics.entropies;
                [distance(&document, topics.source), distance(&document, topics.target), source, target]
            }));
        });
        Ok(values)
    }
}
