//! Bindings of consensus in decoding.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

use super::consensus::{measures, PyMemory};
use super::evidence::{PyInputs, PyRows};
use super::evidence_models::PyProbabilities;
use super::guard::{run, run_on, to_python};
use super::search::{PyDecoder, Sentences};
use super::sentence::PySentence;
use crate::consensus::graph::GraphSettings;
use crate::consensus::span_evidence::inputs;
use crate::consensus::span_features::FeatureGroup;
use crate::consensus::span_scorer::{ScorerSettings, SpanConsensus};
use crate::consensus::spans::{SpanGraph, SpanSettings};
use crate::consensus::transfers::Normalisation;
use crate::decode::chart::first_pass::FirstPassCharts;
use crate::decode::features::Weights;
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::SpanScorer;
use crate::decode::translator::{FirstPass, FirstPassRequest};
use crate::error::{Error, Result};

/// The similarities of formulas (9) and (11).
const DICE: [&str; 4] = ["dice1", "dice2", "dice3", "dice4"];

/// The fields of `graphmt.consensus.decode_options.ConsensusOptions` that the core reads.
#[derive(FromPyObject)]
struct ConsensusOptions {
    features: String,
    threshold: f64,
    neighbours: usize,
    shorter: usize,
    between: bool,
    labels: usize,
    whole: usize,
    scale: f64,
    normalise: String,
    sharpness: f64,
    rounds: usize,
    tolerance: f64,
    floor: f64,
    search: String,
    threads: usize,
}

impl ConsensusOptions {
    /// What the graph needs of each sentence. If consensus ranks whole translations only, these are the spans whose labels
    /// reach the whole sentence: it receives from its neighbours, and they have received in so many rounds.
    fn first_pass(&self, features: &[FeatureGroup]) -> FirstPassRequest {
        let needs_all = self.scores_cells() || self.between || features.contains(&FeatureGroup::Memory);
        let reach = self.rounds.saturating_add(1).saturating_mul(self.shorter);
        let shorter = if needs_all { usize::MAX } else { reach };
        let ConsensusOptions { labels, whole, .. } = *self;
        FirstPassRequest { labels, whole, shorter, keep_chart: !self.scores_cells() }
    }

    fn scores_cells(&self) -> bool {
        self.search == "cells"
    }

    fn settings(&self) -> Result<SpanSettings> {
        let graph = GraphSettings {
            measures: measures(&DICE.map(str::to_owned))?,
            normalised: Normalisation::named(&self.normalise)?,
            sharpness: self.sharpness,
        };
        let ConsensusOptions { threshold, neighbours, shorter, between, labels, whole, .. } = *self;
        let ConsensusOptions { scale, rounds, tolerance, .. } = *self;
        Ok(SpanSettings {
            threshold,
            neighbours,
            shorter,
            between,
            labels,
            whole,
            scale,
            graph,
            rounds,
            tolerance,
        })
    }
}

/// The edges of spans to the memory, and between spans.
#[pyclass(module = "graphmt._core", name = "EdgeCounts", frozen, get_all)]
pub struct PyEdgeCounts {
    to_memory: usize,
    between: usize,
}

#[pyclass(module = "graphmt._core", name = "SpanConsensus", frozen)]
pub struct PySpanConsensus {
    pub consensus: Arc<SpanConsensus>,
    first_pass: Arc<FirstPassCharts>,
}

#[pymethods]
impl PySpanConsensus {
    #[new]
    fn new(
        py: Python<'_>,
        decoder: PyRef<'_, PyDecoder>,
        sentences: Sentences,
        memory: Option<PyRef<'_, PyMemory>>,
        options: ConsensusOptions,
    ) -> PyResult<Self> {
        let memory =
            memory.map(|memory| memory.shared()).transpose().map_err(|error| to_python(py, &error))?;
        let decoder = &decoder.decoder;
        run_on(py, options.threads, || {
            let sentences: Vec<Sentence> = sentences.iter().map(|one| one.get().sentence.clone()).collect();
            let chart = decoder.chart()?;
            let features = FeatureGroup::named(&options.features)?;
            let request = options.first_pass(&features);
            let first_pass = sentences.par_iter().map(|one| chart.first_pass(one, &request));
            let first_pass = first_pass.collect::<Result<Vec<_>>>()?;
            let (spans, charts): (Vec<_>, Vec<_>) =
                first_pass.into_iter().map(|FirstPass { spans, chart }| (spans, chart)).unzip();
            let graph = SpanGraph::new(&sentences, &spans, memory, options.settings()?)?;
            let settings =
                ScorerSettings { features, floor: options.floor, scores_cells: options.scores_cells() };
            Ok(PySpanConsensus {
                consensus: Arc::new(SpanConsensus::new(graph, decoder.table(), settings)),
                first_pass: Arc::new(charts.into_iter().flatten().collect()),
            })
        })
    }

