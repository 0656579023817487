//! Lexical selection: models that predict which translation of a word or rule fits the rest of the sentence, as
//! features of any system.

pub mod classes;
pub mod classifiers;
pub mod context;
pub mod dwl;
pub mod gm;
pub mod lrsm;
pub mod order;
pub mod parts;
pub mod rules;
pub mod tsm;

use std::sync::Arc;

use crate::decode::annotate::Annotator;
use crate::error::Result;
use crate::table::read::Table;

/// An opened model of lexical selection, independent of a rule table.
pub trait Selector: Send + Sync {
    fn for_table(&self, table: &Arc<Table>) -> Result<Arc<dyn Annotator>>;
}
