//! The k best paths of a search graph, best first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::graph::{SearchGraph, NONE};
use crate::bits::NodeSet;
use crate::hashing::{self, FastSet};

/// Words as a number that does not depend on how they are divided into options: a polynomial over the words' hashes,
/// and its base to the power of the number of words.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct TextKey {
    sum: u64,
    power: u64,
}

impl Default for TextKey {
    fn default() -> Self {
        TextKey::EMPTY
    }
}

impl TextKey {
    const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
    pub const EMPTY: TextKey = TextKey { sum: 0, power: 1 };

    pub fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        words.fold(TextKey::EMPTY, |key, word| {
            key.then(TextKey { sum: hashing::word(word.as_bytes()) | 1, power: TextKey::BASE })
        })
    }

    /// The words of this followed by those of `next`.
    pub fn then(self, next: TextKey) -> Self {
        TextKey {
            sum: self.sum.wrapping_add(self.power.wrapping_mul(next.sum)),
            power: self.power.wrapping_mul(next.power),
        }
    }
}

/// An unfinished path, known from some node to the goal.
struct Partial {
    /// The score of the best whole path that ends like this.
    score: f32,
    node: u32,
    /// What the known part adds to the node's score.
    rest: f32,
    /// The last known step: an option and the step after it.
    step: u32,
    /// The words of the known part, where paths must differ in their words.
    text: TextKey,
    order: u32,
}

impl PartialEq for Partial {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Partial {}

impl PartialOrd for Partial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Partial {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of two paths with equal scores the one found first comes first.
        self.score.total_cmp(&other.score).then(other.order.cmp(&self.order))
    }
}

/// Calls `take(score, options in target order)` for the paths to the goal from the best on, until it says stop or
/// there are no more.
///
/// With `texts`, the words of each option, only the best of all paths with the same words is taken. Of two unfinished
/// paths that go on from the same node to the same words, the one that comes first stays ahead whatever comes before
/// that node, so the other is dropped at once: the many derivations of one text cost nothing.
pub fn paths<B: NodeSet, S: Copy>(
    graph: &SearchGraph<B, S>,
    texts: Option<&[TextKey]>,
    mut take: impl FnMut(f32, &[u32]) -> bool,
) {
    if graph.goal == NONE {
        return;
    }
    let mut steps: Vec<(u32, u32)> = Vec::new();
    let mut open = BinaryHeap::new();
    let mut order = 0;
    let score = graph.nodes[graph.goal as usize].score;
    open.push(Partial { score, node: graph.goal, rest: 0.0, step: NONE, text: TextKey::EMPTY, order });
    let mut path = Vec::new();
    let mut seen: FastSet<(u32, TextKey)> = FastSet::default();
    while let Some(partial) = open.pop() {
        if texts.is_some() && !seen.insert((partial.node, partial.text)) {
            continue;
        }
        if partial.node == 0 {
            path.clear();
            let mut step = partial.step;
            while let Some(&(option, after)) = steps.get(step as usize) {
                path.push(option);
                step = after;
            }
            if !take(partial.score, &path) {
                return;
            }
            continue;
        }
        for arc in graph.arcs_into(partial.node) {
            let before = graph.nodes[arc.previous as usize].score;
            let rest = partial.rest + (arc.score - before);
            steps.push((arc.option, partial.step));
            order += 1;
            let step = steps.len() as u32 - 1;
            let text = texts.map_or(TextKey::EMPTY, |texts| texts[arc.option as usize].then(partial.text));
            open.push(Partial { score: before + rest, node: arc.previous, rest, step, text, order });
        }
    }
}
