//! Bindings of the decoders.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

use super::guard::{run, run_on, to_python};
use super::hypotheses::{
    span_translations, PyForcedDecoding, PyHypothesis, PyNBestColumns, PySpanTranslations,
};
use super::options::annotating;
use super::selection::PySelector;
use super::sentence::PySentence;
use crate::decode::chart::blocks::BlockReordering;
use crate::decode::chart::cube::CubeLimits;
use crate::decode::chart::decoder::{ChartDecoder, ChartSettings};
use crate::decode::chart::system::System;
use crate::decode::features::{names, Weights};
use crate::decode::nbest_columns::NBestColumns;
use crate::decode::pieces::cut;
use crate::decode::preparation::RuleFilter;
use crate::decode::stack::decoder::StackDecoder;
use crate::decode::stack::search::Beam;
use crate::decode::translator::{NBestRequest, Translations, Translator};
use crate::error::{Error, Result};
use crate::lm::Model;
use crate::reorder::model::Reordering;
use crate::selection::Selector;
use crate::source::links::LinkKinds;
use crate::table::read::Table;
use crate::table::Grammar;
use crate::work::threads;

/// The fields of `graphmt.model.options.SearchOptions` that decoders read.
#[derive(FromPyObject)]
struct SearchOptions {
    search: String,
    pop_limit: usize,
    stack_size: usize,
    max_span: usize,
    beam_threshold: f32,
    distortion_limit: Option<i64>,
    table_limit: usize,
    rule_kinds: String,
    soft_context: bool,
    contexts: String,
}

impl SearchOptions {
    fn beam(&self) -> Beam {
        Beam {
            stack: self.stack_size,
            pops: (self.search == "cube").then_some(self.pop_limit),
            threshold: self.beam_threshold,
            distortion: self.distortion_limit.and_then(|limit| limit.try_into().ok()),
            soft_context: self.soft_context,
            contexts_as_features: self.contexts == "features",
            keep_arcs: false,
        }
    }

    fn filter(&self) -> RuleFilter {
        RuleFilter {
            limit: self.table_limit,
            segmenting: matches!(self.rule_kinds.as_str(), "all" | "basic+segmenting"),
            selecting: matches!(self.rule_kinds.as_str(), "all" | "basic+selecting"),
            contexts_as_features: self.contexts == "features",
            labels_as_features: false,
        }
    }

    fn chart(&self) -> ChartSettings {
        let SearchOptions { pop_limit: pops, stack_size: cell, beam_threshold: threshold, .. } = *self;
        ChartSettings {
            limits: CubeLimits { pops, cell, threshold, keep_hyperedges: false },
            max_span: self.max_span,
            filter: RuleFilter {
                labels_as_features: self.contexts == "features",
                ..RuleFilter::basic(self.table_limit)
            },
        }
    }
}

/// `graphmt.systems.base.Links`: which links the source graph has.
#[derive(Clone, Copy, FromPyObject)]
pub struct Links {
    bigram: bool,
    dependency: bool,
}

impl Links {
    pub fn kinds(self) -> LinkKinds {
        LinkKinds { bigram: self.bigram, dependency: self.dependency }
    }
}

/// Sentences that outlive the work without the GIL.
pub type Sentences = Vec<Py<PySentence>>;

#[pyclass(name = "Decoder", module = "graphmt._core", frozen)]
pub struct PyDecoder {
    pub decoder: Box<dyn Translator>,
}

#[pymethods]
impl PyDecoder {
    /// A decoder that works from left to right.
    #[new]
    fn new(
        py: Python<'_>,
        table: PathBuf,
        lm: PathBuf,
        weights: Vec<f32>,
        options: SearchOptions,
        links: Links,
    ) -> PyResult<Self> {
        run(py, || {
            let decoder = StackDecoder::new(
                Arc::new(Table::open(&table)?),
                Arc::new(Model::open(&lm)?),
                Weights::new(weights)?,
                links.kinds(),
                options.beam(),
                options.filter(),
            );
            Ok(PyDecoder { decoder: Box::new(decoder) })
        })
    }

