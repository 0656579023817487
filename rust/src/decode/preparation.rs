//! The rules of a source side, scored, pruned and ranked for the search; prepared once for each source side.

use std::sync::Arc;

use super::best_rules::BestRules;
use super::context_features::{self, ContextCounts, OneContext};
use super::features::{column, Weights};
use super::prepared::{
    hole, word_count, ContextValues, PreparedRule, RankedRules, FIRST_HOLE, NOT_BASIC, TARGET_GIVEN_SOURCE,
};
use super::shared_rules::{SharedRules, MAX_RULES_HELD};
use super::target_scores::{lm_score_alone, TargetScores};
use super::terms::{Term, TermUse};
use super::LanguageModel;
use crate::rule::bytes::{Rule, Symbols};
use crate::rule::record::Context;
use crate::rule::symbols::{target_hole, MAX_HOLES};
use crate::store::hashing::FastMap;
use crate::table::read::{Node, Table};
use crate::work::pool::Pool;

/// Which rules of the table the search may use.
#[derive(Clone, Copy, Debug)]
pub struct RuleFilter {
    /// At most this many for each source side and context.
    pub limit: usize,
    /// Rules whose context has links to words that are still untranslated.
    pub segmenting: bool,
    /// Rules whose context has no such link.
    pub selecting: bool,
    /// Contexts are features of basic rules, see [`super::context_features`].
    pub contexts_as_features: bool,
    /// The labels of holes that any span can fill are features of rules without labels.
    pub labels_as_features: bool,
}

impl RuleFilter {
    /// Every kind of rule.
    pub fn all(limit: usize) -> Self {
        RuleFilter {
            limit,
            segmenting: true,
            selecting: true,
            contexts_as_features: false,
            labels_as_features: false,
        }
    }

    /// Rules without contexts alone, as in a chart.
    pub fn basic(limit: usize) -> Self {
        RuleFilter { segmenting: false, selecting: false, ..RuleFilter::all(limit) }
    }

    fn allows(self, context: Context) -> bool {
        match context {
            Context::Any => true,
            Context::Nodes(0) => self.selecting,
            Context::Nodes(_) => self.segmenting,
        }
    }
}

/// Prepares source sides for one thread. Threads may share what they have prepared.
pub struct RulePreparer<L: LanguageModel> {
    table: Arc<Table>,
    lm: Arc<L>,
    weights: Arc<Weights>,
    filter: RuleFilter,
    /// The numbers of target words in the language model; [`NOT_LOOKED_UP`] before their first use.
    lm_words: Vec<u32>,
    alone: TargetScores,
    best: BestRules,
    /// The rules of the source side that is prepared, before they get memory of their own.
    ranked: Vec<PreparedRule>,
    made: Arc<SharedRules>,
    /// Rules with what the labels of their holes add, by their node and that of the same symbols with labels, if any.
    with_labels: FastMap<(Node, Option<Node>), Arc<RankedRules>>,
    /// The number of rules in `with_labels`.
    labelled_held: usize,
    /// The occurrences of source sides that labels were added to.
    occurrences: FastMap<Node, f32>,
}

/// No word of a language model and no hole has this number.
const NOT_LOOKED_UP: u32 = u32::MAX;

impl<L: LanguageModel> RulePreparer<L> {
    pub fn new(table: Arc<Table>, lm: Arc<L>, weights: Arc<Weights>, filter: RuleFilter) -> Self {
        let (made, alone, with_labels, occurrences) = Default::default();
        let lm_words = vec![NOT_LOOKED_UP; table.target_words().len()];
        RulePreparer {
            table,
            lm,
            weights,
            filter,
            lm_words,
            alone,
            best: BestRules::new(filter.limit),
            ranked: Vec::new(),
            made,
            with_labels,
            labelled_held: 0,
            occurrences,
        }
    }

    /// The same with rules that other preparers of the same table, model, weights and filter have prepared.
    pub fn sharing(self, made: Arc<SharedRules>) -> Self {
        RulePreparer { made, ..self }
    }

    pub fn lm(&self) -> &L {
        &self.lm
    }

    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    pub fn labels_as_features(&self) -> bool {
        self.filter.labels_as_features
    }

