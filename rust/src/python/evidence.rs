//! Bindings of memory n-gram posteriors: the memory's index, inputs and rows.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use super::evidence_models::PyProbabilities;
use super::guard::{run, run_on, to_python, Reporter};
use crate::corpus::tokens::{cased, tokens};
use crate::error::{Error, Result};
use crate::evidence::features::{NAMES, VECTOR_NAMES};
use crate::evidence::inputs::{Input, Inputs};
use crate::evidence::memory::{Memory, MemoryBuilder};
use crate::evidence::neighbours::Neighbour;
use crate::evidence::rows::{rows, OrderRows, Rows};
use crate::evidence::text::{Text, UNKNOWN};
use crate::evidence::{RowSettings, LONGEST, ORDERS};

/// The fields of `graphmt.evidence.EvidenceOptions` that rows depend on.
#[derive(FromPyObject)]
pub struct RowOptions {
    sample: usize,
    prior: f64,
    frequent: usize,
    compared: usize,
    skip_identical: bool,
}

impl RowOptions {
    pub fn settings(&self) -> RowSettings {
        RowSettings {
            sample: self.sample,
            prior: self.prior,
            frequent: self.frequent,
            compared: self.compared,
            skip_identical: self.skip_identical,
        }
    }
}

#[pyclass(module = "graphmt._core", name = "MemoryBuilder")]
pub struct PyMemoryBuilder {
    /// `None` once the memory is finished.
    builder: Option<MemoryBuilder>,
}

fn finished() -> Error {
    Error::input("the memory is finished and takes no more pairs.").hint("Make a new MemoryBuilder.")
}

#[pymethods]
impl PyMemoryBuilder {
    #[new]
    #[pyo3(signature = (*, lowercase=false))]
    fn new(lowercase: bool) -> Self {
        PyMemoryBuilder { builder: Some(MemoryBuilder::new(lowercase)) }
    }

    fn __len__(&self) -> usize {
        self.builder.as_ref().map_or(0, MemoryBuilder::len)
    }

    /// Adds pairs of tokenised lines.
    fn add(&mut self, py: Python<'_>, sources: Vec<PyBackedStr>, targets: Vec<PyBackedStr>) -> PyResult<()> {
        run(py, || {
            if sources.len() != targets.len() {
                let (sources, targets) = (sources.len(), targets.len());
                return Err(Error::input(format!("{sources} source lines for {targets} target lines.")));
            }
            let builder = self.builder.as_mut().ok_or_else(finished)?;
            sources.iter().zip(&targets).try_for_each(|(source, target)| builder.add(source, target))
        })
    }

    /// The index of the pairs; the builder is empty afterwards.
    #[pyo3(signature = (*, threads=0))]
    fn finish(&mut self, py: Python<'_>, threads: usize) -> PyResult<PyMemoryIndex> {
        let builder = self.builder.take();
        run_on(py, threads, || Ok(PyMemoryIndex { memory: Arc::new(builder.ok_or_else(finished)?.finish()) }))
    }
}

#[pyclass(module = "graphmt._core", name = "MemoryIndex", frozen)]
pub struct PyMemoryIndex {
    pub memory: Arc<Memory>,
}

/// An n-gram in the numbers of a text.
fn ngram(text: &Text, words: &str, longest: usize, lowercase: bool) -> Result<Vec<u32>> {
    let words = cased(words, lowercase);
    let number = |word: &str| text.vocabulary.get(word).map_or(UNKNOWN, |number| number + 1);
    let numbers: Vec<u32> = tokens(&words).map(number).collect();
    if numbers.is_empty() || numbers.len() > longest {
        let found = numbers.len();
        return Err(Error::input(format!(
            "an n-gram of {found} words; this side has those of 1 to {longest}."
        )));
    }
    Ok(numbers)
}

#[pymethods]
impl PyMemoryIndex {
    fn __len__(&self) -> usize {
        self.memory.len()
    }

