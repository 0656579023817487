//! Bindings of the reordering model.

use std::path::PathBuf;

use pyo3::prelude::*;

use super::files::PyCorpusFiles;
use super::guard::{run, run_on, Reporter};
use crate::error::{Error, Result};
use crate::maxent;
use crate::maxent::lbfgs;
use crate::reorder::examples::{BlockChoice, BlockLimits};
use crate::reorder::model::{Reordering, UNKNOWN};
use crate::reorder::train::{evaluate, list, train, ReorderSettings, Scores};
use crate::store::watched::checked;
use crate::work::threads;

/// The fields of `graphmt.reorder.options.ReorderOptions`.
#[derive(FromPyObject)]
struct ReorderOptions {
    max_length: usize,
    blocks: String,
    conjunctions: bool,
    minimum_count: u64,
    variance: f64,
    tolerance: f64,
    iterations: usize,
    held_out: u64,
    max_examples: usize,
    threads: usize,
}

impl ReorderOptions {
    fn limits(&self) -> Result<BlockLimits> {
        let which = match self.blocks.as_str() {
            "all" => BlockChoice::All,
            "smallest" => BlockChoice::Smallest,
            "largest" => BlockChoice::Largest,
            other => {
                let message = format!("there are no blocks {other:?}; it is all, smallest or largest.");
                return Err(Error::option(message));
            }
        };
        Ok(BlockLimits { max_length: self.max_length, which })
    }

    fn settings(&self) -> Result<ReorderSettings> {
        let ReorderOptions { tolerance, iterations, variance, .. } = *self;
        let search = lbfgs::LbfgsSettings { tolerance, max_iterations: iterations, ..Default::default() };
        Ok(ReorderSettings {
            limits: self.limits()?,
            max_examples: self.max_examples,
            minimum: self.minimum_count,
            conjunctions: self.conjunctions,
            held_out: self.held_out,
            maxent: maxent::MaxentSettings { variance, search },
        })
    }
}

/// How a model does on examples.
#[pyclass(name = "ReorderScores", module = "graphmt._core", frozen, get_all)]
#[derive(Clone)]
struct PyScores {
    examples: u64,
    straight: u64,
    log_likelihood: f64,
    accuracy: f64,
}

impl From<&Scores> for PyScores {
    fn from(made: &Scores) -> Self {
        let Scores { examples, straight, log_likelihood, accuracy, .. } = *made;
        PyScores { examples, straight, log_likelihood, accuracy }
    }
}

/// What training found.
#[pyclass(name = "ReorderReport", module = "graphmt._core", frozen, get_all)]
struct PyReorderReport {
    pairs: u64,
    too_long: u64,
    examples: u64,
    features: u64,
    iterations: usize,
    converged: bool,
    training: PyScores,
    held_out: PyScores,
}

