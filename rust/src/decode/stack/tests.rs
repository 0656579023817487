//! Tests of the search against an enumeration of all derivations, on small random models.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use super::application::add_estimates;
use super::decoder::StackDecoder;
use super::derivation::{derive, Matched};
use super::graph::{SearchGraph, NONE};
use super::input::Input;
use super::kbest::k_best_paths;
use super::options::StackOptions;
use super::reordering::LexicalReordering;
use super::search::{search, Beam};
use crate::align::lexical::LexicalTable;
use crate::corpus::pair::Pair;
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::repeats::Repeats;
use crate::decode::hypothesis_feature::FeatureModel;
use crate::decode::preparation::{RuleFilter, RulePreparer};
use crate::decode::sentence::Sentence;
use crate::decode::text_key::TextKey;
use crate::decode::translator::{NBestRequest, Translator};
use crate::decode::LanguageModel;
use crate::extract::corpus::Extraction;
use crate::extract::extractor::Extractor;
use crate::extract::initial::{SubgraphLimits, Unaligned};
use crate::extract::score::ScoreSettings;
use crate::extract::sentence::{ContextScope, SubgraphSettings};
use crate::extract::smooth::Smoothing;
use crate::extract::subgraphs::Subgraphs;
use crate::rule::record::Identity;
use crate::source::links::LinkKinds;
use crate::store::bits::{NodeSet, Wide};
use crate::store::vocab::Interner;
use crate::table::build::Builder;
use crate::table::read::Table;

/// Pseudo-random numbers from a seed.
pub(in crate::decode) struct Dice(pub u64);

impl Dice {
    pub(in crate::decode) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }

    fn weight(&mut self) -> f32 {
        self.below(1000) as f32 / 1000.0
    }
}

/// A bigram model whose probabilities are made from the words' numbers.
pub(in crate::decode) struct Bigrams;

impl LanguageModel for Bigrams {
    type State = u32;

    fn begin(&self) -> u32 {
        1000
    }

    fn no_context(&self) -> u32 {
        2000
    }

    fn word(&self, text: &str) -> u32 {
        text.bytes().fold(7, |sum, b| (sum * 31 + u32::from(b)) % 997)
    }

    fn end(&self) -> u32 {
        1001
    }

    fn score(&self, state: &u32, word: u32) -> (f32, u32) {
        let mixed = (state.wrapping_mul(2654435761) ^ word.wrapping_mul(40503)) >> 7;
        (-((mixed % 1000) as f32) / 200.0, word)
    }

    fn last_word(&self, state: &u32) -> Option<u32> {
        Some(*state)
    }

    fn gain(&self, last: u32, word: u32) -> f32 {
        self.score(&last, word).0 - self.score(&self.no_context(), word).0
    }
}

pub(super) struct World {
    pub(super) table: Arc<Table>,
    path: PathBuf,
    pub(super) kinds: LinkKinds,
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

pub(in crate::decode) const WORDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

pub(super) fn tree(dice: &mut Dice, n: usize) -> Vec<i32> {
    // In a random order, each word is attached to an earlier one.
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| order.swap(i, dice.below(i + 1)));
    let mut heads = vec![-1; n];
    for i in 1..n {
        heads[order[i]] = order[dice.below(i)] as i32;
    }
    heads
}

pub(super) fn world(seed: u64, kinds: LinkKinds, identity: Identity, context: Option<ContextScope>) -> World {
    let mut dice = Dice(seed);
    let (mut source, mut target) = (Interner::default(), Interner::default());
    for word in WORDS {
        source.intern(word).unwrap();
        target.intern(&word.to_uppercase()).unwrap();
    }
    let pairs: Vec<Pair> = (0..12)
        .map(|_| {
            let n = 2 + dice.below(5);
            let m = 2 + dice.below(5);
            Pair {
                source: (0..n).map(|_| dice.below(5) as u32).collect(),
                heads: tree(&mut dice, n),
                target: (0..m).map(|_| dice.below(6) as u32).collect(),
                points: (0..n.max(m)).map(|_| (dice.below(n) as u16, dice.below(m) as u16)).collect(),
                ..Pair::default()
            }
        })
        .collect();
    let settings = SubgraphSettings {
        limits: SubgraphLimits { max_source: 4, max_target: 4, max_span: 5, unaligned: Unaligned::Linked },
        identity,
        context,
        orientations: true,
    };
    let folder = std::env::temp_dir();
    let extractor = Subgraphs { settings, kinds };
    let mut extraction = Extraction::new(&extractor, &folder, usize::MAX);
    extraction.add(&pairs).unwrap();
    // Tests run in parallel and may build the same world, so each has a file of its own.
    static WORLDS: AtomicUsize = AtomicUsize::new(0);
    let name = format!("graphmt-search-{}-{}", std::process::id(), WORLDS.fetch_add(1, Ordering::Relaxed));
    let path = folder.join(name);
    let builder = Builder::create(&path, extractor.settings()).unwrap();
    extraction
        .write_table(
            builder,
            &LexicalTable::default(),
            ScoreSettings::all(Smoothing::None),
            &source,
            &target,
            |_| "{}".to_owned(),
        )
        .unwrap();
    World { table: Arc::new(Table::open(&path).unwrap()), path, kinds }
}

