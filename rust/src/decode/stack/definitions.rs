//! Tests of parts of the search against their definitions, where an enumeration of derivations would share their bugs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::application::OptionApplication;
use super::future::FutureCost;
use super::input::Input;
use super::options::StackOptions;
use super::orientations::orientation_scores;
use super::reordering::{orientation, LexicalReordering};
use super::search::{search, Beam};
use super::tests::{tree, weights, world, Bigrams, Dice, World, BIGRAM, BOTH, TREE, WORDS};
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::{HypothesisFeature, ValueSink};
use crate::decode::preparation::{RuleFilter, RulePreparer};
use crate::decode::LanguageModel;
use crate::extract::sentence::ContextScope;
use crate::rule::record::Identity;
use crate::store::bits::NodeSet;

fn sentence(seed: u64, most: usize) -> (Vec<String>, Vec<i32>) {
    let mut dice = Dice(seed ^ 7);
    let n = 2 + dice.below(most - 1);
    ((0..n).map(|_| WORDS[dice.below(5)].to_owned()).collect(), tree(&mut dice, n))
}

pub(super) fn collected<'a>(
    world: &World,
    words: &'a [String],
    heads: &[i32],
    limit: usize,
) -> (Input<'a, u64>, StackOptions<u64>) {
    let input = Input::new(words, words, heads, world.kinds, world.table.source_words());
    let weights = Arc::new(weights(&mut Dice(3), true));
    let mut preparer =
        RulePreparer::new(world.table.clone(), Arc::new(Bigrams), weights, RuleFilter::all(limit));
    let options = StackOptions::collect(&world.table, &input, &[], true, &mut preparer);
    (input, options)
}

fn subsets(n: usize) -> impl Iterator<Item = Vec<usize>> {
    (1u32..1 << n).map(move |bits| (0..n).filter(|p| bits >> p & 1 == 1).collect())
}

fn is_connected(set: &[usize], input: &Input<'_, u64>) -> bool {
    let mut reached = vec![set[0]];
    while let Some(&next) =
        set.iter().find(|&&p| !reached.contains(&p) && reached.iter().any(|&q| input.links[p].contains(q)))
    {
        reached.push(next);
    }
    reached.len() == set.len()
}

/// Every subset of the positions is tried; the walk through the trie must find exactly those whose words and links
/// (or gaps) are a source side of the table.
#[test]
fn options_are_the_source_sides_that_the_sentence_holds() {
    for seed in 0..12 {
        for (kinds, identity) in [
            (BIGRAM, Identity::Links),
            (TREE, Identity::Links),
            (BOTH, Identity::Links),
            (BOTH, Identity::Gaps),
            (TREE, Identity::Gaps),
        ] {
            let world = world(seed, kinds, identity, Some(ContextScope::Next));
            let (words, heads) = sentence(seed, 7);
            let (input, options) = collected(&world, &words, &heads, 1000);
            let mut known: BTreeMap<Vec<(u32, u16)>, usize> = BTreeMap::new();
            world.table.source_sides(|side, node| {
                let mut rules = 0;
                world.table.rules(node, |_| rules += 1);
                known.insert(side.to_vec(), rules);
                true
            });
            let mut expected = BTreeSet::new();
            for set in subsets(words.len()) {
                if set[set.len() - 1] - set[0] >= 5 || !is_connected(&set, &input) {
                    continue;
                }
                let side: Option<Vec<(u32, u16)>> = (0..set.len())
                    .map(|k| {
                        let joint = match identity {
                            Identity::Gaps => u16::from(k > 0 && set[k - 1] + 1 < set[k]),
                            Identity::Links => (0..k)
                                .filter(|&i| input.links[set[k]].contains(set[i]))
                                .fold(0, |bits, i| bits | 1 << i),
                        };
                        input.words[set[k]].map(|word| (word, joint))
                    })
                    .collect();
                if let Some(&rules) = side.as_ref().and_then(|side| known.get(side)) {
                    expected.insert((set, rules));
                }
            }
            let mut found = BTreeSet::new();
            for subgraph in &options.subgraphs {
                let set: Vec<usize> = subgraph.set.iter().collect();
                let gaps = (subgraph.first..=subgraph.last).filter(|p| !set.contains(p)).count();
                assert_eq!((subgraph.first, subgraph.last, subgraph.gap), (set[0], set[set.len() - 1], gaps));
                let lists = &options.lists[subgraph.from as usize..subgraph.to as usize];
                if !options.is_copy(lists[0].from) {
                    found.insert((set, lists.iter().map(|list| (list.to - list.from) as usize).sum()));
                }
            }
            assert_eq!(found, expected, "seed {seed}, {kinds:?}, {identity:?}");
        }
    }
}

