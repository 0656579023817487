//! Beam search from left to right on the target side, one stack for each number of covered source words.
//!
//! Hypotheses of a stack that have the same coverage and the same last position form a group. A group and a list of
//! options span a grid; all its points have the same distortion, future cost and context. Exact expansion visits every
//! point of every grid. Cube pruning starts at the best corners of a stack's grids and visits points in the order of
//! an estimate, which lacks only the features that depend on both the hypothesis and the option.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::application::OptionApplication;
use super::future::FutureCost;
use super::graph::{Node, SearchGraph, NONE};
use super::input::Input;
use super::options::{List, StackOptions, Subgraph};
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::{HypothesisFeature, WeightedSum};
use crate::decode::LanguageModel;
use crate::store::bits::NodeSet;
use crate::store::hashing::FastMap;
use crate::work::interrupt;

/// The limits of the search.
#[derive(Clone, Copy, Debug)]
pub struct Beam {
    /// The number of hypotheses kept in a stack.
    pub stack: usize,
    /// The number of hypotheses made for a stack; `None` makes all (exact expansion).
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

struct Group {
    from: u32,
    to: u32,
    last: i32,
}

/// A point of a grid: hypothesis `i` of the group extended by option `j` of the list.
#[derive(Clone, Copy)]
struct GridPoint {
    estimate: f32,
    /// Distortion and context cost, the same for the whole grid.
    offset: f32,
    future: f32,
    group: u32,
    list: u32,
    i: u32,
    j: u32,
}

impl PartialEq for GridPoint {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for GridPoint {}

impl PartialOrd for GridPoint {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for GridPoint {
    fn cmp(&self, other: &Self) -> Ordering {
        self.estimate.total_cmp(&other.estimate).then_with(|| {
            (other.group, other.list, other.i, other.j).cmp(&(self.group, self.list, self.i, self.j))
        })
    }
}

/// The states of the language model and of the hypothesis features.
type States<L, F> = (<L as LanguageModel>::State, <F as HypothesisFeature>::State);

/// Hypotheses of a stack recombine if they have the same coverage, states and last position.
type RecombinationKey<B, S> = (B, S, i32);

struct Search<'a, B: NodeSet, L: LanguageModel, F: HypothesisFeature> {
    words: usize,
    links: &'a [B],
    options: &'a StackOptions<B>,
    lm: &'a L,
    weights: &'a Weights,
    beam: &'a Beam,
    future: FutureCost,
    graph: SearchGraph<B, States<L, F>>,
    features: &'a F,
    groups: Vec<Group>,
    members: Vec<u32>,
    /// For each stack the best corners of the grids whose points belong to it.
    corners: Vec<Vec<GridPoint>>,
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
    let start = Node {
        cover: B::default(),
        state: (lm.begin(), features.begin()),
        score: 0.0,
        future: future.of_uncovered(B::default()),
        first: -1,
        last: -1,
        option: NONE,
        previous: NONE,
        arcs: NONE,
    };
    let mut search = Search {
        words,
        links: &input.links,
        options,
        lm,
        weights,
        beam,
        future,
        graph: SearchGraph::new(start, beam.keep_arcs),
        features,
        groups: Vec::new(),
        members: Vec::new(),
        corners: vec![Vec::new(); words + 1],
    };
    search.expand(vec![0]);
    for covered in 1..=words {
        interrupt::point();
        let stack = search.fill(covered);
        if covered < words {
            search.expand(stack);
        } else if let Some(&goal) = stack.first() {
            search.graph.goal = goal;
        }
    }
    search.graph
}

impl<B: NodeSet, L: LanguageModel, F: HypothesisFeature> Search<'_, B, L, F> {
    /// Makes the hypotheses of a stack from its grids, recombines and prunes them; returns them best first.
    fn fill(&mut self, covered: usize) -> Vec<u32> {
        let mut corners = std::mem::take(&mut self.corners[covered]);
        let mut made: FastMap<RecombinationKey<B, States<L, F>>, u32> = FastMap::default();
        let mut stack = Vec::new();
        let mut best = f32::NEG_INFINITY;
        let complete = covered == self.words;
        match self.beam.pops {
            None => {
                for corner in &corners {
                    let (group, list) =
                        (&self.groups[corner.group as usize], &self.options.lists[corner.list as usize]);
                    let (members, options) = (group.to - group.from, list.to - list.from);
                    for i in 0..members {
                        for j in 0..options {
                            self.make(
                                &GridPoint { i, j, ..*corner },
                                complete,
                                &mut made,
                                &mut stack,
                                &mut best,
                            );
                        }
                    }
                }
            }
            Some(pops) => {
                if corners.len() > pops {
                    // At most one grid is reached with each pop.
                    corners.select_nth_unstable_by(pops, |a, b| b.cmp(a));
                    corners.truncate(pops);
                }
                let mut open = BinaryHeap::from(corners);
                for _ in 0..pops {
                    let Some(point) = open.pop() else { break };
                    self.make(&point, complete, &mut made, &mut stack, &mut best);
                    // Every point is reached in one way: down the first column, then along the row.
                    if point.j == 0 {
                        open.extend(self.neighbour(&point, 1, 0));
                    }
                    open.extend(self.neighbour(&point, 0, 1));
                }
            }
        }
        self.prune(stack, best)
    }

