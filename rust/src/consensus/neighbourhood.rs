//! A subset of a graph's nodes, the propagating probabilities between them, and the rounds of propagation.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::graph::Graph;
use super::links::{shares, NodeId};
use super::transfers::{Receivers, Transfers};
use crate::metric::bleu::ORDER;
use crate::metric::ngrams::Ngrams;
use crate::store::hashing::FastMap;
use crate::work::interrupt;

/// A number of bytes that all threads may still allocate.
pub struct MemoryBudget(AtomicUsize);

impl MemoryBudget {
    pub fn new(bytes: usize) -> Self {
        MemoryBudget(AtomicUsize::new(bytes))
    }

    /// Reserves this many bytes; false if they exceed the budget.
    pub fn take(&self, bytes: usize) -> bool {
        let less = |free: usize| free.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    pub fn release(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A link to an open neighbour: T_s, and the indices of its p and T_l.
struct OpenNeighbour {
    share: f64,
    node: u32,
    /// Index of the neighbour among the nodes, or [`OUTSIDE`].
    place: u32,
    pair: u32,
}

/// Index of a neighbour that is not updated and keeps its initial values.
const OUTSIDE: u32 = u32::MAX;

/// Nodes with the similarities of their labels, computed once for each pair of lists: nodes with the same labels share
/// them.
pub struct Neighbourhood {
    /// In ascending order.
    pub nodes: Vec<u32>,
    neighbours: Vec<Vec<OpenNeighbour>>,
    /// Each pair of lists, by the first nodes that have them, in ascending order.
    pub(super) pairs: Vec<(u32, u32)>,
    /// `None` where the budget was exceeded.
    transfers: Vec<Option<Transfers>>,
}

/// The values of each node by measure and label, the number of rounds, and the greatest change in the last round.
pub type Outcome = (Vec<Vec<f64>>, usize, f64);

impl Neighbourhood {
    /// Reserves memory for the similarities from the budget; the caller releases [`Neighbourhood::bytes`] when it drops
    /// this.
    pub fn new(graph: &Graph, budget: &MemoryBudget, nodes: Vec<u32>) -> Self {
        let open = |node: u32| {
            let links = &graph.links[node as usize];
            let each = links.iter().zip(shares(links, graph.settings.sharpness));
            each.filter_map(|(link, share)| match link.to {
                NodeId::Open(other) => Some((other, share)),
                NodeId::Fixed(_) => None,
            })
        };
        let pair = |one: u32, other: u32| {
            let (one, other) = (graph.same[one as usize], graph.same[other as usize]);
            (one.min(other), one.max(other))
        };
        let all = nodes.iter().flat_map(|&node| open(node).map(move |(other, _)| (node, other)));
        let mut pairs: Vec<(u32, u32)> = all.map(|(node, other)| pair(node, other)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.shrink_to_fit();
        let places: FastMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
        let of_node = |&node: &u32| {
            let neighbour = |(other, share)| OpenNeighbour {
                share,
                node: other,
                place: places.get(&other).copied().unwrap_or(OUTSIDE),
                pair: pairs.binary_search(&pair(node, other)).expect("all pairs are known") as u32,
            };
            open(node).map(neighbour).collect()
        };
        let neighbours = nodes.par_iter().map(of_node).collect();
        // The profiles of the first list are computed once per group.
        let groups: Vec<&[(u32, u32)]> = pairs.chunk_by(|a, b| a.0 == b.0).collect();
        let of_group = |known: &mut Ngrams, group: &[(u32, u32)]| {
            interrupt::point();
            known.clear();
            let own = graph.lists.profiles(group[0].0 as usize, &graph.numbers, known, ORDER);
            let each = group.iter().map(|&(_, other)| {
                let labels = graph.lists.range(other as usize).len();
                let most = Transfers::most_bytes(graph.settings.measures.len(), own.len(), labels);
                budget.take(most).then(|| {
                    let others = graph.lists.profiles(other as usize, &graph.numbers, known, ORDER);
                    let made =
                        Transfers::new(&graph.settings.measures, graph.settings.normalised, &own, &others);
                    budget.release(most - made.bytes());
                    made
                })
            });
            each.collect::<Vec<_>>()
        };
        let found: Vec<Vec<_>> = groups.into_par_iter().map_init(Ngrams::default, of_group).collect();
        let transfers = found.into_iter().flatten().collect();
        Neighbourhood { nodes, neighbours, pairs, transfers }
    }

    /// Bytes of all similarities.
    pub fn bytes(&self) -> usize {
        self.transfers.iter().flatten().map(Transfers::bytes).sum()
    }

    /// Formula (7), applied to all nodes at once in every round: for `rounds` rounds or, if it `may_end`, until no p
    /// changes by more than `tolerance`.
    ///
    /// Nodes that are not connected to a fixed node may oscillate between two values, for example two nodes with only
    /// each other as neighbours. If such a node still changes in the last round, it gets the mean of the last two
    /// rounds, the centre of the oscillation. A single round applies the formula unchanged.
    pub fn run(&self, graph: &Graph, start: &[f64], rounds: usize, tolerance: f64, may_end: bool) -> Outcome {
        let begin = |node: u32| start[graph.lists.range(node as usize)].repeat(graph.settings.measures.len());
        let mut values: Vec<Vec<f64>> = self.nodes.iter().map(|&node| begin(node)).collect();
        let mut before = Vec::new();
        let (mut done, mut change) = (0, 0.0);
        while done < rounds {
            let update = |known: &mut Ngrams, place: usize| {
                interrupt::point();
                let node = self.nodes[place] as usize;
                if graph.links[node].is_empty() {
                    return values[place].clone();
                }
                let mut sums = graph.fixed[node].clone();
                for neighbour in &self.neighbours[place] {
                    let outside;
                    let p = match values.get(neighbour.place as usize) {
                        Some(p) => p,
                        None => {
                            outside = begin(neighbour.node);
                            &outside
                        }
                    };
                    self.receive(graph, known, node, neighbour, p, &mut sums);
                }
                sums
            };
            let next = (0..values.len()).into_par_iter().map_init(Ngrams::default, update).collect();
            before = std::mem::replace(&mut values, next);
            change = before.iter().zip(&values).map(|(a, b)| greatest_change(a, b)).fold(0.0, f64::max);
            done += 1;
            if may_end && change <= tolerance {
                break;
            }
        }
        for ((own, before), &node) in values.iter_mut().zip(&before).zip(&self.nodes) {
            if done > 1 && !graph.anchored[node as usize] && greatest_change(own, before) > tolerance {
                own.iter_mut().zip(before).for_each(|(value, before)| *value = (*value + before) / 2.0);
            }
        }
        (values, done, change)
    }

    fn receive(
        &self,
        graph: &Graph,
        known: &mut Ngrams,
        node: usize,
        neighbour: &OpenNeighbour,
        p: &[f64],
        sums: &mut [f64],
    ) {
        let (one, other) = self.pairs[neighbour.pair as usize];
        let toward = if graph.same[node] == one { Receivers::Rows } else { Receivers::Columns };
        if let Some(kept) = &self.transfers[neighbour.pair as usize] {
            return kept.receive(toward, p, neighbour.share, sums);
        }
        known.clear();
        let [one, other] =
            [one, other].map(|list| graph.lists.profiles(list as usize, &graph.numbers, known, ORDER));
        let made = Transfers::new(&graph.settings.measures, graph.settings.normalised, &one, &other);
        made.receive(toward, p, neighbour.share, sums);
    }
}

/// The greatest absolute difference between two rounds.
fn greatest_change(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
