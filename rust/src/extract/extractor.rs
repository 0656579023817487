//! What takes the rules out of a sentence pair: all that grammars differ in, as far as counting, scoring and listing are
//! concerned.

use crate::corpus::pair::Pair;
use crate::error::Result;
use crate::rule::bytes::Rule;
use crate::source::spans::Span;
use crate::store::runs::Occurrence;
use crate::store::vocab::Interner;
use crate::table::Settings;

/// How many kinds of rules a grammar tells apart.
pub const KINDS: usize = 3;

pub trait Extractor: Sync {
    /// Buffers that are used again from pair to pair.
    type Scratch: Default;

    /// Adds to a pair what extraction needs and what new symbols it has, before pairs are shared out among threads.
    fn prepare(&self, _pair: &mut Pair, _tags: &Interner, _source: &mut Interner) -> Result<()> {
        Ok(())
    }

    /// Calls `emit` for every rule occurrence of a pair with the rule as bytes, see [`crate::rule::record`], and where the
    /// symbols of its source side are.
    fn extract(&self, pair: &Pair, scratch: &mut Self::Scratch, emit: impl FnMut(&[u8], Occurrence, &[Span]));

    /// What the table needs to know of how it was made.
    fn settings(&self) -> Settings;

    /// Source and target symbols that are no words. They get the first numbers of the vocabularies.
    fn symbols(&self) -> (&[&'static str], &[&'static str]);

    /// The names of the kinds of rules, for reports.
    fn kinds(&self) -> [&'static str; KINDS];

    /// Which kind a rule of a source side (symbols and joints) is.
    fn kind(&self, source: &[(u32, u16)], rule: &Rule) -> usize;
}
