//! Bindings of the decoders.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

use super::guard::{run, run_on, to_python};
use super::selection::PySelector;
use super::span_consensus::PySpanConsensus;
use crate::chart::blocks::Blocks;
use crate::chart::cube::Limits;
use crate::chart::decoder as chart;
use crate::chart::system::System;
use crate::error::{Error, Result};
use crate::links::LinkKinds;
use crate::lm::Model;
use crate::reorder::model::Reordering;
use crate::search::columns::NBestColumns;
use crate::search::decoder::{
    Annotate, Decoder, OptionColumns, Sentence, SpanTranslations, Translations, Translator, Wanted,
};
use crate::search::derivation::{Derivation, Step};
use crate::search::features::{Weights, NAMES};
use crate::search::prepare::Choice;
use crate::search::stack::Beam;
use crate::selection::Selector;
use crate::table::read::Table;
use crate::table::{Grammar, SCORES};

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

/// A sentence: words to look up, words to copy, heads, parts of speech, and maybe the topics of its document.
#[derive(FromPyObject)]
#[allow(clippy::type_complexity)] // Tuples, as Python has them.
pub enum Given {
    #[pyo3(transparent)]
    Plain((Vec<String>, Vec<String>, Vec<i32>, Vec<String>)),
    #[pyo3(transparent)]
    WithTopics((Vec<String>, Vec<String>, Vec<i32>, Vec<String>, Vec<f32>)),
}

