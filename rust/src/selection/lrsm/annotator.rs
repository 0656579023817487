//! LRSM as features of rules: ln P(target side | source side, context), and a count of the rules without a classifier.

use std::sync::Arc;

use super::context::features;
use crate::decode::annotate::Annotator;
use crate::decode::option_rows::OptionColumns;
use crate::decode::sentence::Sentence;
use crate::error::Result;
use crate::selection::classifiers::model::Classifiers;
use crate::selection::context::tag;
use crate::selection::rules::{covered_span, option_source, option_target, sentence_numbers};
use crate::selection::Selector;
use crate::table::read::Table;

/// LRSM for any rule table.
pub struct LrsmSelector {
    pub model: Arc<Classifiers>,
}

impl Selector for LrsmSelector {
    fn for_table(&self, table: &Arc<Table>) -> Result<Arc<dyn Annotator>> {
        Ok(Arc::new(Lrsm { model: self.model.clone(), table: table.clone() }))
    }
}

struct Lrsm {
    model: Arc<Classifiers>,
    table: Arc<Table>,
}

impl Annotator for Lrsm {
    fn columns(&self) -> usize {
        2
    }

    fn check(&self) -> Result<()> {
        self.model.check()
    }

    fn annotate(&self, options: &dyn OptionColumns, sentence: &Sentence) -> Result<Vec<f32>> {
        let words = sentence_numbers(sentence, &self.table);
        let tags: Vec<u32> = sentence.tags.iter().map(|upos| tag(upos)).collect();
        let mut values = Vec::with_capacity(2 * options.number());
        let (mut seen, mut scores) = (Vec::new(), Vec::new());
        let (mut place, mut classifier) = (None, None);
        options.each(&mut |row| {
            if row.copied {
                values.extend([0.0, 0.0]);
                return;
            }
            if place != Some(row.match_id) {
                place = Some(row.match_id);
                classifier = self.model.get(option_source(&row, &words));
                if let Some(known) = &classifier {
                    features(&words, &tags, covered_span(&row), row.holes, &mut seen);
                    known.log_probabilities(&seen, &mut scores);
                }
            }
            values.extend(match &classifier {
                None => [0.0, 1.0],
                Some(known) => [scores[known.class_index(option_target(&row))] as f32, 0.0],
            });
        });
        Ok(values)
    }
}
