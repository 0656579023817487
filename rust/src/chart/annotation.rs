//! Added features of a chart's edges.

use std::sync::Arc;

use super::edge::{Annotated, Edge, Kind};
use super::forest::Forest;
use super::options::{own_positions, source_symbols, Options};
use crate::error::Result;
use crate::hashing::{mix, FastMap};
use crate::search::annotate::{annotation, Annotators, Once};
use crate::search::decoder::{Annotate, OptionColumns, OptionRow, Sentence};
use crate::search::pool::Pool;
use crate::search::prepare::{hole, Ranked};
use crate::spans::Span;

/// Gives the rules of all translating edges the features of annotators, and of `last`.
///
/// A source side matches at many places. What does not depend on the place is computed at one of them, and where there
/// is nothing else, the edges of a source side share it, also with those of sentences before.
pub fn annotate<S: Copy>(
    options: &mut Options,
    forest: &Forest<S>,
    annotators: &Annotators,
    last: Option<Annotate<'_>>,
    memory: &Pool<Remembered>,
    sentence: &Sentence,
    weights: &[f32],
) -> Result<()> {
    if annotators.is_empty() && last.is_none() {
        return Ok(());
    }
    let translating = options.translating;
    let edges: Vec<&Edge> = options.edges[..translating].iter().collect();
    let scopes: Vec<Option<u64>> = annotators.iter().map(|annotator| annotator.scope(sentence)).collect();
    let scope: Option<u64> = scopes.iter().try_fold(0, |all, &scope| Some(mix(all, scope?)));
    let found = match scope.filter(|_| last.is_none() && !weights.is_empty()) {
        Some(scope) => {
            let sides = Sides::of(&edges);
            let first = sides.first.iter().map(|&edge| edges[edge as usize]);
            let shared = memory.lend(Remembered::default, |memory| {
                memory.enter(scope);
                let new = Columns { edges: first.clone().filter(|edge| !memory.has(edge)).collect(), forest };
                let found = annotation(annotators, None, &new, None, sentence, weights.len())?;
                let (_, values) = found.unwrap_or_default();
                for (edge, annotated) in new.edges.iter().zip(annotated(&new.edges, &values, weights)) {
                    memory.keep(edge, annotated);
                }
                Ok(first.map(|edge| memory.get(edge)).collect::<Vec<_>>())
            })?;
            sides.of_edge.iter().map(|&side| shared[side as usize].clone()).collect()
        }
        None => {
            let sides = scopes.iter().any(Option::is_some).then(|| Sides::of(&edges));
            let of_option = sides.as_ref().map_or(Vec::new(), |sides| sides.of_option(&edges));
            let first = sides.iter().flat_map(|sides| &sides.first).map(|&edge| edges[edge as usize]);
            let first = Columns { edges: first.collect(), forest };
            let once = sides.is_some().then_some(Once { options: &first, of_option: &of_option });
            let seen = Columns { edges, forest };
            let found = annotation(annotators, last, &seen, once, sentence, weights.len())?;
            let Some((_, values)) = found else { return Ok(()) };
            annotated(&seen.edges, &values, weights)
        }
    };
    for (edge, annotated) in options.edges[..translating].iter_mut().zip(found) {
        edge.annotate(annotated);
    }
    Ok(())
}

/// Annotated source sides of sentences before, as long as what they depend on stays the same.
#[derive(Default)]
pub struct Remembered {
    scope: u64,
    /// By address, which nothing else has while the rules are kept here.
    sides: FastMap<usize, (Arc<Ranked>, Arc<Annotated>)>,
    rules: usize,
}

/// Rules remembered before all are forgotten: about 30 MB for each thread.
const MOST_RULES: usize = 100_000;

impl Remembered {
    fn enter(&mut self, scope: u64) {
        if self.scope != scope || self.rules > MOST_RULES {
            *self = Remembered { scope, ..Remembered::default() };
        }
    }

    fn has(&self, edge: &Edge) -> bool {
        self.sides.contains_key(&address(edge))
    }

    fn get(&self, edge: &Edge) -> Arc<Annotated> {
        self.sides[&address(edge)].1.clone()
    }

    fn keep(&mut self, edge: &Edge, annotated: Arc<Annotated>) {
        self.rules += edge.rules().len();
        self.sides.insert(address(edge), (edge.ranked().clone(), annotated));
    }
}

fn address(edge: &Edge) -> usize {
    Arc::as_ptr(edge.ranked()) as usize
}

fn annotated(edges: &[&Edge], values: &[f32], weights: &[f32]) -> Vec<Arc<Annotated>> {
    let mut rest = values;
    let of_edge = |edge: &&Edge| {
        let own;
        (own, rest) = rest.split_at(weights.len() * edge.rules().len());
        Arc::new(Annotated::new(edge.rules(), own, weights))
    };
    edges.iter().map(of_edge).collect()
}

/// The source sides of edges.
struct Sides {
    /// The first edge with each.
    first: Vec<u32>,
    /// The source side of each edge.
    of_edge: Vec<u32>,
}

impl Sides {
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
        Sides { first, of_edge }
    }

    /// For every rule of every edge the place of the same rule among those of the first edges.
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

/// The rules of edges as an annotation sees them; the spans of holes need the forest's numbering.
struct Columns<'a, S> {
    edges: Vec<&'a Edge>,
    forest: &'a Forest<S>,
}

impl<S: Copy> OptionColumns for Columns<'_, S> {
    fn number(&self) -> usize {
        self.edges.iter().map(|edge| edge.rules().len()).sum()
    }

    fn each(&self, found: &mut dyn FnMut(OptionRow<'_>)) {
        let (mut target, mut alignment) = (Vec::new(), Vec::new());
        for edge in &self.edges {
            let holes: Vec<Span> = edge.holes().iter().map(|&cell| self.forest.span(cell)).collect();
            let span = (usize::from(edge.first), usize::from(edge.end));
            let positions = own_positions(span, &holes);
            let symbols = source_symbols(span, &holes);
            for prepared in edge.rules() {
                let symbol = |(&lm_word, &word): (&u32, &u32)| match hole(lm_word) {
                    Some(number) => u32::MAX - 1 - number as u32,
                    None => word,
                };
                target.clear();
                target.extend(prepared.lm_words.iter().zip(&prepared.rule.target).map(symbol));
                alignment.clear();
                alignment.extend(prepared.rule.alignment.iter().filter_map(|&(s, t)| {
                    let position = (*symbols.get(usize::from(s))?)?;
                    Some((positions.binary_search(&position).ok()? as u8, t))
                }));
                found(OptionRow {
                    positions: &positions,
                    target: &target,
                    alignment: &alignment,
                    scores: &prepared.rule.scores,
                    copied: edge.kind == Kind::Copy,
                    context: None,
                    holes: &holes,
                });
            }
        }
    }
}
