//! N-gram language models: estimation, ARPA files, and a memory-mapped structure for queries.
//!
//! * [`estimate`]: interpolated modified Kneser-Ney (Chen and Goodman 1998) by sorting on disk, with the same result as
//!   KenLM's `lmplz` (Heafield et al. 2013).
//! * [`arpa_read`], [`arpa_write`]: the text format that all toolkits share.
//! * [`build`], [`model`]: the binary file and queries on it.
//!
//! The types used by search engines are re-exported here. Left to right:
//!
//! ```no_run
//! use _core::lm::{Model, State};
//! # fn main() -> _core::error::Result<()> {
//! let model = Model::open("english.lm".as_ref())?;
//! let mut state = model.begin_state();
//! let mut total = 0.0;
//! for word in "a small house".split(' ') {
//!     let mut next = State::default();
//!     total += model.score(&state, model.vocab().id(word), &mut next).prob;
//!     state = next;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Bottom up, as in a chart search: [`RuleScore`]. All scores are log10.

pub mod adjust;
pub mod arpa_parse;
pub mod arpa_read;
pub mod arpa_write;
pub mod batch;
pub mod build;
pub mod chart;
pub mod chunks;
pub mod count;
mod decimal;
pub mod discount;
pub mod estimate;
pub mod export;
pub mod hash;
pub mod header;
pub mod interpolate;
pub mod model;
pub mod normalise;
pub mod parts;
pub mod query;
mod radix;
pub mod record;
pub mod sorter;
pub mod spool;
pub mod state;
pub mod table;
pub mod text;
pub mod vocab;

pub use chart::RuleScore;
pub use model::Model;
pub use query::Scored;
pub use state::{ChartState, LeftState, State};
pub use vocab::Vocab;

/// The highest order: keys, states and files have room for this many words.
pub const MAX_ORDER: usize = 6;

/// The first three numbers are the unknown word, the start and the end of a sentence.
pub const UNK: u32 = 0;
pub const BOS: u32 = 1;
pub const EOS: u32 = 2;

/// The words of [`UNK`], [`BOS`] and [`EOS`], in this order.
pub const SPECIAL_WORDS: [&str; 3] = ["<unk>", "<s>", "</s>"];

/// Receives the n-grams of a model: all unigrams by word number, then all bigrams, and so on; within an order ascending
/// by the words read from the last to the first.
pub trait Sink {
    /// `words` is the vocabulary, `counts` the number of n-grams of each order.
    fn begin(&mut self, words: &crate::store::vocab::Interner, counts: &[u64]) -> crate::error::Result<()>;

    /// One n-gram with its log10 probability and log10 backoff weight. A backoff of `-0.0` means that this n-gram is
    /// the context of no longer one, so that a search may drop it from its state; `0.0` carries no such meaning.
    fn ngram(&mut self, order: usize, key: &record::Key, prob: f32, backoff: f32)
        -> crate::error::Result<()>;

    /// Makes the output visible under its name.
    fn finish(&mut self) -> crate::error::Result<()>;
}

/// Called with the name of the current step, the amount done, and the total (0: unknown). An error ends the work.
pub type Progress<'a> = dyn Fn(&str, u64, u64) -> crate::error::Result<()> + Sync + 'a;
