//! Bindings of translation consensus: memories, candidate lists, the graph.

use std::borrow::Cow;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use rayon::prelude::*;

use super::guard::{run, run_on, to_python};
use crate::consensus::explain::{contributions, Contribution};
use crate::consensus::graph::{Graph, GraphSettings};
use crate::consensus::index::{check_threshold, Scratch};
use crate::consensus::links::{sentence_links, NodeId};
use crate::consensus::lists::Lists;
use crate::consensus::local::local_consensus;
use crate::consensus::mbr::{expected_gain, Gain};
use crate::consensus::memory::TranslationMemory;
use crate::consensus::propagation::Propagation;
use crate::consensus::similarity::{of_texts, Measure};
use crate::consensus::strings::text;
use crate::consensus::transfers::Normalisation;
use crate::error::{Error, Result};

pub fn measures(names: &[String]) -> Result<Vec<Measure>> {
    names.iter().map(|name| Measure::named(name)).collect()
}

/// Source, translations with their probabilities.
type Entry = (String, Vec<(String, f64)>);

/// Source, similarity, translations with their probabilities.
type Neighbour = (String, f64, Vec<(String, f64)>);

#[pyclass(module = "graphmt._core", name = "TranslationMemory")]
pub struct PyMemory {
    memory: Arc<TranslationMemory>,
}

impl PyMemory {
    pub fn shared(&self) -> Result<Arc<TranslationMemory>> {
        match self.memory.is_finished() {
            true => Ok(self.memory.clone()),
            false => Err(Error::input("the translation memory is not finished yet.")),
        }
    }

    pub fn change(&mut self) -> Result<&mut TranslationMemory> {
        Arc::get_mut(&mut self.memory)
            .ok_or_else(|| Error::input("a translation memory that is in use takes no more pairs."))
    }
}

#[pymethods]
impl PyMemory {
    #[new]
    #[pyo3(signature = (*, lowercase=false))]
    fn new(lowercase: bool) -> Self {
        PyMemory { memory: Arc::new(TranslationMemory::new(lowercase)) }
    }

    /// Adds pairs, each of which counts once or as often as its weight says.
    #[pyo3(signature = (sources, targets, weights=None))]
    fn add(
        &mut self,
        py: Python<'_>,
        sources: Vec<PyBackedStr>,
        targets: Vec<PyBackedStr>,
        weights: Option<Vec<f32>>,
    ) -> PyResult<()> {
        run(py, || {
            let weights = weights.unwrap_or_else(|| vec![1.0; sources.len()]);
            if sources.len() != targets.len() || sources.len() != weights.len() {
                let (a, b, c) = (sources.len(), targets.len(), weights.len());
                return Err(Error::input(format!("{a} sources and {c} weights for {b} targets.")));
            }
            let memory = self.change()?;
            let mut pairs = sources.iter().zip(&targets).zip(weights);
            pairs.try_for_each(|((source, target), weight)| memory.add(source, target, weight))
        })
    }

    /// To be called when all pairs are in; a source keeps so many translations at most, those that count most.
    #[pyo3(signature = (most=None))]
    fn finish(&mut self, py: Python<'_>, most: Option<usize>) -> PyResult<()> {
        run(py, || {
            self.change()?.finish_with(most.unwrap_or(usize::MAX));
            Ok(())
        })
    }

    fn __len__(&self) -> usize {
        self.memory.index.len()
    }

    /// Sources from one place to another, with their translations and probabilities.
    fn entries(&self, py: Python<'_>, start: usize, end: usize) -> PyResult<Vec<Entry>> {
        run(py, || {
            let memory = self.shared()?;
            let entry = |node: usize| {
                let node = node as u32;
                let labels = memory.labels(node).map(|(words, p)| (text(&memory.targets, words), p));
                (text(&memory.sources, memory.index.get(node)), labels.collect())
            };
            Ok((start..end.min(memory.index.len())).map(entry).collect())
        })
    }

    #[getter]
    fn pairs(&self) -> usize {
        self.memory.pairs()
    }

