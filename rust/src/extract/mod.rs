//! Extracts counted rules from aligned sentence pairs: a pure step for each chunk of pairs, and a merge of sorted runs.

pub mod assembly;
pub mod chunks;
pub mod continuous;
pub mod corpus;
pub mod dependents;
pub mod extractor;
mod gaps;
pub mod hierarchical;
pub mod initial;
pub mod listing;
pub mod parts;
pub mod phrases;
pub mod rule_encoder;
pub mod score;
pub mod sentence;
pub mod smooth;
pub mod subgraphs;
pub mod target_counts;
pub mod train;
