//! The chart decoder: everything that translation needs, in one object that threads can share.

use std::sync::Arc;

use super::annotation::annotate as annotate_edges;
use super::blocks::MergeFeature;
use super::cube::{CubeLimits, CubePruner};
use super::filled::FilledChart;
use super::first_pass::{FirstPassCharts, KeptChart, SearchIdentity};
use super::forest::Forest;
use super::glue;
use super::options::ChartOptions;
use super::pops::Pops;
use super::system::{ChartInput, System};
use super::texts::HypothesisTexts;
use crate::decode::annotate::Annotate;
use crate::decode::annotate::Annotators;
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::registered::Registered;
use crate::decode::hypothesis_feature::{FeatureModel, HypothesisFeature};
use crate::decode::preparation::{RuleFilter, RulePreparer, RulePreparers};
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::SpanScorer;
use crate::error::{Error, Result};
use crate::lm::Model;
use crate::table::read::Table;
use crate::work::interrupt;

/// The length limit of a sentence for one chart: the number of cells grows with the square.
pub const MAX_WORDS: usize = 1000;

/// How a chart is filled.
#[derive(Clone, Copy, Debug)]
pub struct ChartSettings {
    pub limits: CubeLimits,
    /// The length limit of the span of a rule, holes included; only glue is used above it.
    pub max_span: usize,
    pub filter: RuleFilter,
}

pub struct ChartDecoder<R: FeatureModel = Registered> {
    pub(super) system: System,
    pub(super) table: Arc<Table>,
    pub(super) lm: Arc<Model>,
    pub(super) weights: Arc<Weights>,
    pub(super) settings: ChartSettings,
    pub(super) annotators: Annotators,
    pub(super) span_scorer: Option<Arc<dyn SpanScorer>>,
    pub(super) features: R,
    /// Charts of a first pass, which a second one need not fill again.
    pub(super) first_pass: Arc<FirstPassCharts>,
    pub(super) identity: SearchIdentity,
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
            return Err(Error::input("this rule table belongs to another kind of system.")
                .hint("Extract the rules again for this system."));
        }
        Ok(ChartDecoder {
            system,
            table,
            lm,
            weights: Arc::new(weights),
            settings,
            annotators: Annotators::from([]),
            span_scorer: None,
            features: Registered::default(),
            first_pass: Arc::default(),
            identity: SearchIdentity::default(),
            preparers: RulePreparers::default(),
        })
    }
}

impl<R: FeatureModel> ChartDecoder<R> {
    /// The same decoder with other hypothesis features; `weights` covers them too.
    pub fn with_features<S: FeatureModel>(&self, features: S, weights: Weights) -> ChartDecoder<S> {
        ChartDecoder {
            features,
            annotators: self.annotators.clone(),
            span_scorer: self.span_scorer.clone(),
            system: self.system.clone(),
            table: self.table.clone(),
            lm: self.lm.clone(),
            weights: Arc::new(weights),
            settings: self.settings,
            first_pass: self.first_pass.clone(),
            identity: SearchIdentity::default(),
            preparers: RulePreparers::default(),
        }
    }

