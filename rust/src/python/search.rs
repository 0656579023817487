//! Bindings of the decoders.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

use super::guard::{run, run_on, to_python};
use super::options::annotating;
use super::selection::PySelector;
use super::sentence::{checked, Given};
use crate::decode::chart::blocks::BlockReordering;
use crate::decode::chart::cube::CubeLimits;
use crate::decode::chart::decoder::{ChartDecoder, ChartSettings};
use crate::decode::chart::system::System;
use crate::decode::derivation::{Derivation, Step};
use crate::decode::features::{names, Weights};
use crate::decode::nbest_columns::NBestColumns;
use crate::decode::pieces::cut;
use crate::decode::prepared::RuleFilter;
use crate::decode::sentence::Sentence;
use crate::decode::stack::decoder::StackDecoder;
use crate::decode::stack::search::Beam;
use crate::decode::translator::{NBestRequest, SpanTranslations, Translations, Translator};
use crate::error::{Error, Result};
use crate::lm::Model;
use crate::reorder::model::Reordering;
use crate::selection::Selector;
use crate::source::links::LinkKinds;
use crate::table::read::Table;
use crate::table::Grammar;

/// One rule of a derivation.
#[pyclass(name = "Step", frozen, get_all)]
pub struct PyStep {
    positions: Vec<usize>,
    kind: &'static str,
    context: Option<Vec<usize>>,
    target: Vec<String>,
    places: Vec<usize>,
    children: Vec<usize>,
    labels: Vec<String>,
    alignment: Vec<(usize, usize)>,
    count: f32,
}

impl From<Step> for PyStep {
    fn from(step: Step) -> Self {
        let Step { positions, kind, context, target, places, children, labels, alignment, count } = step;
        PyStep { positions, kind, context, target, places, children, labels, alignment, count }
    }
}

/// What the search found: tokens, score, feature values by place, steps.
type Found = (Vec<String>, f32, Vec<f32>, Vec<PyStep>);

fn found(derivation: Derivation) -> Found {
    let tokens = derivation.target().into_iter().map(str::to_owned).collect();
    let steps = derivation.steps.into_iter().map(PyStep::from).collect();
    (tokens, derivation.score, derivation.features, steps)
}

/// The translations of a span: first word, the one after the last, words and score of each.
type SpanTuple = (usize, usize, Vec<(Vec<String>, f32)>);

fn span_tuples(spans: Vec<SpanTranslations>) -> Vec<SpanTuple> {
    spans.into_iter().map(|one| (one.span.0, one.span.1, one.translations)).collect()
}

/// N-best lists as columns.
#[pyclass(name = "NBestColumns", frozen, get_all)]
pub struct PyNBestColumns {
    hypotheses: Py<PyArray1<u32>>,
    tokens: Py<PyArray1<u32>>,
    numbers: Py<PyArray1<u32>>,
    words: Vec<String>,
    values: Py<PyArray2<f32>>,
}

#[pyclass(name = "Decoder", frozen)]
pub struct PyDecoder {
    pub decoder: Box<dyn Translator>,
}

