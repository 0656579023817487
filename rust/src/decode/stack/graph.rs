//! The search graph: recombined hypotheses are one node with several incoming arcs.

use super::options::StackOptions;
use crate::store::bits::NodeSet;

pub const NONE: u32 = u32::MAX;

/// All hypotheses that recombined.
#[derive(Clone, Copy, Debug)]
pub struct Node<B: NodeSet, S: Copy> {
    pub cover: B,
    pub state: S,
    /// The score of the best path to the node.
    pub score: f32,
    /// The estimate for the uncovered words.
    pub future: f32,
    /// The first and last position of the last rule; `last` is -1 at the beginning.
    pub first: i32,
    pub last: i32,
    /// The last rule of the best path to the node, and the node before it.
    pub option: u32,
    pub previous: u32,
    /// All incoming arcs, as a list through [`Arc::next`]; [`NONE`] if arcs are not kept.
    pub arcs: u32,
}

/// An arc into a node.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    pub previous: u32,
    pub option: u32,
    /// The score of the best path that ends with this arc.
    pub score: f32,
    pub next: u32,
}

pub struct SearchGraph<B: NodeSet, S: Copy> {
    pub nodes: Vec<Node<B, S>>,
    pub arcs: Vec<Arc>,
    pub keep_arcs: bool,
    /// The node of complete translations; [`NONE`] if the search found none.
    pub goal: u32,
}

impl<B: NodeSet, S: Copy> SearchGraph<B, S> {
    pub fn new(start: Node<B, S>, keep_arcs: bool) -> Self {
        SearchGraph { nodes: vec![start], arcs: Vec::new(), keep_arcs, goal: NONE }
    }

    pub fn add(&mut self, mut node: Node<B, S>) -> u32 {
        let number = self.nodes.len() as u32;
        node.arcs = self.add_arc(&node, NONE);
        self.nodes.push(node);
        number
    }

    /// Recombines a hypothesis with a node.
    pub fn join(&mut self, number: u32, other: &Node<B, S>) {
        let head = self.add_arc(other, self.nodes[number as usize].arcs);
        let node = &mut self.nodes[number as usize];
        if other.score > node.score {
            *node = *other;
        }
        node.arcs = head;
    }

    fn add_arc(&mut self, node: &Node<B, S>, next: u32) -> u32 {
        if !self.keep_arcs {
            return NONE;
        }
        self.arcs.push(Arc { previous: node.previous, option: node.option, score: node.score, next });
        self.arcs.len() as u32 - 1
    }

    /// The options of the best path to a node, in target order.
    pub fn best_path(&self, mut number: u32) -> Vec<u32> {
        let mut path = Vec::new();
        while number != 0 && number != NONE {
            let node = &self.nodes[number as usize];
            path.push(node.option);
            number = node.previous;
        }
        path.reverse();
        path
    }

    pub fn arcs_into(&self, number: u32) -> impl Iterator<Item = &Arc> {
        let mut at = self.nodes[number as usize].arcs;
        std::iter::from_fn(move || {
            let arc = self.arcs.get(at as usize)?;
            at = arc.next;
            Some(arc)
        })
    }
}

/// The arcs of a search graph that lie on a path to the goal, one JSON object per line, from the goal to the
/// beginning: node (on the first line, the goal), previous node (0 is the beginning), source positions, target words,
/// and the score that the arc adds. `target` gives the words of an option.
pub fn to_json_lines<B: NodeSet, S: Copy>(
    graph: &SearchGraph<B, S>,
    options: &StackOptions<B>,
    target: impl Fn(u32) -> Vec<String>,
) -> String {
    use std::fmt::Write;
    let mut useful = vec![false; graph.nodes.len()];
    if graph.goal != NONE {
        useful[graph.goal as usize] = true;
    }
    let mut lines = String::new();
    // Arcs come from nodes with smaller numbers.
    for number in (1..graph.nodes.len() as u32).rev() {
        if !useful[number as usize] {
            continue;
        }
        for arc in graph.arcs_into(number) {
            useful[arc.previous as usize] = true;
            let step = arc.score - graph.nodes[arc.previous as usize].score;
            let positions: Vec<usize> = options.subgraph(arc.option).set.iter().collect();
            let words: Vec<String> = target(arc.option).iter().map(|word| quoted(word)).collect();
            let _ = writeln!(
                lines,
                "{{\"node\": {number}, \"from\": {}, \"positions\": {positions:?}, \"target\": [{}], \"score\": {step}}}",
                arc.previous,
                words.join(", ")
            );
        }
    }
    lines
}

/// A JSON string.
pub fn quoted(text: &str) -> String {
    let mut made = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => made.extend(['\\', c]),
            c if c < ' ' => made.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => made.push(c),
        }
    }
    made.push('"');
    made
}