    /// At most so many pairs whose source has an n-gram of up to 6 words, evenly spaced over its occurrences.
    fn pairs_with<'py>(
        &self,
        py: Python<'py>,
        words: &str,
        most: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let memory = &self.memory;
        let pairs = run(py, || {
            let ngram = ngram(&memory.source, words, LONGEST, memory.lowercase())?;
            Ok(memory.sample(memory.sources.find(&memory.source, &ngram), most))
        })?;
        Ok(pairs.into_pyarray(py))
    }

    /// The number of pairs whose source has an n-gram of up to 6 words.
    fn source_frequency(&self, py: Python<'_>, words: &str) -> PyResult<usize> {
        let memory = &self.memory;
        run(py, || {
            let ngram = ngram(&memory.source, words, LONGEST, memory.lowercase())?;
            Ok(memory.sources.sentences_with(memory.sources.find(&memory.source, &ngram), ngram.len()))
        })
    }

    /// The number of pairs whose target has an n-gram of up to 4 words.
    fn target_frequency(&self, py: Python<'_>, words: &str) -> PyResult<usize> {
        let memory = &self.memory;
        run(py, || {
            let ngram = ngram(&memory.target, words, ORDERS, memory.lowercase())?;
            Ok(memory.targets.sentences_with(memory.targets.find(&memory.target, &ngram), ngram.len()))
        })
    }

    /// The source and target side of a pair.
    fn pair(&self, py: Python<'_>, number: usize) -> PyResult<MemoryPair> {
        let memory = &self.memory;
        if number >= memory.len() {
            let pairs = memory.len();
            return Err(to_python(
                py,
                &Error::input(format!("no pair {number} in a memory of {pairs} pairs.")),
            ));
        }
        Ok(MemoryPair {
            source: memory.source.join(memory.source.get(number)),
            target: memory.target.join(memory.target.get(number)),
        })
    }

    #[pyo3(signature = (inputs, options, *, threads=0, progress=None))]
    fn rows(
        &self,
        py: Python<'_>,
        inputs: &PyInputs,
        options: RowOptions,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<PyRows> {
        let reporter = Reporter::new(progress);
        let inputs = inputs.inputs.clone();
        run_on(py, threads, || {
            let total = inputs.len() as u64;
            let told = |done: usize| reporter.report("sentences looked up in the memory", done as u64, total);
            let rows = rows(&self.memory, &inputs, options.settings(), told)?;
            Ok(PyRows { rows: Arc::new(rows), inputs })
        })
    }
}

#[pyclass(module = "graphmt._core", frozen, get_all)]
pub struct MemoryPair {
    source: String,
    target: String,
}

#[pyclass(module = "graphmt._core", name = "EvidenceInputs", frozen)]
pub struct PyInputs {
    pub inputs: Arc<Inputs>,
}

/// One entry for each sentence, in each list that is given.
#[derive(FromPyObject)]
struct SentenceLists {
    sources: Vec<PyBackedStr>,
    candidates: Vec<Vec<PyBackedStr>>,
    log_probabilities: Option<Vec<Vec<f64>>>,
    references: Option<Vec<Vec<PyBackedStr>>>,
    left_out: Option<Vec<Vec<u32>>>,
    by_vectors: Option<Vec<Vec<(u32, f64)>>>,
}

impl SentenceLists {
    fn check(&self) -> Result<()> {
        let sentences = self.sources.len();
        let lengths = [
            ("candidates", Some(self.candidates.len())),
            ("log-probabilities", self.log_probabilities.as_ref().map(Vec::len)),
            ("references", self.references.as_ref().map(Vec::len)),
            ("pairs to leave out", self.left_out.as_ref().map(Vec::len)),
            ("neighbours by vectors", self.by_vectors.as_ref().map(Vec::len)),
        ];
        for (what, length) in lengths {
            if let Some(length) = length.filter(|&length| length != sentences) {
                return Err(Error::input(format!("{length} lists of {what} for {sentences} sentences.")));
            }
        }
        Ok(())
    }
}

