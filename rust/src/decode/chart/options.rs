//! The edges of a sentence, which are collected before the search.

use std::sync::Arc;

use super::edge::{Edge, Structure};
use super::forest::Forest;
use super::glue;
use super::matching::{HoleLabels, Match};
use crate::decode::features::Weights;
use crate::decode::hypothesis_feature::RuleKind;
use crate::decode::preparation::RulePreparer;
use crate::decode::terms::SentenceTerms;
use crate::decode::LanguageModel;
use crate::source::spans::Span;

/// Edges by the cells that they fill.
pub struct ChartOptions {
    pub edges: Vec<Edge>,
    /// The edges of each span, by cell.
    pub of_cell: Vec<Vec<u32>>,
    /// The glue edges of each beginning of the sentence.
    pub of_end: Vec<Vec<u32>>,
    pub begin: u32,
    pub end: u32,
    /// The number of edges with rules of the table, terms or copies, which come first. Only these are annotated.
    pub annotatable: usize,
}

impl ChartOptions {
    pub fn new<S: Copy>(forest: &Forest<S>, words: usize) -> Self {
        let cells = forest.glue_cell(0) as usize;
        let of_end = vec![Vec::new(); words + 1];
        ChartOptions {
            edges: Vec::new(),
            of_cell: vec![Vec::new(); cells],
            of_end,
            begin: 0,
            end: 0,
            annotatable: 0,
        }
    }

    pub fn push<S: Copy>(&mut self, forest: &Forest<S>, edge: Edge) {
        let cell = forest.span_cell((usize::from(edge.first), usize::from(edge.end)));
        self.of_cell[cell as usize].push(self.edges.len() as u32);
        self.edges.push(edge);
    }

    /// Adds a match of a source side of the table.
    pub fn push_match<S: Copy, L: LanguageModel>(
        &mut self,
        forest: &Forest<S>,
        preparer: &mut RulePreparer<L>,
        &Match { span, holes, node, labels, .. }: &Match<'_>,
        structure: Structure,
        terms: &SentenceTerms<'_>,
    ) {
        let prepared = match labels {
            HoleLabels::None => preparer.get(node, holes.len()),
            HoleLabels::Unseen => preparer.get_with_labels(node, holes.len(), None),
            HoleLabels::Seen(labelled) => preparer.get_with_labels(node, holes.len(), Some(labelled)),
        };
        let rules = terms.allowed(prepared, || source_symbols(span, holes));
        if !rules.is_empty() {
            let mut cells = [0; crate::rule::symbols::MAX_HOLES];
            for (cell, &hole) in cells.iter_mut().zip(holes) {
                *cell = forest.span_cell(hole);
            }
            let edge = Edge::new(RuleKind::Table, span, &cells[..holes.len()], rules).at(node);
            self.push(forest, edge.with_structure(structure, preparer.weights()));
        }
    }

    /// Adds required and preferred terms.
    pub fn push_terms<S: Copy, L: LanguageModel>(
        &mut self,
        forest: &Forest<S>,
        terms: &SentenceTerms<'_>,
        preparer: &RulePreparer<L>,
    ) {
        for (number, term) in terms.translations() {
            let rules = Arc::new([preparer.term(term, terms.source_words(term))]);
            self.push(forest, Edge::new(RuleKind::Term, term.span, &[], rules).of_term(number));
        }
    }

    /// Adds copies of the words that no rule translates on their own, unless a required term does.
    pub fn push_copies<S: Copy, L: LanguageModel>(
        &mut self,
        forest: &Forest<S>,
        surface: &[String],
        terms: &SentenceTerms<'_>,
        preparer: &RulePreparer<L>,
    ) {
        for (position, word) in surface.iter().enumerate() {
            let span = (position, position + 1);
            if self.of_cell[forest.span_cell(span) as usize].is_empty() && !terms.reserves(position) {
                let rules = Arc::new([preparer.copy(word)]);
                self.push(forest, Edge::new(RuleKind::Copy, span, &[], rules));
            }
        }
    }

    /// Adds glue, and the beginning and end of the sentence.
    pub fn push_glue<S: Copy>(
        &mut self,
        forest: &Forest<S>,
        words: usize,
        max_span: usize,
        kind: glue::Glue,
        weights: &Weights,
    ) {
        self.of_end = glue::glue_edges(forest, words, max_span, kind, weights, &mut self.edges);
        self.begin = self.edges.len() as u32;
        self.edges.push(glue::begin_edge());
        self.end = self.edges.len() as u32;
        self.edges.push(glue::end_edge(forest, words));
    }

    /// All edges so far have rules of the table, terms or copies.
    pub fn end_annotatable(&mut self) {
        self.annotatable = self.edges.len();
    }
}

/// The symbols of a source side: the positions of words, `None` for holes.
pub fn source_symbols(span: Span, holes: &[Span]) -> Vec<Option<usize>> {
    let mut symbols = Vec::new();
    let mut at = span.0;
    while at < span.1 {
        match holes.iter().find(|hole| hole.0 == at) {
            Some(hole) => {
                symbols.push(None);
                at = hole.1;
            }
            None => {
                symbols.push(Some(at));
                at += 1;
            }
        }
    }
    symbols
}

/// The positions of a span outside its holes.
pub fn own_positions(span: Span, holes: &[Span]) -> Vec<usize> {
    source_symbols(span, holes).into_iter().flatten().collect()
}