#[test]
fn the_table_limit_keeps_the_best_of_every_list() {
    for seed in 0..10 {
        let world = world(seed, BOTH, Identity::Gaps, Some(ContextScope::Next));
        let (words, heads) = sentence(seed, 6);
        let (_, all) = collected(&world, &words, &heads, 1000);
        let (_, few) = collected(&world, &words, &heads, 2);
        assert_eq!(all.lists.len(), few.lists.len());
        for (long, short) in all.lists.iter().zip(&few.lists) {
            assert_eq!(short.to - short.from, (long.to - long.from).min(2));
            let best = |options: &StackOptions<u64>, from: u32| options.estimate[from as usize];
            for k in 0..short.to - short.from {
                assert_eq!(best(&few, short.from + k), best(&all, long.from + k));
            }
            for k in long.from + 1..long.to {
                assert!(best(&all, k - 1) >= best(&all, k), "the best comes first");
            }
        }
    }
}

/// The best score of positions `from..to` with continuous options, and with each word's share of discontinuous ones.
fn best_of_run(options: &StackOptions<u64>, from: usize, to: usize) -> f32 {
    if from == to {
        return 0.0;
    }
    let mut best = f32::NEG_INFINITY;
    for option in 0..options.len() as u32 {
        let subgraph = options.subgraph(option);
        let worth = options.estimate[option as usize];
        if subgraph.gap == 0 && subgraph.first == from && subgraph.last < to {
            best = best.max(worth + best_of_run(options, subgraph.last + 1, to));
        } else if subgraph.gap > 0 && subgraph.set.contains(from) {
            best = best.max(worth / subgraph.set.len() as f32 + best_of_run(options, from + 1, to));
        }
    }
    best
}

#[test]
fn future_cost_is_the_best_of_every_uncovered_run() {
    for seed in 0..6 {
        for (kinds, identity) in [(BIGRAM, Identity::Links), (BOTH, Identity::Gaps)] {
            let world = world(seed, kinds, identity, None);
            let (words, heads) = sentence(seed, 5);
            let n = words.len();
            let (_, options) = collected(&world, &words, &heads, 3);
            let future = FutureCost::new(n, &options);
            for covered in subsets(n) {
                let cover = covered.iter().fold(u64::default(), |set, &p| set.with(p));
                let mut sum = 0.0;
                let mut from = 0;
                while from < n {
                    let to = (from..n).find(|p| covered.contains(p)).unwrap_or(n);
                    sum += best_of_run(&options, from, to);
                    from = to + 1;
                }
                let (found, _) = future.of_uncovered(cover, 0);
                assert!((found - sum).abs() < 1e-3, "{covered:?}: {found}, by hand {sum}");
            }
        }
    }
}

/// The jumps from `at` that reach runs of positions in this order.
fn tour(mut at: usize, runs: &[(usize, usize)]) -> usize {
    let mut sum = 0;
    for &(from, to) in runs {
        sum += from.abs_diff(at);
        at = to;
    }
    sum
}