#[pymethods]
impl PyInputs {
    #[new]
    #[pyo3(signature = (lists, *, lowercase=false))]
    fn new(py: Python<'_>, lists: SentenceLists, lowercase: bool) -> PyResult<Self> {
        run(py, || {
            lists.check()?;
            let has_vectors = lists.by_vectors.is_some();
            let mut inputs =
                if has_vectors { Inputs::with_vectors(lowercase) } else { Inputs::new(lowercase) };
            for (sentence, source) in lists.sources.iter().enumerate() {
                let references = lists.references.as_ref().map(|all| &all[sentence][..]);
                let log_probabilities = lists.log_probabilities.as_ref().map(|all| &all[sentence][..]);
                let left_out = lists.left_out.as_ref().map(|all| &all[sentence][..]);
                let by_vectors: Vec<Neighbour> = lists
                    .by_vectors
                    .iter()
                    .flat_map(|all| &all[sentence])
                    .map(|&(pair, similarity)| Neighbour { pair, similarity })
                    .collect();
                inputs.push(&Input {
                    source,
                    candidates: lists.candidates[sentence].iter().map(|line| &**line).collect(),
                    log_probabilities,
                    references: references.unwrap_or_default().iter().map(|line| &**line).collect(),
                    left_out: left_out.unwrap_or_default(),
                    by_vectors: &by_vectors,
                })?;
            }
            Ok(PyInputs { inputs: Arc::new(inputs) })
        })
    }

    fn __len__(&self) -> usize {
        self.inputs.len()
    }
}

#[pyclass(module = "graphmt._core", name = "EvidenceRows", frozen)]
pub struct PyRows {
    pub rows: Arc<Rows>,
    pub inputs: Arc<Inputs>,
}

impl PyRows {
    fn order(&self, py: Python<'_>, order: usize) -> PyResult<&OrderRows> {
        let message = || format!("no n-grams of order {order}; there are those of 1 to {ORDERS}.");
        let found = order.checked_sub(1).and_then(|order| self.rows.orders.get(order));
        found.ok_or_else(|| to_python(py, &Error::input(message())))
    }
}

#[pymethods]
impl PyRows {
    fn __len__(&self) -> usize {
        self.rows.sentences
    }

    /// The features of the n-grams of an order, a row for each.
    fn features<'py>(&self, py: Python<'py>, order: usize) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let rows = self.order(py, order)?;
        PyArray1::from_slice(py, &rows.features).reshape([rows.len(), self.rows.width])
    }

    /// 1 for n-grams that a reference has; empty without references.
    fn labels<'py>(&self, py: Python<'py>, order: usize) -> PyResult<Bound<'py, PyArray1<u8>>> {
        Ok(PyArray1::from_slice(py, &self.order(py, order)?.labels))
    }

    /// Where the rows of each sentence begin, and where the last ends.
    fn starts<'py>(&self, py: Python<'py>, order: usize) -> PyResult<Bound<'py, PyArray1<usize>>> {
        Ok(PyArray1::from_slice(py, &self.order(py, order)?.starts))
    }

    /// The n-gram of each row.
    fn ngrams(&self, py: Python<'_>, order: usize) -> PyResult<Vec<String>> {
        let rows = self.order(py, order)?;
        let candidates = self.inputs.candidates();
        let words = |(&candidate, &position): (&u32, &u32)| {
            candidates.join(&candidates.get(candidate as usize)[position as usize..][..order])
        };
        Ok(rows.candidates.iter().zip(&rows.positions).map(words).collect())
    }

    /// For each candidate the sums of the probabilities of its distinct n-grams, a column for each order.
    fn sums<'py>(
        &self,
        py: Python<'py>,
        probabilities: &PyProbabilities,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let values = &probabilities.values;
        let sums = run(py, || {
            if self.rows.orders.iter().zip(values).any(|(rows, values)| rows.len() != values.len()) {
                return Err(Error::input("the probabilities are those of other rows."));
            }
            Ok(self.rows.sums(values))
        })?;
        sums.into_pyarray(py).reshape([self.rows.candidates, ORDERS])
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("EVIDENCE_FEATURES", NAMES.to_vec())?;
    module.add("VECTOR_FEATURES", VECTOR_NAMES.to_vec())?;
    module.add_class::<PyMemoryBuilder>()?;
    module.add_class::<PyMemoryIndex>()?;
    module.add_class::<MemoryPair>()?;
    module.add_class::<PyInputs>()?;
    module.add_class::<PyRows>()
}
