//! The k best paths of a search graph, best first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::graph::{SearchGraph, NONE};
use crate::bits::NodeSet;

/// An unfinished path, known from some node to the goal.
struct Partial {
    /// The score of the best whole path that ends like this.
    score: f32,
    node: u32,
    /// What the known part adds to the node's score.
    rest: f32,
    /// The last known step: an option and the step after it.
    step: u32,
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
pub fn paths<B: NodeSet, S: Copy>(graph: &SearchGraph<B, S>, mut take: impl FnMut(f32, &[u32]) -> bool) {
    if graph.goal == NONE {
        return;
    }
    let mut steps: Vec<(u32, u32)> = Vec::new();
    let mut open = BinaryHeap::new();
    let mut order = 0;
    let score = graph.nodes[graph.goal as usize].score;
    open.push(Partial { score, node: graph.goal, rest: 0.0, step: NONE, order });
    let mut path = Vec::new();
    while let Some(partial) = open.pop() {
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
            open.push(Partial { score: before + rest, node: arc.previous, rest, step, order });
        }
    }
}