    #[pyo3(signature = (sources, threshold, *, threads=0))]
    fn neighbours(
        &self,
        py: Python<'_>,
        sources: Vec<PyBackedStr>,
        threshold: f64,
        threads: usize,
    ) -> PyResult<Vec<Vec<Neighbour>>> {
        let memory = &self.memory;
        run_on(py, threads, || {
            check_threshold(threshold)?;
            let shown = |(node, weight): (u32, f64)| {
                let labels = memory.labels(node).map(|(words, p)| (text(&memory.targets, words), p));
                (text(&memory.sources, memory.index.get(node)), weight, labels.collect())
            };
            let of_source = |scratch: &mut Scratch, source: &PyBackedStr| {
                memory.neighbours(source, threshold, scratch).into_iter().map(shown).collect()
            };
            Ok(sources.par_iter().map_init(Scratch::default, of_source).collect())
        })
    }
}

/// Lists, hypotheses, words: columns as `NBestLists.add` takes them.
type Columns<'py> =
    (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Vec<String>);

#[pyclass(module = "graphmt._core", name = "CandidateLists", frozen)]
pub struct PyCandidates {
    lists: Arc<Lists>,
}

#[pymethods]
impl PyCandidates {
    #[new]
    #[pyo3(signature = (lists, *, lowercase=false))]
    fn new(py: Python<'_>, lists: Vec<Vec<PyBackedStr>>, lowercase: bool) -> PyResult<Self> {
        run(py, || {
            let mut made = Lists::new(lowercase);
            lists.iter().try_for_each(|list| made.push(list.iter().map(|text| &**text)))?;
            Ok(PyCandidates { lists: Arc::new(made) })
        })
    }

    fn __len__(&self) -> usize {
        self.lists.len()
    }

    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.lists.starts)
    }

    fn columns<'py>(&self, py: Python<'py>) -> Columns<'py> {
        let tokens = [&[0], self.lists.candidates.ends()].concat();
        (
            PyArray1::from_slice(py, &self.lists.starts),
            tokens.into_pyarray(py),
            PyArray1::from_slice(py, self.lists.candidates.numbers()),
            self.lists.words.iter().map(str::to_owned).collect(),
        )
    }

    /// The sums of formula (11), a column for each measure.
    #[pyo3(signature = (posterior, similarities, normalised, *, threads=0))]
    fn local_consensus<'py>(
        &self,
        py: Python<'py>,
        posterior: PyReadonlyArray1<'_, f64>,
        similarities: Vec<String>,
        normalised: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let posterior = posterior.to_vec()?;
        let columns = similarities.len();
        let values = run_on(py, threads, || {
            local_consensus(
                &self.lists,
                &posterior,
                &measures(&similarities)?,
                Normalisation::named(normalised)?,
            )
        })?;
        values.into_pyarray(py).reshape([posterior.len(), columns])
    }

    #[pyo3(signature = (posterior, gain, *, threads=0))]
    fn expected_gain<'py>(
        &self,
        py: Python<'py>,
        posterior: PyReadonlyArray1<'_, f64>,
        gain: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let posterior = posterior.to_vec()?;
        let values = run_on(py, threads, || expected_gain(&self.lists, &posterior, Gain::named(gain)?))?;
        Ok(values.into_pyarray(py))
    }
}

/// Where the links of each sentence begin, whether they go to the memory, the nodes, the weights.
type Links<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f64>>,
);

/// In the memory or not, node, source in the memory, label, weight of the edge, p, what it said by measure.
type Said = (bool, u32, Option<String>, String, f64, f64, Vec<f64>);

#[pyclass(module = "graphmt._core", name = "ConsensusGraph", frozen)]
pub struct PyGraph {
    propagation: Propagation,
    memory: Option<Arc<TranslationMemory>>,
}