    /// The rule that copies an unknown word. The target word has no number in the table; it is known by its position.
    pub fn copy(&self, word: &str) -> PreparedRule {
        let lm_words = Symbols::from([self.lm.word(word)]);
        let rule = Rule { target: [u32::MAX].into(), alignment: [(0, 0)].into(), ..Rule::default() };
        self.beside_table(rule, lm_words, -self.weights.of(column::UNKNOWN))
    }

    /// The rule of a term; `source` are the words of its span if the table knows them. Target words that the table does
    /// not know have no number.
    pub fn term(&self, term: &Term, source: Option<Vec<u32>>) -> PreparedRule {
        let (lm, weights, vocabulary) = (&*self.lm, &*self.weights, self.table.target_words());
        let lm_words: Symbols = term.lookup.iter().map(|word| lm.word(word)).collect();
        let mut rule = Rule {
            target: term.lookup.iter().map(|word| vocabulary.get(word).unwrap_or(u32::MAX)).collect(),
            alignment: term.alignment[..].into(),
            ..Rule::default()
        };
        rule.scores[TARGET_GIVEN_SOURCE] = term.log_probability;
        if let (TermUse::Chosen, Some(source)) = (term.usage, source) {
            self.take_scores(&source, &lm_words, &mut rule);
        }
        let preferred = if term.usage == TermUse::Preferred { weights.of(column::GLOSSARY) } else { 0.0 };
        self.beside_table(rule, lm_words, preferred)
    }

    /// A rule that is not in the table; `added` is what it scores beside its own features.
    fn beside_table(&self, rule: Rule, lm_words: Symbols, added: f32) -> PreparedRule {
        let (lm, weights) = (&*self.lm, &*self.weights);
        let score = own_score(&rule, &lm_words, weights) + added;
        let estimate = score + weights.of(column::LM) * lm_score_alone(lm, &lm_words);
        PreparedRule {
            rule,
            lm_words,
            score,
            estimate,
            context: ContextValues::default(),
            target_side: NOT_BASIC,
        }
    }

    /// Gives a rule the scores of the table's rule with these source words and its target words, if there is one; of
    /// several, which differ in links or gaps, the best.
    fn take_scores(&self, source: &[u32], lm_words: &[u32], rule: &mut Rule) {
        let mut nodes: Vec<Node> = self.table.start(source[0]).into_iter().collect();
        for &word in &source[1..] {
            let mut next = Vec::new();
            for node in nodes {
                self.table.children_with(node, word, |_, child| next.push(child));
            }
            nodes = next;
        }
        let mut best = f32::NEG_INFINITY;
        for node in nodes {
            self.table.rules(node, |found| {
                let score = own_score(found, lm_words, &self.weights);
                if found.context == Context::Any && found.target == rule.target && score > best {
                    best = score;
                    rule.scores = found.scores;
                }
            });
        }
    }

    /// The rules of a node whose source side has so many holes.
    pub fn get(&mut self, node: Node, holes: usize) -> Arc<RankedRules> {
        if let Some(ranked) = self.made.get(node) {
            return ranked;
        }
        let ranked = self.make(node, holes);
        self.made.keep(node, &ranked);
        ranked
    }

    /// The rules of a node with what the labels of their holes add; `labelled` is the node of the same symbols with
    /// these labels, if the table has it.
    pub fn get_with_labels(&mut self, node: Node, holes: usize, labelled: Option<Node>) -> Arc<RankedRules> {
        if let Some(ranked) = self.with_labels.get(&(node, labelled)) {
            return ranked.clone();
        }
        let plain = self.get(node, holes);
        let table = &self.table;
        let occurrences = *self.occurrences.entry(node).or_insert_with(|| {
            let mut sum = 0.0;
            table.rules(node, |rule| sum += context_features::occurrences(rule));
            sum
        });
        let mut labels = OneContext::default();
        if let Some(labelled) = labelled {
            table.rules(labelled, |rule| labels.add(rule));
        }
        let ranked: Arc<RankedRules> = labels.informs(&plain, occurrences, &self.weights).into();
        if self.labelled_held > MAX_RULES_HELD {
            self.with_labels.clear();
            self.occurrences.clear();
            self.labelled_held = 0;
        }
        self.labelled_held += ranked.len();
        self.with_labels.insert((node, labelled), ranked.clone());
        ranked
    }