    /// A decoder that fills a chart of spans.
    #[staticmethod]
    #[pyo3(signature = (table, lm, weights, options, *, reordering=None))]
    fn chart(
        py: Python<'_>,
        table: PathBuf,
        lm: PathBuf,
        weights: Vec<f32>,
        options: SearchOptions,
        reordering: Option<PathBuf>,
    ) -> PyResult<Self> {
        run(py, || {
            let (table, lm) = (Arc::new(Table::open(&table)?), Arc::new(Model::open(&lm)?));
            let system = match (reordering, table.settings().grammar) {
                (Some(path), _) => {
                    System::Blocks(Arc::new(BlockReordering::new(Reordering::open(&path)?, &table)))
                }
                (None, Grammar::Fragments) => System::Fragments,
                (None, Grammar::HeadDependents) => System::HeadDependents,
                (None, _) => System::Hierarchical,
            };
            let decoder = ChartDecoder::new(system, table, lm, Weights::new(weights)?, options.chart())?;
            Ok(PyDecoder { decoder: Box::new(decoder) })
        })
    }

    /// The same decoder with other weights; one more for each feature that an annotation adds.
    fn reweighted(&self, py: Python<'_>, weights: Vec<f32>) -> PyResult<Self> {
        run(py, || Ok(PyDecoder { decoder: self.decoder.with_weights(Weights::new(weights)?) }))
    }

    /// The same decoder with another pop limit, unless its search is exhaustive.
    fn with_pop_limit(&self, pop_limit: usize) -> Self {
        PyDecoder { decoder: self.decoder.with_pops(pop_limit) }
    }

    /// The same decoder with models of lexical selection, whose features come first among the added ones.
    fn annotated(
        &self,
        py: Python<'_>,
        models: Vec<PyRef<'_, PySelector>>,
        weights: Vec<f32>,
    ) -> PyResult<Self> {
        let models: Vec<_> = models.iter().map(|model| model.selector.clone()).collect();
        run(py, || {
            let on = |model: &Arc<dyn Selector>| model.for_table(self.decoder.table());
            let annotators = models.iter().map(on).collect::<Result<Vec<_>>>()?;
            let decoder = self.decoder.with_annotators(annotators.into(), Weights::new(weights)?);
            Ok(PyDecoder { decoder })
        })
    }

