//! What a system adds to the score and the state of a hypothesis beyond rules and language model.

use std::hash::Hash;

use super::edge::Edge;
use crate::decode::prepared::PreparedRule;

/// A feature that looks at what fills the holes, or a condition that the result must meet.
pub trait Extra: Sync {
    /// Part of what tells hypotheses of a cell apart.
    type State: Copy + Eq + Hash + Default + Send + Sync;

    /// The weighted score that applying a rule adds, and the state of the result; `None` where the rule may not be
    /// applied. `holes` are the states of what fills the holes, in source order.
    fn apply(&self, edge: &Edge, rule: &PreparedRule, holes: &[Self::State]) -> Option<(f32, Self::State)>;

    /// Whether what has this state may be the translation of the whole sentence.
    fn may_end(&self, _: &Self::State) -> bool {
        true
    }

    /// Adds the feature values that [`Extra::apply`] weighed, by place.
    fn values(&self, edge: &Edge, rule: &PreparedRule, holes: &[Self::State], features: &mut [f32]);
}