    fn neighbour(&self, point: &GridPoint, down: u32, along: u32) -> Option<GridPoint> {
        let group = &self.groups[point.group as usize];
        let list = &self.options.lists[point.list as usize];
        let (i, j) = (point.i + down, point.j + along);
        if i >= group.to - group.from || j >= list.to - list.from {
            return None;
        }
        Some(GridPoint {
            estimate: self.estimate(group, list, i, j) + point.offset + point.future,
            i,
            j,
            ..*point
        })
    }

    #[inline]
    fn estimate(&self, group: &Group, list: &List<B>, i: u32, j: u32) -> f32 {
        let node = self.members[(group.from + i) as usize];
        self.graph.nodes[node as usize].score + self.options.estimate[(list.from + j) as usize]
    }

    /// Makes one hypothesis, and recombines it.
    #[inline]
    fn make(
        &mut self,
        point: &GridPoint,
        complete: bool,
        made: &mut FastMap<RecombinationKey<B, States<L, F>>, u32>,
        stack: &mut Vec<u32>,
        best: &mut f32,
    ) {
        let previous = self.members[(self.groups[point.group as usize].from + point.i) as usize];
        let option = self.options.lists[point.list as usize].from + point.j;
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
        if complete {
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
            + point.offset
            + self.weights.of(column::LM) * lm
            + sum.sum;
        if score + point.future < *best - self.beam.threshold {
            return;
        }
        *best = best.max(score + point.future);
        let node = Node {
            cover: before.cover.union(subgraph.set),
            state: (state, features),
            score,
            future: point.future,
            first: subgraph.first as i32,
            last: subgraph.last as i32,
            option,
            previous,
            arcs: NONE,
        };
        let key = (node.cover, node.state, if complete { 0 } else { node.last });
        match made.entry(key) {
            std::collections::hash_map::Entry::Occupied(entry) => self.graph.join(*entry.get(), &node),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let number = self.graph.add(node);
                entry.insert(number);
                stack.push(number);
            }
        }
    }

    fn prune(&self, mut stack: Vec<u32>, best: f32) -> Vec<u32> {
        let worth = |number: u32| {
            let node = &self.graph.nodes[number as usize];
            node.score + node.future
        };
        stack.retain(|&number| worth(number) >= best - self.beam.threshold);
        let better = |a: &u32, b: &u32| worth(*b).total_cmp(&worth(*a)).then(a.cmp(b));
        if stack.len() > self.beam.stack {
            stack.select_nth_unstable_by(self.beam.stack, better);
            stack.truncate(self.beam.stack);
        }
        stack.sort_unstable_by(better);
        stack
    }

    /// Finds the grids that a finished stack opens.
    fn expand(&mut self, mut stack: Vec<u32>) {
        let nodes = &self.graph.nodes;
        let of = |number: u32| &nodes[number as usize];
        stack.sort_unstable_by(|&a, &b| {
            let (x, y) = (of(a), of(b));
            (x.cover, x.last).cmp(&(y.cover, y.last)).then(y.score.total_cmp(&x.score)).then(a.cmp(&b))
        });
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
                let future = self.future.of_uncovered(cover.union(subgraph.set));
                let linked = self.linked(cover, subgraph);
                let is_last = covered + subgraph.set.len() == self.words;
                // Whether the subgraph has rules for just this context, which then replace those for unseen ones.
                let is_seen = self.beam.contexts_as_features && !is_last && {
                    let lists = &self.options.lists[subgraph.from as usize..subgraph.to as usize];
                    lists.iter().any(|list| list.context == Some(linked))
                };
                for group in first_group..self.groups.len() {
                    let Some(jump) = self.jump(subgraph, gap, self.groups[group].last) else { continue };
                    let distortion = -self.weights.of(column::DISTORTION) * jump as f32;
                    for list in subgraph.from..subgraph.to {
                        let of_list = &self.options.lists[list as usize];
                        if is_seen && of_list.context.is_none() {
                            continue;
                        }
                        let Some(mismatch) = self.mismatch(of_list, linked, is_last) else { continue };
                        let probability = if is_last { 0.0 } else { of_list.probability };
                        let offset = distortion - self.weights.of(column::CONTEXT_MISMATCH) * mismatch as f32
                            + self.weights.of(column::CONTEXT_PROBABILITY) * probability;
                        let estimate = self.estimate(&self.groups[group], of_list, 0, 0) + offset + future;
                        let corner =
                            GridPoint { estimate, offset, future, group: group as u32, list, i: 0, j: 0 };
                        self.corners[covered + subgraph.set.len()].push(corner);
                    }
                }
            }
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
        subgraph.set.iter().filter(|&p| self.links[p].meets(open)).fold(B::default(), B::with)
    }

    /// The number of nodes in which a list's context differs from the sentence's; `None` if it does not apply. The last
    /// rule of a sentence has no context: there is nothing left that would follow it.
    #[inline]
    fn mismatch(&self, list: &List<B>, linked: B, is_last: bool) -> Option<usize> {
        if list.from == list.to || (is_last && list.context.is_some()) {
            return None;
        }
        match list.context {
            None => Some(0),
            Some(context) if context == linked => Some(0),
            Some(context) if self.beam.soft_context => {
                Some(context.minus(linked).union(linked.minus(context)).len())
            }
            Some(_) => None,
        }
    }
}