pub(super) fn weights(dice: &mut Dice, reorder: bool) -> Weights {
    weights_of::<()>(dice, reorder)
}

/// The weights of hypothesis features are larger than the others, so that they decide something.
fn weights_of<R: FeatureModel>(dice: &mut Dice, reorder: bool) -> Weights {
    let mut values: Vec<f32> = (0..column::REGISTERED).map(|_| dice.weight()).collect();
    if !reorder {
        values[column::REORDERING..].fill(0.0);
    }
    values.extend((0..R::COLUMNS).map(|_| 0.5 + 5.0 * dice.weight()));
    Weights::for_features::<R>(values).unwrap()
}

const EXACT: Beam = Beam {
    stack: usize::MAX,
    pops: None,
    threshold: f32::INFINITY,
    distortion: None,
    soft_context: false,
    contexts_as_features: false,
    keep_arcs: true,
};

/// All sequences of options that are derivations.
fn all_paths<B: NodeSet>(options: &StackOptions<B>, input: &Input<'_, B>, beam: &Beam) -> Vec<Vec<u32>> {
    let mut done = Vec::new();
    let mut open = vec![(B::default(), -1i32, Vec::new())];
    while let Some((cover, last, path)) = open.pop() {
        if cover.len() == input.len() {
            done.push(path);
            continue;
        }
        let gap = (0..input.len()).find(|&p| !cover.contains(p)).unwrap();
        for (at, list) in options
            .subgraphs
            .iter()
            .flat_map(|p| options.lists[p.from as usize..p.to as usize].iter().map(move |list| (p, list)))
        {
            if cover.meets(at.set) {
                continue;
            }
            if let Some(limit) = beam.distortion {
                let jump = (at.first as i32 - last - 1).unsigned_abs() as usize;
                let back = (at.last as i32 + 1 - gap as i32).unsigned_abs() as usize;
                if at.first != gap && (jump > limit || back > limit) {
                    continue;
                }
            }
            let after: Vec<usize> =
                (0..input.len()).filter(|&p| !cover.contains(p) && !at.set.contains(p)).collect();
            let agrees = |context: B| {
                let open = |p: usize| after.iter().any(|&q| input.links[p].contains(q));
                !after.is_empty() && at.set.iter().all(|p| context.contains(p) == open(p))
            };
            let lists = &options.lists[at.from as usize..at.to as usize];
            let applies = match list.context {
                Some(context) => agrees(context) || (beam.soft_context && !after.is_empty()),
                None if beam.contexts_as_features => !lists.iter().filter_map(|one| one.context).any(agrees),
                None => true,
            };
            if !applies {
                continue;
            }
            for option in list.from..list.to {
                let mut longer: Vec<u32> = path.clone();
                longer.push(option);
                open.push((cover.union(at.set), at.last as i32, longer));
            }
        }
    }
    done
}

fn check<B: NodeSet>(world: &World, seed: u64, beam: &Beam, reorder: bool, filter: RuleFilter) {
    check_with::<B, _>(world, seed, beam, reorder, filter, &());
}

