//! Tests of convergence, and of the memory budget for similarities.

use std::sync::Arc;

use super::graph::{Graph, GraphSettings};
use super::links::Link;
use super::links::NodeId;
use super::lists::Lists;
use super::memory::TranslationMemory;
use super::neighbourhood::{MemoryBudget, Neighbourhood};
use super::propagation::Propagation;
use super::similarity::Measure;
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
    let graph = Graph::new(Arc::new(lists), None, joined(2, &[(0, 1, 1.0)]), settings).unwrap();
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
            let graph = Graph::new(lists.clone(), None, joined(nodes, &edges), settings).unwrap();
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
            let graph = Graph::new(lists.clone(), Some(&memory), links.clone(), settings).unwrap();
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
    let graph = Graph::new(Arc::new(lists), None, joined(30, &edges), settings(Normalisation::Receiver));
    let whole = Neighbourhood::new(&graph.unwrap(), &MemoryBudget::new(PLENTY), (0..30).collect());
    assert_eq!(whole.pairs, [(0, 0)]);
    assert!(whole.bytes() <= Transfers::most_bytes(4, 3, 3));
}
