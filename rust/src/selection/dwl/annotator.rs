//! The lexicon as a feature of rules: the sum of ln p(translation | word, sentence) − ln p(translation | word) over the
//! words of a rule.

use std::sync::Arc;

use super::context::ContextScope;
use crate::decode::annotate::Annotator;
use crate::decode::option_rows::{OptionColumns, OptionRow};
use crate::decode::sentence::Sentence;
use crate::error::Result;
use crate::selection::classifiers::model::{Classifier, Classifiers, FREQUENCIES};
use crate::selection::context::{tag, SentenceContext};
use crate::selection::rules::{sentence_numbers, side};
use crate::selection::Selector;
use crate::table::read::Table;

/// The lexicon for any rule table.
pub struct DwlSelector {
    pub model: Arc<Classifiers>,
}

impl Selector for DwlSelector {
    fn for_table(&self, table: &Arc<Table>) -> Result<Arc<dyn Annotator>> {
        Ok(Arc::new(Dwl { model: self.model.clone(), table: table.clone() }))
    }
}

struct Dwl {
    model: Arc<Classifiers>,
    table: Arc<Table>,
}

/// A word with a classifier, and what the sentence adds to the log probability of each of its translations.
struct Word<'a> {
    classifier: Classifier<'a>,
    gains: Vec<f32>,
}

impl<'a> Word<'a> {
    fn new(classifier: Classifier<'a>, features: &[u64], scores: &mut Vec<f64>) -> Self {
        classifier.class_scores(features, scores);
        let frequencies = classifier.weights(FREQUENCIES).unwrap_or_default();
        let gain = |(score, frequency): (&f64, &f32)| (score - f64::from(*frequency)) as f32;
        let gains = scores.iter().zip(frequencies).map(gain).collect();
        Word { classifier, gains }
    }

    /// The gain of a translation; 0 for one that was not seen in training where all have a class.
    fn gain(&self, translation: u64) -> f32 {
        self.gains.get(self.classifier.class_index(translation)).copied().unwrap_or(0.0)
    }
}

impl Annotator for Dwl {
    fn columns(&self) -> usize {
        1
    }

    fn check(&self) -> Result<()> {
        self.model.check()
    }

    fn annotate(&self, options: &dyn OptionColumns, sentence: &Sentence) -> Result<Vec<f32>> {
        let numbers = sentence_numbers(sentence, &self.table);
        let tags: Vec<u32> = sentence.tags.iter().map(|upos| tag(upos)).collect();
        let context = SentenceContext { words: &numbers, tags: &tags, heads: &sentence.heads };
        let (mut features, mut scores) = (Vec::new(), Vec::new());
        let words: Vec<Option<Word<'_>>> = (0..numbers.len())
            .map(|position| {
                let classifier = self.model.get(side([numbers[position]].into_iter()))?;
                context.features(position, ContextScope::All, &mut features);
                Some(Word::new(classifier, &features, &mut scores))
            })
            .collect();
        let mut values = Vec::with_capacity(options.number());
        let mut linked = Vec::new();
        options.each(&mut |row| {
            let gain = |(index, &position): (usize, &usize)| {
                let word = words[position].as_ref()?;
                Some(word.gain(translation(&row, index, &mut linked)))
            };
            values.push(match row.copied {
                true => 0.0,
                false => row.positions.iter().enumerate().filter_map(gain).sum(),
            });
        });
        Ok(values)
    }
}

/// The identifier of the target words that a source word of an option is linked to; `linked` is a buffer.
fn translation(row: &OptionRow<'_>, index: usize, linked: &mut Vec<u8>) -> u64 {
    linked.clear();
    linked.extend(row.alignment.iter().filter(|&(s, _)| usize::from(s) == index).map(|(_, t)| t));
    linked.sort_unstable();
    linked.dedup();
    side(linked.iter().map(|&t| row.target[usize::from(t)]))
}
