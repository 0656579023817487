//! The translation options of a sentence: collected, then annotated, then searched.

use std::sync::Arc;

use super::input::Input;
use super::matching::matches;
use super::orientations::orientation_scores;
use crate::decode::features::column;
use crate::decode::option_rows::{Links, OptionColumns, OptionRow};
use crate::decode::preparation::RulePreparer;
use crate::decode::prepared::{by_context, ContextValues, PreparedRule, RankedRules, NOT_BASIC};
use crate::decode::terms::{SentenceTerms, Term};
use crate::decode::LanguageModel;
use crate::rule::bytes::Rule;
use crate::rule::record::Context;
use crate::rule::ORIENTATIONS;
use crate::store::bits::NodeSet;
use crate::table::read::Table;

/// A source subgraph that some rule covers.
#[derive(Clone, Copy, Debug)]
pub struct Subgraph<B: NodeSet> {
    pub set: B,
    pub first: usize,
    pub last: usize,
    /// The number of positions between the first and the last that are not in the set.
    pub gap: usize,
    /// The subgraph's lists are `lists[from..to]`.
    pub from: u32,
    pub to: u32,
}

/// The options of one subgraph and one context, best first: `from..to` in the columns.
#[derive(Clone, Copy, Debug)]
pub struct List<B: NodeSet> {
    /// The nodes that must have links to words still untranslated; `None` for basic rules.
    pub context: Option<B>,
    /// ln p(c|g) if contexts are features; 0 otherwise.
    pub probability: f32,
    pub from: u32,
    pub to: u32,
}

/// The source of an option's rule.
enum Origin {
    /// Its place among the rules of its subgraph.
    Table(u32),
    /// An unknown word, copied.
    Copy(Box<Rule>),
    Term(Box<(Rule, Term)>),
}

/// All options of a sentence, as columns.
pub struct StackOptions<B: NodeSet> {
    pub subgraphs: Vec<Subgraph<B>>,
    /// The rules of each subgraph, if they are from the table.
    rules: Vec<Option<Arc<RankedRules>>>,
    pub lists: Vec<List<B>>,
    /// The subgraph of each option.
    pub subgraph_of: Vec<u32>,
    /// The weighted sum of the features that do not depend on the hypothesis.
    pub score: Vec<f32>,
    /// `score` plus the language model score of the target words without context.
    pub estimate: Vec<f32>,
    /// Options of a subgraph with the same number, unless it is [`NOT_BASIC`], have the same words.
    pub target_side: Vec<u32>,
    words: Vec<u32>,
    word_ends: Vec<u32>,
    /// ln p of each orientation; empty if the model does not use them.
    pub orientations: Vec<[f32; ORIENTATIONS]>,
    origins: Vec<Origin>,
    /// Values of added features, `added_columns` for each option.
    pub added: Vec<f32>,
    pub added_columns: usize,
}

impl<B: NodeSet> StackOptions<B> {
    pub fn collect<L: LanguageModel>(
        table: &Table,
        input: &Input<'_, B>,
        terms: &[Term],
        soft_context: bool,
        preparer: &mut RulePreparer<L>,
    ) -> Self {
        let terms = SentenceTerms::new(terms, &input.words, table.target_words());
        let mut found: Vec<(B, Arc<RankedRules>)> = Vec::new();
        matches(table, input, |positions, node| {
            let set = positions.iter().fold(B::default(), |set, &p| set.with(p));
            let symbols = || positions.iter().copied().map(Some).collect();
            let rules = terms.allowed(preparer.get(node, 0), symbols);
            if !rules.is_empty() {
                found.push((set, rules));
            }
        });
        // A subgraph has one source side, whether gaps or links identify it, so it is found once.
        let number = found.iter().map(|(_, ranked)| ranked.len()).sum();
        let mut options = StackOptions {
            subgraphs: Vec::with_capacity(found.len()),
            rules: Vec::with_capacity(found.len()),
            lists: Vec::with_capacity(found.len()),
            subgraph_of: Vec::with_capacity(number),
            score: Vec::with_capacity(number),
            estimate: Vec::with_capacity(number),
            target_side: Vec::with_capacity(number),
            words: Vec::with_capacity(2 * number),
            word_ends: Vec::with_capacity(number),
            orientations: Vec::new(),
            origins: Vec::with_capacity(number),
            added: Vec::new(),
            added_columns: 0,
        };
        let reorders = preparer.weights().has_reordering();
        let mut alone_known = B::default();
        for (set, ranked) in &found {
            if set.len() == 1 && ranked.iter().any(|one| one.rule.context == Context::Any) {
                alone_known = alone_known.union(*set);
            }
            let outward = if soft_context { *set } else { input.outward(*set) };
            options.add_subgraph(*set, outward, preparer.weights().of(column::GAP), ranked, reorders);
        }
        for (_, term) in terms.translations() {
            let set = B::range(term.span.0, term.span.1);
            if set.len() == 1 {
                alone_known = alone_known.union(set);
            }
            options.add_term(set, term, preparer.term(term, terms.source_words(term)), reorders);
        }
        let copied = |&p: &usize| !alone_known.contains(p) && !terms.reserves(p);
        for position in (0..input.len()).filter(copied) {
            options.add_copy(position, &input.surface[position], preparer, reorders);
        }
        options
    }

