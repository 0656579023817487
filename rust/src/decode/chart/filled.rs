//! A sentence with its filled chart, from which translations, derivations and graphs are read.

use std::sync::Arc;

use super::edge::Edge;
use super::first_pass::KeptChart;
use super::forest::{Forest, HypothesisId};
use super::kbest::{KBest, RuleText};
use crate::decode::features::Weights;
use crate::decode::hypothesis_feature::HypothesisFeature;
use crate::decode::hypothesis_feature::RuleKind;
use crate::decode::prepared::hole;
use crate::decode::sentence::Sentence;
use crate::decode::text_key::TextKey;
use crate::decode::translator::SpanTranslations;
use crate::lm::Model;
use crate::rule::symbols::label;
use crate::rule::symbols::MAX_HOLES;
use crate::source::dependents::PHRASE;
use crate::table::read::Table;
use crate::table::Grammar;

/// A word of a translation.
pub enum TargetWord<'a> {
    /// A word of the table's target vocabulary.
    OfTable(u32),
    /// A word of a term, or one that is copied.
    Text(&'a str),
}

pub struct FilledChart<'a, F: HypothesisFeature> {
    pub sentence: &'a Sentence,
    pub edges: Arc<Vec<Edge>>,
    pub forest: Arc<Forest<F::State>>,
    pub table: &'a Table,
    pub lm: &'a Model,
    pub weights: &'a Weights,
    pub features: &'a F,
}

