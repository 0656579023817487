//! A match of a source side: a span and the cells of its holes, with the rules. It stands for all hyperedges that
//! apply one of the rules to hypotheses of the cells (a "hyperedge bundle" in Huang and Chiang 2007).

use std::sync::Arc;

use super::forest::CellId;
use crate::decode::features::{column, Weights, STRUCTURE};
use crate::decode::hypothesis_feature::RuleKind;
use crate::decode::prepared::{PreparedRule, RankedRules};
use crate::rule::symbols::MAX_HOLES;
use crate::table::read::Node;

/// The rules of some edges, edge by edge, ranked with their added features.
pub struct AnnotatedRules {
    /// For each rank of each edge: the rule, its score, its estimate.
    ranks: Vec<(u16, f32, f32)>,
    /// The values of the added features, rule by rule as the table ranks them.
    values: Vec<f32>,
    columns: usize,
}

impl AnnotatedRules {
    /// From feature values, rule by rule; also returns the index of each edge's first rule.
    pub fn new(edges: &[&Edge], values: Vec<f32>, weights: &[f32]) -> (Self, Vec<u32>) {
        let columns = weights.len();
        let mut rows = values.chunks_exact(columns.max(1));
        let mut ranks: Vec<(u16, f32, f32)> = Vec::with_capacity(rows.len());
        let mut starts = Vec::with_capacity(edges.len());
        for edge in edges {
            let start = ranks.len();
            starts.push(start as u32);
            // `zip` asks for a rule first, so it takes no row of the next edge.
            ranks.extend(edge.rules().iter().zip(&mut rows).enumerate().map(|(number, (rule, row))| {
                let more: f32 = row.iter().zip(weights).map(|(value, weight)| value * weight).sum();
                (number as u16, rule.score + more, rule.estimate + more)
            }));
            ranks[start..].sort_by(|a, b| b.2.total_cmp(&a.2));
        }
        (AnnotatedRules { ranks, values, columns }, starts)
    }
}

/// A rule of an edge.
pub struct ChosenRule<'a> {
    pub rule: &'a PreparedRule,
    /// The weighted sum of the features that do not depend on the hypotheses in its holes.
    pub score: f32,
    /// `score` plus the language model score of the words without context.
    pub estimate: f32,
}

/// The values of the structural features of a match.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Structure {
    #[default]
    None,
    /// See [`column::STRUCTURE`].
    Fragments([u8; STRUCTURE]),
    /// See [`column::GENERAL`].
    General([u8; STRUCTURE]),
}

impl Structure {
    /// Columns and values.
    pub fn features(self) -> impl Iterator<Item = (usize, f32)> {
        let (first, values) = match self {
            Structure::None => (column::STRUCTURE, [0; STRUCTURE]),
            Structure::Fragments(values) => (column::STRUCTURE, values),
            Structure::General(values) => (column::GENERAL, values),
        };
        (first..).zip(values.map(f32::from))
    }
}

#[derive(Clone)]
pub struct Edge {
    pub kind: RuleKind,
    /// The span of the result.
    pub first: u16,
    pub end: u16,
    /// Where the second of two neighbouring holes begins.
    pub middle: u16,
    hole_count: u8,
    holes: [CellId; MAX_HOLES],
    /// The source side of the rules, if they are from a table.
    pub node: Option<Node>,
    /// The number of the term in the sentence, if it is one.
    pub term: Option<u32>,
    pub structure: Structure,
    /// The weighted sum of the structural features.
    structure_score: f32,
    rules: Arc<RankedRules>,
    /// Its rules with added features, and the index of the first.
    annotated: Option<(Arc<AnnotatedRules>, u32)>,
}

impl Edge {
    /// `rules` must be those of one source side, without contexts.
    pub fn new(kind: RuleKind, span: (usize, usize), holes: &[CellId], rules: Arc<RankedRules>) -> Self {
        let mut cells = [0; MAX_HOLES];
        cells[..holes.len()].copy_from_slice(holes);
        let (first, end) = (span.0 as u16, span.1 as u16);
        let hole_count = holes.len() as u8;
        Edge {
            kind,
            first,
            end,
            middle: first,
            hole_count,
            holes: cells,
            node: None,
            term: None,
            structure: Structure::default(),
            structure_score: 0.0,
            rules,
            annotated: None,
        }
    }

    /// The same with values of the structural features.
    pub fn with_structure(self, structure: Structure, weights: &Weights) -> Self {
        let structure_score = structure.features().map(|(column, value)| weights.of(column) * value).sum();
        Edge { structure, structure_score, ..self }
    }

    /// The same for a source side of the table.
    pub fn at(self, node: Node) -> Self {
        Edge { node: Some(node), ..self }
    }

    /// The same for a term of the sentence.
    pub fn of_term(self, number: usize) -> Self {
        Edge { term: Some(number as u32), ..self }
    }

    /// The same with two holes that meet at a position.
    pub fn meeting_at(self, middle: usize) -> Self {
        Edge { middle: middle as u16, ..self }
    }

    /// The cells that fill the holes, in source order.
    #[inline]
    pub fn holes(&self) -> &[CellId] {
        &self.holes[..usize::from(self.hole_count)]
    }

    /// The rules as the table ranks them.
    pub fn rules(&self) -> &[PreparedRule] {
        &self.rules
    }

    #[inline]
    pub fn rule_at(&self, rank: usize) -> Option<ChosenRule<'_>> {
        let rules = self.rules();
        let rule = rules.get(rank)?;
        let (rule, score, estimate) = match &self.annotated {
            None => (rule, rule.score, rule.estimate),
            Some((annotated, start)) => {
                let (number, score, estimate) = annotated.ranks[*start as usize + rank];
                (&rules[usize::from(number)], score, estimate)
            }
        };
        let more = self.structure_score;
        Some(ChosenRule { rule, score: score + more, estimate: estimate + more })
    }

    /// The values of the added features of the rule at a rank.
    pub fn added(&self, rank: usize) -> &[f32] {
        let Some((annotated, start)) = &self.annotated else { return &[] };
        let (start, columns) = (*start as usize, annotated.columns);
        let rule = start + usize::from(annotated.ranks[start + rank].0);
        &annotated.values[rule * columns..][..columns]
    }

    /// The rules, shared by all edges of a source side.
    pub fn ranked(&self) -> &Arc<RankedRules> {
        &self.rules
    }

    /// Adds feature columns, and re-ranks the rules.
    pub fn annotate(&mut self, annotated: Arc<AnnotatedRules>, start: u32) {
        self.annotated = Some((annotated, start));
    }
}