/// The same with hypothesis features.
fn check_with<B: NodeSet, R: FeatureModel>(
    world: &World,
    seed: u64,
    beam: &Beam,
    reorder: bool,
    filter: RuleFilter,
    model: &R,
) {
    let mut dice = Dice(seed ^ 99);
    let weights = Arc::new(weights_of::<R>(&mut dice, reorder));
    let n = 2 + dice.below(4);
    let words: Vec<String> = (0..n).map(|_| WORDS[dice.below(6)].to_owned()).collect();
    let heads = tree(&mut dice, n);
    let input = Input::<B>::new(&words, &words, &heads, world.kinds, world.table.source_words());
    let mut preparer = RulePreparer::new(world.table.clone(), Arc::new(Bigrams), weights.clone(), filter);
    let sentence = Sentence { surface: words.clone(), words: words.clone(), heads, ..Sentence::default() };
    let own = || model.on_sentence(&sentence, &weights, column::REGISTERED);
    let mut collect = |soft_context: bool| {
        let mut options = StackOptions::collect(&world.table, &input, &[], soft_context, &mut preparer);
        add_estimates(&mut options, &own(), &weights);
        options
    };
    // The enumeration has the contexts that cannot apply as well.
    let (options, complete) = (collect(beam.soft_context), collect(true));
    let scores = |options: &StackOptions<B>, paths: &[Vec<u32>]| -> Vec<f32> {
        let features = (LexicalReordering::new(options, n, &weights), own());
        let matched = Matched { input: &input, options, table: &world.table };
        let score = |path: &Vec<u32>| derive(path, &matched, &Bigrams, &features, &weights, false).score;
        paths.iter().map(score).collect()
    };
    let rescore = |path: &[u32]| scores(&options, &[path.to_vec()])[0];
    let features = (LexicalReordering::new(&options, n, &weights), own());

    let graph = search(&input, &options, &Bigrams, &features, &weights, beam);
    assert_ne!(graph.goal, NONE, "every input has a translation");
    let mut all = scores(&complete, &all_paths(&complete, &input, beam));
    all.sort_by(|a, b| b.total_cmp(a));
    let best = graph.nodes[graph.goal as usize].score;
    assert!((best - all[0]).abs() < 1e-3, "search {best}, enumeration {}", all[0]);
    assert!((rescore(&graph.best_path(graph.goal)) - best).abs() < 1e-3);

    let mut listed = Vec::new();
    k_best_paths(&graph, None, 200, |score, path| {
        assert!((rescore(path) - score).abs() < 1e-3, "a listed score is that of its derivation");
        listed.push(score);
    });
    assert_eq!(listed.len(), all.len().min(200), "the list has every derivation once");
    check_distinct(&graph, &options, &input, world, all_paths(&options, &input, beam), rescore);
    for (rank, (ours, theirs)) in listed.iter().zip(&all).enumerate() {
        assert!((ours - theirs).abs() < 1e-3, "rank {rank}: {ours} {theirs}");
    }
}

/// The distinct list has the best derivation of every text, and no text twice.
fn check_distinct<B: NodeSet, S: Copy>(
    graph: &SearchGraph<B, S>,
    options: &StackOptions<B>,
    input: &Input<'_, B>,
    world: &World,
    all: Vec<Vec<u32>>,
    rescore: impl Fn(&[u32]) -> f32,
) {
    let text = |path: &[u32]| -> Vec<String> {
        let matched = Matched { input, options, table: &world.table };
        path.iter().flat_map(|&option| matched.target_words(option)).collect()
    };
    let mut best: BTreeMap<Vec<String>, f32> = BTreeMap::new();
    for path in all {
        let worth = best.entry(text(&path)).or_insert(f32::NEG_INFINITY);
        *worth = worth.max(rescore(&path));
    }
    let mut scores: Vec<f32> = best.values().copied().collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    let keys: Vec<TextKey> =
        (0..options.len() as u32).map(|o| TextKey::of(text(&[o]).iter().map(String::as_str))).collect();
    let mut seen = BTreeSet::new();
    k_best_paths(graph, Some(&keys), 100, |score, path| {
        assert!((score - scores[seen.len()]).abs() < 1e-3, "rank {}", seen.len());
        assert!(seen.insert(text(path)), "a text comes once");
    });
    assert_eq!(seen.len(), scores.len().min(100));
}

pub(super) const BOTH: LinkKinds = LinkKinds { bigram: true, dependency: true };
pub(super) const BIGRAM: LinkKinds = LinkKinds { bigram: true, dependency: false };
pub(super) const TREE: LinkKinds = LinkKinds { bigram: false, dependency: true };

#[test]
fn exact_search_finds_what_enumeration_finds() {
    for seed in 0..8 {
        for (kinds, context) in [
            (BIGRAM, None),
            (TREE, None),
            (BOTH, None),
            (BOTH, Some(ContextScope::Next)),
            (BOTH, Some(ContextScope::Rest)),
        ] {
            for identity in [Identity::Links, Identity::Gaps] {
                let world = world(seed, kinds, identity, context);
                check::<u64>(&world, seed, &EXACT, seed % 2 == 0, RuleFilter::all(3));
                check::<Wide>(
                    &world,
                    seed,
                    &Beam { distortion: Some(1), ..EXACT },
                    seed % 2 == 1,
                    RuleFilter::all(3),
                );
            }
        }
    }
}