    /// The sentences with their best translations and those of their spans as candidates.
    #[pyo3(signature = (references=None, *, lowercase=false))]
    fn evidence_inputs(
        &self,
        py: Python<'_>,
        references: Option<Vec<Vec<String>>>,
        lowercase: bool,
    ) -> PyResult<PyInputs> {
        run(py, || {
            let made = inputs(self.consensus.graph(), references.as_deref(), lowercase)?;
            Ok(PyInputs { inputs: Arc::new(made) })
        })
    }

    /// The same with the probabilities of n-grams, given for the rows of these inputs.
    fn with_evidence(
        &self,
        py: Python<'_>,
        rows: &PyRows,
        probabilities: &PyProbabilities,
    ) -> PyResult<PySpanConsensus> {
        run(py, || {
            let made = self.consensus.with_evidence(&rows.inputs, &rows.rows, &probabilities.values)?;
            Ok(PySpanConsensus { consensus: Arc::new(made), first_pass: self.first_pass.clone() })
        })
    }

    /// The number of spans that differ.
    fn __len__(&self) -> usize {
        self.consensus.graph().len()
    }

    /// The number of edges.
    #[getter]
    fn edges(&self) -> PyEdgeCounts {
        let (to_memory, between) = self.consensus.graph().edges();
        PyEdgeCounts { to_memory, between }
    }

    /// A decoder with this consensus, whose features come last.
    fn applied_to(
        &self,
        py: Python<'_>,
        decoder: PyRef<'_, PyDecoder>,
        weights: Vec<f32>,
    ) -> PyResult<PyDecoder> {
        let decoder = &decoder.decoder;
        run(py, || {
            let (scorer, first_pass) = (self.consensus.clone(), self.first_pass.clone());
            Ok(PyDecoder {
                decoder: decoder.chart()?.with_span_scorer(scorer, first_pass, Weights::new(weights)?),
            })
        })
    }

    /// The features of translations of a span, a row for each; None where the graph does not have the span.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        sentence: &PySentence,
        first: usize,
        end: usize,
        texts: Vec<Vec<String>>,
    ) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let sentence = &sentence.sentence;
        let values = run(py, || {
            if first >= end || end > sentence.words.len() {
                let words = sentence.words.len();
                return Err(Error::input(format!("no span from {first} to {end} in {words} words.")));
            }
            let mut scorer = self.consensus.for_sentence(sentence);
            let texts: Vec<Vec<u32>> =
                texts.iter().map(|text| text.iter().map(|word| scorer.word_id_of(word)).collect()).collect();
            let slices: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
            let mut values = Vec::new();
            Ok(scorer.score((first, end), &slices, &mut values).then_some(values))
        })?;
        values
            .map(|values| {
                let columns = self.consensus.columns();
                let rows = values.len() / columns.max(1);
                values.into_pyarray(py).reshape([rows, columns])
            })
            .transpose()
    }
}

/// Adds sentence pairs and, as forced decoding finds them, the translations of their spans: those of the derivation, or of
/// all cells where the target cannot be made. Returns how often it could.
#[pyfunction]
#[pyo3(signature = (memory, decoder, sentences, references, *, threads))]
fn add_forced(
    py: Python<'_>,
    mut memory: PyRefMut<'_, PyMemory>,
    decoder: PyRef<'_, PyDecoder>,
    sentences: Sentences,
    references: Vec<Vec<String>>,
    threads: usize,
) -> PyResult<usize> {
    let decoder = &decoder.decoder;
    let memory = &mut *memory;
    run_on(py, threads, || {
        if sentences.len() != references.len() {
            let (given, wanted) = (references.len(), sentences.len());
            return Err(Error::input(format!("{given} references for {wanted} sentences.")));
        }
        let sentences: Vec<&Sentence> = sentences.iter().map(|one| &one.get().sentence).collect();
        let chart = decoder.chart()?;
        let pairs = sentences.par_iter().zip(&references);
        let found =
            pairs.map(|(one, to)| chart.force_decode(one, to, 1, None)).collect::<Result<Vec<_>>>()?;
        let memory = memory.change()?;
        let mut reached = 0;
        for ((sentence, reference), found) in sentences.iter().zip(&references).zip(found) {
            reached += usize::from(found.derivation.is_some());
            memory.add(&sentence.words.join(" "), &reference.join(" "), 1.0)?;
            let spans = if found.derivation.is_some() { found.derived } else { found.spans };
            for one in spans.iter().filter(|one| one.span != (0, sentence.words.len())) {
                let source = sentence.words[one.span.0..one.span.1].join(" ");
                let best = one.translations.first();
                best.map_or(Ok(()), |(text, _)| memory.add(&source, &text.join(" "), 1.0))?;
            }
        }
        Ok(reached)
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySpanConsensus>()?;
    module.add_class::<PyEdgeCounts>()?;
    module.add_function(wrap_pyfunction!(add_forced, module)?)
}
