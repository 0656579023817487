//! The k best paths of a search graph, best first.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::graph::{SearchGraph, NONE};
use crate::decode::text_key::TextKey;
use crate::store::bits::NodeSet;
use crate::store::hashing::{FastMap, FastSet};
use crate::work::interrupt::Points;

/// A path from some node to the goal.
struct PartialPath {
    /// The score of the best whole path that ends with this one.
    score: f32,
    node: u32,
    /// The score that this part adds to the node's score.
    rest: f32,
    /// The first option of this part, and the step after it; [`NONE`] at the goal.
    option: u32,
    after: u32,
    /// The words of this part, if paths must have distinct words.
    text: TextKey,
    order: u64,
}

impl PartialEq for PartialPath {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PartialPath {}

impl PartialOrd for PartialPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PartialPath {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of two paths with equal scores, the one found first comes first.
        self.score.total_cmp(&other.score).then(other.order.cmp(&self.order))
    }
}

/// The partial paths that were found at each node, as far as they can be part of the `most` best whole paths.
///
/// Partial paths at one node differ only in what follows the node. If `most` of them were found earlier and are no
/// worse, every completion of another one completes those too, to paths that come first, so the other one is not
/// needed. However many paths tie, at most `most` are followed at a node.
struct Frontier {
    most: usize,
    /// For each node the scores that the `most` best paths found there add to its score, worst on top.
    best: FastMap<u32, BinaryHeap<Reverse<TotalOrder>>>,
    /// The best of those with the same words, if paths must have distinct words.
    texts: FastMap<(u32, TextKey), f32>,
}

impl Frontier {
    fn new(most: usize) -> Self {
        Frontier { most, best: FastMap::default(), texts: FastMap::default() }
    }

    /// Whether a path that was found at `node` must be followed; `text` if paths must have distinct words.
    fn accepts(&mut self, node: u32, rest: f32, text: Option<TextKey>) -> bool {
        let known = text.and_then(|text| self.texts.get_mut(&(node, text)));
        if let Some(known) = known {
            // The path with the same words is counted already, and both count as one.
            let better = rest > *known;
            *known = known.max(rest);
            return better;
        }
        let best = self.best.entry(node).or_default();
        if best.len() >= self.most {
            if best.peek().is_some_and(|Reverse(worst)| rest.total_cmp(&worst.0) != Ordering::Greater) {
                return false;
            }
            best.pop();
        }
        best.push(Reverse(TotalOrder(rest)));
        self.texts.extend(text.map(|text| ((node, text), rest)));
        true
    }
}

/// A number ordered by `total_cmp`.
#[derive(Clone, Copy)]
struct TotalOrder(f32);

