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
use crate::consensus::links::{sentence_links, LinkSettings, NodeId, MOST_OPEN_LINKS};
use crate::consensus::lists::{Lists, MOST_SENDERS};
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

/// The fields of `graphmt.consensus.options.RerankOptions` that the core reads.
#[derive(FromPyObject)]
struct RerankOptions {
    threshold: f64,
    between: bool,
    normalise: String,
    sharpness: f64,
    rounds: usize,
    tolerance: f64,
    per_sentence: bool,
    /// `None` if it was not detected.
    lowercase: Option<bool>,
    threads: usize,
}

/// A translation with its probability.
#[pyclass(module = "graphmt._core", name = "MemoryTranslation", frozen, get_all, eq)]
#[derive(Clone, PartialEq)]
pub struct PyMemoryTranslation {
    text: String,
    probability: f64,
}

/// A source with its translations.
#[pyclass(module = "graphmt._core", name = "MemoryEntry", frozen, get_all, eq)]
#[derive(PartialEq)]
pub struct PyMemoryEntry {
    source: String,
    translations: Vec<PyMemoryTranslation>,
}

/// A similar source with its similarity and its translations.
#[pyclass(module = "graphmt._core", name = "MemoryNeighbour", frozen, get_all, eq)]
#[derive(PartialEq)]
pub struct PyMemoryNeighbour {
    source: String,
    similarity: f64,
    translations: Vec<PyMemoryTranslation>,
}

fn translations(memory: &TranslationMemory, node: u32) -> Vec<PyMemoryTranslation> {
    let one = |(words, probability)| PyMemoryTranslation { text: text(&memory.targets, words), probability };
    memory.labels(node).map(one).collect()
}

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

    /// Sources from one place to another, with their translations.
    fn entries(&self, py: Python<'_>, start: usize, end: usize) -> PyResult<Vec<PyMemoryEntry>> {
        run(py, || {
            let memory = self.shared()?;
            let entry = |node: usize| {
                let source = text(&memory.sources, memory.index.get(node as u32));
                PyMemoryEntry { source, translations: translations(&memory, node as u32) }
            };
            Ok((start..end.min(memory.index.len())).map(entry).collect())
        })
    }

    #[getter]
    fn pairs(&self) -> usize {
        self.memory.pairs()
    }

    /// The neighbours of each source.
    #[pyo3(signature = (sources, threshold, *, threads=0))]
    fn neighbours(
        &self,
        py: Python<'_>,
        sources: Vec<PyBackedStr>,
        threshold: f64,
        threads: usize,
    ) -> PyResult<Vec<Vec<PyMemoryNeighbour>>> {
        let memory = &self.memory;
        run_on(py, threads, || {
            check_threshold(threshold)?;
            let shown = |(node, similarity): (u32, f64)| PyMemoryNeighbour {
                source: text(&memory.sources, memory.index.get(node)),
                similarity,
                translations: translations(memory, node),
            };
            let of_source = |scratch: &mut Scratch, source: &PyBackedStr| {
                memory.neighbours(source, threshold, scratch).into_iter().map(shown).collect()
            };
            Ok(sources.par_iter().map_init(Scratch::default, of_source).collect())
        })
    }
}