    fn make(&mut self, node: Node, holes: usize) -> Arc<RankedRules> {
        let (table, lm, weights, filter) = (&self.table, &*self.lm, &*self.weights, self.filter);
        let words = table.target_words();
        let (lm_words, alone, best, ranked) =
            (&mut self.lm_words, &mut self.alone, &mut self.best, &mut self.ranked);
        alone.clear();
        ranked.clear();
        // The rules of a context follow one another.
        let mut context = None;
        let (mut known, mut counts) = (Symbols::new(), ContextCounts::default());
        table.rules(node, |rule| {
            if !filter.allows(rule.context) {
                return;
            }
            if filter.contexts_as_features {
                counts.add(rule);
                if rule.context != Context::Any {
                    return;
                }
            }
            let known_word = |word| match target_hole(words.word(word)) {
                Some(hole) => FIRST_HOLE + hole as u32,
                None => lm.word(words.word(word)),
            };
            // A damaged file may have numbers that no word has.
            let looked_up = |&word: &u32| match lm_words.get_mut(word as usize) {
                Some(known) if *known == NOT_LOOKED_UP => {
                    *known = known_word(word);
                    *known
                }
                Some(known) => *known,
                None => lm.word(words.word(word)),
            };
            known.clear();
            rule.target.iter().map(looked_up).for_each(|word| known.push(word));
            let score = own_score(rule, &known, weights);
            if context != Some(rule.context) {
                best.move_to(ranked);
                context = Some(rule.context);
            }
            // Probabilities are at most 1, so the score alone may be too low.
            if weights.of(column::LM) >= 0.0 && best.last().is_some_and(|last| last >= score) {
                return;
            }
            let (alone, target_side) = alone.score(lm, rule.context, &rule.target, &known);
            let estimate = score + weights.of(column::LM) * alone;
            // Rules come in the order of their target sides, so ties are always broken the same way.
            if let Some(rank) = best.rank(estimate) {
                if !rule.is_sound(words.len() as u32) || !fills_once(&known, holes) {
                    return table.found_damage();
                }
                best.insert(rank, rule, &known, (score, estimate), target_side);
            }
        });
        best.move_to(ranked);
        match filter.contexts_as_features {
            true => counts.as_features(ranked, weights).into(),
            false => ranked.drain(..).collect(),
        }
    }
}

/// The preparers of a decoder's threads: prepared rules are reused from sentence to sentence, by all threads.
pub struct RulePreparers<L: LanguageModel> {
    idle: Pool<RulePreparer<L>>,
    made: Arc<SharedRules>,
}

impl<L: LanguageModel> Default for RulePreparers<L> {
    fn default() -> Self {
        RulePreparers { idle: Pool::default(), made: Arc::default() }
    }
}

impl<L: LanguageModel> RulePreparers<L> {
    /// Lends a preparer to `work`; `make` makes one if none is idle.
    pub fn lend<R>(
        &self,
        make: impl FnOnce() -> RulePreparer<L>,
        work: impl FnOnce(&mut RulePreparer<L>) -> R,
    ) -> R {
        self.idle.lend(|| make().sharing(self.made.clone()), work)
    }
}

/// Whether the target side uses each of this many holes at most once. A damaged file may not, and would lead to texts
/// of unbounded length.
fn fills_once(lm_words: &[u32], holes: usize) -> bool {
    let mut filled = [false; MAX_HOLES];
    let mut named = lm_words.iter().filter_map(|&word| hole(word));
    named.all(|one| one < holes && !std::mem::replace(&mut filled[one], true))
}

/// The weighted sum of the features that do not depend on where a rule is used.
fn own_score(rule: &Rule, lm_words: &[u32], weights: &Weights) -> f32 {
    let table: f32 =
        rule.scores.iter().enumerate().map(|(i, score)| weights.of(column::SCORES + i) * score).sum();
    let basic = if rule.context == Context::Any { weights.of(column::BASIC_RULE) } else { 0.0 };
    table + weights.of(column::RULE_PENALTY) - weights.of(column::WORD_PENALTY) * word_count(lm_words) as f32
        + basic
}