pub fn checked(py: Python<'_>, given: Vec<Given>) -> PyResult<Vec<Sentence>> {
    let sentence = |given: Given| {
        let (words, surface, heads, tags, topics) = match given {
            Given::Plain((words, surface, heads, tags)) => (words, surface, heads, tags, Vec::new()),
            Given::WithTopics(all) => all,
        };
        let fits = |length: usize| length == 0 || length == words.len();
        let agree = surface.len() == words.len() && fits(heads.len()) && fits(tags.len());
        let in_range = heads.iter().all(|&head| head >= -1 && head < words.len() as i32);
        if !agree || !in_range {
            let error = Error::input("words, copies, heads and tags of a sentence do not go together.");
            return Err(to_python(py, &error));
        }
        Ok(Sentence { words, surface, heads, tags, topics })
    };
    given.into_iter().map(sentence).collect()
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

/// The columns of a sentence's options, as an annotation gets them.
#[pyclass(name = "OptionColumns", frozen, get_all)]
pub struct PyOptionColumns {
    /// The positions of option k are `positions[position_offsets[k]:position_offsets[k + 1]]`, and so on.
    position_offsets: Py<PyArray1<i32>>,
    positions: Py<PyArray1<i32>>,
    target_offsets: Py<PyArray1<i32>>,
    target: Py<PyArray1<i32>>,
    alignment_offsets: Py<PyArray1<i32>>,
    alignment_source: Py<PyArray1<i32>>,
    alignment_target: Py<PyArray1<i32>>,
    scores: Py<PyArray2<f32>>,
    copied: Py<PyArray1<bool>>,
    context: Py<PyArray1<i32>>,
    hole_offsets: Py<PyArray1<i32>>,
    /// The first position of each hole, and the one after its last.
    hole_first: Py<PyArray1<i32>>,
    hole_end: Py<PyArray1<i32>>,
}

fn columns(py: Python<'_>, options: &dyn OptionColumns) -> PyResult<PyOptionColumns> {
    let mut position_offsets = vec![0i32];
    let mut target_offsets = vec![0i32];
    let mut alignment_offsets = vec![0i32];
    let (mut positions, mut target) = (Vec::new(), Vec::new());
    let (mut alignment_source, mut alignment_target) = (Vec::new(), Vec::new());
    let mut scores: Vec<f32> = Vec::with_capacity(options.number() * SCORES);
    let (mut copied, mut context) = (Vec::new(), Vec::new());
    let mut hole_offsets = vec![0i32];
    let (mut hole_first, mut hole_end) = (Vec::new(), Vec::new());
    options.each(&mut |row| {
        positions.extend(row.positions.iter().map(|&p| p as i32));
        position_offsets.push(positions.len() as i32);
        // A copied word has no number: it is -1. The holes of a rule follow: -2, -3, ...
        let symbol =
            |(at, &word): (usize, &u32)| row.target_hole(at).map_or(word as i32, |hole| -2 - hole as i32);
        target.extend(row.target.iter().enumerate().map(symbol));
        target_offsets.push(target.len() as i32);
        for (s, t) in row.alignment.iter() {
            alignment_source.push(row.positions.get(usize::from(s)).map_or(-1, |&p| p as i32));
            alignment_target.push(i32::from(t));
        }
        alignment_offsets.push(alignment_source.len() as i32);
        scores.extend_from_slice(row.scores);
        copied.push(row.copied);
        context.push(row.context.map_or(-1, i32::from));
        for &(first, end) in row.holes {
            hole_first.push(first as i32);
            hole_end.push(end as i32);
        }
        hole_offsets.push(hole_first.len() as i32);
    });
    let number = options.number();
    Ok(PyOptionColumns {
        position_offsets: position_offsets.into_pyarray(py).unbind(),
        positions: positions.into_pyarray(py).unbind(),
        target_offsets: target_offsets.into_pyarray(py).unbind(),
        target: target.into_pyarray(py).unbind(),
        alignment_offsets: alignment_offsets.into_pyarray(py).unbind(),
        alignment_source: alignment_source.into_pyarray(py).unbind(),
        alignment_target: alignment_target.into_pyarray(py).unbind(),
        scores: scores.into_pyarray(py).reshape([number, SCORES])?.unbind(),
        copied: copied.into_pyarray(py).unbind(),
        context: context.into_pyarray(py).unbind(),
        hole_offsets: hole_offsets.into_pyarray(py).unbind(),
        hole_first: hole_first.into_pyarray(py).unbind(),
        hole_end: hole_end.into_pyarray(py).unbind(),
    })
}

/// Calls a Python annotation: `annotate(columns, words) -> array of shape (options, added features)`.
fn call(annotate: &Py<PyAny>, options: &dyn OptionColumns, sentence: &Sentence) -> Result<(usize, Vec<f32>)> {
    Python::attach(|py| {
        let answer = || -> PyResult<(usize, Vec<f32>)> {
            let given = annotate.call1(py, (columns(py, options)?, sentence.words.clone()))?;
            let array: PyReadonlyArray2<'_, f32> = given.extract(py)?;
            let shape = array.shape();
            if shape[0] != options.number() {
                let message = format!("{} rows for {} options", shape[0], options.number());
                return Err(pyo3::exceptions::PyValueError::new_err(message));
            }
            Ok((shape[1], array.as_array().iter().copied().collect()))
        };
        answer().map_err(|error| {
            Error::input(format!("an annotation failed: {error}."))
                .hint("It must return a float32 array with a row for each option.")
        })
    })
}

/// Does some work with a Python annotation, or with none.
fn annotating<R>(annotate: Option<&Py<PyAny>>, work: impl FnOnce(Option<Annotate<'_>>) -> R) -> R {
    match annotate {
        None => work(None),
        Some(callable) => {
            work(Some(&|options: &dyn OptionColumns, of: &Sentence| call(callable, options, of)))
        }
    }
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
            let decoder = Decoder::new(
                Arc::new(Table::open(&table)?),
                Arc::new(Model::open(&lm)?),
                Weights::new(weights)?,
                LinkKinds { bigram, dependency },
                beam,
                Choice { limit: table_limit, segmenting, selecting },
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
            let settings = chart::Settings {
                limits: Limits { pops, cell, threshold, keep_ways: false },
                max_span,
                choice: Choice::all(table_limit),
            };
            let (table, lm) = (Arc::new(Table::open(&table)?), Arc::new(Model::open(&lm)?));
            let system = match (reordering, table.settings().grammar) {
                (Some(path), _) => System::Blocks(Arc::new(Blocks::new(Reordering::open(&path)?, &table))),
                (None, Grammar::Fragments) => System::Fragments,
                (None, Grammar::HeadDependents) => System::HeadDependents,
                (None, _) => System::Hierarchical,
            };
            let decoder = chart::Decoder::new(system, table, lm, Weights::new(weights)?, settings)?;
            Ok(PyDecoder { decoder: Box::new(decoder) })
        })
    }

    /// The same decoder with other weights; one more for each feature that an annotation adds.
    fn reweighted(&self, py: Python<'_>, weights: Vec<f32>) -> PyResult<Self> {
        run(py, || Ok(PyDecoder { decoder: self.decoder.reweighted(Weights::new(weights)?) }))
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
            let on = |model: &Arc<dyn Selector>| model.on(self.decoder.table());
            let annotators = models.iter().map(on).collect::<Result<Vec<_>>>()?;
            let decoder = self.decoder.annotated(annotators.into(), Weights::new(weights)?);
            Ok(PyDecoder { decoder })
        })
    }

    /// The same decoder with consensus, whose features come last.
    fn judged(
        &self,
        py: Python<'_>,
        consensus: PyRef<'_, PySpanConsensus>,
        weights: Vec<f32>,
    ) -> PyResult<Self> {
        let consensus = consensus.consensus.clone();
        run(py, || Ok(PyDecoder { decoder: self.decoder.judged(consensus, Weights::new(weights)?)? }))
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
        let wanted = Wanted { n_best, distinct, graph };
        let translated = self.translated(py, sentences, &wanted, threads, annotate)?;
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
        let wanted = Wanted { n_best, distinct, graph: false };
        let translated = self.translated(py, sentences, &wanted, threads, annotate)?;
        let made = run(py, || NBestColumns::new(&translated))?;
        let (number, words) = (made.tokens.len() - 1, made.words());
        Ok(PyNBestColumns {
            hypotheses: made.hypotheses.into_pyarray(py).unbind(),
            tokens: made.tokens.into_pyarray(py).unbind(),
            numbers: made.numbers.into_pyarray(py).unbind(),
            words,
            values: made.values.into_pyarray(py).reshape([number, self.decoder.features()])?.unbind(),
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
            let of = |sentence: &Sentence| {
                let spans =
                    annotating(annotate.as_ref(), |annotate| self.decoder.spans(sentence, most, annotate))?;
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
            let pairs = sentences.par_iter().zip(&references);
            let of = |(one, to): (&Sentence, &Vec<String>)| {
                annotating(annotate.as_ref(), |annotate| self.decoder.forced(one, to, most, annotate))
            };
            pairs.map(of).collect::<Result<Vec<_>>>()
        })?;
        Ok(results.into_iter().map(|one| (one.derivation.map(found), span_tuples(one.spans))).collect())
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
        wanted: &Wanted,
        threads: usize,
        annotate: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Translations>> {
        let sentences = checked(py, sentences)?;
        run_on(py, threads, || {
            sentences
                .par_iter()
                .map(|sentence| {
                    annotating(annotate.as_ref(), |annotate| {
                        self.decoder.translate(sentence, wanted, annotate)
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
    module.add_class::<PyOptionColumns>()?;
    module.add("FEATURES", NAMES.to_vec())?;
    Ok(())
}
