//! Structured label propagation: over the whole graph, or over a subgraph for each node.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::graph::Graph;
use super::links::NodeId;
use super::neighbourhood::{MemoryBudget, Neighbourhood};
use super::transfers::by_label;
use crate::work::interrupt;

/// The maximum memory for similarities. The rest is recomputed in every round.
const CACHE_BYTES: usize = 1 << 30;

/// A graph and the cached similarities of its labels.
pub struct Propagation {
    pub graph: Graph,
    pub(super) budget: MemoryBudget,
    /// Created when the whole graph is first propagated.
    joint: OnceLock<Neighbourhood>,
}

/// The result of propagation.
pub struct Propagated {
    /// p by label and measure.
    pub values: Vec<f64>,
    pub rounds: usize,
    /// The greatest change of any p in the last round.
    pub change: f64,
}

impl Propagation {
    pub fn new(graph: Graph) -> Self {
        Self::with_budget(graph, CACHE_BYTES)
    }

    /// Like [`Propagation::new`], with a limit on the bytes of cached similarities.
    pub(super) fn with_budget(graph: Graph, bytes: usize) -> Self {
        Propagation { graph, budget: MemoryBudget::new(bytes), joint: OnceLock::new() }
    }

    /// Propagates over the whole graph, starting from the posteriors of all labels, until no p changes by more than
    /// `tolerance` or for at most `rounds` rounds. A node without neighbours keeps its posteriors.
    pub fn propagate(&self, start: &[f64], rounds: usize, tolerance: f64) -> Propagated {
        let all =
            || Neighbourhood::new(&self.graph, &self.budget, (0..self.graph.nodes.len() as u32).collect());
        let (own, rounds, change) =
            self.joint.get_or_init(all).run(&self.graph, start, rounds, tolerance, true);
        Propagated { values: self.by_sentence(&own), rounds, change }
    }

    /// The values of all nodes in the order of sentences, by label.
    fn by_sentence(&self, values: &[Vec<f64>]) -> Vec<f64> {
        let nodes = &self.graph.nodes;
        let mut free = vec![0; nodes.len()];
        let mut found = Vec::new();
        for sentence in 0..nodes.sentences() {
            let node = nodes.of(sentence);
            let size = self.graph.fixed[node].len();
            let own = &values[node][free[node]..free[node] + size];
            free[node] += size;
            found.extend(by_label(own, self.graph.settings.measures.len()));
        }
        found
    }

    /// Propagates over a separate subgraph for each node (Alexandrescu and Kirchhoff 2009). The subgraph holds all
    /// nodes whose values can reach the node in `rounds` rounds, so the result equals that of the joint graph. Its
    /// similarities are dropped with it.
    pub fn propagate_each(&self, start: &[f64], rounds: usize, tolerance: f64) -> Propagated {
        let owners = self.owners(rounds);
        let of_owner = |owner: u32| {
            interrupt::point();
            if owners[owner as usize] != owner {
                return (Vec::new(), 0, 0.0);
            }
            let (near, closed) = self.near(owner, rounds);
            let made = Neighbourhood::new(&self.graph, &self.budget, near);
            // A subgraph that is not closed may still receive changes from outside after its own values have converged.
            let (values, rounds, change) = made.run(&self.graph, start, rounds, tolerance, closed);
            self.budget.release(made.bytes());
            let own = made.nodes.into_iter().zip(values).filter(|(node, _)| owners[*node as usize] == owner);
            (own.collect(), rounds, change)
        };
        let each: Vec<_> = (0..owners.len() as u32).into_par_iter().map(of_owner).collect();
        let (rounds, change) =
            each.iter().fold((0, 0.0), |(rounds, change), one| (one.1.max(rounds), one.2.max(change)));
        let mut found: Vec<(u32, Vec<f64>)> = each.into_iter().flat_map(|one| one.0).collect();
        found.sort_unstable_by_key(|&(node, _)| node);
        let values: Vec<Vec<f64>> = found.into_iter().map(|(_, values)| values).collect();
        Propagated { values: self.by_sentence(&values), rounds, change }
    }

