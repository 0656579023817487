//! What a search is to those who use it: sentences in, translations out.

use std::sync::Arc;

use super::annotate::{Annotate, Annotators};
use super::derivation::Derivation;
use super::features::Weights;
use super::sentence::Sentence;
use super::span_scorer::SpanScorer;
use crate::error::{Error, Result};
use crate::source::spans::Span;
use crate::table::read::Table;

/// How many translations of a sentence are wanted.
#[derive(Clone, Copy, Debug)]
pub struct NBestRequest {
    pub n_best: usize,
    /// Only translations that differ as text.
    pub distinct: bool,
    /// Also write the search graph.
    pub graph: bool,
}

/// The translations of a sentence, the best first, and the search graph if it was wanted.
#[derive(Clone, Debug, Default)]
pub struct Translations {
    pub best: Vec<Derivation>,
    pub graph: Option<String>,
}

impl Translations {
    /// Those of an empty sentence.
    pub fn of_empty_sentence(features: usize, request: &NBestRequest) -> Self {
        let graph = request.graph.then(String::new);
        Translations { best: vec![Derivation::of_empty_sentence(features)], graph }
    }
}

/// The error of a search that has found nothing: any sentence can be copied word by word, so that only scores which are
/// not finite leave it without a translation.
pub fn no_finite_score() -> Error {
    Error::input(
        "no translation has a finite score: a table of the model holds numbers that are out of range.",
    )
    .hint("Look at it with graphmt inspect verify, and copy or make it again.")
}

/// What translates sentences, whatever its search.
pub trait Translator: Send + Sync {
    /// The most words of a sentence that is translated in one piece (see [`super::pieces`]).
    fn max_words(&self) -> usize;

    fn translate(
        &self,
        sentence: &Sentence,
        request: &NBestRequest,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Translations>;

    /// The same with other weights.
    fn with_weights(&self, weights: Weights) -> Box<dyn Translator>;

    /// The same with models that add feature columns, and with weights for these too.
    fn with_annotators(&self, annotators: Annotators, weights: Weights) -> Box<dyn Translator>;

    /// How many values a derivation has.
    fn feature_count(&self) -> usize;

    fn table(&self) -> &Arc<Table>;

    /// Fails if a file of the model was changed or is damaged, so that translations may be wrong. All that translates
    /// asks before it returns.
    fn check(&self) -> Result<()>;

    /// The same with an opinion of whole texts, whose features come last, and with weights for these too.
    fn with_span_scorer(&self, _: Arc<dyn SpanScorer>, _: Weights) -> Result<Box<dyn Translator>> {
        Err(no_chart())
    }

    /// [`Translator::span_translations`], at most so many of a span; then the whole sentence with so many of its n best.
    fn spans_and_n_best(&self, _: &Sentence, _: usize, _: usize) -> Result<Vec<SpanTranslations>> {
        Err(no_chart())
    }

    /// The best translations of every span of a sentence, at most `most` each.
    fn span_translations(
        &self,
        _: &Sentence,
        _: usize,
        _: Option<Annotate<'_>>,
    ) -> Result<Vec<SpanTranslations>> {
        Err(no_chart())
    }

    /// Holds the search to a reference; at most `most` translations of every span are told.
    fn force_decode(
        &self,
        _: &Sentence,
        _: &[String],
        _: usize,
        _: Option<Annotate<'_>>,
    ) -> Result<ForcedResult> {
        Err(no_chart())
    }
}

fn no_chart() -> Error {
    Error::input("a left-to-right system has no chart of spans.").hint("Use hpb, btg, dgst or dep2str.")
}

/// What a span may be translated with.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanTranslations {
    pub span: Span,
    /// Words and score, the best first.
    pub translations: Vec<(Vec<String>, f32)>,
}

/// What forced decoding found.
#[derive(Clone, Debug, Default)]
pub struct ForcedResult {
    /// How the reference can be made, if it can.
    pub derivation: Option<Derivation>,
    /// What was found for every span on the way, whether or not the whole succeeded.
    pub spans: Vec<SpanTranslations>,
    /// The spans of the derivation, if there is one.
    pub derived: Vec<SpanTranslations>,
}
