//! The interface of rule extraction from a sentence pair. Counting, scoring and listing are the same for all grammars.

use crate::corpus::pair::Pair;
use crate::error::Result;
use crate::rule::record::{Record, TargetKeys};
use crate::source::spans::Span;
use crate::store::runs::Occurrence;
use crate::store::vocab::Interner;
use crate::table::TableSettings;

/// The number of rule kinds that a grammar distinguishes.
pub const KINDS: usize = 3;

pub trait Extractor: Sync {
    /// Buffers reused from pair to pair.
    type Scratch: Default;

    /// Adds the data that extraction needs to a pair, and its new symbols to the vocabulary, before pairs are
    /// distributed to threads.
    fn prepare(&self, _pair: &mut Pair, _tags: &Interner, _source: &mut Interner) -> Result<()> {
        Ok(())
    }

    /// Calls `emit` for every rule occurrence of a pair, with the rule as bytes, see [`crate::rule::record`], and the
    /// spans of its source symbols.
    fn extract(&self, pair: &Pair, scratch: &mut Self::Scratch, emit: impl FnMut(&[u8], Occurrence, &[Span]));

    /// The properties of the table that matching needs.
    fn settings(&self) -> TableSettings;

    /// Source and target symbols that are not words. They get the first numbers of the vocabularies.
    fn symbols(&self) -> (&[&'static str], &[&'static str]);

    /// The keys under which the target sides of its rules are counted.
    fn target_keys(&self) -> TargetKeys {
        TargetKeys { holes: self.symbols().1.len() as u32, any_span: self.settings().shape.any_span }
    }

    /// The names of the kinds of rules, for reports.
    fn kinds(&self) -> [&'static str; KINDS];

    /// The kind of a rule.
    fn kind(&self, rule: &Record<'_>) -> usize;
}