/// The columns of n-best lists as `NBestColumns` has them, without values.
#[pyclass(module = "graphmt._core", name = "CandidateColumns", frozen, get_all)]
pub struct PyCandidateColumns {
    hypotheses: Py<PyArray1<u32>>,
    tokens: Py<PyArray1<u32>>,
    numbers: Py<PyArray1<u32>>,
    words: Vec<String>,
}

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

    fn columns(&self, py: Python<'_>) -> PyCandidateColumns {
        let tokens = [&[0], self.lists.candidates.ends()].concat();
        PyCandidateColumns {
            hypotheses: PyArray1::from_slice(py, &self.lists.starts).unbind(),
            tokens: tokens.into_pyarray(py).unbind(),
            numbers: PyArray1::from_slice(py, self.lists.candidates.numbers()).unbind(),
            words: self.lists.words.iter().map(str::to_owned).collect(),
        }
    }

    /// The sums of formula (11), a column for each similarity.
    fn local_consensus<'py>(
        &self,
        py: Python<'py>,
        posterior: PyReadonlyArray1<'_, f64>,
        similarities: Vec<String>,
        options: RerankOptions,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let posterior = posterior.to_vec()?;
        let columns = similarities.len();
        let values = run_on(py, options.threads, || {
            let normalised = Normalisation::named(&options.normalise)?;
            local_consensus(&self.lists, &posterior, &measures(&similarities)?, normalised, MOST_SENDERS)
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
        let values =
            run_on(py, threads, || expected_gain(&self.lists, &posterior, Gain::named(gain)?, MOST_SENDERS))?;
        Ok(values.into_pyarray(py))
    }
}

/// The links of sentences: those of sentence k are `starts[k]` up to `starts[k + 1]`. A link to input sentences that have
/// the same source and the same list is one link, with their number and the first of them.
#[pyclass(module = "graphmt._core", name = "GraphLinks", frozen, get_all)]
pub struct PyLinks {
    starts: Py<PyArray1<u32>>,
    in_memory: Py<PyArray1<bool>>,
    nodes: Py<PyArray1<u32>>,
    counts: Py<PyArray1<u32>>,
    weights: Py<PyArray1<f64>>,
}

/// The p of every candidate (rows) by similarity (columns), the rounds made, and the greatest change in the last.
#[pyclass(module = "graphmt._core", name = "Propagated", frozen, get_all)]
pub struct PyPropagated {
    values: Py<PyArray2<f64>>,
    rounds: usize,
    change: f64,
}

/// The support of a candidate by one label of a neighbour: the weight of the edge, the p of the label, and what the label
/// adds to the candidate's p by similarity. `source` is that of a node in the memory. `count` is the number of input
/// sentences with this source and this list; the node is the first of them, and p their mean.
#[pyclass(module = "graphmt._core", name = "LabelSupport", frozen, get_all)]
pub struct PyLabelSupport {
    in_memory: bool,
    node: u32,
    count: usize,
    source: Option<String>,
    label: String,
    weight: f64,
    p: f64,
    added: Vec<f64>,
}

#[pyclass(module = "graphmt._core", name = "ConsensusGraph", frozen)]
pub struct PyGraph {
    propagation: Propagation,
    memory: Option<Arc<TranslationMemory>>,
}

#[pymethods]
impl PyGraph {
    #[new]
    fn new(
        py: Python<'_>,
        sources: Vec<String>,
        lists: PyRef<'_, PyCandidates>,
        memory: Option<PyRef<'_, PyMemory>>,
        similarities: Vec<String>,
        options: RerankOptions,
    ) -> PyResult<Self> {
        let lists = lists.lists.clone();
        let memory =
            memory.map(|memory| memory.shared()).transpose().map_err(|error| to_python(py, &error))?;
        run_on(py, options.threads, || {
            let RerankOptions { threshold, between, sharpness, lowercase, .. } = options;
            let settings = GraphSettings {
                measures: measures(&similarities)?,
                normalised: Normalisation::named(&options.normalise)?,
                sharpness,
            };
            let lowercase = lowercase.unwrap_or(false);
            let ways = LinkSettings { threshold, between, lowercase, most: MOST_OPEN_LINKS };
            let linked = sentence_links(&sources, &lists, memory.as_deref(), ways)?;
            let graph = Graph::new(lists, memory.as_deref(), linked, settings)?;
            Ok(PyGraph { propagation: Propagation::new(graph), memory })
        })
    }