    /// The node in whose subgraph each node is updated: its own, or that of an earlier node with the same closed
    /// subgraph.
    fn owners(&self, rounds: usize) -> Vec<u32> {
        const NO_OWNER: u32 = u32::MAX;
        let mut owners = vec![NO_OWNER; self.graph.nodes.len()];
        for node in 0..owners.len() {
            interrupt::point();
            if owners[node] == NO_OWNER {
                owners[node] = node as u32;
                if let (near, true) = self.near(node as u32, rounds) {
                    for other in near.into_iter().filter(|&other| other as usize > node) {
                        let owner = &mut owners[other as usize];
                        *owner = (*owner).min(node as u32);
                    }
                }
            }
        }
        owners
    }

    /// The nodes to update for one node: those whose values can reach it within `rounds`. Also whether they are closed
    /// under links.
    fn near(&self, node: u32, rounds: usize) -> (Vec<u32>, bool) {
        let mut seen = vec![false; self.graph.nodes.len()];
        seen[node as usize] = true;
        let (mut found, mut first) = (vec![node], 0);
        for round in 1..=rounds {
            let end = found.len();
            for at in first..end {
                for link in &self.graph.links[found[at] as usize] {
                    if let NodeId::Open(other) = link.to {
                        if !std::mem::replace(&mut seen[other as usize], true) {
                            found.push(other);
                        }
                    }
                }
            }
            if found.len() == end {
                found.sort_unstable();
                return (found, true);
            }
            if round == rounds {
                found.truncate(end);
            }
            first = end;
        }
        found.sort_unstable();
        (found, false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::GraphSettings;
    use super::super::links::{Link, Linked};
    use super::super::lists::Lists;
    use super::super::memory::TranslationMemory;
    use super::super::similarity::Measure;
    use super::super::transfers::Normalisation;
    use super::*;
    use std::sync::Arc;

    /// Three nodes. Training: "t" with the label "a b" (fixed). Open: 0 with "a b" and "c d", 1 with "a d" and "c d".
    /// Edges: 0 - training of weight 0.6, 0 - 1 of weight 0.4, so that T_s of node 0 is 0.6 and 0.4, of node 1 it is 1.
    fn three(normalised: Normalisation, measure: Measure) -> Propagation {
        let mut memory = TranslationMemory::new(false);
        memory.add("t", "a b", 1.0).unwrap();
        memory.finish();
        let mut lists = Lists::new(false);
        lists.push(["a b", "c d"].into_iter()).unwrap();
        lists.push(["a d", "c d"].into_iter()).unwrap();
        let link = |to, weight| Link { to, weight };
        let links = vec![
            vec![link(NodeId::Fixed(0), 0.6), link(NodeId::Open(1), 0.4)],
            vec![link(NodeId::Open(0), 0.4)],
        ];
        let settings = GraphSettings { measures: vec![measure], normalised, sharpness: 1.0 };
        Propagation::new(Graph::new(Arc::new(lists), Some(&memory), Linked::single(links), settings).unwrap())
    }

    fn close(found: &[f64], wanted: &[f64]) {
        let same = found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-7);
        assert!(same, "{found:?} instead of {wanted:?}");
    }

    const START: [f64; 4] = [0.7, 0.3, 0.2, 0.8];

    /// Formula (7) with (8). Dice of words: sim(ab, ab) = 1, sim(cd, ab) = 0, sim(ab, ad) = 1/2, sim(ab, cd) = 0,
    /// sim(cd, ad) = 1/2, sim(cd, cd) = 1.
    /// T_l from node 1 to node 0: ab: 1, 0; cd: 1/3, 2/3. From 0 to 1: ad: 1/2, 1/2; cd: 0, 1. From training: ab 1, cd 0.
    #[test]
    fn three_nodes_after_one_and_two_rounds() {
        let graph = three(Normalisation::Neighbour, Measure::Dice(1));
        let first = [
            0.6 + 0.4 * 0.2,                     // ab: training, then ad with p 0.2
            0.4 * (0.2 / 3.0 + 0.8 * 2.0 / 3.0), // cd: nothing from training
            0.5 * 0.7 + 0.5 * 0.3,               // ad
            0.3,                                 // cd
        ];
        close(&graph.propagate(&START, 1, 0.0).values, &first);
        let second = [
            0.6 + 0.4 * first[2],
            0.4 * (first[2] / 3.0 + first[3] * 2.0 / 3.0),
            0.5 * first[0] + 0.5 * first[1],
            first[1],
        ];
        let found = graph.propagate(&START, 2, 0.0);
        close(&found.values, &second);
        assert_eq!(found.rounds, 2);
    }

    /// Rule (2): with the identity as similarity, p of a label is the weighted mean of its p at the neighbours.
    #[test]
    fn identity_gives_ordinary_label_propagation() {
        for normalised in [Normalisation::Neighbour, Normalisation::Receiver, Normalisation::None] {
            let graph = three(normalised, Measure::Identity);
            let (mut x, mut y) = ([START[0], START[1]], [START[2], START[3]]);
            for round in 1..=5 {
                // Node 0 has ab and cd, node 1 has ad and cd; training has ab with 1.
                (x, y) = ([0.6 * 1.0, 0.4 * y[1]], [0.0, x[1]]);
                close(&graph.propagate(&START, round, 0.0).values, &[x, y].concat());
            }
        }
    }

    #[test]
    fn propagation_converges_to_a_fixed_point() {
        for normalised in [Normalisation::Neighbour, Normalisation::Receiver, Normalisation::None] {
            let graph = three(normalised, Measure::Dice(1));
            let found = graph.propagate(&START, 1000, 1e-12);
            assert!(found.rounds < 200 && found.change <= 1e-12, "{} rounds", found.rounds);
            close(&graph.propagate(&found.values, 1, 0.0).values, &found.values);
            // The start does not matter if every node is connected to a fixed one.
            close(&graph.propagate(&[0.5, 0.5, 0.5, 0.5], 1000, 1e-12).values, &found.values);
        }
    }

    #[test]
    fn a_graph_for_each_node_gives_what_the_joint_graph_gives() {
        // A chain of six open nodes, the first linked to a fixed one.
        let mut memory = TranslationMemory::new(false);
        memory.add("t", "a b", 1.0).unwrap();
        memory.finish();
        let mut lists = Lists::new(false);
        let mut links = Vec::new();
        for node in 0..6u32 {
            lists.push(["a b c", "a d", "c d e a"].into_iter().take(1 + node as usize % 3)).unwrap();
            let mut own = vec![];
            if node == 0 {
                own.push(Link { to: NodeId::Fixed(0), weight: 0.5 });
            }
            for other in [node.wrapping_sub(1), node + 1].into_iter().filter(|&other| other < 6) {
                own.push(Link { to: NodeId::Open(other), weight: 0.3 + 0.1 * f64::from(other.min(node)) });
            }
            links.push(own);
        }
        let measures = vec![Measure::Dice(1), Measure::Dice(2)];
        let settings = GraphSettings { measures, normalised: Normalisation::Neighbour, sharpness: 1.0 };
        let graph = Propagation::new(
            Graph::new(Arc::new(lists), Some(&memory), Linked::single(links), settings).unwrap(),
        );
        let start: Vec<f64> =
            (0..graph.graph.lists.candidates.len()).map(|n| 0.1 + 0.05 * n as f64).collect();
        for rounds in [1, 2, 3, 4, 9] {
            let (joint, each) =
                (graph.propagate(&start, rounds, 0.0), graph.propagate_each(&start, rounds, 0.0));
            assert_eq!(joint.values, each.values, "{rounds} rounds");
        }
        assert_eq!(graph.near(5, 3), (vec![3, 4, 5], false));
        assert_eq!((graph.near(5, 5).1, graph.near(5, 6)), (false, ((0..6).collect(), true)));
    }

    #[test]
    fn a_node_without_neighbours_keeps_its_posteriors() {
        let mut lists = Lists::new(false);
        lists.push(["a", "b"].into_iter()).unwrap();
        let settings = GraphSettings {
            measures: vec![Measure::Dice(1)],
            normalised: Normalisation::Neighbour,
            sharpness: 1.0,
        };
        let lists = Arc::new(lists);
        let graph = Propagation::new(
            Graph::new(lists.clone(), None, Linked::single(vec![vec![]]), settings.clone()).unwrap(),
        );
        assert_eq!(graph.propagate(&[0.9, 0.1], 3, 0.0).values, [0.9, 0.1]);
        assert!(Graph::new(lists, None, Linked::single(vec![]), settings).is_err());
    }
}
