//! Some nodes of a graph, what they hear from one another, and the rounds of propagation among them.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::graph::Graph;
use super::links::{shares, Place};
use super::transfers::{Toward, Transfers};
use crate::metric::bleu::ORDER;
use crate::metric::ngrams::Ngrams;
use crate::store::hashing::FastMap;
use crate::work::interrupt;

/// Bytes that are free, for all threads.
pub struct Room(AtomicUsize);

impl Room {
    pub fn new(bytes: usize) -> Self {
        Room(AtomicUsize::new(bytes))
    }

    /// Whether there was so much, which is now taken.
    pub fn take(&self, bytes: usize) -> bool {
        let less = |free: usize| free.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    pub fn give(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// An open neighbour: T_s, and where its p and T_l are.
struct Heard {
    share: f64,
    node: u32,
    /// Its place among the nodes, or [`OUTSIDE`].
    place: u32,
    pair: u32,
}

/// The place of a node that is not updated and stays as it starts.
const OUTSIDE: u32 = u32::MAX;

/// Nodes with the similarities of their labels, each pair of lists once: nodes with the same labels share them.
pub struct Neighbourhood {
    /// Ascending.
    pub nodes: Vec<u32>,
    heard: Vec<Vec<Heard>>,
    /// The first nodes that have the lists of a pair, ascending.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Those for which there was room.
    transfers: Vec<Option<Transfers>>,
}

/// Values of each node by measure and label, the rounds that it took, the greatest change in the last.
pub type Run = (Vec<Vec<f64>>, usize, f64);

impl Neighbourhood {
    /// Similarities take of the room; who drops this gives back [`Neighbourhood::bytes`].
    pub fn new(graph: &Graph, room: &Room, nodes: Vec<u32>) -> Self {
        let open = |node: u32| {
            let links = &graph.links[node as usize];
            let each = links.iter().zip(shares(links, graph.settings.sharpness));
            each.filter_map(|(link, share)| match link.to {
                Place::Open(other) => Some((other, share)),
                Place::Fixed(_) => None,
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
            let heard = |(other, share)| Heard {
                share,
                node: other,
                place: places.get(&other).copied().unwrap_or(OUTSIDE),
                pair: pairs.binary_search(&pair(node, other)).expect("all pairs are known") as u32,
            };
            open(node).map(heard).collect()
        };
        let heard = nodes.par_iter().map(of_node).collect();
        // The labels of the first list are read once.
        let groups: Vec<&[(u32, u32)]> = pairs.chunk_by(|a, b| a.0 == b.0).collect();
        let of_group = |known: &mut Ngrams, group: &[(u32, u32)]| {
            interrupt::point();
            known.clear();
            let own = graph.lists.profiles(group[0].0 as usize, &graph.numbers, known, ORDER);
            let each = group.iter().map(|&(_, other)| {
                let labels = graph.lists.range(other as usize).len();
                let most = Transfers::most_bytes(graph.settings.measures.len(), own.len(), labels);
                room.take(most).then(|| {
                    let others = graph.lists.profiles(other as usize, &graph.numbers, known, ORDER);
                    let made =
                        Transfers::new(&graph.settings.measures, graph.settings.normalised, &own, &others);
                    room.give(most - made.bytes());
                    made
                })
            });
            each.collect::<Vec<_>>()
        };
        let found: Vec<Vec<_>> = groups.into_par_iter().map_init(Ngrams::default, of_group).collect();
        let transfers = found.into_iter().flatten().collect();
        Neighbourhood { nodes, heard, pairs, transfers }
    }

    /// The room that it takes.
    pub fn bytes(&self) -> usize {
        self.transfers.iter().flatten().map(Transfers::bytes).sum()
    }

    /// Formula (7), for all nodes at once in every round: so many rounds or, if it `may_end`, until no p changes by more
    /// than `tolerance`.
    ///
    /// Nodes that hear from nothing fixed may swing for ever between two values, as two that hear from one another alone
    /// do. Where they still change in the last round, they get the mean of the last two, which is where a swing rests. A
    /// single round is the formula as it is.
    pub fn run(&self, graph: &Graph, start: &[f64], rounds: usize, tolerance: f64, may_end: bool) -> Run {
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
                for heard in &self.heard[place] {
                    let outside;
                    let p = match values.get(heard.place as usize) {
                        Some(p) => p,
                        None => {
                            outside = begin(heard.node);
                            &outside
                        }
                    };
                    self.receive(graph, known, node, heard, p, &mut sums);
                }
                sums
            };
            let next = (0..values.len()).into_par_iter().map_init(Ngrams::default, update).collect();
            before = std::mem::replace(&mut values, next);
            change = before.iter().zip(&values).map(|(a, b)| moved(a, b)).fold(0.0, f64::max);
            done += 1;
            if may_end && change <= tolerance {
                break;
            }
        }
        for ((own, before), &node) in values.iter_mut().zip(&before).zip(&self.nodes) {
            if done > 1 && !graph.anchored[node as usize] && moved(own, before) > tolerance {
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
        heard: &Heard,
        p: &[f64],
        sums: &mut [f64],
    ) {
        let (one, other) = self.pairs[heard.pair as usize];
        let toward = if graph.same[node] == one { Toward::Rows } else { Toward::Columns };
        if let Some(kept) = &self.transfers[heard.pair as usize] {
            return kept.receive(toward, p, heard.share, sums);
        }
        known.clear();
        let [one, other] =
            [one, other].map(|list| graph.lists.profiles(list as usize, &graph.numbers, known, ORDER));
        let made = Transfers::new(&graph.settings.measures, graph.settings.normalised, &one, &other);
        made.receive(toward, p, heard.share, sums);
    }
}

/// The greatest difference of two rounds.
fn moved(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
