//! The interface of both decoders: sentences in, translations out.

use std::sync::Arc;

use super::annotate::{Annotate, Annotators};
use super::chart::first_pass::{FirstPassChart, FirstPassCharts};
use super::derivation::Derivation;
use super::features::Weights;
use super::sentence::Sentence;
use super::span_scorer::SpanScorer;
use crate::error::{Error, Result};
use crate::source::spans::Span;
use crate::table::read::Table;

/// How many translations of a sentence to return, and in what form.
#[derive(Clone, Copy, Debug)]
pub struct NBestRequest {
    pub n_best: usize,
    /// Only translations that differ as text.
    pub distinct: bool,
    /// Also return the search graph.
    pub graph: bool,
    /// Steps have target words and nothing else, for tuning.
    pub words_only: bool,
}

/// The translations of a sentence, best first, and the search graph if it was requested.
#[derive(Clone, Debug, Default)]
pub struct Translations {
    pub best: Vec<Derivation>,
    pub graph: Option<String>,
}

impl Translations {
    pub fn of_empty_sentence(features: usize, request: &NBestRequest) -> Self {
        let graph = request.graph.then(String::new);
        Translations { best: vec![Derivation::of_empty_sentence(features)], graph }
    }
}

/// The error of a search that found no translation. Every sentence can be copied word by word, so this happens only if
/// scores are not finite.
pub fn no_finite_score() -> Error {
    Error::input(
        "no translation has a finite score: a table of the model holds numbers that are out of range.",
    )
    .hint("Check it with graphmt inspect verify, then copy or build it again.")
}

/// A decoder: sentences in, translations out.
pub trait Translator: Send + Sync {
    /// The length of the longest sentence that is translated in one piece (see [`super::pieces`]).
    fn max_words(&self) -> usize;

    fn translate(
        &self,
        sentence: &Sentence,
        request: &NBestRequest,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Translations>;

    /// The same decoder with other weights.
    fn with_weights(&self, weights: Weights) -> Box<dyn Translator>;

    /// The same decoder with another pop limit, unless its search is exhaustive.
    fn with_pops(&self, pops: usize) -> Box<dyn Translator>;

    /// The same decoder with models that add feature columns; `weights` covers those columns too.
    fn with_annotators(&self, annotators: Annotators, weights: Weights) -> Box<dyn Translator>;

    /// The number of feature values of a derivation.
    fn feature_count(&self) -> usize;

    fn table(&self) -> &Arc<Table>;

    /// Fails if a file of the model was changed or is damaged, so that translations may be wrong. Every method that
    /// translates calls it before it returns.
    fn check(&self) -> Result<()>;

    /// This decoder as a chart decoder, if it is one.
    fn as_chart(&self) -> Option<&dyn ChartTranslator> {
        None
    }

    /// [`Translator::as_chart`], or an error that says which systems have a chart.
    fn chart(&self) -> Result<&dyn ChartTranslator> {
        self.as_chart().ok_or_else(|| {
            Error::input("a left-to-right system has no chart of spans.")
                .hint("Use hpb, btg, dgst or dep2str.")
        })
    }
}

/// A decoder that translates every span of a sentence on the way to the whole.
pub trait ChartTranslator: Translator {
    /// The same decoder with a scorer of span translations, whose columns come last; `weights` covers them too.
    /// `first_pass` has charts that need not be filled again.
    fn with_span_scorer(
        &self,
        scorer: Arc<dyn SpanScorer>,
        first_pass: Arc<FirstPassCharts>,
        weights: Weights,
    ) -> Box<dyn Translator>;

    /// The best translations of every span of a sentence, at most `limit` each.
    fn span_translations(
        &self,
        sentence: &Sentence,
        limit: usize,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Vec<SpanTranslations>>;

    /// The best translations of the spans of a sentence, and last those of the whole; also its chart, unless the
    /// sentence is too long for one.
    fn first_pass(&self, sentence: &Sentence, request: &FirstPassRequest) -> Result<FirstPass>;

    /// Constrains the search to a reference; returns at most `limit` translations of every span.
    fn force_decode(
        &self,
        sentence: &Sentence,
        reference: &[String],
        limit: usize,
        annotate: Option<Annotate<'_>>,
    ) -> Result<ForcedResult>;
}

/// What a first pass over a sentence returns.
#[derive(Clone, Copy, Debug)]
pub struct FirstPassRequest {
    /// The most translations of a span, and of the whole sentence.
    pub labels: usize,
    pub whole: usize,
    /// Spans that are at most this many words shorter than the sentence.
    pub shorter: usize,
    /// Whether to return the chart.
    pub keep_chart: bool,
}

#[derive(Default)]
pub struct FirstPass {
    pub spans: Vec<SpanTranslations>,
    pub chart: Option<FirstPassChart>,
}

/// The translations of a span.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanTranslations {
    pub span: Span,
    /// Words and score, best first.
    pub translations: Vec<(Vec<String>, f32)>,
}

/// The result of forced decoding.
#[derive(Clone, Debug, Default)]
pub struct ForcedResult {
    /// A derivation of the reference, if there is one.
    pub derivation: Option<Derivation>,
    /// The translations of every span, whether or not the reference was reached.
    pub spans: Vec<SpanTranslations>,
    /// The spans of the derivation, if there is one.
    pub derived: Vec<SpanTranslations>,
}
