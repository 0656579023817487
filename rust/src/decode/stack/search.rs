//! Beam search from left to right on the target side, one stack for each number of covered source words.
//!
//! Hypotheses of a stack that have the same coverage and the same last position form a group. A group and a list of
//! options span a grid; all its points have the same distortion, future cost and context. Exact expansion visits every
//! point of every grid. Cube pruning starts at the best corners of a stack's grids and visits points in the order of
//! an estimate. Of the features that depend on both the hypothesis and the option, it has the language-model score of the
//! option's first word after the hypothesis' last word alone; that is enough to find what scores of all words find.

use std::collections::BinaryHeap;

use super::application::OptionApplication;
use super::choices::{Choice, Choices};
use super::future::FutureCost;
use super::graph::{Node, SearchGraph, NONE};
use super::grid::{Grid, GridPoint, Group};
use super::input::Input;
use super::options::{StackOptions, Subgraph};
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::{HypothesisFeature, WeightedSum};
use crate::decode::word_pairs::WordPairs;
use crate::decode::LanguageModel;
use crate::store::bits::NodeSet;
use crate::store::hashing::FastMap;
use crate::work::interrupt;

/// The limits of the search.
#[derive(Clone, Copy, Debug)]
pub struct Beam {
    /// The number of hypotheses kept in a stack.
    pub stack: usize,
    /// The number of hypotheses made for a stack, on average; `None` makes all (exact expansion). The last stack gets three
    /// times as many as the first: the same time finds better scores than with equal shares.
    pub pops: Option<usize>,
    /// A hypothesis whose score is this far below the best of its stack is pruned.
    pub threshold: f32,
    /// The longest jump; `None` allows any.
    pub distortion: Option<usize>,
    /// Contextual rules apply in any context, at a cost for each node that differs.
    pub soft_context: bool,
    /// Contexts are features: rules for unseen contexts apply only where no seen one fits.
    pub contexts_as_features: bool,
    /// Keep all arcs, for k-best lists and search graphs.
    pub keep_arcs: bool,
}

/// The states of the language model and of the hypothesis features.
type States<L, F> = (<L as LanguageModel>::State, <F as HypothesisFeature>::State);

/// Hypotheses of a stack recombine if they have the same coverage, states and last position.
type RecombinationKey<B, S> = (B, S, i32);

/// A list of choices that applies after a coverage.
struct Applicable {
    choices: (u32, u32),
    /// What its context adds.
    context: f32,
    /// The best estimate.
    best: f32,
}

/// A stack that is being filled.
struct Stack {
    members: Vec<u32>,
    best: f32,
    /// Whether its hypotheses cover all words.
    complete: bool,
}

struct Search<'a, B: NodeSet, L: LanguageModel, F: HypothesisFeature> {
    words: usize,
    input: &'a Input<'a, B>,
    options: &'a StackOptions<B>,
    choices: Choices,
    /// Rules for the context of a hypothesis replace those for any context.
    seen_replace_unseen: bool,
    lm: &'a L,
    weights: &'a Weights,
    beam: &'a Beam,
    future: FutureCost,
    graph: SearchGraph<B, States<L, F>>,
    features: &'a F,
    groups: Vec<Group>,
    members: Vec<u32>,
    /// For each stack the grids whose points belong to it.
    grids: Vec<Vec<Grid>>,
    pairs: WordPairs,
    /// The hypotheses of the stack that is being filled.
    made: FastMap<RecombinationKey<B, States<L, F>>, u32>,
}

