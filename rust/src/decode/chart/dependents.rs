//! Dep2Str: rules of heads with their dependents where they match, and pseudo rules for what is left over (Xie, Mi and
//! Liu 2011, section 4; Li et al. 2014).
//!
//! A rule translates a head with a run of its dependents. The other dependents are joined to it in source order, one
//! after the other: first those to the right, then those to the left, so that each result has one derivation.

use super::edge::Edge;
use super::forest::{CellId, Forest};
use super::glue::joining_rule;
use super::matching::{HoleLabels, Match};
use super::options::ChartOptions;
use crate::decode::features::{column, Weights, STRUCTURE};
use crate::decode::hypothesis_feature::RuleKind;
use crate::rule::symbols::MAX_HOLES;
use crate::source::dependents::{joint, phrase_joint, Element, Fragment, HeadDependents, Role};
use crate::source::spans::Span;
use crate::table::read::{Node, Table};

/// Finds the source sides of a table in the fragments of one sentence.
pub struct DependentsMatcher<'a> {
    pub table: &'a Table,
    /// The numbers of the words in the table; `None` for unknown words.
    pub words: &'a [Option<u32>],
    pub dependents: &'a HeadDependents,
}

/// A walk through the trie that began at an element of a fragment.
struct Walk<'a> {
    fragment: Fragment<'a>,
    head: usize,
    first: usize,
    holes: Vec<Span>,
    /// The numbers of heads, leaves and internal dependents so far that are known only by their parts of speech.
    general: [u8; STRUCTURE],
}

impl DependentsMatcher<'_> {
    /// Calls `found` for every source side of the table that matches, with the values of [`column::GENERAL`].
    pub fn matches(&self, mut found: impl FnMut(Match<'_>, [u8; STRUCTURE])) {
        for fragment in self.dependents.of_words() {
            for first in 0..=fragment.head.unwrap_or(0) {
                let (head, holes) = (fragment.head.unwrap_or(0), Vec::new());
                let mut walk = Walk { fragment, head, first, holes, general: [0; STRUCTURE] };
                self.extend(None, first, &mut walk, &mut found);
            }
            self.phrases(fragment, &mut found);
        }
        self.phrases(self.dependents.of_roots(), &mut found);
    }

    /// Tries every symbol for the next element.
    fn extend(
        &self,
        node: Option<Node>,
        at: usize,
        walk: &mut Walk<'_>,
        found: &mut impl FnMut(Match<'_>, [u8; STRUCTURE]),
    ) {
        let Some(&element) = walk.fragment.elements.get(at) else { return };
        if element.role != Role::Internal {
            if let Some(word) = self.words[element.word] {
                self.advance(node, word, at, walk, found);
            }
        }
        if walk.holes.len() == MAX_HOLES {
            return;
        }
        let Element { by_tag, by_word, span, .. } = element;
        let role = element.role as usize;
        for (symbol, general) in
            by_tag.map(|symbol| (symbol, 1)).into_iter().chain(by_word.map(|symbol| (symbol, 0)))
        {
            walk.holes.push(span);
            walk.general[role] += general;
            self.advance(node, symbol, at, walk, found);
            walk.general[role] -= general;
            walk.holes.pop();
        }
    }

    fn advance(
        &self,
        node: Option<Node>,
        symbol: u32,
        at: usize,
        walk: &mut Walk<'_>,
        found: &mut impl FnMut(Match<'_>, [u8; STRUCTURE]),
    ) {
        let child = match node {
            None => self.table.start(symbol),
            Some(node) => self.table.step(node, symbol, joint(at - walk.first, walk.head - walk.first)),
        };
        let Some(child) = child else { return };
        let span = walk.fragment.span(walk.first, at);
        // A hole over the whole span would recurse for ever; no sound table has such a rule.
        if at >= walk.head && self.table.has_rules(child) && walk.holes.first() != Some(&span) {
            found(matched(span, &walk.holes, child), walk.general);
        }
        if self.table.has_children(child) {
            self.extend(Some(child), at + 1, walk, found);
        }
    }

    /// Phrases of two or more neighbouring elements.
    fn phrases(&self, fragment: Fragment<'_>, found: &mut impl FnMut(Match<'_>, [u8; STRUCTURE])) {
        for (first, element) in fragment.elements.iter().enumerate() {
            let mut node = self.words[element.span.0].and_then(|word| self.table.start(word));
            let mut at = element.span.0 + 1;
            for last in first..fragment.elements.len() {
                let span = fragment.span(first, last);
                while let (Some(before), true) = (node, at < span.1) {
                    let joint = phrase_joint(at - span.0);
                    node = self.words[at].and_then(|word| self.table.step(before, word, joint));
                    at += 1;
                }
                let Some(node) = node else { break };
                if last > first && self.table.has_rules(node) {
                    found(matched(span, &[], node), [0; STRUCTURE]);
                }
            }
        }
    }
}

fn matched<'a>(span: Span, holes: &'a [Span], node: Node) -> Match<'a> {
    Match { span, holes, labelled: 0, node, labels: HoleLabels::None }
}

