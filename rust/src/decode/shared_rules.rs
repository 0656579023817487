//! Prepared rules that the threads of a decoder share, so that none of them prepares what another has prepared.

use std::sync::{Arc, Mutex};

use super::prepared::RankedRules;
use crate::store::hashing::FastMap;
use crate::table::read::Node;

/// Threads seldom wait for each other: source sides are divided into this many parts, each with a lock of its own.
const PARTS: usize = 16;

/// A part is full with its share of this many rules, about 30 MB in all; what was not used since it was last full is
/// then dropped.
pub const MAX_RULES_HELD: usize = 150_000;

/// The rules of source sides. The result depends only on table, model and weights, so it does not matter who made them.
#[derive(Default)]
pub struct SharedRules {
    parts: [Mutex<Part>; PARTS],
}

#[derive(Default)]
struct Part {
    made: Sides,
    /// What was used before the last time that `made` was full.
    older: Sides,
    /// The number of rules in `made`.
    held: usize,
}

/// The rules of source sides.
type Sides = FastMap<Node, Arc<RankedRules>>;

impl Part {
    /// Returns what is dropped: giving its memory back takes a while, for which the part should not be locked.
    #[must_use]
    fn insert(&mut self, node: Node, ranked: Arc<RankedRules>) -> Option<Sides> {
        let mut dropped = None;
        if self.held > MAX_RULES_HELD / PARTS {
            dropped = Some(std::mem::replace(&mut self.older, std::mem::take(&mut self.made)));
            self.held = 0;
        }
        let more = ranked.len();
        // Two threads may have prepared the same rules at the same time.
        if self.made.insert(node, ranked).is_none() {
            self.held += more;
        }
        dropped
    }
}

impl SharedRules {
    fn part(&self, node: Node) -> &Mutex<Part> {
        &self.parts[node.0 as usize % PARTS]
    }

    /// The rules of a source side, if they are still there.
    pub fn get(&self, node: Node) -> Option<Arc<RankedRules>> {
        let mut part = self.part(node).lock().ok()?;
        if let Some(ranked) = part.made.get(&node) {
            return Some(ranked.clone());
        }
        let ranked = part.older.remove(&node)?;
        let dropped = part.insert(node, ranked.clone());
        drop(part);
        drop(dropped);
        Some(ranked)
    }

    /// Keeps the rules of a source side.
    pub fn keep(&self, node: Node, ranked: &Arc<RankedRules>) {
        let part = self.part(node).lock();
        let dropped = part.map(|mut part| part.insert(node, ranked.clone()));
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::prepared::{ContextValues, PreparedRule};
    use crate::rule::bytes::Rule;

    fn rules(number: usize) -> Arc<RankedRules> {
        let (rule, context) = (Rule::default(), ContextValues::default());
        let one =
            PreparedRule { rule, lm_words: [].into(), score: 0.0, estimate: 0.0, context, target_side: 0 };
        vec![one; number].into()
    }

    #[test]
    fn what_was_used_lately_is_kept_and_the_rest_is_dropped() {
        let shared = SharedRules::default();
        let node = |number: usize| Node((number * PARTS) as u32);
        let full = MAX_RULES_HELD / PARTS + 1;
        assert!(shared.get(node(0)).is_none());
        shared.keep(node(0), &rules(1));
        shared.keep(node(1), &rules(full));
        // The part is full, so that these are older from now on.
        shared.keep(node(2), &rules(1));
        assert!(shared.get(node(0)).is_some_and(|found| found.len() == 1), "older ones are still there");
        shared.keep(node(3), &rules(full));
        shared.keep(node(4), &rules(1));
        assert!(shared.get(node(0)).is_some(), "it was used since");
        assert!(shared.get(node(1)).is_none(), "it was not");
        assert!(shared.get(node(4)).is_some());
    }
}
