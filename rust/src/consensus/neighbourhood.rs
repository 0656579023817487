//! A subset of a graph's nodes, the propagating probabilities between them, and the rounds of propagation.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::graph::{Graph, GraphSettings};
use super::links::NodeId;
use super::transfers::{of_block, BlockedTransfers, Receivers, Transfers};
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
    /// T_l of each pair of lists; `None` where the budget was exceeded.
    transfers: Vec<Option<Transfers>>,
}

/// The values of each node by sentence, measure and label, the number of rounds, and the greatest change in the last
/// round.
pub type Outcome = (Vec<Vec<f64>>, usize, f64);

/// The pair of lists that holds the similarities for a node and a neighbour, and which of both receives. A pair serves
/// both directions unless a list is so long that only some of its labels send.
fn pair(graph: &Graph, node: u32, other: u32) -> ((u32, u32), Receivers) {
    let (one, other) = (graph.same[node as usize], graph.same[other as usize]);
    let whole = |sentence: u32| graph.lists.range(sentence as usize).len() <= graph.senders;
    match one <= other || !(whole(one) && whole(other)) {
        true => ((one, other), Receivers::Rows),
        false => ((other, one), Receivers::Columns),
    }
}

impl Neighbourhood {
    /// Reserves memory for the similarities from the budget; the caller releases [`Neighbourhood::bytes`] when it drops
    /// this.
    pub fn new(graph: &Graph, budget: &MemoryBudget, nodes: Vec<u32>) -> Self {
        let open = |node: u32| {
            let each = graph.links[node as usize].iter().zip(graph.shares(node as usize));
            each.filter_map(|(link, share)| match link.to {
                NodeId::Open(other) => Some((other, share)),
                NodeId::Fixed(_) => None,
            })
        };
        let all = nodes.iter().flat_map(|&node| open(node).map(move |(other, _)| (node, other)));
        let mut pairs: Vec<(u32, u32)> = all.map(|(node, other)| pair(graph, node, other).0).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.shrink_to_fit();
        let places: FastMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
        let of_node = |&node: &u32| {
            let neighbour = |(other, share)| OpenNeighbour {
                share,
                node: other,
                place: places.get(&other).copied().unwrap_or(OUTSIDE),
                pair: pairs.binary_search(&pair(graph, node, other).0).expect("all pairs are known") as u32,
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
                let labels = graph.lists.first(other as usize, graph.senders).len();
                let most = Transfers::most_bytes(graph.settings.measures.len(), own.len(), labels);
                budget.take(most).then(|| {
                    let others = graph.sender_profiles(other as usize, known);
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
        Neighbourhood { nodes, neighbours, transfers }
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
        let measures = graph.settings.measures.len();
        let begin = |node: u32| -> Vec<f64> {
            let members = graph.nodes.members(node as usize).iter();
            members.flat_map(|&one| start[graph.lists.range(one as usize)].repeat(measures)).collect()
        };
        let mut values: Vec<Vec<f64>> = self.nodes.iter().map(|&node| begin(node)).collect();
        let mut before = Vec::new();
        let (mut done, mut change) = (0, 0.0);
        while done < rounds {
            let totals: Vec<Option<Vec<f64>>> =
                values.iter().zip(&self.nodes).map(|(own, &node)| total(graph, node, own)).collect();
            let update = |known: &mut Ngrams, place: usize| {
                interrupt::point();
                let node = self.nodes[place];
                if graph.links[node as usize].is_empty() {
                    return values[place].clone();
                }
                let mut sums = graph.fixed[node as usize].clone();
                let mut equal = None;
                for neighbour in &self.neighbours[place] {
                    if neighbour.node == node {
                        equal = Some(neighbour);
                        continue;
                    }
                    let outside;
                    let p = match values.get(neighbour.place as usize) {
                        Some(p) => totals[neighbour.place as usize].as_ref().unwrap_or(p),
                        None => {
                            let begun = begin(neighbour.node);
                            outside = total(graph, neighbour.node, &begun).unwrap_or(begun);
                            &outside
                        }
                    };
                    self.receive(graph, known, node, neighbour, p, &mut sums);
                }
                let members = graph.nodes.members(node as usize).len();
                let Some(equal) = equal else { return sums.repeat(members) };
                let mut each = sums.repeat(members);
                let others = sums_of_others(&values[place], sums.len());
                for (own, p) in each.chunks_mut(sums.len()).zip(others.chunks(sums.len())) {
                    self.receive(graph, known, node, equal, p, own);
                }
                each
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
            let size = graph.fixed[node as usize].len();
            if done == 1 || graph.anchored[node as usize] {
                continue;
            }
            for (own, before) in own.chunks_mut(size).zip(before.chunks(size)) {
                if greatest_change(own, before) > tolerance {
                    own.iter_mut().zip(before).for_each(|(value, before)| *value = (*value + before) / 2.0);
                }
            }
        }
        (values, done, change)
    }

    fn receive(
        &self,
        graph: &Graph,
        known: &mut Ngrams,
        node: u32,
        neighbour: &OpenNeighbour,
        p: &[f64],
        sums: &mut [f64],
    ) {
        let toward = pair(graph, node, neighbour.node).1;
        let (own, other) = (graph.same[node as usize], graph.same[neighbour.node as usize]);
        let (labels, sending) =
            (graph.lists.range(other as usize).len(), graph.lists.first(other as usize, graph.senders).len());
        let first;
        let p = match sending < labels {
            true => {
                first = of_block(p, labels, 0, sending);
                &first
            }
            false => p,
        };
        if let Some(kept) = &self.transfers[neighbour.pair as usize] {
            return kept.receive(toward, p, neighbour.share, sums);
        }
        known.clear();
        let own = graph.lists.profiles(own as usize, &graph.numbers, known, ORDER);
        let other = graph.sender_profiles(other as usize, known);
        let GraphSettings { measures, normalised, .. } = &graph.settings;
        BlockedTransfers::new(measures, *normalised).receive(&own, &other, p, neighbour.share, sums);
    }
}

/// The sum of the values of a node's sentences; `None` for a single one.
fn total(graph: &Graph, node: u32, values: &[f64]) -> Option<Vec<f64>> {
    let size = graph.fixed[node as usize].len();
    (values.len() > size).then(|| {
        let mut sum = vec![0.0; size];
        for one in values.chunks(size) {
            sum.iter_mut().zip(one).for_each(|(sum, value)| *sum += value);
        }
        sum
    })
}

/// For each sentence of a node, with `size` values each, the sum of the values of the other sentences. Sums of those
/// before and of those after it lose no small values, as a difference would.
fn sums_of_others(values: &[f64], size: usize) -> Vec<f64> {
    let mut found = vec![0.0; values.len()];
    let mut sum = vec![0.0; size];
    let add = |(found, own): (&mut [f64], &[f64]), sum: &mut [f64]| {
        for ((found, sum), own) in found.iter_mut().zip(sum).zip(own) {
            *found += *sum;
            *sum += own;
        }
    };
    found.chunks_mut(size).zip(values.chunks(size)).for_each(|pair| add(pair, &mut sum));
    sum.fill(0.0);
    found.chunks_mut(size).zip(values.chunks(size)).rev().for_each(|pair| add(pair, &mut sum));
    found
}

/// The greatest absolute difference between two rounds.
fn greatest_change(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
