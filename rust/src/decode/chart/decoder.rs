//! Everything a translation by chart needs, in one object that many threads may use.

use std::sync::Arc;

use super::annotation::annotate as annotate_edges;
use super::cube::{CubeLimits, CubePruner};
use super::derivation::derive;
use super::extra::Extra;
use super::filled::FilledChart;
use super::forced::ReferenceConstraint;
use super::forest::{Forest, NONE};
use super::glue;
use super::hypergraph::to_json_lines;
use super::options::ChartOptions;
use super::system::{ChartInput, System};
use super::texts::{weighted, HypothesisTexts};
use crate::decode::annotate::Annotate;
use crate::decode::annotate::Annotators;
use crate::decode::derivation::Derivation;
use crate::decode::features::{column, Weights};
use crate::decode::pieces;
use crate::decode::prepared::{RuleFilter, RulePreparer, RulePreparers};
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::SpanScorer;
use crate::decode::translator::{
    no_finite_score, ForcedResult, NBestRequest, SpanTranslations, Translations, Translator,
};
use crate::error::{Error, Result};
use crate::lm::Model;
use crate::store::watched::checked;
use crate::table::read::Table;
use crate::work::interrupt;

/// The longest sentence that one chart takes: its cells grow with the square.
pub const MAX_WORDS: usize = 1000;

/// Where opinions of whole texts may change their order, twice as many texts as are wanted are looked at, and this many more.
const EXTRA_CANDIDATES: usize = 20;

/// The fewest texts that opinions choose from: as many as for lists of 100, which the weights of opinions are tuned on.
const MIN_POOL: usize = 2 * 100 + EXTRA_CANDIDATES;

/// How a chart is built.
#[derive(Clone, Copy, Debug)]
pub struct ChartSettings {
    pub limits: CubeLimits,
    /// Most words that a rule covers, holes included; glue above.
    pub max_span: usize,
    pub choice: RuleFilter,
}

pub struct ChartDecoder {
    system: System,
    table: Arc<Table>,
    lm: Arc<Model>,
    weights: Arc<Weights>,
    settings: ChartSettings,
    annotators: Annotators,
    span_scorer: Option<Arc<dyn SpanScorer>>,
    preparers: RulePreparers<Model>,
}

impl ChartDecoder {
    pub fn new(
        system: System,
        table: Arc<Table>,
        lm: Arc<Model>,
        weights: Weights,
        settings: ChartSettings,
    ) -> Result<Self> {
        if table.settings().grammar != system.grammar() {
            return Err(Error::input("this rule table holds the rules of another kind of system.")
                .hint("Extract the rules again for this system."));
        }
        let preparers = RulePreparers::default();
        let annotators = Annotators::from([]);
        let (weights, span_scorer) = (Arc::new(weights), None);
        Ok(ChartDecoder { system, table, lm, weights, settings, annotators, span_scorer, preparers })
    }

    fn rebuilt(
        &self,
        annotators: Annotators,
        span_scorer: Option<Arc<dyn SpanScorer>>,
        weights: Weights,
    ) -> Self {
        ChartDecoder {
            annotators,
            span_scorer,
            system: self.system.clone(),
            table: self.table.clone(),
            lm: self.lm.clone(),
            weights: Arc::new(weights),
            settings: self.settings,
            preparers: RulePreparers::default(),
        }
    }

    /// The weights of added columns: those of options, those of opinions.
    fn added(&self) -> Result<(&[f32], &[f32])> {
        let added = self.weights.added();
        let scorer_columns = self.span_scorer.as_ref().map_or(0, |span_scorer| span_scorer.columns());
        added.split_at_checked(added.len().wrapping_sub(scorer_columns)).ok_or_else(|| {
            let given = added.len();
            Error::option(format!(
                "{given} weights for added features; {scorer_columns} were expected at least."
            ))
        })
    }

