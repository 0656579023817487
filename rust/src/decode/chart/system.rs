//! The systems with a chart: their cells, rules and hypothesis features.

use std::sync::Arc;

use super::blocks::{push_merges, BlockReordering, MergeFeature};
use super::dependents::{push_pseudo_rules, DependentsMatcher};
use super::edge::Structure;
use super::forest::Forest;
use super::glue::Glue;
use super::matching::{Match, Matcher};
use super::options::ChartOptions;
use super::pops::PopShares;
use crate::decode::preparation::RulePreparer;
use crate::decode::sentence::Sentence;
use crate::decode::terms::{SentenceTerms, TermUse};
use crate::error::{Error, Result};
use crate::lm::Model;
use crate::rule::symbols::{hole, X};
use crate::source::dependents::HeadDependents;
use crate::source::fragments::Fragments;
use crate::source::spans::{AnySpan, Phrases, Spans};
use crate::source::tree::{is_forest, projectivise};
use crate::table::read::Table;
use crate::table::Grammar;

/// A sentence and its empty chart.
#[derive(Clone, Copy)]
pub struct ChartInput<'a, S> {
    pub table: &'a Table,
    pub sentence: &'a Sentence,
    /// The numbers of the words in the table; `None` for unknown words.
    pub words: &'a [Option<u32>],
    /// The length of the longest cell.
    pub max_span: usize,
    pub forest: &'a Forest<S>,
}

/// A system with a chart.
#[derive(Clone)]
pub enum System {
    /// Rules with holes over any span (HPB).
    Hierarchical,
    /// Rules with holes over the fragments of a dependency graph (DGST).
    Fragments,
    /// Phrases, and merges of neighbouring blocks (BTG).
    Blocks(Arc<BlockReordering>),
    /// Heads with their dependents (Dep2Str).
    HeadDependents,
}

impl System {
    /// Where glue rules may be used.
    pub fn glue(&self, sentence: &Sentence) -> Glue {
        match self {
            System::Hierarchical | System::Fragments => Glue::Free,
            // The span of a term need not be a cell that other rules use.
            System::HeadDependents if longest_term(sentence) > 1 => Glue::Free,
            System::Blocks(_) | System::HeadDependents => Glue::BeyondSpans,
        }
    }

    /// How the pop limit is shared among cells.
    pub fn pop_shares(&self) -> PopShares {
        match self {
            System::Hierarchical | System::Fragments => PopShares::ForGlue,
            System::Blocks(_) => PopShares::ForLongSpans,
            System::HeadDependents => PopShares::Equal,
        }
    }

    /// The length of the longest cell in a sentence. Terms fit in, however long they are.
    pub fn longest(&self, sentence: &Sentence, max_span: usize) -> usize {
        let words = sentence.words.len();
        match self {
            // Every subtree is a cell, however long: rules follow the tree, and nothing else could join its parts.
            System::HeadDependents => words,
            _ => words.min(max_span.max(longest_term(sentence))),
        }
    }

    /// The grammar of the rules in the system's table.
    pub fn grammar(&self) -> Grammar {
        match self {
            System::Hierarchical => Grammar::Hierarchical,
            System::Fragments => Grammar::Fragments,
            System::Blocks(_) => Grammar::Subgraphs,
            System::HeadDependents => Grammar::HeadDependents,
        }
    }

    /// The hypothesis feature of the system, if it has one.
    pub fn feature(&self, sentence: &Sentence) -> Option<MergeFeature<'_>> {
        match self {
            System::Blocks(blocks) => Some(blocks.on_sentence(sentence)),
            System::Hierarchical | System::Fragments | System::HeadDependents => None,
        }
    }

    /// Rejects a sentence that the system cannot translate.
    pub fn check(&self, sentence: &Sentence) -> Result<()> {
        if !matches!(self, System::Fragments | System::HeadDependents) {
            return Ok(());
        }
        let words = sentence.words.len();
        if sentence.heads.len() != words || sentence.tags.len() != words {
            return Err(Error::input("the sentence has no dependency tree with parts of speech.")
                .hint("Give it as CoNLL-U, with UPOS and HEAD."));
        }
        if !is_forest(&sentence.heads) {
            return Err(Error::input("the heads of the sentence form a cycle without a root.")
                .hint("Every word's HEAD must lead to a word with HEAD 0."));
        }
        Ok(())
    }

    /// Adds all edges of a sentence except glue.
    pub fn push_edges<S: Copy>(
        &self,
        input: &ChartInput<'_, S>,
        preparer: &mut RulePreparer<Model>,
        options: &mut ChartOptions,
    ) {
        let ChartInput { table, sentence, words, max_span, forest } = *input;
        let vocabulary = table.source_words();
        let mut dependents = HeadDependents::default();
        let terms = SentenceTerms::new(&sentence.terms, words, table.target_words());
        let labels_as_features = preparer.labels_as_features();
        let mut push =
            |found: Match<'_>| options.push_match(forest, preparer, &found, Structure::None, &terms);
        match self {
            System::Hierarchical => {
                let spans = AnySpan { x: vocabulary.get(&hole(X)) };
                Matcher { table, words, spans: &spans, max_span, labels_beside: false }.matches(&mut push);
            }
            System::Fragments => {
                let heads = projective(&sentence.heads);
                let symbol = |label: &str| vocabulary.get(&hole(label));
                let spans = Fragments::new(&heads, &sentence.tags, max_span, table.settings().shape, symbol);
                let labels_beside = spans.any().is_some() && labels_as_features;
                let matcher = Matcher { table, words, spans: &spans, max_span, labels_beside };
                if spans.any().is_some() {
                    matcher.matches(|found| {
                        let structure = fragment_counts(&spans, &found);
                        options.push_match(forest, preparer, &found, structure, &terms);
                    });
                } else {
                    matcher.matches(&mut push);
                }
            }
            System::Blocks(_) => {
                let spans = Phrases { identity: table.settings().identity };
                Matcher { table, words, spans: &spans, max_span, labels_beside: false }.matches(&mut push);
            }
            System::HeadDependents => {
                let heads = projective(&sentence.heads);
                let symbol = |label: &str| vocabulary.get(label);
                dependents = HeadDependents::new(&heads, &sentence.words, &sentence.tags, symbol);
                let matcher = DependentsMatcher { table, words, dependents: &dependents };
                matcher.matches(|found, general| {
                    options.push_match(forest, preparer, &found, Structure::General(general), &terms);
                });
            }
        }
        options.push_terms(forest, &terms, preparer);
        options.push_copies(forest, &sentence.surface, &terms, preparer);
        options.end_annotatable();
        match self {
            System::Blocks(_) => push_merges(options, forest, words.len(), max_span),
            System::HeadDependents => push_pseudo_rules(options, forest, &dependents, preparer.weights()),
            System::Hierarchical | System::Fragments => {}
        }
    }
}

/// The values of the structural features of a match.
fn fragment_counts(spans: &Fragments, found: &Match<'_>) -> Structure {
    let fragments = found.holes.iter().filter(|&&hole| spans.is_cell(hole)).count();
    Structure::Fragments([u8::from(spans.is_cell(found.span)), fragments as u8, found.labelled as u8])
}

/// The length of the longest required or preferred term.
fn longest_term(sentence: &Sentence) -> usize {
    let used = sentence.terms.iter().filter(|term| term.usage != TermUse::Forbidden);
    used.map(|term| term.span.1 - term.span.0).max().unwrap_or(0)
}

fn projective(heads: &[i32]) -> Vec<i32> {
    let mut heads = heads.to_vec();
    projectivise(&mut heads);
    heads
}