/// Adds the pseudo rules of a sentence, each at the cost of glue. The edges of the table must have been added.
pub fn push_pseudo_rules<S: Copy>(
    options: &mut ChartOptions,
    forest: &Forest<S>,
    dependents: &HeadDependents,
    weights: &Weights,
) {
    let mut joiner = Joiner { rule: joining_rule(&[0, 1], weights.of(column::GLUE)), options, forest };
    // Dependents come before heads, so every subtree has a translation already.
    for fragment in dependents.of_words() {
        let (Some(head), last) = (fragment.head, fragment.elements.len() - 1) else { continue };
        for first in 0..=head {
            (head..last).for_each(|to| joiner.join_right(fragment, (first, to)));
        }
        for first in (1..=head).rev() {
            joiner.join_left(fragment, (first, last));
        }
    }
    let roots = dependents.of_roots();
    (1..roots.elements.len()).for_each(|to| joiner.join_right(roots, (0, to - 1)));
}

struct Joiner<'a, S> {
    rule: std::sync::Arc<crate::decode::prepared::RankedRules>,
    options: &'a mut ChartOptions,
    forest: &'a Forest<S>,
}

impl<S: Copy> Joiner<'_, S> {
    fn cell(&self, fragment: Fragment<'_>, (first, last): (usize, usize)) -> CellId {
        self.forest.span_cell(fragment.span(first, last))
    }

    fn push(&mut self, fragment: Fragment<'_>, left: (usize, usize), right: (usize, usize)) {
        let holes = [self.cell(fragment, left), self.cell(fragment, right)];
        let edge = Edge::new(RuleKind::Pseudo, fragment.span(left.0, right.1), &holes, self.rule.clone());
        self.options.push(self.forest, edge.meeting_at(fragment.elements[right.0].span.0));
    }

    /// Whether neighbouring dependents can be joined in one piece: one alone, or several that are a phrase.
    fn is_piece(&self, fragment: Fragment<'_>, piece: (usize, usize)) -> bool {
        piece.0 == piece.1 || !self.options.of_cell[self.cell(fragment, piece) as usize].is_empty()
    }

    /// Joins dependents to the right of a run.
    fn join_right(&mut self, fragment: Fragment<'_>, run: (usize, usize)) {
        if !self.is_made(fragment, run) {
            return;
        }
        for to in run.1 + 1..fragment.elements.len() {
            if self.is_piece(fragment, (run.1 + 1, to)) {
                self.push(fragment, run, (run.1 + 1, to));
            }
        }
    }

    /// Joins dependents to the left of a run.
    fn join_left(&mut self, fragment: Fragment<'_>, run: (usize, usize)) {
        if !self.is_made(fragment, run) {
            return;
        }
        for from in 0..run.0 {
            if self.is_piece(fragment, (from, run.0 - 1)) {
                self.push(fragment, (from, run.0 - 1), run);
            }
        }
    }

    /// Whether a run has edges already.
    fn is_made(&self, fragment: Fragment<'_>, run: (usize, usize)) -> bool {
        run.0 == run.1 || !self.options.of_cell[self.cell(fragment, run) as usize].is_empty()
    }
}
