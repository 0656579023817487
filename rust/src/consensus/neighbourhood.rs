//! Some nodes of a graph, what they hear from one another, and the rounds of propagation among them.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::graph::Graph;
use super::links::{shares, Place};
use super::transfers::{Toward, Transfers};
use crate::hashing::FastMap;
use crate::ngrams::Ngrams;
use crate::tune::bleu::ORDER;

/// Bytes that are free, for all threads.
pub struct Room(AtomicUsize);

impl Room {
    pub fn new(bytes: usize) -> Self {
        Room(AtomicUsize::new(bytes))
    }

    /// Whether there was so much, which is now taken.
    fn take(&self, bytes: usize) -> bool {
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
    pairs: Vec<(u32, u32)>,
    /// Those for which there was room.
    transfers: Vec<Option<Transfers>>,
}

/// Values of each node by measure and label, the rounds that it took, the greatest change in the last.
pub type Run = (Vec<Vec<f64>>, usize, f64);

impl Neighbourhood {
    /// Similarities take of the graph's room; who drops this gives back [`Neighbourhood::bytes`].
    pub fn new(graph: &Graph, nodes: Vec<u32>) -> Self {
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
            known.clear();
            let own = graph.lists.profiles(group[0].0 as usize, &graph.numbers, known, ORDER);
            let each = group.iter().map(|&(_, other)| {
                let labels = graph.lists.range(other as usize).len();
                let most = Transfers::most_bytes(graph.settings.measures.len(), own.len(), labels);
                graph.room.take(most).then(|| {
                    let others = graph.lists.profiles(other as usize, &graph.numbers, known, ORDER);
                    let made =
                        Transfers::new(&graph.settings.measures, graph.settings.normalised, &own, &others);
                    graph.room.give(most - made.bytes());
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::graph::Settings;
    use super::super::links::Link;
    use super::super::lists::Lists;
    use super::super::memory::Memory;
    use super::super::similarity::Measure;
    use super::super::transfers::Normalised;
    use super::*;
    use crate::tune::random::Random;

    const PLENTY: usize = 1 << 30;

    fn settings(normalised: Normalised) -> Settings {
        Settings { measures: (1..=4).map(Measure::Dice).collect(), normalised, sharpness: 1.0 }
    }

    /// Links of both ends.
    fn joined(nodes: usize, edges: &[(u32, u32, f64)]) -> Vec<Vec<Link>> {
        let mut links = vec![Vec::new(); nodes];
        for &(one, other, weight) in edges {
            links[one as usize].push(Link { to: Place::Open(other), weight });
            links[other as usize].push(Link { to: Place::Open(one), weight });
        }
        links
    }

    fn random_lists(random: &mut Random, nodes: usize) -> Lists {
        let mut lists = Lists::new(false);
        for _ in 0..nodes {
            let mut label =
                || (0..1 + random.below(4)).map(|_| ["a", "b", "c", "d"][random.below(4)]).collect();
            let labels: Vec<Vec<&str>> = vec![label(), label(), label()];
            let texts: Vec<String> = labels.iter().map(|words| words.join(" ")).collect();
            lists.push(texts.iter().map(String::as_str)).unwrap();
        }
        lists
    }

    fn random_start(random: &mut Random, lists: &Lists) -> Vec<f64> {
        (0..lists.candidates.len()).map(|_| (1 + random.below(9)) as f64 / 10.0).collect()
    }

    fn apart(one: &[f64], other: &[f64]) -> f64 {
        assert_eq!(one.len(), other.len());
        moved(one, other)
    }

    /// Two nodes with the same two labels and no fixed one beside them tell one another the same for ever: the first has
    /// 0.55 of "a b" in even rounds and 0.01 in odd ones.
    #[test]
    fn a_pair_without_memory_settles_in_the_middle() {
        let mut lists = Lists::new(false);
        lists.push(["a b", "c d"].into_iter()).unwrap();
        lists.push(["c d", "a b"].into_iter()).unwrap();
        let settings = Settings { measures: vec![Measure::Dice(1)], ..settings(Normalised::Receiver) };
        let graph = Graph::new(Arc::new(lists), None, joined(2, &[(0, 1, 1.0)]), settings).unwrap();
        let start = [0.55, 0.45, 0.99, 0.01];
        assert!(apart(&graph.propagate(&start, 1, 1e-6).values, &[0.01, 0.99, 0.45, 0.55]) < 1e-6);
        for rounds in [2, 3, 19, 20] {
            let found = graph.propagate(&start, rounds, 1e-6);
            assert!(apart(&found.values, &[0.28, 0.72, 0.72, 0.28]) < 1e-6, "{:?}", found.values);
            assert_eq!(graph.propagate_each(&start, rounds, 1e-6).values, found.values);
        }
    }

    #[test]
    fn without_memory_odd_and_even_rounds_agree() {
        let mut random = Random::new(5, 0);
        let mut swung = 0;
        for trial in 0..30 {
            let nodes = 2 + random.below(7);
            let mut edges = Vec::new();
            for one in 0..nodes as u32 {
                for other in (one + 1..nodes as u32).step_by(2) {
                    if random.below(2) == 0 {
                        edges.push((one, other, 0.3 + 0.1 * random.below(8) as f64));
                    }
                }
            }
            let lists = Arc::new(random_lists(&mut random, nodes));
            let start = random_start(&mut random, &lists);
            for normalised in [Normalised::Receiver, Normalised::Neighbour] {
                let measures = vec![Measure::Dice(1 + trial % 2)];
                let settings = Settings { measures, ..settings(normalised) };
                let graph = Graph::new(lists.clone(), None, joined(nodes, &edges), settings).unwrap();
                let (odd, even) = (graph.propagate(&start, 1501, 1e-6), graph.propagate(&start, 1502, 1e-6));
                assert!(apart(&odd.values, &even.values) < 2e-4, "trial {trial}");
                let each = graph.propagate_each(&start, 1502, 1e-6);
                assert!(apart(&even.values, &each.values) < 2e-4, "trial {trial}");
                swung += usize::from(even.change > 1e-3);
                // What it settles at is what one more round gives.
                let again = graph.propagate(&even.values, 1, 0.0).values;
                assert!(apart(&again, &even.values) < 2e-4, "trial {trial}");
            }
        }
        assert!(swung > 15, "{swung}");
    }

    #[test]
    fn what_does_not_fit_is_computed_anew_and_equal_lists_share() {
        let mut random = Random::new(7, 0);
        let mut memory = Memory::new(false);
        memory.add("t", "a b c", 1.0).unwrap();
        memory.finish();
        for normalised in [Normalised::Receiver, Normalised::Neighbour, Normalised::Not] {
            let lists = Arc::new(random_lists(&mut random, 9));
            let start = random_start(&mut random, &lists);
            let edges: Vec<_> = (0..9u32)
                .flat_map(|one| (one + 1..9).map(move |other| (one, other, 0.3 + f64::from(one) / 20.0)))
                .collect();
            let mut links = joined(9, &edges);
            links[3].push(Link { to: Place::Fixed(0), weight: 0.5 });
            let made = |bytes| {
                let settings = settings(normalised);
                Graph::keeping(lists.clone(), Some(&memory), links.clone(), settings, bytes).unwrap()
            };
            let wanted = made(PLENTY).propagate(&start, 6, 0.0).values;
            // Of each pair 4 matrices of 3 times 3, and their sums.
            for bytes in [0, 5 * Transfers::most_bytes(4, 3, 3), PLENTY] {
                let graph = made(bytes);
                assert_eq!(graph.propagate_each(&start, 6, 0.0).values, wanted);
                assert!(graph.room.take(bytes), "what was taken is given back");
                graph.room.give(bytes);
                assert_eq!(graph.propagate(&start, 6, 0.0).values, wanted);
            }
        }
        let mut lists = Lists::new(false);
        for _ in 0..30 {
            lists.push(["a b", "a c", "d"].into_iter()).unwrap();
        }
        let edges: Vec<_> =
            (0..30u32).flat_map(|one| (one + 1..30).map(move |other| (one, other, 1.0))).collect();
        let graph = Graph::new(Arc::new(lists), None, joined(30, &edges), settings(Normalised::Receiver));
        let whole = Neighbourhood::new(&graph.unwrap(), (0..30).collect());
        assert_eq!(whole.pairs, [(0, 0)]);
        assert!(whole.bytes() <= Transfers::most_bytes(4, 3, 3));
    }
}