    /// The n best translations of each sentence, the best first.
    #[pyo3(signature = (sentences, *, n_best, distinct, threads, annotate=None))]
    fn translate(
        &self,
        py: Python<'_>,
        sentences: Sentences,
        n_best: usize,
        distinct: bool,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Vec<PyHypothesis>>> {
        let request = NBestRequest { n_best, distinct, graph: false, words_only: false };
        let hypotheses = |one: Translations| Ok(one.best.into_iter().map(PyHypothesis::from).collect());
        self.translated(py, &sentences, &request, threads, annotate, hypotheses)
    }

    /// The search graph of each sentence.
    #[pyo3(signature = (sentences, *, threads, annotate=None))]
    fn search_graphs(
        &self,
        py: Python<'_>,
        sentences: Sentences,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<Vec<String>> {
        let request = NBestRequest { n_best: 1, distinct: false, graph: true, words_only: false };
        let graph = |one: Translations| Ok(one.graph.unwrap_or_default());
        self.translated(py, &sentences, &request, threads, annotate, graph)
    }

    /// The n best of each sentence as columns: words, and the values of the features in `columns`, for tuning.
    #[pyo3(signature = (sentences, columns, *, n_best, distinct, threads, annotate=None))]
    #[allow(clippy::too_many_arguments)]
    fn n_best_columns(
        &self,
        py: Python<'_>,
        sentences: Sentences,
        columns: Vec<usize>,
        n_best: usize,
        distinct: bool,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<PyNBestColumns> {
        let request = NBestRequest { n_best, distinct, graph: false, words_only: true };
        let features = self.decoder.feature_count();
        if let Some(column) = columns.iter().find(|&&column| column >= features) {
            let message = format!("column {column} of values, but there are {features} features.");
            return Err(to_python(py, &Error::option(message)));
        }
        // Derivations take much more memory than columns: each thread turns its own into columns at once.
        let lists = self.translated(py, &sentences, &request, threads, annotate, |one| {
            NBestColumns::of(&one, &columns)
        })?;
        let made = run(py, || NBestColumns::joined(lists))?;
        let (number, words) = (made.tokens.len() - 1, made.words());
        Ok(PyNBestColumns {
            hypotheses: made.hypotheses.into_pyarray(py).unbind(),
            tokens: made.tokens.into_pyarray(py).unbind(),
            numbers: made.numbers.into_pyarray(py).unbind(),
            words,
            values: made.values.into_pyarray(py).reshape([number, columns.len()])?.unbind(),
        })
    }

    /// For each sentence the translations of every span, at most `most` each.
    #[pyo3(signature = (sentences, *, most, threads, annotate=None))]
    fn spans(
        &self,
        py: Python<'_>,
        sentences: Sentences,
        most: usize,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Vec<Py<PySpanTranslations>>>> {
        let found = run(py, || {
            let chart = self.decoder.chart()?;
            threads::map(threads, &sentences, |one| {
                annotating(annotate.as_ref(), |annotate| {
                    chart.span_translations(&one.get().sentence, most, annotate)
                })
            })
        })?;
        found.into_iter().map(|spans| span_translations(py, spans)).collect()
    }

    /// Forced decoding: how the reference of each sentence can be derived, if it can, and the spans on the way.
    #[pyo3(signature = (sentences, references, *, most, threads, annotate=None))]
    fn forced(
        &self,
        py: Python<'_>,
        sentences: Sentences,
        references: Vec<Vec<String>>,
        most: usize,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<Vec<PyForcedDecoding>> {
        if references.len() != sentences.len() {
            let (given, wanted) = (references.len(), sentences.len());
            let error = Error::input(format!("{given} references for {wanted} sentences."));
            return Err(to_python(py, &error));
        }
        let found = run_on(py, threads, || {
            let chart = self.decoder.chart()?;
            let pairs = sentences.par_iter().zip(&references);
            let of = |(one, to): (&Py<PySentence>, &Vec<String>)| {
                annotating(annotate.as_ref(), |annotate| {
                    chart.force_decode(&one.get().sentence, to, most, annotate)
                })
            };
            pairs.map(of).collect::<Result<Vec<_>>>()
        })?;
        found.into_iter().map(|one| PyForcedDecoding::of(py, one)).collect()
    }

    /// The most words of a sentence that is translated in one piece.
    #[getter]
    fn longest(&self) -> usize {
        self.decoder.max_words()
    }

    /// The spans that a sentence is cut into for translation: the first word of each, and the one after its last.
    fn pieces(&self, py: Python<'_>, sentence: Py<PySentence>) -> PyResult<Vec<(usize, usize)>> {
        run(py, || Ok(cut(&sentence.get().sentence, self.decoder.max_words())))
    }

    /// The target words of numbers in the options' `target` column.
    fn target_words(&self, numbers: Vec<u32>) -> Vec<String> {
        let words = self.decoder.table().target_words();
        numbers.into_iter().map(|number| words.word(number).to_owned()).collect()
    }
}

impl PyDecoder {
    /// What `read` makes of the translations of each sentence.
    fn translated<T: Send>(
        &self,
        py: Python<'_>,
        sentences: &Sentences,
        request: &NBestRequest,
        threads: usize,
        annotate: Option<Py<PyAny>>,
        read: impl Fn(Translations) -> Result<T> + Send + Sync,
    ) -> PyResult<Vec<T>> {
        run(py, || {
            threads::map(threads, sentences, |one| {
                annotating(annotate.as_ref(), |annotate| {
                    read(self.decoder.translate(&one.get().sentence, request, annotate)?)
                })
            })
        })
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyDecoder>()?;
    module.add("FEATURES", names())
}