    fn open_subgraph(&mut self, set: B, rules: Option<Arc<RankedRules>>) -> (u32, usize) {
        let (first, last) = (set.first().unwrap_or(0), set.last().unwrap_or(0));
        let gap = last + 1 - first - set.len();
        let lists = self.lists.len() as u32;
        self.subgraphs.push(Subgraph { set, first, last, gap, from: lists, to: lists });
        self.rules.push(rules);
        (self.subgraphs.len() as u32 - 1, gap)
    }

    /// Adds the rules of a subgraph. Contexts with other nodes than `outward` cannot apply.
    fn add_subgraph(
        &mut self,
        set: B,
        outward: B,
        gap_weight: f32,
        ranked: &Arc<RankedRules>,
        reorders: bool,
    ) {
        let (number, gap) = self.open_subgraph(set, Some(ranked.clone()));
        let gap_score = -gap_weight * gap as f32;
        let mut place = 0;
        for (context, rules) in by_context(ranked) {
            let first = place;
            place += rules.len() as u32;
            let context = match context {
                Context::Any => None,
                Context::Nodes(nodes) => {
                    let members = set.iter().enumerate().filter(|&(k, _)| nodes >> k & 1 == 1);
                    Some(members.fold(B::default(), |set, (_, p)| set.with(p)))
                }
            };
            if context.is_some_and(|context| context.minus(outward) != B::default()) {
                continue;
            }
            let from = self.score.len() as u32;
            self.subgraph_of.extend(std::iter::repeat_n(number, rules.len()));
            self.score.extend(rules.iter().map(|one| one.score + gap_score));
            self.estimate.extend(rules.iter().map(|one| one.estimate + gap_score));
            self.target_side.extend(rules.iter().map(|one| one.target_side));
            for one in rules {
                self.words.extend_from_slice(&one.lm_words);
                self.word_ends.push(self.words.len() as u32);
            }
            self.origins.extend((first..place).map(Origin::Table));
            if reorders {
                self.orientations.extend(rules.iter().map(|one| orientation_scores(&one.rule.orientations)));
            }
            let probability = rules.first().map_or(0.0, |one| one.context.probability);
            self.lists.push(List { context, probability, from, to: self.score.len() as u32 });
        }
        self.close_subgraph();
    }

    fn add_term(&mut self, set: B, term: &Term, prepared: PreparedRule, reorders: bool) {
        let origin = Origin::Term(Box::new((prepared.rule, term.clone())));
        self.add_single(set, prepared.score, prepared.estimate, &prepared.lm_words, origin, reorders);
    }

    fn add_copy<L: LanguageModel>(
        &mut self,
        position: usize,
        word: &str,
        preparer: &RulePreparer<L>,
        reorders: bool,
    ) {
        let copy = preparer.copy(word);
        let (set, origin) = (B::single(position), Origin::Copy(Box::new(copy.rule)));
        self.add_single(set, copy.score, copy.estimate, &copy.lm_words, origin, reorders);
    }

    /// Adds a subgraph with one option.
    fn add_single(
        &mut self,
        set: B,
        score: f32,
        estimate: f32,
        words: &[u32],
        origin: Origin,
        reorders: bool,
    ) {
        let (number, _) = self.open_subgraph(set, None);
        let from = self.score.len() as u32;
        self.subgraph_of.push(number);
        self.score.push(score);
        self.estimate.push(estimate);
        self.target_side.push(NOT_BASIC);
        self.words.extend_from_slice(words);
        self.word_ends.push(self.words.len() as u32);
        self.origins.push(origin);
        if reorders {
            self.orientations.push([0.0; ORIENTATIONS]);
        }
        self.lists.push(List { context: None, probability: 0.0, from, to: from + 1 });
        self.close_subgraph();
    }

    fn close_subgraph(&mut self) {
        let lists = self.lists.len() as u32;
        if let Some(subgraph) = self.subgraphs.last_mut() {
            subgraph.to = lists;
        }
    }

    pub fn len(&self) -> usize {
        self.score.len()
    }