#[pyfunction]
#[pyo3(signature = (files, out, options, *, progress=None))]
fn train_reordering(
    py: Python<'_>,
    files: &PyCorpusFiles,
    out: PathBuf,
    options: ReorderOptions,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyReorderReport> {
    let (files, reporter) = (files.files(), Reporter::new(progress));
    let made = run_on(py, options.threads, || {
        train(&files, &options.settings()?, &out, &|what, done, total| reporter.report(what, done, total))
    })?;
    Ok(PyReorderReport {
        pairs: made.pairs,
        too_long: made.too_long,
        examples: made.examples,
        features: made.features,
        iterations: made.iterations,
        converged: made.converged,
        training: (&made.training).into(),
        held_out: (&made.held_out).into(),
    })
}

/// The words at the ends of a block.
#[pyclass(name = "BlockEnds", module = "graphmt._core", frozen, get_all)]
#[derive(Clone)]
struct PyBlockEnds {
    source_first: String,
    source_last: String,
    target_first: String,
    target_last: String,
}

#[pymethods]
impl PyBlockEnds {
    #[new]
    #[pyo3(signature = (*, source_first, source_last, target_first, target_last))]
    fn new(source_first: String, source_last: String, target_first: String, target_last: String) -> Self {
        PyBlockEnds { source_first, source_last, target_first, target_last }
    }
}

impl PyBlockEnds {
    fn of(words: [&str; 4]) -> Self {
        let [source_first, source_last, target_first, target_last] = words.map(str::to_owned);
        PyBlockEnds { source_first, source_last, target_first, target_last }
    }

    fn numbers(&self, model: &Reordering) -> [u32; 4] {
        let (source, target) = (model.source_words(), model.target_words());
        [
            source.get(&self.source_first),
            source.get(&self.source_last),
            target.get(&self.target_first),
            target.get(&self.target_last),
        ]
        .map(|number| number.unwrap_or(UNKNOWN))
    }
}

/// Two adjacent blocks, and whether they keep their order.
#[pyclass(name = "ReorderExample", module = "graphmt._core", frozen, get_all)]
struct PyExample {
    left: PyBlockEnds,
    right: PyBlockEnds,
    straight: bool,
}

#[pyfunction]
fn list_reordering(
    py: Python<'_>,
    files: &PyCorpusFiles,
    options: ReorderOptions,
) -> PyResult<Vec<PyExample>> {
    let files = files.files();
    run(py, || {
        let mut all = Vec::new();
        list(&files, &options.limits()?, |(left, right, straight)| {
            all.push(PyExample { left: PyBlockEnds::of(left), right: PyBlockEnds::of(right), straight });
        })?;
        Ok(all)
    })
}

#[pyclass(name = "ReorderingModel", module = "graphmt._core", frozen)]
pub struct PyReorderingModel {
    pub model: Reordering,
}

#[pymethods]
impl PyReorderingModel {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        run(py, || Ok(PyReorderingModel { model: Reordering::open(&path)? }))
    }

    #[getter]
    fn meta(&self) -> &str {
        self.model.meta()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.model.bytes()
    }

    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        run(py, || self.model.verify())
    }

    /// Log-odds of straight for pairs of left and right blocks.
    fn log_odds(&self, py: Python<'_>, pairs: Vec<(Py<PyBlockEnds>, Py<PyBlockEnds>)>) -> PyResult<Vec<f32>> {
        let numbers = |ends: &Py<PyBlockEnds>| ends.get().numbers(&self.model);
        self.checked(py, || {
            let odds = pairs.iter().map(|(left, right)| self.model.log_odds(&numbers(left), &numbers(right)));
            Ok(odds.collect())
        })
    }

    /// The weights of a word at each of the eight ends of two blocks.
    fn weights(&self, py: Python<'_>, word: &str) -> PyResult<Vec<f32>> {
        self.checked(py, || {
            let source = self.model.source_words().get(word).unwrap_or(UNKNOWN);
            let target = self.model.target_words().get(word).unwrap_or(UNKNOWN);
            let side = |place: usize| if place % 4 < 2 { source } else { target };
            Ok((0..8).map(|place| self.model.part(place, side(place))).collect())
        })
    }

    fn evaluate(&self, py: Python<'_>, files: &PyCorpusFiles, options: ReorderOptions) -> PyResult<PyScores> {
        let files = files.files();
        let made = self.checked(py, || {
            let limits = options.limits()?;
            threads::on(options.threads, || evaluate(&self.model, &files, &limits, options.max_examples))
        })?;
        Ok((&made).into())
    }
}

impl PyReorderingModel {
    /// Work whose results are given away if the file is still what it was.
    fn checked<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
        run(py, || checked(|| self.model.check(), work))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyReorderingModel>()?;
    module.add_class::<PyReorderReport>()?;
    module.add_class::<PyScores>()?;
    module.add_class::<PyBlockEnds>()?;
    module.add_class::<PyExample>()?;
    module.add_function(wrap_pyfunction!(train_reordering, module)?)?;
    module.add_function(wrap_pyfunction!(list_reordering, module)?)?;
    Ok(())
}