/// Searches. The graph has no goal only if the options cannot cover the input, or features forbid it.
pub fn search<B: NodeSet, L: LanguageModel, F: HypothesisFeature>(
    input: &Input<'_, B>,
    options: &StackOptions<B>,
    lm: &L,
    features: &F,
    weights: &Weights,
    beam: &Beam,
) -> SearchGraph<B, States<L, F>> {
    let words = input.len();
    let future = FutureCost::new(words, options);
    // Other features than those of the options could prefer either of two rules with the same words.
    let joined = !beam.contexts_as_features && !beam.soft_context && !features.is_active();
    let choices = if joined { Choices::joined(options) } else { Choices::separate(options) };
    let start = Node {
        cover: B::default(),
        state: (lm.begin(), features.begin()),
        score: 0.0,
        // One stack, one hypothesis: there is nothing to compare it with.
        future: 0.0,
        first: -1,
        last: -1,
        option: NONE,
        previous: NONE,
        arcs: NONE,
    };
    let mut search = Search {
        words,
        input,
        options,
        choices,
        seen_replace_unseen: joined || beam.contexts_as_features,
        lm,
        weights,
        beam,
        future,
        graph: SearchGraph::new(start, beam.keep_arcs),
        features,
        groups: Vec::new(),
        members: Vec::new(),
        grids: std::iter::repeat_with(Vec::new).take(words + 1).collect(),
        pairs: WordPairs::default(),
        made: FastMap::default(),
    };
    search.expand(vec![0]);
    for covered in 1..=words {
        interrupt::point();
        let stack = search.fill(covered);
        if covered < words {
            search.expand(stack);
        } else if let Some(&goal) = stack.first() {
            // Complete hypotheses recombine: there is one.
            search.graph.goal = goal;
        }
    }
    search.graph
}