    pub fn is_empty(&self) -> bool {
        self.score.is_empty()
    }

    /// The target words as the language model numbers them.
    #[inline]
    pub fn lm_words(&self, option: u32) -> &[u32] {
        let option = option as usize;
        let from = if option == 0 { 0 } else { self.word_ends[option - 1] as usize };
        &self.words[from..self.word_ends[option] as usize]
    }

    #[inline]
    pub fn subgraph(&self, option: u32) -> &Subgraph<B> {
        &self.subgraphs[self.subgraph_of[option as usize] as usize]
    }

    pub fn rule(&self, option: u32) -> &Rule {
        match &self.origins[option as usize] {
            Origin::Table(place) => &self.prepared(option, *place).rule,
            Origin::Copy(rule) => rule,
            Origin::Term(term) => &term.0,
        }
    }

    /// What the context of an option adds.
    pub fn context(&self, option: u32) -> ContextValues {
        match &self.origins[option as usize] {
            Origin::Table(place) => self.prepared(option, *place).context,
            Origin::Copy(_) | Origin::Term(_) => ContextValues::default(),
        }
    }

    /// The rule of an option from the table.
    fn prepared(&self, option: u32, place: u32) -> &PreparedRule {
        let rules = &self.rules[self.subgraph_of[option as usize] as usize];
        let ranked = rules.as_ref().expect("an option from the table has the rules of its subgraph");
        &ranked[place as usize]
    }

    pub fn is_copy(&self, option: u32) -> bool {
        matches!(self.origins[option as usize], Origin::Copy(_))
    }

    /// The term of an option, if it is one.
    pub fn term(&self, option: u32) -> Option<&Term> {
        match &self.origins[option as usize] {
            Origin::Term(term) => Some(&term.1),
            Origin::Table(..) | Origin::Copy(_) => None,
        }
    }

    /// Adds feature columns (`columns` values for each option, option by option) and re-ranks every list.
    pub fn annotate(&mut self, columns: usize, values: Vec<f32>, weights: &[f32]) {
        debug_assert_eq!(values.len(), columns * self.len());
        for (option, row) in values.chunks_exact(columns.max(1)).enumerate() {
            let more: f32 = row.iter().zip(weights).map(|(value, weight)| value * weight).sum();
            self.score[option] += more;
            self.estimate[option] += more;
        }
        self.added = values;
        self.added_columns = columns;
        self.rank();
    }

    /// Sorts every list by estimate, best first.
    pub(super) fn rank(&mut self) {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        for list in &self.lists {
            order[list.from as usize..list.to as usize]
                .sort_by(|&a, &b| self.estimate[b as usize].total_cmp(&self.estimate[a as usize]));
        }
        self.reorder(&order);
    }

    fn reorder(&mut self, order: &[u32]) {
        let pick = |column: &[f32]| order.iter().map(|&o| column[o as usize]).collect::<Vec<_>>();
        self.score = pick(&self.score);
        self.estimate = pick(&self.estimate);
        self.target_side = order.iter().map(|&o| self.target_side[o as usize]).collect();
        let mut words = Vec::with_capacity(self.words.len());
        let mut ends = Vec::with_capacity(order.len());
        for &option in order {
            words.extend_from_slice(self.lm_words(option));
            ends.push(words.len() as u32);
        }
        (self.words, self.word_ends) = (words, ends);
        if !self.orientations.is_empty() {
            self.orientations = order.iter().map(|&o| self.orientations[o as usize]).collect();
        }
        let columns = self.added_columns;
        self.added = order
            .iter()
            .flat_map(|&o| &self.added[o as usize * columns..(o as usize + 1) * columns])
            .copied()
            .collect();
        let mut origins: Vec<Option<Origin>> = self.origins.drain(..).map(Some).collect();
        self.origins = order.iter().filter_map(|&o| origins[o as usize].take()).collect();
    }
}

impl<B: NodeSet> OptionColumns for StackOptions<B> {
    fn number(&self) -> usize {
        self.len()
    }

    fn each(&self, found: &mut dyn FnMut(OptionRow<'_>)) {
        let mut positions = Vec::new();
        for option in 0..self.len() as u32 {
            let rule = self.rule(option);
            positions.clear();
            positions.extend(self.subgraph(option).set.iter());
            found(OptionRow {
                match_id: self.subgraph_of[option as usize],
                positions: &positions,
                target: &rule.target,
                lm_words: &[],
                alignment: Links::of(&rule.alignment),
                scores: &rule.scores,
                copied: self.is_copy(option) || self.term(option).is_some(),
                holes: &[],
                context: match rule.context {
                    Context::Any => None,
                    Context::Nodes(nodes) => Some(nodes),
                },
            });
        }
    }
}