impl PartialEq for TotalOrder {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for TotalOrder {}

impl PartialOrd for TotalOrder {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TotalOrder {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Calls `take(score, options in target order)` for the `most` best paths to the goal, best first, or for all if
/// there are fewer.
///
/// With `texts`, the words of each option, only the best of all paths with the same words is taken. Of two partial
/// paths with the same words from the same node, the better one stays ahead whatever comes before the node, so the
/// other is dropped at once: the many derivations of one text cost nothing.
///
/// Time is at most proportional to `most` times the number of arcs, memory to `most` times the number of nodes, even
/// if all paths have the same score (see `Frontier`).
pub fn k_best_paths<B: NodeSet, S: Copy>(
    graph: &SearchGraph<B, S>,
    texts: Option<&[TextKey]>,
    most: usize,
    mut take: impl FnMut(f32, &[u32]),
) {
    if graph.goal == NONE || most == 0 {
        return;
    }
    let mut steps: Vec<(u32, u32)> = Vec::new();
    let mut open = BinaryHeap::new();
    let mut order = 0;
    let mut frontier = Frontier::new(most);
    let mut popped: FastMap<u32, usize> = FastMap::default();
    let score = graph.nodes[graph.goal as usize].score;
    let text = TextKey::EMPTY;
    open.push(PartialPath { score, node: graph.goal, rest: 0.0, option: NONE, after: NONE, text, order });
    let mut path = Vec::new();
    let mut taken = 0;
    let mut seen: FastSet<(u32, TextKey)> = FastSet::default();
    let mut points = Points::default();
    while let Some(partial) = open.pop() {
        points.pass();
        if texts.is_some() && !seen.insert((partial.node, partial.text)) {
            continue;
        }
        let times = popped.entry(partial.node).or_default();
        *times += 1;
        if *times > most {
            continue;
        }
        let step = match partial.option {
            NONE => NONE,
            option => {
                steps.push((option, partial.after));
                steps.len() as u32 - 1
            }
        };
        if partial.node == 0 {
            path.clear();
            let mut step = step;
            while let Some(&(option, after)) = steps.get(step as usize) {
                path.push(option);
                step = after;
            }
            take(partial.score, &path);
            taken += 1;
            if taken == most {
                return;
            }
            continue;
        }
        for arc in graph.arcs_into(partial.node) {
            let before = graph.nodes[arc.previous as usize].score;
            let rest = partial.rest + (arc.score - before);
            let text = texts.map(|texts| texts[arc.option as usize].then(partial.text));
            order += 1;
            if frontier.accepts(arc.previous, rest, text) {
                open.push(PartialPath {
                    score: before + rest,
                    node: arc.previous,
                    rest,
                    option: arc.option,
                    after: step,
                    text: text.unwrap_or(TextKey::EMPTY),
                    order,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::Node;
    use super::*;

    /// A chain of nodes, each reached from the one before by options 0, 1, … with these scores.
    fn chain(length: u64, scores: &[f32]) -> SearchGraph<u64, ()> {
        let node = |cover: u64, score, option, previous| Node {
            cover,
            state: (),
            score,
            future: 0.0,
            first: 0,
            last: 0,
            option,
            previous,
            arcs: NONE,
        };
        let mut graph = SearchGraph::new(node(0, 0.0, NONE, NONE), true);
        for k in 0..length {
            let before = graph.nodes[k as usize].score;
            let number = graph.add(node(k + 1, before + scores[0], 0, k as u32));
            for (option, score) in scores.iter().enumerate().skip(1) {
                graph.join(number, &node(k + 1, before + score, option as u32, k as u32));
            }
        }
        graph.goal = length as u32;
        graph
    }

    fn listed(graph: &SearchGraph<u64, ()>, texts: Option<&[TextKey]>, most: usize) -> Vec<(f32, Vec<u32>)> {
        let mut found = Vec::new();
        k_best_paths(graph, texts, most, |score, path| found.push((score, path.to_vec())));
        found
    }

    /// 3^60 paths that all have the same score (or none): a breadth-first search would never end.
    #[test]
    fn paths_that_tie_take_time_by_the_size_of_the_graph() {
        let words = ["a", "b", "c"].map(|word| TextKey::of(std::iter::once(word)));
        for score in [0.0, -1.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let graph = chain(60, &[score; 3]);
            for texts in [None, Some(&words[..])] {
                let found = listed(&graph, texts, 100);
                let differ: FastSet<&[u32]> = found.iter().map(|(_, path)| &path[..]).collect();
                assert_eq!((found.len(), differ.len()), (100, 100), "{score}");
            }
        }
        // Two of the three options have the same words, so 2^60 texts have 3^60 paths.
        let same = [words[0], words[0], words[1]];
        assert_eq!(listed(&chain(60, &[0.0; 3]), Some(&same), 50).len(), 50);
        // All options have the same words: there is one text, and the list ends with it.
        assert_eq!(listed(&chain(60, &[0.0; 3]), Some(&[words[0]; 3]), 50).len(), 1);
    }

    /// The bound on paths at a node does not change the list: a short list is the beginning of the longest one.
    #[test]
    fn a_list_begins_with_every_shorter_one() {
        let words = ["a", "b", "a"].map(|word| TextKey::of(std::iter::once(word)));
        for scores in [[0.0, -0.5, -0.25], [0.0, 0.0, -1.0], [-1.0, -1.0, -1.0]] {
            let graph = chain(6, &scores);
            for texts in [None, Some(&words[..])] {
                let all = listed(&graph, texts, 1000);
                assert_eq!(all.len(), if texts.is_some() { 1 << 6 } else { 3usize.pow(6) });
                for most in [1, 2, 3, 10, 50] {
                    assert_eq!(listed(&graph, texts, most), all[..most]);
                }
            }
        }
    }
}
