//! The graph of similar source strings, and structured label propagation over it (formulas 3, 7 and 8).
//!
//! A node is a source string: a sentence, or a span of one. Fixed nodes are those of a [`Memory`], whose labels are known;
//! open nodes are those of [`Lists`], whose labels are candidates. Links go from open nodes to nodes of either kind.

use rayon::prelude::*;

use super::links::{shares, Link, Place};
use super::lists::Lists;
use super::memory::Memory;
use super::profiles::Profile;
use super::similarity::{transfers, Measure, Normalised};
use crate::error::{Error, Result};
use crate::hashing::FastMap;
use crate::ngrams::Ngrams;
use crate::tune::bleu::ORDER;

/// How labels are compared and edges weighed.
#[derive(Clone)]
pub struct Settings {
    pub measures: Vec<Measure>,
    pub normalised: Normalised,
    /// Edges count by their weight to this power; 1 is formula (3).
    pub sharpness: f64,
}

/// What an open neighbour gives: T_s, and T_l as a matrix for each measure.
struct Transfer {
    node: u32,
    share: f64,
    matrices: Vec<Vec<f32>>,
}

#[derive(Default)]
struct Node {
    /// What fixed neighbours give, by measure and label; it is the same in every round.
    fixed: Vec<f64>,
    open: Vec<Transfer>,
}

/// Open nodes with all that one round of propagation needs.
pub struct Graph {
    pub settings: Settings,
    pub links: Vec<Vec<Link>>,
    /// The labels of node k are `starts[k]..starts[k + 1]`.
    starts: Vec<u32>,
    nodes: Vec<Node>,
}

/// What propagation gave.
pub struct Propagated {
    /// p by label and measure.
    pub values: Vec<f64>,
    pub rounds: usize,
    /// The greatest change of any p in the last round.
    pub change: f64,
}

impl Graph {
    pub fn new(
        lists: &Lists,
        memory: Option<&Memory>,
        links: Vec<Vec<Link>>,
        settings: Settings,
    ) -> Result<Self> {
        if links.len() != lists.len() {
            let message = format!("{} source sentences for {} n-best lists.", links.len(), lists.len());
            return Err(
                Error::input(message).hint("There must be a list for each sentence, in the same order.")
            );
        }
        let numbers = lists.renumbered(memory);
        let node = |known: &mut Ngrams, node: usize| {
            known.clear();
            let own = lists.profiles(node, &numbers, known, ORDER);
            let mut made = Node { fixed: vec![0.0; settings.measures.len() * own.len()], open: Vec::new() };
            for (link, share) in links[node].iter().zip(shares(&links[node], settings.sharpness)) {
                let (profiles, weights) = labels(lists, memory, &numbers, link.to, known);
                let matrices = transfers(&settings.measures, settings.normalised, &own, &profiles);
                match link.to {
                    Place::Open(node) => made.open.push(Transfer { node, share, matrices }),
                    Place::Fixed(_) => {
                        for (sums, matrix) in made.fixed.chunks_mut(own.len()).zip(&matrices) {
                            received(matrix, &weights, share, sums);
                        }
                    }
                }
            }
            made
        };
        let nodes = (0..lists.len()).into_par_iter().map_init(Ngrams::default, node).collect();
        Ok(Graph { settings, links, starts: lists.starts.clone(), nodes })
    }