    /// Fills the chart of a sentence.
    pub fn search<'a, E: Extra>(
        &'a self,
        sentence: &'a Sentence,
        extra: &'a E,
        keep_hyperedges: bool,
        annotate: Option<Annotate<'_>>,
    ) -> Result<FilledChart<'a, E>> {
        let words = sentence.words.len();
        self.system.check(sentence)?;
        debug_assert!(words <= MAX_WORDS);
        let mut forest = Forest::new(words);
        let mut options = self.options(&forest, sentence);
        let (added, judged) = self.added()?;
        annotate_edges(&mut options, &forest, &self.annotators, annotate, sentence, added)?;
        let limits = CubeLimits { keep_hyperedges, ..self.settings.limits };
        let lm_weight = self.weights.of(column::LM);
        let texts = self
            .span_scorer
            .as_ref()
            .map(|span_scorer| HypothesisTexts::new(&**span_scorer, sentence, judged));
        let mut cube = CubePruner::new(&self.lm, lm_weight, extra, limits).with_texts(texts);
        for length in 1..=self.system.longest(words, self.settings.max_span) {
            for first in 0..=words - length {
                interrupt::point();
                let cell = forest.span_cell((first, first + length));
                cube.fill(&mut forest, &options.edges, &options.of_cell[cell as usize], cell);
            }
        }
        glue::begin(&mut forest, &self.lm, options.begin);
        glue::fill(&mut cube, &mut forest, &options.edges, &options.of_end);
        glue::end(&mut forest, &self.lm, lm_weight, extra, words, options.end, keep_hyperedges);
        let (table, lm, weights) = (&*self.table, &*self.lm, &*self.weights);
        Ok(FilledChart { sentence, options, forest, table, lm, weights, extra })
    }

    /// Every place in a sentence where a rule could be applied.
    fn options<S: Copy>(&self, forest: &Forest<S>, sentence: &Sentence) -> ChartOptions {
        let vocabulary = self.table.source_words();
        let words: Vec<Option<u32>> = sentence.words.iter().map(|word| vocabulary.get(word)).collect();
        let mut options = ChartOptions::new(forest, words.len());
        let max_span = self.system.longest(words.len(), self.settings.max_span);
        let place = ChartInput { table: &self.table, sentence, words: &words, max_span, forest };
        let (table, lm, weights) = (&self.table, &self.lm, &self.weights);
        let make = || RulePreparer::new(table.clone(), lm.clone(), weights.clone(), self.settings.choice);
        self.preparers.lend(make, |preparer| self.system.push_edges(&place, preparer, &mut options));
        options.push_glue(forest, words.len(), max_span, self.system.glue(), weights);
        options
    }
}

impl ChartDecoder {
    /// The best derivations of a sentence. Where there are opinions of texts, they choose among texts, not derivations: no
    /// two of the list have the same.
    fn best<E: Extra>(&self, chart: &FilledChart<'_, E>, request: &NBestRequest) -> Result<Vec<Derivation>> {
        let number = request.n_best.max(1);
        let Some(span_scorer) = &self.span_scorer else {
            return Ok(chart.k_best(request.distinct, |derivations| {
                (0..number as u32).map_while(|rank| derive(chart, derivations, rank)).collect()
            }));
        };
        let forest = &chart.forest;
        let (weights, columns) = (self.added()?.1, span_scorer.columns());
        let mut scorer = span_scorer.for_sentence(chart.sentence);
        let best = chart.k_best(true, |derivations| {
            // The score that the search gave each, without what was thought of its text.
            let mut found: Vec<(f32, u32)> = Vec::new();
            let mut texts: Vec<Vec<u32>> = Vec::new();
            for rank in 0..(2 * number + EXTRA_CANDIDATES).max(MIN_POOL) as u32 {
                let Some(one) = derivations.get(forest.goal, rank) else { break };
                let whole = forest.hyperedges[one.hyperedge as usize].holes[0];
                found.push((one.score - forest.hypotheses[whole as usize].bonus, rank));
                let words = chart.words_of(derivations, rank);
                texts.push(words.iter().map(|word| scorer.word_id_of(word)).collect());
            }
            let slices: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
            let mut values = Vec::new();
            if !scorer.score((0, chart.sentence.words.len()), &slices, &mut values) {
                values = vec![0.0; texts.len() * columns];
            }
            let mut judged: Vec<(f32, u32, &[f32])> = found
                .into_iter()
                .zip(values.chunks_exact(columns))
                .map(|((score, rank), values)| (score + weighted(weights, values), rank, values))
                .collect();
            judged.sort_by(|a, b| b.0.total_cmp(&a.0));
            judged.truncate(number);
            let told = judged.into_iter().map_while(|(_, rank, values)| {
                let mut one = derive(chart, derivations, rank)?;
                let from = one.features.len() - columns;
                one.features[from..].copy_from_slice(values);
                one.score = self.weights.dot(&one.features);
                Some(one)
            });
            told.collect()
        });
        Ok(best)
    }

    /// The n best of a sentence as words and scores; they differ as text.
    fn best_texts<E: Extra>(
        &self,
        chart: &FilledChart<'_, E>,
        number: usize,
    ) -> Result<Vec<(Vec<String>, f32)>> {
        if self.span_scorer.is_some() {
            let request = NBestRequest { n_best: number, distinct: true, graph: false };
            let words = |one: &Derivation| one.target().into_iter().map(str::to_owned).collect();
            let best = self.best(chart, &request)?;
            return Ok(best.iter().map(|one| (words(one), one.score)).collect());
        }
        Ok(chart.k_best(true, |derivations| {
            let text = |rank| {
                let score = derivations.get(chart.forest.goal, rank)?.score;
                Some((chart.words_of(derivations, rank), score))
            };
            (0..number as u32).map_while(text).collect()
        }))
    }
}