    /// The hypothesis features of a sentence: that of the system, and the registered ones.
    pub(super) fn features<'a>(
        &'a self,
        sentence: &'a Sentence,
    ) -> (Option<MergeFeature<'a>>, R::OnSentence<'a>) {
        let registered = self.features.on_sentence(sentence, &self.weights, column::REGISTERED);
        (self.system.feature(sentence), registered)
    }

    /// The weights of added columns: those of options, those of the span scorer.
    pub(super) fn added(&self) -> Result<(&[f32], &[f32])> {
        let added = self.weights.added();
        let scorer_columns = self.span_scorer.as_ref().map_or(0, |span_scorer| span_scorer.columns());
        added.split_at_checked(added.len().wrapping_sub(scorer_columns)).ok_or_else(|| {
            let given = added.len();
            Error::option(format!(
                "{given} weights for added features; at least {scorer_columns} were expected."
            ))
        })
    }

    /// All weights but those of the span scorer.
    pub(super) fn own_weights(&self) -> Result<&[f32]> {
        let scorer_columns = self.added()?.1.len();
        Ok(&self.weights.all()[..self.weights.len() - scorer_columns])
    }

    /// Fills the chart of a sentence.
    pub fn search<'a, F: HypothesisFeature>(
        &'a self,
        sentence: &'a Sentence,
        features: &'a F,
        keep_hyperedges: bool,
        annotate: Option<Annotate<'_>>,
    ) -> Result<FilledChart<'a, F>> {
        let words = sentence.words.len();
        self.system.check(sentence)?;
        debug_assert!(words <= MAX_WORDS);
        let mut forest = Forest::new(words);
        let mut options = self.options(&forest, sentence);
        let (added, scorer_weights) = self.added()?;
        annotate_edges(&mut options, &forest, &self.annotators, annotate, sentence, added)?;
        let limits = CubeLimits { keep_hyperedges, ..self.settings.limits };
        let texts = self
            .span_scorer
            .as_ref()
            .filter(|span_scorer| span_scorer.scores_cells())
            .map(|span_scorer| HypothesisTexts::new(&**span_scorer, sentence, scorer_weights));
        let mut cube = CubePruner::new(&self.lm, &self.weights, features, limits).with_texts(texts);
        let pops = Pops { limit: limits.pops, shares: self.system.pop_shares(), words };
        for length in 1..=self.system.longest(sentence, self.settings.max_span) {
            let pops = pops.of_span(length);
            for first in 0..=words - length {
                interrupt::point();
                let cell = forest.span_cell((first, first + length));
                cube.fill(&mut forest, &options.edges, &options.of_cell[cell as usize], cell, pops);
            }
        }
        glue::begin(&mut forest, &self.lm, features, options.begin);
        glue::fill(&mut cube, &mut forest, &options.edges, &options.of_end, pops.of_glue());
        glue::end(&mut forest, &self.lm, &self.weights, features, words, options.end, keep_hyperedges);
        let (table, lm, weights) = (&*self.table, &*self.lm, &*self.weights);
        let (edges, forest) = (Arc::new(options.edges), Arc::new(forest));
        Ok(FilledChart { sentence, edges, forest, table, lm, weights, features })
    }

    /// The chart from which translations are read: reduced if a span scorer only ranks these. It is taken from the first
    /// pass if that has filled the same chart.
    pub(super) fn chart<'a, F: HypothesisFeature>(
        &'a self,
        sentence: &'a Sentence,
        features: &'a F,
        keep_hyperedges: bool,
        annotate: Option<Annotate<'_>>,
    ) -> Result<FilledChart<'a, F>> {
        if self.span_scorer.as_ref().is_none_or(|span_scorer| span_scorer.scores_cells()) {
            let keep_hyperedges = keep_hyperedges || self.span_scorer.is_some();
            return self.search(sentence, features, keep_hyperedges, annotate);
        }
        let kept = match annotate {
            None => self.first_pass.get(sentence, &self.identity, self.own_weights()?),
            Some(_) => None,
        };
        let Some(KeptChart { edges, forest }) = kept.cloned() else {
            return Ok(self.search(sentence, features, true, annotate)?.reduced());
        };
        let (table, lm, weights) = (&*self.table, &*self.lm, &*self.weights);
        Ok(FilledChart { sentence, edges, forest, table, lm, weights, features })
    }

    /// All edges of a sentence.
    fn options<S: Copy>(&self, forest: &Forest<S>, sentence: &Sentence) -> ChartOptions {
        let vocabulary = self.table.source_words();
        let words: Vec<Option<u32>> = sentence.words.iter().map(|word| vocabulary.get(word)).collect();
        let mut options = ChartOptions::new(forest, words.len());
        let max_span = self.system.longest(sentence, self.settings.max_span);
        let input = ChartInput { table: &self.table, sentence, words: &words, max_span, forest };
        let (table, lm, weights) = (&self.table, &self.lm, &self.weights);
        let make = || RulePreparer::new(table.clone(), lm.clone(), weights.clone(), self.settings.filter);
        self.preparers.lend(make, |preparer| self.system.push_edges(&input, preparer, &mut options));
        options.push_glue(forest, words.len(), max_span, self.system.glue(sentence), weights);
        options
    }
}