    fn range(&self, node: usize) -> std::ops::Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }

    /// Propagation in the whole graph, from the posteriors of all labels: until no p changes by more than `tolerance`, or so
    /// many rounds. A node without neighbours keeps its posteriors.
    pub fn propagate(&self, start: &[f64], rounds: usize, tolerance: f64) -> Propagated {
        let all: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let (own, rounds, change) = self.run(&all, start, rounds, tolerance);
        Propagated { values: own.iter().flat_map(|values| self.by_label(values)).collect(), rounds, change }
    }

    /// The same with a graph for each node (Alexandrescu and Kirchhoff 2009). It holds what the node hears from in so many
    /// rounds, so the result is that of the joint graph.
    pub fn propagate_each(&self, start: &[f64], rounds: usize, tolerance: f64) -> Propagated {
        let of_node = |node: usize| {
            let near = self.near(node as u32, rounds);
            let place = near.binary_search(&(node as u32)).expect("a node is near itself");
            let (own, rounds, change) = self.run(&near, start, rounds, tolerance);
            (self.by_label(&own[place]), rounds, change)
        };
        let each: Vec<_> = (0..self.nodes.len()).into_par_iter().map(of_node).collect();
        Propagated {
            rounds: each.iter().map(|one| one.1).max().unwrap_or(0),
            change: each.iter().map(|one| one.2).fold(0.0, f64::max),
            values: each.into_iter().flat_map(|one| one.0).collect(),
        }
    }

    /// The nodes that are updated on behalf of one node: those whose values can reach it in time.
    fn near(&self, node: u32, rounds: usize) -> Vec<u32> {
        let mut found = vec![node];
        let mut last = vec![node];
        for _ in 1..rounds {
            let next = last.iter().flat_map(|&one| &self.nodes[one as usize].open).map(|link| link.node);
            let mut next: Vec<u32> = next.filter(|one| !found.contains(one)).collect();
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                break;
            }
            found.extend_from_slice(&next);
            last = next;
        }
        found.sort_unstable();
        found
    }

    /// Formula (7) for some nodes, all at once in every round; the others stay as they start. Values by measure and label.
    fn run(
        &self,
        nodes: &[u32],
        start: &[f64],
        rounds: usize,
        tolerance: f64,
    ) -> (Vec<Vec<f64>>, usize, f64) {
        let measures = self.settings.measures.len();
        let begin = |node: u32| start[self.range(node as usize)].repeat(measures);
        let mut values: Vec<Vec<f64>> = nodes.iter().map(|&node| begin(node)).collect();
        let whole = nodes.len() == self.nodes.len();
        let places: FastMap<u32, u32> = match whole {
            true => FastMap::default(),
            false => nodes.iter().enumerate().map(|(place, &node)| (node, place as u32)).collect(),
        };
        let (mut done, mut change) = (0, 0.0);
        while done < rounds {
            let update = |place: usize| {
                let node = &self.nodes[nodes[place] as usize];
                if self.links[nodes[place] as usize].is_empty() {
                    return values[place].clone();
                }
                let mut sums = node.fixed.clone();
                let labels = sums.len() / measures.max(1);
                for link in &node.open {
                    let known = if whole { Some(&link.node) } else { places.get(&link.node) };
                    let outside;
                    let other = match known {
                        Some(&place) => &values[place as usize],
                        None => {
                            outside = begin(link.node);
                            &outside
                        }
                    };
                    let columns = other.len() / measures.max(1);
                    for (measure, matrix) in link.matrices.iter().enumerate() {
                        let own = &mut sums[measure * labels..(measure + 1) * labels];
                        received(matrix, &other[measure * columns..][..columns], link.share, own);
                    }
                }
                sums
            };
            let next: Vec<Vec<f64>> = if whole {
                (0..nodes.len()).into_par_iter().map(update).collect()
            } else {
                (0..nodes.len()).map(update).collect()
            };
            let moved = values.iter().flatten().zip(next.iter().flatten()).map(|(a, b)| (a - b).abs());
            change = moved.fold(0.0, f64::max);
            values = next;
            done += 1;
            if change <= tolerance {
                break;
            }
        }
        (values, done, change)
    }

    fn by_label(&self, values: &[f64]) -> Vec<f64> {
        let measures = self.settings.measures.len();
        let labels = values.len() / measures.max(1);
        (0..labels)
            .flat_map(|label| (0..measures).map(move |measure| values[measure * labels + label]))
            .collect()
    }
}

/// The labels of a node, and the probabilities of those that are fixed.
pub fn labels(
    lists: &Lists,
    memory: Option<&Memory>,
    numbers: &[u32],
    place: Place,
    known: &mut Ngrams,
) -> (Vec<Profile>, Vec<f64>) {
    match (place, memory) {
        (Place::Open(node), _) => (lists.profiles(node as usize, numbers, known, ORDER), Vec::new()),
        (Place::Fixed(node), Some(memory)) => {
            memory.labels(node).map(|(words, p)| (Profile::new(known, words, ORDER), p)).unzip()
        }
        (Place::Fixed(_), None) => Default::default(),
    }
}