impl<B: NodeSet, L: LanguageModel, F: HypothesisFeature> Search<'_, B, L, F> {
    /// Makes the hypotheses of a stack from its grids, recombines and prunes them.
    fn fill(&mut self, covered: usize) -> Vec<u32> {
        let grids = std::mem::take(&mut self.grids[covered]);
        let mut stack =
            Stack { members: Vec::new(), best: f32::NEG_INFINITY, complete: covered == self.words };
        self.made.clear();
        match self.beam.pops {
            None => self.make_all(&grids, &mut stack),
            Some(pops) => {
                let share = pops.div_ceil(2).saturating_add(pops.saturating_mul(covered) / self.words);
                self.make_best(grids, share, &mut stack);
            }
        }
        self.prune(stack)
    }

    fn make_all(&mut self, grids: &[Grid], stack: &mut Stack) {
        for grid in grids {
            let (members, options) = self.size(grid);
            for i in 0..members {
                for j in 0..options {
                    self.make(grid, i, j, stack);
                }
            }
        }
    }

    fn make_best(&mut self, mut grids: Vec<Grid>, pops: usize, stack: &mut Stack) {
        if grids.len() > pops {
            // At most one grid is reached with each pop.
            grids.select_nth_unstable_by(pops, |a, b| b.corner.total_cmp(&a.corner));
            grids.truncate(pops);
        }
        let corners = grids.iter().enumerate().map(|(number, grid)| self.point(grid, number as u32, 0, 0));
        let mut open = BinaryHeap::from(corners.collect::<Vec<_>>());
        let mut halves = 2 * pops;
        while halves > 0 {
            let Some(point) = open.pop() else { break };
            let (number, i, j) = point.place();
            let grid = &grids[number as usize];
            // An option that stands for two counts as one and a half: what is found within a limit is then better than if
            // both were made, in less time.
            let counted = if self.choices.get(grid.choices.0 + j).worse == NONE { 2 } else { 3 };
            halves = halves.saturating_sub(counted);
            self.make(grid, i, j, stack);
            // Every point is reached in one way: down the first column, then along the row.
            let (members, options) = self.size(grid);
            if j == 0 && i + 1 < members {
                open.push(self.point(grid, number, i + 1, 0));
            }
            if j + 1 < options {
                open.push(self.point(grid, number, i, j + 1));
            }
        }
    }

    /// The numbers of hypotheses and options of a grid.
    #[inline]
    fn size(&self, grid: &Grid) -> (u32, u32) {
        let group = &self.groups[grid.group as usize];
        (group.to - group.from, grid.choices.1 - grid.choices.0)
    }

    #[inline]
    fn member(&self, grid: &Grid, i: u32) -> u32 {
        self.members[(self.groups[grid.group as usize].from + i) as usize]
    }

    /// A point with its estimate, which has the gain of the option's first word by the hypothesis' last word.
    #[inline]
    fn point(&mut self, grid: &Grid, number: u32, i: u32, j: u32) -> GridPoint {
        let node = self.member(grid, i);
        let Choice { option, .. } = self.choices.get(grid.choices.0 + j);
        let before = &self.graph.nodes[node as usize];
        let mut estimate = before.score + self.options.estimate[option as usize] + grid.offset + grid.future;
        let (last, first) = (self.lm.last_word(&before.state.0), self.options.lm_words(option).first());
        if let (Some(last), Some(&first)) = (last, first) {
            estimate += self.weights.of(column::LM) * self.pairs.gain(self.lm, last, first);
        }
        GridPoint::new(estimate, number, i, j)
    }

    /// Makes one hypothesis, and recombines it.
    #[inline]
    fn make(&mut self, grid: &Grid, i: u32, j: u32, stack: &mut Stack) {
        let previous = self.member(grid, i);
        let Choice { option, worse } = self.choices.get(grid.choices.0 + j);
        let subgraph = self.options.subgraph(option);
        let before = &self.graph.nodes[previous as usize];
        let (mut state, features_before) = before.state;
        let mut lm = 0.0;
        for &word in self.options.lm_words(option) {
            let (score, next) = self.lm.score(&state, word);
            lm += score;
            state = next;
        }
        let mut sum = WeightedSum::new(self.weights);
        let applied = OptionApplication { options: self.options, option };
        let Some(mut features) = self.features.apply(&applied, &|_| features_before, &mut sum) else {
            return;
        };
        if stack.complete {
            // Nothing follows a complete hypothesis: they all recombine.
            lm += self.lm.score(&state, self.lm.end()).0;
            state = self.lm.no_context();
            if !self.features.finish(&features, &mut sum) {
                return;
            }
            features = F::State::default();
        }
        let score = before.score
            + self.options.score[option as usize]
            + grid.offset
            + self.weights.of(column::LM) * lm
            + sum.sum;
        if score + grid.future < stack.best - self.beam.threshold {
            return;
        }
        stack.best = stack.best.max(score + grid.future);
        let node = Node {
            cover: before.cover.union(subgraph.set),
            state: (state, features),
            score,
            future: grid.future,
            first: subgraph.first as i32,
            last: subgraph.last as i32,
            option,
            previous,
            arcs: NONE,
        };
        let key = (node.cover, node.state, if stack.complete { 0 } else { node.last });
        let number = match self.made.entry(key) {
            std::collections::hash_map::Entry::Occupied(entry) => {
                self.graph.join(*entry.get(), &node);
                *entry.get()
            }
            std::collections::hash_map::Entry::Vacant(entry) => {
                let number = self.graph.add(node);
                entry.insert(number);
                stack.members.push(number);
                number
            }
        };
        if self.beam.keep_arcs && worse != NONE {
            let lost = self.options.score[option as usize] - self.options.score[worse as usize];
            self.graph.join(number, &Node { option: worse, score: score - lost, ..node });
        }
    }

    /// The members of a stack that are kept, in any order.
    fn prune(&self, stack: Stack) -> Vec<u32> {
        let Stack { members: mut kept, best, .. } = stack;
        kept.retain(|&number| self.worth(number) >= best - self.beam.threshold);
        if kept.len() > self.beam.stack {
            let better = |a: &u32, b: &u32| self.worth(*b).total_cmp(&self.worth(*a)).then(a.cmp(b));
            kept.select_nth_unstable_by(self.beam.stack, better);
            kept.truncate(self.beam.stack);
        }
        kept
    }

    /// What hypotheses of a stack are compared by.
    #[inline]
    fn worth(&self, number: u32) -> f32 {
        let node = &self.graph.nodes[number as usize];
        node.score + node.future
    }

    /// Finds the grids that a finished stack opens.
    fn expand(&mut self, mut stack: Vec<u32>) {
        let nodes = &self.graph.nodes;
        let of = |number: u32| &nodes[number as usize];
        stack.sort_unstable_by(|&a, &b| {
            let (x, y) = (of(a), of(b));
            (x.cover, x.last).cmp(&(y.cover, y.last)).then(y.score.total_cmp(&x.score)).then(a.cmp(&b))
        });
        let mut applicable = Vec::new();
        for same_cover in stack.chunk_by(|&a, &b| of(a).cover == of(b).cover) {
            let cover = of(same_cover[0]).cover;
            let first_group = self.groups.len();
            for same_last in same_cover.chunk_by(|&a, &b| of(a).last == of(b).last) {
                let from = self.members.len() as u32;
                self.members.extend_from_slice(same_last);
                let to = self.members.len() as u32;
                self.groups.push(Group { from, to, last: of(same_last[0]).last });
            }
            let covered = cover.len();
            let gap = cover.first_absent();
            for subgraph in &self.options.subgraphs {
                if cover.meets(subgraph.set) || !self.can_return(subgraph, gap) {
                    continue;
                }
                let (future, jumps) = self.future.of_uncovered(cover.union(subgraph.set), subgraph.last);
                let future = future - self.weights.of(column::DISTORTION) * jumps as f32;
                let is_last = covered + subgraph.set.len() == self.words;
                self.applicable(cover, subgraph, is_last, &mut applicable);
                for group in first_group..self.groups.len() {
                    let Some(jump) = self.jump(subgraph, gap, self.groups[group].last) else { continue };
                    let distortion = -self.weights.of(column::DISTORTION) * jump as f32;
                    let best = self.members[self.groups[group].from as usize];
                    let score = self.graph.nodes[best as usize].score;
                    for list in &applicable {
                        let offset = distortion + list.context;
                        let corner = score + list.best + offset + future;
                        let grid =
                            Grid { group: group as u32, choices: list.choices, offset, future, corner };
                        self.grids[covered + subgraph.set.len()].push(grid);
                    }
                }
            }
        }
    }

    /// The lists of a subgraph that apply after a coverage.
    #[inline]
    fn applicable(&self, cover: B, subgraph: &Subgraph<B>, is_last: bool, found: &mut Vec<Applicable>) {
        found.clear();
        let lists = &self.options.lists[subgraph.from as usize..subgraph.to as usize];
        // The last rule of a sentence has no context: there is nothing left that would follow it.
        let linked = if is_last || lists.iter().all(|list| list.context.is_none()) {
            None
        } else {
            Some(self.linked(cover, subgraph))
        };
        // Whether the subgraph has rules for just this context.
        let is_seen =
            self.seen_replace_unseen && linked.is_some() && lists.iter().any(|list| list.context == linked);
        for (list, number) in lists.iter().zip(subgraph.from..) {
            let choices = self.choices.of(number);
            if choices.0 == choices.1 || is_seen && list.context.is_none() {
                continue;
            }
            let Some(mismatch) = self.mismatch(list.context, linked) else { continue };
            let probability = if is_last { 0.0 } else { list.probability };
            let context = self.weights.of(column::CONTEXT_PROBABILITY) * probability
                - self.weights.of(column::CONTEXT_MISMATCH) * mismatch as f32;
            let best = self.options.estimate[self.choices.get(choices.0).option as usize];
            found.push(Applicable { choices, context, best });
        }
    }

    /// Whether the search can still jump back to the first gap after this subgraph.
    #[inline]
    fn can_return(&self, subgraph: &Subgraph<B>, gap: usize) -> bool {
        subgraph.first == gap
            || self.beam.distortion.is_none_or(|limit| (subgraph.last + 1).abs_diff(gap) <= limit)
    }

    /// The jump to a subgraph, if the distortion limit allows it; a subgraph that starts at the first gap is exempt.
    #[inline]
    fn jump(&self, subgraph: &Subgraph<B>, gap: usize, last: i32) -> Option<usize> {
        let jump = subgraph.first.abs_diff((last + 1) as usize);
        (subgraph.first == gap || self.beam.distortion.is_none_or(|limit| jump <= limit)).then_some(jump)
    }

    /// The nodes of a subgraph that have a link to a word that is still untranslated after it.
    #[inline]
    fn linked(&self, cover: B, subgraph: &Subgraph<B>) -> B {
        let open = B::range(0, self.words).minus(cover).minus(subgraph.set);
        self.input.linked(subgraph.set, open)
    }

    /// The number of nodes in which the context of a list differs from that of the sentence, if the sentence has one;
    /// `None` if it does not apply.
    #[inline]
    fn mismatch(&self, context: Option<B>, linked: Option<B>) -> Option<usize> {
        match (context, linked) {
            (None, _) => Some(0),
            (Some(context), Some(linked)) if context == linked => Some(0),
            (Some(context), Some(linked)) if self.beam.soft_context => {
                Some(context.minus(linked).union(linked.minus(context)).len())
            }
            (Some(_), _) => None,
        }
    }
}