#[test]
fn future_jumps_go_from_left_to_right_or_to_the_right_first() {
    const N: usize = 9;
    let world = world(1, BIGRAM, Identity::Links, None);
    let (words, heads) = sentence(1, N);
    let (_, options) = collected(&world, &words, &heads, 3);
    let future = FutureCost::new(N, &options);
    for covered in subsets(N) {
        let cover = covered.iter().fold(u64::default(), |set, &p| set.with(p));
        let open: Vec<usize> = (0..N).filter(|p| !covered.contains(p)).collect();
        let runs: Vec<(usize, usize)> =
            open.chunk_by(|a, b| a + 1 == *b).map(|run| (run[0], run[run.len() - 1] + 1)).collect();
        for &last in &covered {
            let (left, right): (Vec<_>, Vec<_>) = runs.iter().partition(|(from, _)| *from <= last);
            let orders = [[left.clone(), right.clone()].concat(), [right, left].concat()];
            let expected = orders.iter().map(|order| tour(last + 1, order)).min();
            let (_, jumps) = future.of_uncovered(cover, last);
            assert_eq!(Some(jumps), expected, "{covered:?} after {last}");
        }
    }
}

/// Values of reordering features, in the order in which they are reported.
#[derive(Default)]
struct Reported(Vec<(usize, f32)>);

impl ValueSink for Reported {
    fn add(&mut self, column: usize, value: f32) {
        self.0.push((column - column::REORDERING, value));
    }
}

/// Orientation depends on the first and last covered positions (spec: msd-bidirectional-fe over source sets).
#[test]
fn orientations_by_hand() {
    let world = world(1, BIGRAM, Identity::Links, None);
    // Words that the table does not know: one copy for each position.
    let words: Vec<String> = (0..5).map(|k| format!("unknown{k}")).collect();
    let (_, mut options) = collected(&world, &words, &[1, -1, 1, 1, 1], 3);
    options.subgraphs[1].set = u64::single(1).with(3);
    options.subgraphs[1].last = 3;
    // Option k covers position k, except option 1, which covers 1 and 3.
    let (monotone, swap, other) = (0, 1, 2);
    for (previous, option, expected) in [
        (None, 0, monotone),
        (None, 2, other),
        (Some(0), 1, monotone),
        (Some(1), 4, monotone),
        (Some(4), 1, swap),
        (Some(1), 0, swap),
        (Some(1), 2, other),
        (Some(2), 1, other),
        (Some(0), 2, other),
        (Some(4), 2, other),
        (Some(3), 2, swap),
    ] {
        let previous = previous.unwrap_or(super::graph::NONE);
        assert_eq!(orientation(&options, previous, option), expected, "{previous} then {option}");
    }
    // Values: each option's own towards the previous; the previous one's towards the next; the end for the last.
    options.orientations = (0..5).map(|k| std::array::from_fn(|i| -((10 * k + i) as f32))).collect();
    let reordering = LexicalReordering::new(&options, 5, &weights(&mut Dice(3), true)).unwrap();
    let values = |previous: u32, option: u32, complete: bool| {
        let mut found = Reported::default();
        let applied = OptionApplication { options: &options, option };
        let state = reordering.apply(&applied, &|_| previous, &mut found).unwrap();
        if complete {
            reordering.finish(&state, &mut found);
        }
        found.0
    };
    assert_eq!(values(0, 1, false), [(0, -10.0), (3, -3.0)]);
    assert_eq!(values(4, 1, false), [(1, -11.0), (4, -44.0)]);
    assert_eq!(values(1, 4, true), [(0, -40.0), (3, -13.0), (3, -43.0)]);
    assert_eq!(values(1, 2, true), [(2, -22.0), (5, -15.0), (5, -25.0)]);
    assert_eq!(values(super::graph::NONE, 2, false), [(2, -22.0)]);
}

/// With half a count added to each of three orientations: (n + 1/2) / (total + 3/2).
#[test]
fn orientation_probabilities_by_hand() {
    let scores = orientation_scores(&[3, 1, 0, 0, 0, 4]);
    let expected = [3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5, 0.5 / 5.5, 0.5 / 5.5, 4.5 / 5.5f32];
    for (score, probability) in scores.iter().zip(expected) {
        assert!((score - probability.ln()).abs() < 1e-6);
    }
}

/// A hypothesis of a plain beam search.
#[derive(Clone)]
struct Plain {
    cover: u64,
    state: u32,
    last: i32,
    score: f32,
}

