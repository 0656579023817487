//! Tests of convergence, and of the memory budget for similarities.

use std::sync::Arc;

use super::graph::{Graph, GraphSettings};
use super::links::{sentence_links, Link, LinkSettings, Linked, NodeId};
use super::lists::Lists;
use super::memory::TranslationMemory;
use super::neighbourhood::{MemoryBudget, Neighbourhood};
use super::propagation::Propagation;
use super::similarity::Measure;
use super::strings::text;
use super::transfers::Normalisation;
use super::transfers::Transfers;
use crate::metric::random::Random;

const PLENTY: usize = 1 << 30;

fn settings(normalised: Normalisation) -> GraphSettings {
    GraphSettings { measures: (1..=4).map(Measure::Dice).collect(), normalised, sharpness: 1.0 }
}

/// Links in both directions.
fn joined(nodes: usize, edges: &[(u32, u32, f64)]) -> Vec<Vec<Link>> {
    let mut links = vec![Vec::new(); nodes];
    for &(one, other, weight) in edges {
        links[one as usize].push(Link { to: NodeId::Open(other), weight });
        links[other as usize].push(Link { to: NodeId::Open(one), weight });
    }
    links
}

fn random_lists(random: &mut Random, nodes: usize) -> Lists {
    let mut lists = Lists::new(false);
    for _ in 0..nodes {
        let mut label = || (0..1 + random.below(4)).map(|_| ["a", "b", "c", "d"][random.below(4)]).collect();
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
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Two nodes with the same two labels and no fixed node would oscillate: the first has 0.55 for "a b" in even rounds
/// and 0.01 in odd ones.
#[test]
fn a_pair_without_memory_settles_in_the_middle() {
    let mut lists = Lists::new(false);
    lists.push(["a b", "c d"].into_iter()).unwrap();
    lists.push(["c d", "a b"].into_iter()).unwrap();
    let settings = GraphSettings { measures: vec![Measure::Dice(1)], ..settings(Normalisation::Receiver) };
    let graph =
        Graph::new(Arc::new(lists), None, Linked::single(joined(2, &[(0, 1, 1.0)])), settings).unwrap();
    let graph = Propagation::new(graph);
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
        for normalised in [Normalisation::Receiver, Normalisation::Neighbour] {
            let measures = vec![Measure::Dice(1 + trial % 2)];
            let settings = GraphSettings { measures, ..settings(normalised) };
            let graph =
                Graph::new(lists.clone(), None, Linked::single(joined(nodes, &edges)), settings).unwrap();
            let graph = Propagation::new(graph);
            let (odd, even) = (graph.propagate(&start, 1501, 1e-6), graph.propagate(&start, 1502, 1e-6));
            assert!(apart(&odd.values, &even.values) < 2e-4, "trial {trial}");
            let each = graph.propagate_each(&start, 1502, 1e-6);
            assert!(apart(&even.values, &each.values) < 2e-4, "trial {trial}");
            swung += usize::from(even.change > 1e-3);
            // The result is a fixed point: one more round does not change it.
            let again = graph.propagate(&even.values, 1, 0.0).values;
            assert!(apart(&again, &even.values) < 2e-4, "trial {trial}");
        }
    }
    assert!(swung > 15, "{swung}");
}

#[test]
fn what_does_not_fit_is_computed_anew_and_equal_lists_share() {
    let mut random = Random::new(7, 0);
    let mut memory = TranslationMemory::new(false);
    memory.add("t", "a b c", 1.0).unwrap();
    memory.finish();
    for normalised in [Normalisation::Receiver, Normalisation::Neighbour, Normalisation::None] {
        let lists = Arc::new(random_lists(&mut random, 9));
        let start = random_start(&mut random, &lists);
        let edges: Vec<_> = (0..9u32)
            .flat_map(|one| (one + 1..9).map(move |other| (one, other, 0.3 + f64::from(one) / 20.0)))
            .collect();
        let mut links = joined(9, &edges);
        links[3].push(Link { to: NodeId::Fixed(0), weight: 0.5 });
        let made = |bytes| {
            let settings = settings(normalised);
            let graph =
                Graph::new(lists.clone(), Some(&memory), Linked::single(links.clone()), settings).unwrap();
            Propagation::with_budget(graph, bytes)
        };
        let wanted = made(PLENTY).propagate(&start, 6, 0.0).values;
        // For each pair 4 matrices of 3 by 3, and their sums.
        for bytes in [0, 5 * Transfers::most_bytes(4, 3, 3), PLENTY] {
            let graph = made(bytes);
            assert_eq!(graph.propagate_each(&start, 6, 0.0).values, wanted);
            assert!(graph.budget.take(bytes), "the whole budget is released");
            graph.budget.release(bytes);
            assert_eq!(graph.propagate(&start, 6, 0.0).values, wanted);
        }
    }
    let mut lists = Lists::new(false);
    for _ in 0..30 {
        lists.push(["a b", "a c", "d"].into_iter()).unwrap();
    }
    let edges: Vec<_> =
        (0..30u32).flat_map(|one| (one + 1..30).map(move |other| (one, other, 1.0))).collect();
    let linked = Linked::single(joined(30, &edges));
    let graph = Graph::new(Arc::new(lists), None, linked, settings(Normalisation::Receiver));
    let whole = Neighbourhood::new(&graph.unwrap(), &MemoryBudget::new(PLENTY), (0..30).collect());
    // One pair of lists.
    assert!(whole.bytes() <= Transfers::most_bytes(4, 3, 3));
}

/// Sentences with equal sources and equal lists are one node. The result is that of a node for each sentence, with an
/// edge for each pair.
#[test]
fn merged_nodes_give_what_single_ones_give() {
    let mut random = Random::new(13, 0);
    let mut memory = TranslationMemory::new(false);
    memory.add("p q r s", "a b c", 1.0).unwrap();
    memory.finish();
    let mut merged = 0;
    for trial in 0..40 {
        let kinds = [random_lists(&mut random, 1), random_lists(&mut random, 1)];
        let (mut lists, mut sources) = (Lists::new(false), Vec::new());
        for _ in 0..2 + random.below(9) {
            sources.push(["p q r", "p q r t", "u v w", "p"][random.below(4)].to_owned());
            let own = &kinds[random.below(2)];
            let texts: Vec<String> =
                own.range(0).map(|label| text(&own.words, own.candidates.get(label))).collect();
            lists.push(texts.iter().map(String::as_str)).unwrap();
        }
        let lists = Arc::new(lists);
        let start = random_start(&mut random, &lists);
        let most = if trial % 4 == 0 { 2 } else { 100 };
        let ways = LinkSettings { threshold: 0.3, between: true, lowercase: false, most };
        let sharpness = 1.0 + (trial % 3) as f64;
        for normalised in [Normalisation::Receiver, Normalisation::Neighbour, Normalisation::None] {
            let settings = GraphSettings { sharpness, ..settings(normalised) };
            let made = || sentence_links(&sources, &lists, Some(&memory), ways).unwrap();
            // Every edge of a node as edges of its sentences.
            let Linked { nodes, links } = made();
            let expanded = (0..sources.len()).map(|sentence| {
                let each = links[nodes.of(sentence)].iter();
                let ends = each.flat_map(|link| match link.to {
                    NodeId::Fixed(_) => vec![*link],
                    NodeId::Open(to) => {
                        let members =
                            nodes.members(to as usize).iter().filter(|&&one| one as usize != sentence);
                        members.map(|&one| Link { to: NodeId::Open(one), weight: link.weight }).collect()
                    }
                });
                ends.collect()
            });
            let single = Linked::single(expanded.collect());
            merged += sources.len() - nodes.len();
            let graph = |linked, bytes| {
                let graph = Graph::new(lists.clone(), Some(&memory), linked, settings.clone()).unwrap();
                Propagation::with_budget(graph, bytes)
            };
            let (wanted, found) = (graph(single, PLENTY), graph(made(), PLENTY));
            for rounds in [1, 2, 7] {
                let wanted = wanted.propagate(&start, rounds, 0.0).values;
                for values in [
                    found.propagate(&start, rounds, 0.0).values,
                    found.propagate_each(&start, rounds, 0.0).values,
                    graph(made(), 0).propagate(&start, rounds, 0.0).values,
                ] {
                    assert!(apart(&values, &wanted) < 1e-12, "trial {trial}, {rounds} rounds");
                }
            }
        }
    }
    assert!(merged > 150, "{merged}");
}

/// If only some labels send, the result is that of lists where the others have no probability, up to normalisation
/// over the labels of a neighbour.
#[test]
fn of_long_lists_the_first_labels_send() {
    let mut random = Random::new(17, 0);
    for trial in 0..20 {
        let lists = Arc::new(random_lists(&mut random, 4));
        let mut start = random_start(&mut random, &lists);
        let edges = [(0, 1, 0.5), (1, 2, 0.7), (0, 3, 0.4)];
        for normalised in [Normalisation::Receiver, Normalisation::None] {
            let graph = |senders, bytes| {
                let linked = Linked::single(joined(4, &edges));
                let mut graph = Graph::new(lists.clone(), None, linked, settings(normalised)).unwrap();
                graph.senders = senders;
                Propagation::with_budget(graph, bytes)
            };
            // One round from a start in which only the first two labels of three have a probability.
            let short = graph(2, PLENTY).propagate(&start, 1, 0.0).values;
            assert_eq!(graph(2, 0).propagate(&start, 1, 0.0).values, short);
            start.iter_mut().skip(2).step_by(3).for_each(|p| *p = 0.0);
            let whole = graph(3, PLENTY).propagate(&start, 1, 0.0).values;
            assert!(apart(&short, &whole) < 1e-12, "trial {trial}");
            let rounds = graph(2, PLENTY).propagate(&start, 5, 0.0).values;
            assert!(apart(&rounds, &graph(2, 0).propagate_each(&start, 5, 0.0).values) < 1e-12);
        }
    }
}