#[pymethods]
impl PyGraph {
    #[new]
    #[pyo3(signature = (sources, lists, memory, *, threshold, between, similarities, normalised, sharpness=1.0,
        lowercase=false, threads=0))]
    #[allow(clippy::too_many_arguments)] // The fields of one options dataclass, by name.
    fn new(
        py: Python<'_>,
        sources: Vec<String>,
        lists: PyRef<'_, PyCandidates>,
        memory: Option<PyRef<'_, PyMemory>>,
        threshold: f64,
        between: bool,
        similarities: Vec<String>,
        normalised: &str,
        sharpness: f64,
        lowercase: bool,
        threads: usize,
    ) -> PyResult<Self> {
        let lists = lists.lists.clone();
        let memory =
            memory.map(|memory| memory.shared()).transpose().map_err(|error| to_python(py, &error))?;
        run_on(py, threads, || {
            let settings = GraphSettings {
                measures: measures(&similarities)?,
                normalised: Normalisation::named(normalised)?,
                sharpness,
            };
            let links = sentence_links(&sources, memory.as_deref(), threshold, between, lowercase)?;
            let graph = Graph::new(lists, memory.as_deref(), links, settings)?;
            Ok(PyGraph { propagation: Propagation::new(graph), memory })
        })
    }

    /// p of every candidate (rows) by measure (columns), the rounds that it took, the change in the last.
    #[pyo3(signature = (posterior, *, rounds, tolerance, each=false, threads=0))]
    fn propagate<'py>(
        &self,
        py: Python<'py>,
        posterior: PyReadonlyArray1<'_, f64>,
        rounds: usize,
        tolerance: f64,
        each: bool,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, usize, f64)> {
        let posterior = posterior.to_vec()?;
        let made = run_on(py, threads, || {
            self.propagation.graph.lists.check(&posterior)?;
            Ok(match each {
                true => self.propagation.propagate_each(&posterior, rounds, tolerance),
                false => self.propagation.propagate(&posterior, rounds, tolerance),
            })
        })?;
        let columns = self.propagation.graph.settings.measures.len();
        let values = made.values.into_pyarray(py).reshape([posterior.len(), columns])?;
        Ok((values, made.rounds, made.change))
    }

    fn links<'py>(&self, py: Python<'py>) -> Links<'py> {
        let (mut starts, mut fixed, mut nodes, mut weights) = (vec![0], vec![], vec![], vec![]);
        for links in &self.propagation.graph.links {
            for link in links {
                let (in_memory, node) = split(link.to);
                fixed.push(in_memory);
                nodes.push(node);
                weights.push(link.weight);
            }
            starts.push(nodes.len() as u32);
        }
        (starts.into_pyarray(py), fixed.into_pyarray(py), nodes.into_pyarray(py), weights.into_pyarray(py))
    }

    /// Who spoke for a candidate, given the values of propagation.
    fn voices(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f64>,
        sentence: usize,
        candidate: usize,
    ) -> PyResult<Vec<Said>> {
        let (lists, columns) =
            (&self.propagation.graph.lists, self.propagation.graph.settings.measures.len());
        let values = match values.as_slice() {
            Ok(values) => Cow::Borrowed(values),
            Err(_) => Cow::Owned(values.as_array().iter().copied().collect()),
        };
        let whole = values.len() == lists.candidates.len() * columns
            && sentence < lists.len()
            && candidate < lists.range(sentence).len();
        if !whole {
            return Err(to_python(py, &Error::input("no such candidate, or values of another graph.")));
        }
        run(py, || {
            let memory = self.memory.as_deref();
            let said = |voice: Contribution| {
                let (in_memory, node) = split(voice.link.to);
                let (source, label) = match (in_memory, memory) {
                    (true, Some(memory)) => (
                        Some(text(&memory.sources, memory.index.get(node))),
                        memory.labels(node).nth(voice.label).map(|(words, _)| text(&memory.targets, words)),
                    ),
                    _ => {
                        let candidate = lists.range(node as usize).start + voice.label;
                        (None, Some(text(&lists.words, lists.candidates.get(candidate))))
                    }
                };
                let label = label.unwrap_or_default();
                (in_memory, node, source, label, voice.link.weight, voice.p, voice.amounts)
            };
            let found = contributions(&self.propagation.graph, memory, &values, sentence, candidate);
            Ok(found.into_iter().map(said).collect())
        })
    }
}

fn split(place: NodeId) -> (bool, u32) {
    match place {
        NodeId::Fixed(node) => (true, node),
        NodeId::Open(node) => (false, node),
    }
}

/// Formula (10) of a tokenised text and each of others; 1 where they are equal.
#[pyfunction]
fn symmetric_bleu(py: Python<'_>, one: &str, others: Vec<PyBackedStr>) -> PyResult<Vec<f64>> {
    run(py, || of_texts(Measure::Bleu, one, others.iter().map(|text| &**text)))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyMemory>()?;
    module.add_class::<PyCandidates>()?;
    module.add_class::<PyGraph>()?;
    module.add_function(wrap_pyfunction!(symmetric_bleu, module)?)
}