#[test]
fn cube_pruning_with_enough_pops_is_exact() {
    for seed in 20..30 {
        let world = world(seed, BOTH, Identity::Links, Some(ContextScope::Next));
        check::<u64>(&world, seed, &Beam { pops: Some(1 << 20), ..EXACT }, seed % 2 == 0, RuleFilter::all(4));
        check::<u64>(&world, seed, &Beam { soft_context: true, ..EXACT }, false, RuleFilter::all(2));
        let as_features = RuleFilter { contexts_as_features: true, ..RuleFilter::all(2) };
        check::<u64>(&world, seed, &Beam { contexts_as_features: true, ..EXACT }, false, as_features);
    }
}

#[test]
fn kinds_of_rules_that_are_switched_off_are_not_used() {
    let world = world(7, BOTH, Identity::Links, Some(ContextScope::Next));
    let weights = Arc::new(weights(&mut Dice(7), false));
    let words: Vec<String> = WORDS.iter().map(|&word| word.to_owned()).collect();
    let heads = tree(&mut Dice(7), words.len());
    let input = Input::<u64>::new(&words, &words, &heads, world.kinds, world.table.source_words());
    let kinds = |segmenting: bool, selecting: bool| {
        let choice = RuleFilter { segmenting, selecting, ..RuleFilter::all(20) };
        let mut preparer = RulePreparer::new(world.table.clone(), Arc::new(Bigrams), weights.clone(), choice);
        let options = StackOptions::collect(&world.table, &input, &[], true, &mut preparer);
        let mut found = [0; 3];
        for list in &options.lists {
            let kind = list.context.map_or(0, |context| if context.len() > 0 { 1 } else { 2 });
            found[kind] += 1;
        }
        found
    };
    let [basic, segmenting, selecting] = kinds(true, true);
    assert!(basic > 0 && segmenting > 0 && selecting > 0);
    assert_eq!(kinds(false, false), [basic, 0, 0]);
    assert_eq!(kinds(true, false), [basic, segmenting, 0]);
    assert_eq!(kinds(false, true), [basic, 0, selecting]);
}

#[test]
fn a_hypothesis_feature_takes_part_in_exact_search() {
    for seed in 40..43 {
        let world = world(seed, BOTH, Identity::Links, Some(ContextScope::Next));
        let filter = RuleFilter::all(3);
        check_with::<u64, _>(&world, seed, &EXACT, seed % 2 == 0, filter, &(Repeats, ()));
        let cube = Beam { pops: Some(1 << 20), ..EXACT };
        check_with::<u64, _>(&world, seed, &cube, seed % 2 == 1, filter, &(Repeats, ()));
    }
}

/// The values of every derivation are those of its text; a feature without weights changes nothing.
#[test]
fn a_decoder_takes_further_hypothesis_features() {
    type Model = (Repeats, ());
    let request = NBestRequest { n_best: 50, distinct: false, graph: false, words_only: false };
    let mut changed = 0;
    for seed in 50..53 {
        let world = world(seed, BOTH, Identity::Gaps, None);
        let mut dice = Dice(seed);
        let words: Vec<String> = (0..5).map(|_| WORDS[dice.below(6)].to_owned()).collect();
        let heads = tree(&mut dice, words.len());
        let sentence = Sentence { surface: words.clone(), words, heads, ..Sentence::default() };
        let plain = weights(&mut Dice(seed), false);
        let more = |own: [f32; 2]| {
            let values = (0..column::REGISTERED).map(|column| plain.of(column)).chain(own);
            Weights::for_features::<Model>(values.collect()).unwrap()
        };
        let beam = Beam { pops: Some(1000), stack: 100, ..EXACT };
        let (table, lm) = (world.table.clone(), Arc::new(Bigrams));
        let before = StackDecoder::new(table, lm, plain.clone(), world.kinds, beam, RuleFilter::all(5));
        let translate = |own: [f32; 2]| {
            let decoder = before.with_features::<Model>((Repeats, ()), more(own));
            decoder.translate(&sentence, &request, None).unwrap().best
        };
        for one in translate([3.0, 2.0]) {
            let expected = Repeats::count(&one.target());
            assert_eq!(one.features[column::REGISTERED..], expected, "{:?}", one.target());
        }
        let plain_list = before.translate(&sentence, &request, None).unwrap().best;
        let off = translate([0.0, 0.0]);
        assert_eq!(plain_list.len(), off.len());
        for (one, other) in plain_list.iter().zip(&off) {
            assert_eq!((one.target(), one.score), (other.target(), other.score));
        }
        changed += usize::from(translate([3.0, 2.0])[0].target() != plain_list[0].target());
    }
    assert!(changed > 0, "the feature changed a translation");
}