impl<F: HypothesisFeature> FilledChart<'_, F> {
    pub fn edge(&self, number: u32) -> &Edge {
        &self.edges[number as usize]
    }

    /// What derivations of the sentence use of it.
    pub fn kept(&self) -> KeptChart<F::State> {
        KeptChart::new(&self.edges, &self.forest)
    }

    /// The same chart without what no derivation of the sentence uses.
    pub fn reduced(self) -> Self {
        let KeptChart { edges, forest } = self.kept();
        FilledChart { edges, forest, ..self }
    }

    /// Calls `each` with the target symbols of a rule: words, or the number of a hole.
    fn for_each_symbol<'b>(
        &'b self,
        edge: u32,
        rank: u16,
        mut each: impl FnMut(Result<TargetWord<'b>, usize>),
    ) {
        let edge = self.edge(edge);
        let Some(chosen) = edge.rule_at(usize::from(rank)) else { return };
        if let Some(number) = edge.term {
            let words = &self.sentence.terms[number as usize].target;
            return words.iter().for_each(|word| each(Ok(TargetWord::Text(word))));
        }
        for (&lm_word, &word) in chosen.rule.lm_words.iter().zip(&chosen.rule.rule.target) {
            each(match (hole(lm_word), edge.kind) {
                (Some(number), _) => Err(number),
                (None, RuleKind::Copy) => {
                    Ok(TargetWord::Text(&self.sentence.surface[usize::from(edge.first)]))
                }
                (None, _) => Ok(TargetWord::OfTable(word)),
            });
        }
    }

    fn written<'b>(&'b self, word: TargetWord<'b>) -> &'b str {
        match word {
            TargetWord::OfTable(word) => self.table.target_words().word(word),
            TargetWord::Text(word) => word,
        }
    }

    /// The target symbols of a rule: words, or the number of a hole.
    pub fn symbols(&self, edge: u32, rank: u16) -> Vec<Result<&str, usize>> {
        let mut symbols = Vec::new();
        self.for_each_symbol(edge, rank, |symbol| symbols.push(symbol.map(|word| self.written(word))));
        symbols
    }

    /// The labels of a rule's holes, in source order; empty for rules that are not from a table.
    pub fn labels(&self, edge: u32) -> Vec<&str> {
        let words = self.table.source_words();
        self.source_side(edge).into_iter().filter_map(|(symbol, _)| label(words.word(symbol))).collect()
    }

    /// The kind of an edge's rules, as named in derivations.
    pub fn kind(&self, edge: u32) -> &'static str {
        let has_phrases = self.table.settings().grammar == Grammar::HeadDependents;
        match self.source_side(edge).get(1) {
            Some((_, PHRASE)) if has_phrases => "phrase",
            _ => self.edge(edge).kind.name(),
        }
    }

    fn source_side(&self, edge: u32) -> Vec<(u32, u16)> {
        self.edge(edge).node.map_or(Vec::new(), |node| self.table.source_side(node))
    }

    /// The words of a rule as keys, to find equal texts.
    pub fn rule_text(&self, edge: u32, rank: u16) -> RuleText {
        let mut first = TextKey::EMPTY;
        let mut rest: Vec<(usize, TextKey)> = Vec::new();
        for symbol in self.symbols(edge, rank) {
            match symbol {
                Err(number) => rest.push((number, TextKey::EMPTY)),
                Ok(word) => {
                    let key = rest.last_mut().map_or(&mut first, |(_, key)| key);
                    *key = key.then(TextKey::of(std::iter::once(word)));
                }
            }
        }
        (first, rest)
    }

    /// The words of the best derivation of a hypothesis.
    pub fn text(&self, id: HypothesisId) -> Vec<String> {
        let mut words = Vec::new();
        let mut best =
            |id, _| self.forest.hyperedges_of(id).next().map(|(number, _)| (number, [0; MAX_HOLES]));
        self.for_each_word_of(&mut best, id, 0, &mut |word| words.push(self.written(word).to_owned()));
        words
    }

    /// Calls `each` with the words of a hypothesis's derivation at a rank; `hyperedge_of` gives its hyperedge, and the
    /// ranks of the derivations that fill the holes.
    fn for_each_word_of<'b>(
        &'b self,
        hyperedge_of: &mut impl FnMut(HypothesisId, u32) -> Option<(u32, [u32; MAX_HOLES])>,
        id: HypothesisId,
        rank: u32,
        each: &mut impl FnMut(TargetWord<'b>),
    ) {
        let Some((hyperedge, ranks)) = hyperedge_of(id, rank) else { return };
        let hyperedge = &self.forest.hyperedges[hyperedge as usize];
        self.for_each_symbol(hyperedge.edge, hyperedge.rank, |symbol| match symbol {
            Ok(word) => each(word),
            Err(number) => {
                self.for_each_word_of(hyperedge_of, hyperedge.holes[number], ranks[number], each);
            }
        });
    }

    /// The best translations of every span that has some and at least `shortest` words, at most `most` distinct texts
    /// each.
    pub fn span_translations(&self, most: usize, shortest: usize) -> Vec<SpanTranslations> {
        let words = self.sentence.words.len();
        let mut found = Vec::new();
        for first in 0..words {
            for end in first + shortest.max(1)..=words {
                let mut translations: Vec<(Vec<String>, f32)> = Vec::new();
                let score = |id: &HypothesisId| self.forest.hypotheses[*id as usize].score_with_bonus();
                let mut cell: Vec<HypothesisId> =
                    self.forest.cell(self.forest.span_cell((first, end))).collect();
                cell.sort_by(|a, b| score(b).total_cmp(&score(a)));
                for id in cell {
                    if translations.len() == most {
                        break;
                    }
                    let text = self.text(id);
                    if translations.iter().all(|(other, _)| *other != text) {
                        translations.push((text, score(&id)));
                    }
                }
                if !translations.is_empty() {
                    found.push(SpanTranslations { span: (first, end), translations });
                }
            }
        }
        found
    }

    /// The spans of the best derivation, each with its translation in it, larger ones first.
    pub fn derived_spans(&self) -> Vec<SpanTranslations> {
        let mut found: Vec<SpanTranslations> = Vec::new();
        let mut open = vec![self.forest.goal];
        while let Some(id) = open.pop() {
            let Some((_, hyperedge)) = self.forest.hyperedges_of(id).next() else { continue };
            open.extend(hyperedge.holes());
            let edge = self.edge(hyperedge.edge);
            let span = (usize::from(edge.first), usize::from(edge.end));
            // The beginning of the sentence is empty; glue and the end repeat spans.
            let again = found.iter().any(|one| one.span == span);
            if span.0 < span.1 && !again {
                let score = self.forest.hypotheses[id as usize].score;
                found.push(SpanTranslations { span, translations: vec![(self.text(id), score)] });
            }
        }
        found
    }

    /// Calls `each` with the words of the sentence's derivation at a rank.
    pub fn for_each_word<'b>(
        &'b self,
        derivations: &mut KBest<'_, F::State>,
        rank: u32,
        each: &mut impl FnMut(TargetWord<'b>),
    ) {
        let mut hyperedge_of =
            |id, rank| derivations.get(id, rank).map(|found| (found.hyperedge, found.ranks));
        self.for_each_word_of(&mut hyperedge_of, self.forest.goal, rank, each);
    }

    /// The words of the sentence's derivation at a rank.
    pub fn words_of(&self, derivations: &mut KBest<'_, F::State>, rank: u32) -> Vec<String> {
        let mut words = Vec::new();
        self.for_each_word(derivations, rank, &mut |word| words.push(self.written(word).to_owned()));
        words
    }

    /// Calls `read` with the derivations of the sentence, which are computed on demand.
    pub fn k_best<R>(&self, distinct: bool, read: impl FnOnce(&mut KBest<'_, F::State>) -> R) -> R {
        let texts = |edge, rank| self.rule_text(edge, rank);
        let mut derivations = KBest::new(&self.forest, if distinct { Some(&texts) } else { None });
        read(&mut derivations)
    }
}
