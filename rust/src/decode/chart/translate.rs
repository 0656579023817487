//! What a chart decoder answers: translations, translations of spans, forced derivations.

use std::sync::Arc;

use super::decoder::{ChartDecoder, MAX_WORDS};
use super::derivation::derive;
use super::first_pass::{FirstPassChart, FirstPassCharts};
use super::forced::ReferenceConstraint;
use super::forest::NONE;
use super::hypergraph::to_json_lines;
use super::system::System;
use crate::decode::annotate::{Annotate, Annotators};
use crate::decode::features::Weights;
use crate::decode::hypothesis_feature::FeatureModel;
use crate::decode::pieces;
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::SpanScorer;
use crate::decode::translator::{
    no_finite_score, ChartTranslator, FirstPass, FirstPassRequest, ForcedResult, NBestRequest,
    SpanTranslations, Translations, Translator,
};
use crate::error::Result;
use crate::store::watched::checked;
use crate::table::read::Table;

impl<R: FeatureModel> ChartDecoder<R> {
    /// Runs `search` on a sentence that fits into one chart, then checks the model's files. A longer sentence goes to
    /// `in_pieces`; the result for an empty one is `empty`.
    fn search_or_cut<T>(
        &self,
        sentence: &Sentence,
        empty: impl FnOnce() -> T,
        in_pieces: impl FnOnce() -> Result<T>,
        search: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        match sentence.words.len() {
            0 => Ok(empty()),
            1..=MAX_WORDS => checked(|| self.check(), search),
            _ => {
                self.system.check(sentence)?;
                in_pieces()
            }
        }
    }
}

impl<R: FeatureModel> Translator for ChartDecoder<R> {
    fn max_words(&self) -> usize {
        MAX_WORDS
    }

    fn with_weights(&self, weights: Weights) -> Box<dyn Translator> {
        let mut decoder = self.with_features(self.features.clone(), weights);
        decoder.identity = self.identity.clone();
        Box::new(decoder)
    }

    fn with_pops(&self, pops: usize) -> Box<dyn Translator> {
        let mut decoder = self.with_features(self.features.clone(), (*self.weights).clone());
        decoder.settings.limits.pops = pops;
        Box::new(decoder)
    }

    fn with_annotators(&self, annotators: Annotators, weights: Weights) -> Box<dyn Translator> {
        let mut decoder = self.with_features(self.features.clone(), weights);
        decoder.annotators = annotators;
        Box::new(decoder)
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
        self.features.check()?;
        self.annotators.iter().try_for_each(|annotator| annotator.check())
    }

    fn as_chart(&self) -> Option<&dyn ChartTranslator> {
        Some(self)
    }

    fn translate(
        &self,
        sentence: &Sentence,
        request: &NBestRequest,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Translations> {
        self.search_or_cut(
            sentence,
            || Translations::of_empty_sentence(self.weights.len(), request),
            || pieces::translate(self, sentence, request, annotate),
            || {
                let keep_hyperedges = request.n_best > 1 || request.graph;
                let features = self.features(sentence);
                let chart = self.chart(sentence, &features, keep_hyperedges, annotate)?;
                if chart.forest.goal == NONE {
                    return Err(no_finite_score());
                }
                let best = self.best(&chart, request)?;
                let graph = request.graph.then(|| to_json_lines(&chart));
                Ok(Translations { best, graph })
            },
        )
    }
}

impl<R: FeatureModel> ChartTranslator for ChartDecoder<R> {
    fn with_span_scorer(
        &self,
        scorer: Arc<dyn SpanScorer>,
        first_pass: Arc<FirstPassCharts>,
        weights: Weights,
    ) -> Box<dyn Translator> {
        let mut decoder = self.with_features(self.features.clone(), weights);
        (decoder.span_scorer, decoder.first_pass) = (Some(scorer), first_pass);
        decoder.identity = self.identity.clone();
        Box::new(decoder)
    }

    fn span_translations(
        &self,
        sentence: &Sentence,
        limit: usize,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Vec<SpanTranslations>> {
        self.search_or_cut(
            sentence,
            Vec::new,
            || pieces::spans(sentence, MAX_WORDS, |piece| self.span_translations(piece, limit, annotate)),
            || {
                let features = self.features(sentence);
                Ok(self.search(sentence, &features, false, annotate)?.span_translations(limit, 1))
            },
        )
    }

    fn first_pass(&self, sentence: &Sentence, request: &FirstPassRequest) -> Result<FirstPass> {
        self.search_or_cut(
            sentence,
            FirstPass::default,
            || {
                let of_piece = |piece: &Sentence| Ok(self.first_pass(piece, request)?.spans);
                Ok(FirstPass { spans: pieces::spans(sentence, MAX_WORDS, of_piece)?, chart: None })
            },
            || {
                let features = self.features(sentence);
                let chart = self.search(sentence, &features, true, None)?;
                let words = sentence.words.len();
                let mut spans =
                    chart.span_translations(request.labels, words.saturating_sub(request.shorter));
                spans.retain(|one| one.span != (0, words));
                let translations = self.best_texts(&chart, request.whole)?;
                spans.push(SpanTranslations { span: (0, words), translations });
                let kept = || -> Result<FirstPassChart> {
                    Ok(FirstPassChart {
                        sentence: sentence.clone(),
                        search: self.identity.clone(),
                        weights: self.own_weights()?.to_vec(),
                        chart: Box::new(chart.kept()),
                    })
                };
                Ok(FirstPass { spans, chart: request.keep_chart.then(kept).transpose()? })
            },
        )
    }

    fn force_decode(
        &self,
        sentence: &Sentence,
        reference: &[String],
        limit: usize,
        annotate: Option<Annotate<'_>>,
    ) -> Result<ForcedResult> {
        self.search_or_cut(
            sentence,
            ForcedResult::default,
            // There is no telling which part of the reference belongs to which piece.
            || Ok(ForcedResult::default()),
            || {
                let vocabulary = self.table.target_words();
                let constraint = ReferenceConstraint::new(reference, &sentence.surface, vocabulary);
                let features = (constraint, self.features(sentence));
                let chart = self.search(sentence, &features, false, annotate)?;
                let reached = chart.forest.goal != NONE;
                let derivation = reached
                    .then(|| chart.k_best(false, |derivations| derive(&chart, derivations, 0, false)))
                    .flatten();
                let derived = if reached { chart.derived_spans() } else { Vec::new() };
                Ok(ForcedResult { derivation, spans: chart.span_translations(limit, 1), derived })
            },
        )
    }
}