impl Translator for ChartDecoder {
    fn max_words(&self) -> usize {
        MAX_WORDS
    }

    fn with_weights(&self, weights: Weights) -> Box<dyn Translator> {
        self.with_annotators(self.annotators.clone(), weights)
    }

    fn with_annotators(&self, annotators: Annotators, weights: Weights) -> Box<dyn Translator> {
        Box::new(self.rebuilt(annotators, self.span_scorer.clone(), weights))
    }

    fn with_span_scorer(
        &self,
        span_scorer: Arc<dyn SpanScorer>,
        weights: Weights,
    ) -> Result<Box<dyn Translator>> {
        Ok(Box::new(self.rebuilt(self.annotators.clone(), Some(span_scorer), weights)))
    }

    fn feature_count(&self) -> usize {
        self.weights.len()
    }

    fn table(&self) -> &Arc<Table> {
        &self.table
    }

    fn check(&self) -> Result<()> {
        self.table.check()?;
        self.lm.check()?;
        if let System::Blocks(blocks) = &self.system {
            blocks.check()?;
        }
        self.annotators.iter().try_for_each(|annotator| annotator.check())
    }

    fn translate(
        &self,
        sentence: &Sentence,
        request: &NBestRequest,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Translations> {
        if sentence.words.is_empty() {
            return Ok(Translations::of_empty_sentence(self.weights.len(), request));
        }
        if sentence.words.len() > MAX_WORDS {
            self.system.check(sentence)?;
            return pieces::translate(self, sentence, request, annotate);
        }
        checked(
            || self.check(),
            || {
                let keep_hyperedges = request.n_best > 1 || request.graph || self.span_scorer.is_some();
                let extra = self.system.extra(sentence, &self.weights);
                let chart = self.search(sentence, &extra, keep_hyperedges, annotate)?;
                if chart.forest.goal == NONE {
                    return Err(no_finite_score());
                }
                let best = self.best(&chart, request)?;
                let graph = request.graph.then(|| to_json_lines(&chart));
                Ok(Translations { best, graph })
            },
        )
    }

    fn force_decode(
        &self,
        sentence: &Sentence,
        reference: &[String],
        most: usize,
        annotate: Option<Annotate<'_>>,
    ) -> Result<ForcedResult> {
        if sentence.words.is_empty() {
            return Ok(ForcedResult::default());
        }
        if sentence.words.len() > MAX_WORDS {
            // Nobody knows which part of the reference a piece would have to make.
            self.system.check(sentence)?;
            return Ok(ForcedResult::default());
        }
        checked(
            || self.check(),
            || {
                let inner = self.system.extra(sentence, &self.weights);
                let forced =
                    ReferenceConstraint::new(&inner, reference, &sentence.surface, self.table.target_words());
                let chart = self.search(sentence, &forced, false, annotate)?;
                let reached = chart.forest.goal != NONE;
                let derivation = reached
                    .then(|| chart.k_best(false, |derivations| derive(&chart, derivations, 0)))
                    .flatten();
                let derived = if reached { chart.derived_spans() } else { Vec::new() };
                Ok(ForcedResult { derivation, spans: chart.span_translations(most), derived })
            },
        )
    }

    fn span_translations(
        &self,
        sentence: &Sentence,
        most: usize,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Vec<SpanTranslations>> {
        if sentence.words.is_empty() {
            return Ok(Vec::new());
        }
        if sentence.words.len() > MAX_WORDS {
            self.system.check(sentence)?;
            return pieces::spans(sentence, MAX_WORDS, |piece| self.span_translations(piece, most, annotate));
        }
        checked(
            || self.check(),
            || {
                let extra = self.system.extra(sentence, &self.weights);
                Ok(self.search(sentence, &extra, false, annotate)?.span_translations(most))
            },
        )
    }

    fn spans_and_n_best(
        &self,
        sentence: &Sentence,
        most: usize,
        whole: usize,
    ) -> Result<Vec<SpanTranslations>> {
        if sentence.words.is_empty() {
            return Ok(Vec::new());
        }
        if sentence.words.len() > MAX_WORDS {
            self.system.check(sentence)?;
            return pieces::spans(sentence, MAX_WORDS, |piece| self.spans_and_n_best(piece, most, whole));
        }
        checked(
            || self.check(),
            || {
                let extra = self.system.extra(sentence, &self.weights);
                let chart = self.search(sentence, &extra, true, None)?;
                let mut spans = chart.span_translations(most);
                let translations = self.best_texts(&chart, whole)?;
                let span = (0, sentence.words.len());
                spans.retain(|one| one.span != span);
                spans.push(SpanTranslations { span, translations });
                Ok(spans)
            },
        )
    }
}
