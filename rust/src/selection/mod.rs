//! Lexical selection: models that say which translation of a word or rule fits the rest of the sentence, as features of
//! any system.

pub mod classes;
pub mod gm;
pub mod lrsm;
pub mod parts;
pub mod rules;
pub mod tsm;

use std::sync::Arc;

use crate::decode::annotate::Annotator;
use crate::error::Result;
use crate::table::read::Table;

/// A model of lexical selection, opened; a decoder puts it to the options of its rule table.
pub trait Selector: Send + Sync {
    fn on(&self, table: &Arc<Table>) -> Result<Arc<dyn Annotator>>;
}