#[pymethods]
impl PyDecoder {
    #[new]
    #[pyo3(signature = (table, lm, weights, *, bigram, dependency, stack, pops, threshold, distortion,
        soft_context, table_limit, segmenting=true, selecting=true))]
    #[allow(clippy::too_many_arguments)] // The Python side passes the fields of one options dataclass by name.
    fn new(
        py: Python<'_>,
        table: PathBuf,
        lm: PathBuf,
        weights: Vec<f32>,
        bigram: bool,
        dependency: bool,
        stack: usize,
        pops: Option<usize>,
        threshold: f32,
        distortion: Option<usize>,
        soft_context: bool,
        table_limit: usize,
        segmenting: bool,
        selecting: bool,
    ) -> PyResult<Self> {
        run(py, || {
            let beam = Beam { stack, pops, threshold, distortion, soft_context, keep_arcs: false };
            let decoder = StackDecoder::new(
                Arc::new(Table::open(&table)?),
                Arc::new(Model::open(&lm)?),
                Weights::new(weights)?,
                LinkKinds { bigram, dependency },
                beam,
                RuleFilter { limit: table_limit, segmenting, selecting },
            );
            Ok(PyDecoder { decoder: Box::new(decoder) })
        })
    }

    /// A decoder that fills a chart of spans.
    #[staticmethod]
    #[pyo3(signature = (table, lm, weights, *, max_span, pops, cell, threshold, table_limit, reordering=None))]
    #[allow(clippy::too_many_arguments)] // The Python side passes the fields of one options dataclass by name.
    fn chart(
        py: Python<'_>,
        table: PathBuf,
        lm: PathBuf,
        weights: Vec<f32>,
        max_span: usize,
        pops: usize,
        cell: usize,
        threshold: f32,
        table_limit: usize,
        reordering: Option<PathBuf>,
    ) -> PyResult<Self> {
        run(py, || {
            let settings = ChartSettings {
                limits: CubeLimits { pops, cell, threshold, keep_hyperedges: false },
                max_span,
                filter: RuleFilter::all(table_limit),
            };
            let (table, lm) = (Arc::new(Table::open(&table)?), Arc::new(Model::open(&lm)?));
            let system = match (reordering, table.settings().grammar) {
                (Some(path), _) => {
                    System::Blocks(Arc::new(BlockReordering::new(Reordering::open(&path)?, &table)))
                }
                (None, Grammar::Fragments) => System::Fragments,
                (None, Grammar::HeadDependents) => System::HeadDependents,
                (None, _) => System::Hierarchical,
            };
            let decoder = ChartDecoder::new(system, table, lm, Weights::new(weights)?, settings)?;
            Ok(PyDecoder { decoder: Box::new(decoder) })
        })
    }

    /// The same decoder with other weights; one more for each feature that an annotation adds.
    fn reweighted(&self, py: Python<'_>, weights: Vec<f32>) -> PyResult<Self> {
        run(py, || Ok(PyDecoder { decoder: self.decoder.with_weights(Weights::new(weights)?) }))
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

    /// Translates sentences given as (words to look up, words to copy, heads, parts of speech).
    #[pyo3(signature = (sentences, *, n_best, distinct, graph, threads, annotate=None))]
    #[allow(clippy::type_complexity, clippy::too_many_arguments)] // A list for each sentence, and its graph.
    fn translate(
        &self,
        py: Python<'_>,
        sentences: Vec<Given>,
        n_best: usize,
        distinct: bool,
        graph: bool,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<Vec<(Vec<Found>, Option<String>)>> {
        let request = NBestRequest { n_best, distinct, graph };
        let translated = self.translated(py, sentences, &request, threads, annotate)?;
        Ok(translated.into_iter().map(|one| (one.best.into_iter().map(found).collect(), one.graph)).collect())
    }

    /// The n best of each sentence as columns: values and words alone, for tuning.
    #[pyo3(signature = (sentences, *, n_best, distinct, threads, annotate=None))]
    fn n_best_columns(
        &self,
        py: Python<'_>,
        sentences: Vec<Given>,
        n_best: usize,
        distinct: bool,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<PyNBestColumns> {
        let request = NBestRequest { n_best, distinct, graph: false };
        let translated = self.translated(py, sentences, &request, threads, annotate)?;
        let made = run(py, || NBestColumns::new(&translated))?;
        let (number, words) = (made.tokens.len() - 1, made.words());
        Ok(PyNBestColumns {
            hypotheses: made.hypotheses.into_pyarray(py).unbind(),
            tokens: made.tokens.into_pyarray(py).unbind(),
            numbers: made.numbers.into_pyarray(py).unbind(),
            words,
            values: made.values.into_pyarray(py).reshape([number, self.decoder.feature_count()])?.unbind(),
        })
    }

    /// For each sentence the translations of every span: (first, end, [(words, score), the best first]).
    #[pyo3(signature = (sentences, *, most, threads, annotate=None))]
    fn spans(
        &self,
        py: Python<'_>,
        sentences: Vec<Given>,
        most: usize,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Vec<SpanTuple>>> {
        let sentences = checked(py, sentences)?;
        run_on(py, threads, || {
            let chart = self.decoder.chart()?;
            let of = |sentence: &Sentence| {
                let spans = annotating(annotate.as_ref(), |annotate| {
                    chart.span_translations(sentence, most, annotate)
                })?;
                Ok(span_tuples(spans))
            };
            sentences.par_iter().map(of).collect::<Result<_>>()
        })
    }

    /// Forced decoding: for each sentence how its reference can be made (or None), and the spans on the way.
    #[pyo3(signature = (sentences, references, *, most, threads, annotate=None))]
    #[allow(clippy::type_complexity, clippy::too_many_arguments)] // A pair for each sentence.
    fn forced(
        &self,
        py: Python<'_>,
        sentences: Vec<Given>,
        references: Vec<Vec<String>>,
        most: usize,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<Vec<(Option<Found>, Vec<SpanTuple>)>> {
        let sentences = checked(py, sentences)?;
        if references.len() != sentences.len() {
            let (given, wanted) = (references.len(), sentences.len());
            let error = Error::input(format!("{given} references for {wanted} sentences."));
            return Err(to_python(py, &error));
        }
        let results = run_on(py, threads, || {
            let chart = self.decoder.chart()?;
            let pairs = sentences.par_iter().zip(&references);
            let of = |(one, to): (&Sentence, &Vec<String>)| {
                annotating(annotate.as_ref(), |annotate| chart.force_decode(one, to, most, annotate))
            };
            pairs.map(of).collect::<Result<Vec<_>>>()
        })?;
        Ok(results.into_iter().map(|one| (one.derivation.map(found), span_tuples(one.spans))).collect())
    }

    /// The most words of a sentence that is translated in one piece.
    #[getter]
    fn longest(&self) -> usize {
        self.decoder.max_words()
    }

    /// The pieces that a sentence is translated in: the first word of each, and the one after its last.
    fn pieces(&self, py: Python<'_>, sentence: Given) -> PyResult<Vec<(usize, usize)>> {
        let sentence: Sentence = checked(py, vec![sentence])?.remove(0);
        run(py, || Ok(cut(&sentence, self.decoder.max_words())))
    }

    /// The target words of numbers in the options' `target` column.
    fn target_words(&self, numbers: Vec<u32>) -> Vec<String> {
        let words = self.decoder.table().target_words();
        numbers.into_iter().map(|number| words.word(number).to_owned()).collect()
    }
}

impl PyDecoder {
    fn translated(
        &self,
        py: Python<'_>,
        sentences: Vec<Given>,
        request: &NBestRequest,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Translations>> {
        let sentences = checked(py, sentences)?;
        run_on(py, threads, || {
            sentences
                .par_iter()
                .map(|sentence| {
                    annotating(annotate.as_ref(), |annotate| {
                        self.decoder.translate(sentence, request, annotate)
                    })
                })
                .collect::<Result<_>>()
        })
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyDecoder>()?;
    module.add_class::<PyStep>()?;
    module.add_class::<PyNBestColumns>()?;
    module.add("FEATURES", names())?;
    Ok(())
}