    /// Propagation from these posteriors on.
    fn propagate(
        &self,
        py: Python<'_>,
        posterior: PyReadonlyArray1<'_, f64>,
        options: RerankOptions,
    ) -> PyResult<PyPropagated> {
        let posterior = posterior.to_vec()?;
        let RerankOptions { rounds, tolerance, per_sentence, threads, .. } = options;
        let made = run_on(py, threads, || {
            self.propagation.graph.lists.check(&posterior)?;
            Ok(match per_sentence {
                true => self.propagation.propagate_each(&posterior, rounds, tolerance),
                false => self.propagation.propagate(&posterior, rounds, tolerance),
            })
        })?;
        let columns = self.propagation.graph.settings.measures.len();
        let values = made.values.into_pyarray(py).reshape([posterior.len(), columns])?.unbind();
        Ok(PyPropagated { values, rounds: made.rounds, change: made.change })
    }

    fn links(&self, py: Python<'_>) -> PyLinks {
        let graph = &self.propagation.graph;
        let (mut starts, mut fixed, mut nodes) = (vec![0], vec![], vec![]);
        let (mut counts, mut weights) = (vec![], vec![]);
        for sentence in 0..graph.nodes.sentences() {
            let own = graph.nodes.of(sentence);
            for link in &graph.links[own] {
                let (in_memory, node) = match link.to {
                    NodeId::Fixed(node) => (true, node),
                    NodeId::Open(node) => {
                        let mut members = graph.nodes.members(node as usize).iter();
                        (false, members.find(|&&one| one as usize != sentence).copied().unwrap_or_default())
                    }
                };
                fixed.push(in_memory);
                nodes.push(node);
                counts.push(graph.count(own, link.to) as u32);
                weights.push(link.weight);
            }
            starts.push(nodes.len() as u32);
        }
        PyLinks {
            starts: starts.into_pyarray(py).unbind(),
            in_memory: fixed.into_pyarray(py).unbind(),
            nodes: nodes.into_pyarray(py).unbind(),
            counts: counts.into_pyarray(py).unbind(),
            weights: weights.into_pyarray(py).unbind(),
        }
    }

    /// The labels of neighbours that support a candidate, given the values of propagation.
    fn support(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f64>,
        sentence: usize,
        candidate: usize,
    ) -> PyResult<Vec<PyLabelSupport>> {
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
            let support = |one: Contribution| {
                let Contribution { link, sentence, count, label, p, amounts: added } = one;
                let (node, source, text) = match (link.to, memory) {
                    (NodeId::Fixed(node), Some(memory)) => (
                        node,
                        Some(text(&memory.sources, memory.index.get(node))),
                        memory.labels(node).nth(label).map(|(words, _)| text(&memory.targets, words)),
                    ),
                    _ => {
                        let node = sentence.unwrap_or_default();
                        let candidate = lists.range(node).start + label;
                        (node as u32, None, Some(text(&lists.words, lists.candidates.get(candidate))))
                    }
                };
                let (in_memory, label) = (source.is_some(), text.unwrap_or_default());
                PyLabelSupport { in_memory, node, count, source, label, weight: link.weight, p, added }
            };
            let found = contributions(&self.propagation.graph, memory, &values, sentence, candidate);
            Ok(found.into_iter().map(support).collect())
        })
    }
}

/// Formula (10) of a tokenised text and each of others; 1 where they are equal.
#[pyfunction]
fn symmetric_bleu(py: Python<'_>, one: &str, others: Vec<PyBackedStr>) -> PyResult<Vec<f64>> {
    run(py, || of_texts(Measure::Bleu, one, others.iter().map(|text| &**text)))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyMemory>()?;
    module.add_class::<PyMemoryTranslation>()?;
    module.add_class::<PyMemoryEntry>()?;
    module.add_class::<PyMemoryNeighbour>()?;
    module.add_class::<PyCandidateColumns>()?;
    module.add_class::<PyLinks>()?;
    module.add_class::<PyPropagated>()?;
    module.add_class::<PyLabelSupport>()?;
    module.add_class::<PyCandidates>()?;
    module.add_class::<PyGraph>()?;
    module.add_function(wrap_pyfunction!(symmetric_bleu, module)?)
}
