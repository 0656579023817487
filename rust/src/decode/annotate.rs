//! Models that add feature columns to the options of a sentence, called in the threads of the decoder.

use std::sync::Arc;

use super::option_rows::OptionColumns;
use super::sentence::Sentence;
use crate::error::{Error, Result};

/// A model whose features depend on a rule, on its position and on the whole source sentence.
pub trait Annotator: Send + Sync {
    /// The number of values for each option.
    fn columns(&self) -> usize;

    /// Whether the values depend on the rule and the sentence, but not on the rule's position.
    fn ignores_position(&self) -> bool {
        false
    }

    /// The values of all options, option by option.
    fn annotate(&self, options: &dyn OptionColumns, sentence: &Sentence) -> Result<Vec<f32>>;

    /// Fails if its values may be wrong because its file was changed.
    fn check(&self) -> Result<()>;
}

/// Computes feature columns of a sentence's options before the search: the number of columns, and that many values for
/// each option.
pub type Annotate<'a> = &'a (dyn Fn(&dyn OptionColumns, &Sentence) -> Result<(usize, Vec<f32>)> + Sync);

/// The annotators of a decoder, in the order of their columns.
pub type Annotators = Arc<[Arc<dyn Annotator>]>;

/// One option for each rule, for annotators that ignore positions.
pub struct DistinctRules<'a> {
    pub options: &'a dyn OptionColumns,
    /// For every option the one with the same rule.
    pub of_option: &'a [u32],
}

/// All added columns of a sentence, those of `last` after the annotators': their number, and the values option by
/// option; `None` if there are none. `weights` is the number of weights for them.
pub fn annotation(
    annotators: &Annotators,
    last: Option<Annotate<'_>>,
    options: &dyn OptionColumns,
    distinct: Option<DistinctRules<'_>>,
    sentence: &Sentence,
    weights: usize,
) -> Result<Option<(usize, Vec<f32>)>> {
    if annotators.is_empty() && last.is_none() {
        return Ok(None);
    }
    let number = options.number();
    let mut parts: Vec<(usize, Vec<f32>)> = Vec::new();
    for annotator in annotators.iter() {
        let columns = annotator.columns();
        let values = match &distinct {
            Some(distinct) if annotator.ignores_position() => {
                let values = annotator.annotate(distinct.options, sentence)?;
                let row = |&option: &u32| &values[option as usize * columns..][..columns];
                distinct.of_option.iter().flat_map(row).copied().collect()
            }
            _ => annotator.annotate(options, sentence)?,
        };
        parts.push((columns, values));
    }
    if let Some(annotate) = last {
        parts.push(annotate(options, sentence)?);
    }
    let columns: usize = parts.iter().map(|(columns, _)| columns).sum();
    let given: usize = parts.iter().map(|(_, values)| values.len()).sum();
    if columns != weights || parts.iter().any(|(columns, values)| values.len() != columns * number) {
        return Err(Error::option(format!(
            "an annotation gave {given} values in {columns} columns; {number} options and {weights} weights for added \
             features were expected.",
        )));
    }
    if columns == 0 {
        return Ok(None);
    }
    if parts.len() == 1 {
        return Ok(parts.pop());
    }
    let mut joined = Vec::with_capacity(given);
    for option in 0..number {
        for (columns, values) in &parts {
            joined.extend_from_slice(&values[option * columns..(option + 1) * columns]);
        }
    }
    Ok(Some((columns, joined)))
}
