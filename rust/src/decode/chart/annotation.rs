//! Feature columns that are added to the edges of a chart.

use std::sync::Arc;

use super::edge::{AnnotatedRules, Edge};
use super::forest::Forest;
use super::options::{source_symbols, ChartOptions};
use crate::decode::annotate::Annotate;
use crate::decode::annotate::{annotation, Annotators, DistinctRules};
use crate::decode::hypothesis_feature::RuleKind;
use crate::decode::option_rows::{Links, OptionColumns, OptionRow};
use crate::decode::prepared::PreparedRule;
use crate::decode::sentence::Sentence;
use crate::error::Result;
use crate::source::spans::Span;
use crate::store::hashing::FastMap;

/// Adds the columns of annotators and of `last` to the rules of all edges that have rules of the table, terms or
/// copies.
///
/// A source side has many matches. Values that do not depend on the position are computed for one of them. If there
/// are no others, the edges of a source side share them.
pub fn annotate<S: Copy>(
    options: &mut ChartOptions,
    forest: &Forest<S>,
    annotators: &Annotators,
    last: Option<Annotate<'_>>,
    sentence: &Sentence,
    weights: &[f32],
) -> Result<()> {
    if annotators.is_empty() && last.is_none() {
        return Ok(());
    }
    let annotatable = options.annotatable;
    let edges: Vec<&Edge> = options.edges[..annotatable].iter().collect();
    let sides =
        annotators.iter().any(|annotator| annotator.ignores_position()).then(|| SourceSides::of(&edges));
    let first = sides.iter().flat_map(|sides| &sides.first).map(|&edge| edges[edge as usize]);
    let first = Columns { edges: first.collect(), forest };
    let nothing_else = last.is_none() && annotators.iter().all(|annotator| annotator.ignores_position());
    let (annotated, starts) = match &sides {
        Some(sides) if nothing_else => {
            let found = annotation(annotators, None, &first, None, sentence, weights.len())?;
            let Some((_, values)) = found else { return Ok(()) };
            let (annotated, starts) = AnnotatedRules::new(&first.edges, values, weights);
            (annotated, sides.of_edge.iter().map(|&side| starts[side as usize]).collect())
        }
        _ => {
            let of_option = sides.as_ref().map_or(Vec::new(), |sides| sides.of_option(&edges));
            let distinct =
                sides.is_some().then_some(DistinctRules { options: &first, of_option: &of_option });
            let all = Columns { edges, forest };
            let found = annotation(annotators, last, &all, distinct, sentence, weights.len())?;
            let Some((_, values)) = found else { return Ok(()) };
            AnnotatedRules::new(&all.edges, values, weights)
        }
    };
    let annotated = Arc::new(annotated);
    for (edge, start) in options.edges[..annotatable].iter_mut().zip(starts) {
        edge.annotate(annotated.clone(), start);
    }
    Ok(())
}

fn address(edge: &Edge) -> usize {
    Arc::as_ptr(edge.ranked()).cast::<PreparedRule>() as usize
}

/// The source sides of edges.
struct SourceSides {
    /// The first edge of each.
    first: Vec<u32>,
    /// The source side of each edge.
    of_edge: Vec<u32>,
}

impl SourceSides {
    fn of(edges: &[&Edge]) -> Self {
        let mut known: FastMap<usize, u32> = FastMap::default();
        let (mut first, mut of_edge) = (Vec::new(), Vec::with_capacity(edges.len()));
        for (number, edge) in edges.iter().enumerate() {
            let side = *known.entry(address(edge)).or_insert(first.len() as u32);
            if side as usize == first.len() {
                first.push(number as u32);
            }
            of_edge.push(side);
        }
        SourceSides { first, of_edge }
    }

    /// For every rule of every edge the index of the same rule among those of the first edges.
    fn of_option(&self, edges: &[&Edge]) -> Vec<u32> {
        let mut starts = Vec::with_capacity(self.first.len());
        let mut start = 0;
        for &edge in &self.first {
            starts.push(start);
            start += edges[edge as usize].rules().len() as u32;
        }
        let of_edge = edges.iter().zip(&self.of_edge);
        of_edge
            .flat_map(|(edge, &side)| {
                let start = starts[side as usize];
                start..start + edge.rules().len() as u32
            })
            .collect()
    }
}

/// The rules of edges as annotators see them.
struct Columns<'a, S> {
    edges: Vec<&'a Edge>,
    forest: &'a Forest<S>,
}

impl<S: Copy> OptionColumns for Columns<'_, S> {
    fn number(&self) -> usize {
        self.edges.iter().map(|edge| edge.rules().len()).sum()
    }

    fn each(&self, found: &mut dyn FnMut(OptionRow<'_>)) {
        let (mut holes, mut positions, mut words): (Vec<Span>, Vec<usize>, Vec<_>) = Default::default();
        for (number, edge) in self.edges.iter().enumerate() {
            holes.clear();
            holes.extend(edge.holes().iter().map(|&cell| self.forest.span(cell)));
            positions.clear();
            words.clear();
            for symbol in source_symbols((usize::from(edge.first), usize::from(edge.end)), &holes) {
                words.push(symbol.map(|_| positions.len() as u8));
                positions.extend(symbol);
            }
            for prepared in edge.rules() {
                found(OptionRow {
                    match_id: number as u32,
                    positions: &positions,
                    target: &prepared.rule.target,
                    lm_words: &prepared.lm_words,
                    alignment: Links::among(&prepared.rule.alignment, &words),
                    scores: &prepared.rule.scores,
                    copied: matches!(edge.kind, RuleKind::Copy | RuleKind::Term),
                    context: None,
                    holes: &holes,
                });
            }
        }
    }
}