/// Stack by stack: all extensions, the best of each (coverage, state, last position), the best `beam.stack` of these
/// by score and future cost, none further than `beam.threshold` below the best.
fn plain_beam(input: &Input<'_, u64>, options: &StackOptions<u64>, weights: &Weights, beam: &Beam) -> f32 {
    let n = input.len();
    let future = FutureCost::new(n, options);
    let mut stacks: Vec<Vec<Plain>> = vec![Vec::new(); n + 1];
    stacks[0].push(Plain { cover: 0, state: Bigrams.begin(), last: -1, score: 0.0 });
    for covered in 0..n {
        for before in stacks[covered].clone() {
            for option in 0..options.len() as u32 {
                let subgraph = options.subgraph(option);
                if before.cover & subgraph.set != 0 {
                    continue;
                }
                let cover = before.cover | subgraph.set;
                let (mut lm, mut state) = (0.0, before.state);
                for &word in options.lm_words(option) {
                    lm += Bigrams.score(&state, word).0;
                    state = word;
                }
                if cover.count_ones() as usize == n {
                    lm += Bigrams.score(&state, Bigrams.end()).0;
                }
                let jump = (subgraph.first as i32 - before.last - 1).abs() as f32;
                let score = before.score + options.score[option as usize] + weights.of(column::LM) * lm
                    - weights.of(column::DISTORTION) * jump;
                let made = Plain { cover, state, last: subgraph.last as i32, score };
                stacks[cover.count_ones() as usize].push(made);
            }
        }
        let mut best: BTreeMap<(u64, u32, i32), Plain> = BTreeMap::new();
        for made in std::mem::take(&mut stacks[covered + 1]) {
            let key = (made.cover, made.state, made.last);
            if best.get(&key).is_none_or(|known| known.score < made.score) {
                best.insert(key, made);
            }
        }
        let worth = |made: &Plain| {
            let (best, jumps) = future.of_uncovered(made.cover, made.last as usize);
            made.score + best - weights.of(column::DISTORTION) * jumps as f32
        };
        let mut kept: Vec<Plain> = best.into_values().collect();
        kept.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        kept.truncate(beam.stack);
        let limit = kept.first().map_or(0.0, worth) - beam.threshold;
        kept.retain(|made| worth(made) >= limit);
        stacks[covered + 1] = kept;
    }
    stacks[n].iter().map(|made| made.score).fold(f32::NEG_INFINITY, f32::max)
}

#[test]
fn a_narrow_beam_keeps_what_it_should() {
    let mut narrower = 0;
    for seed in 0..60 {
        let world = world(seed, BOTH, Identity::Gaps, None);
        let (words, heads) = sentence(seed, 6);
        let weights = weights(&mut Dice(seed), false);
        let input = Input::<u64>::new(&words, &words, &heads, world.kinds, world.table.source_words());
        let shared = Arc::new(weights.clone());
        let mut preparer =
            RulePreparer::new(world.table.clone(), Arc::new(Bigrams), shared, RuleFilter::all(5));
        let options = StackOptions::collect(&world.table, &input, &[], false, &mut preparer);
        let mut found = Vec::new();
        for (stack, threshold) in [(1, f32::INFINITY), (3, f32::INFINITY), (1000, 0.4), (1000, f32::INFINITY)]
        {
            let beam = Beam {
                stack,
                pops: None,
                threshold,
                distortion: None,
                soft_context: false,
                contexts_as_features: false,
                keep_arcs: false,
            };
            let graph = search(&input, &options, &Bigrams, &(), &weights, &beam);
            let expected = plain_beam(&input, &options, &weights, &beam);
            let best = graph.nodes[graph.goal as usize].score;
            assert!((best - expected).abs() < 1e-3, "seed {seed}, {stack} {threshold}: {best}, {expected}");
            found.push(best);
        }
        narrower += usize::from(found[0] < found[3] - 1e-3);
    }
    assert!(narrower > 5, "the beam was narrow enough to matter, {narrower} times");
}