/// Adds T_s times the sum over a neighbour's labels of T_l times p, for each receiving label.
fn received(matrix: &[f32], p: &[f64], share: f64, sums: &mut [f64]) {
    for (sum, row) in sums.iter_mut().zip(matrix.chunks(p.len().max(1))) {
        *sum += share * row.iter().zip(p).map(|(&t, p)| f64::from(t) * p).sum::<f64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three nodes. Training: "t" with the label "a b" (fixed). Open: 0 with "a b" and "c d", 1 with "a d" and "c d".
    /// Edges: 0 - training of weight 0.6, 0 - 1 of weight 0.4, so that T_s of node 0 is 0.6 and 0.4, of node 1 it is 1.
    fn three(normalised: Normalised, measure: Measure) -> (Lists, Graph) {
        let mut memory = Memory::new(false);
        memory.add("t", "a b", 1.0).unwrap();
        memory.finish();
        let mut lists = Lists::new(false);
        lists.push(["a b", "c d"].into_iter()).unwrap();
        lists.push(["a d", "c d"].into_iter()).unwrap();
        let link = |to, weight| Link { to, weight };
        let links = vec![
            vec![link(Place::Fixed(0), 0.6), link(Place::Open(1), 0.4)],
            vec![link(Place::Open(0), 0.4)],
        ];
        let settings = Settings { measures: vec![measure], normalised, sharpness: 1.0 };
        let graph = Graph::new(&lists, Some(&memory), links, settings).unwrap();
        (lists, graph)
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
        let (_, graph) = three(Normalised::Neighbour, Measure::Dice(1));
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
        for normalised in [Normalised::Neighbour, Normalised::Receiver, Normalised::Not] {
            let (_, graph) = three(normalised, Measure::Identity);
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
        for normalised in [Normalised::Neighbour, Normalised::Receiver, Normalised::Not] {
            let (_, graph) = three(normalised, Measure::Dice(1));
            let found = graph.propagate(&START, 1000, 1e-12);
            assert!(found.rounds < 200 && found.change <= 1e-12, "{} rounds", found.rounds);
            close(&graph.propagate(&found.values, 1, 0.0).values, &found.values);
            // Where it starts does not matter when every node hears from a fixed one.
            close(&graph.propagate(&[0.5, 0.5, 0.5, 0.5], 1000, 1e-12).values, &found.values);
        }
    }

    #[test]
    fn a_graph_for_each_node_gives_what_the_joint_graph_gives() {
        // A chain of six open nodes, the first beside a fixed one.
        let mut memory = Memory::new(false);
        memory.add("t", "a b", 1.0).unwrap();
        memory.finish();
        let mut lists = Lists::new(false);
        let mut links = Vec::new();
        for node in 0..6u32 {
            lists.push(["a b c", "a d", "c d e a"].into_iter().take(1 + node as usize % 3)).unwrap();
            let mut own = vec![];
            if node == 0 {
                own.push(Link { to: Place::Fixed(0), weight: 0.5 });
            }
            for other in [node.wrapping_sub(1), node + 1].into_iter().filter(|&other| other < 6) {
                own.push(Link { to: Place::Open(other), weight: 0.3 + 0.1 * f64::from(other.min(node)) });
            }
            links.push(own);
        }
        let measures = vec![Measure::Dice(1), Measure::Dice(2)];
        let settings = Settings { measures, normalised: Normalised::Neighbour, sharpness: 1.0 };
        let graph = Graph::new(&lists, Some(&memory), links, settings).unwrap();
        let start: Vec<f64> = (0..lists.candidates.len()).map(|n| 0.1 + 0.05 * n as f64).collect();
        for rounds in [1, 2, 3, 4, 9] {
            let (joint, each) =
                (graph.propagate(&start, rounds, 0.0), graph.propagate_each(&start, rounds, 0.0));
            assert_eq!(joint.values, each.values, "{rounds} rounds");
        }
        assert!(graph.near(5, 3).len() == 3 && graph.near(5, 9).len() == 6);
    }

    #[test]
    fn a_node_without_neighbours_keeps_its_posteriors() {
        let mut lists = Lists::new(false);
        lists.push(["a", "b"].into_iter()).unwrap();
        let settings =
            Settings { measures: vec![Measure::Dice(1)], normalised: Normalised::Neighbour, sharpness: 1.0 };
        let graph = Graph::new(&lists, None, vec![vec![]], settings.clone()).unwrap();
        assert_eq!(graph.propagate(&[0.9, 0.1], 3, 0.0).values, [0.9, 0.1]);
        assert!(Graph::new(&lists, None, vec![], settings).is_err());
    }
}
