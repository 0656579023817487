//! Bindings of the reordering model.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::guard::{run, run_on, to_python, Reporter};
use crate::corpus::pair_reader::Files;
use crate::error::{Error, Result};
use crate::maxent;
use crate::maxent::lbfgs;
use crate::reorder::examples::{BlockChoice, BlockLimits};
use crate::reorder::model::{Reordering, UNKNOWN};
use crate::reorder::train::{evaluate, list, train, ReorderSettings, Scores};
use crate::store::watched::checked;
use crate::work::threads;

/// Source, target and alignment.
type FilesTuple = (PathBuf, PathBuf, PathBuf);

fn files((source, target, alignment): FilesTuple) -> Files {
    Files { source, target, alignment, trees: None }
}

fn limits(py: Python<'_>, max_length: usize, which: &str) -> PyResult<BlockLimits> {
    let which = match which {
        "all" => BlockChoice::All,
        "smallest" => BlockChoice::Smallest,
        "largest" => BlockChoice::Largest,
        other => {
            let message = format!("there are no blocks {other:?}; it is all, smallest or largest.");
            return Err(to_python(py, &Error::option(message)));
        }
    };
    Ok(BlockLimits { max_length, which })
}

fn scores<'py>(py: Python<'py>, made: &Scores) -> PyResult<Bound<'py, PyDict>> {
    let about = PyDict::new(py);
    about.set_item("examples", made.examples)?;
    about.set_item("straight", made.straight)?;
    about.set_item("log_likelihood", made.log_likelihood)?;
    about.set_item("accuracy", made.accuracy)?;
    Ok(about)
}

#[pyfunction]
#[pyo3(signature = (from, out, *, max_length, blocks, max_examples, minimum, conjunctions, held_out, variance,
    tolerance, iterations, threads, progress=None))]
#[allow(clippy::too_many_arguments)] // The fields of one options dataclass, by name.
fn train_reordering<'py>(
    py: Python<'py>,
    from: FilesTuple,
    out: PathBuf,
    max_length: usize,
    blocks: &str,
    max_examples: usize,
    minimum: u64,
    conjunctions: bool,
    held_out: u64,
    variance: f64,
    tolerance: f64,
    iterations: usize,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let search = lbfgs::LbfgsSettings { tolerance, max_iterations: iterations, ..Default::default() };
    let settings = ReorderSettings {
        limits: limits(py, max_length, blocks)?,
        max_examples,
        minimum,
        conjunctions,
        held_out,
        maxent: maxent::MaxentSettings { variance, search },
    };
    let reporter = Reporter::new(progress);
    let made = run_on(py, threads, || {
        train(&files(from), &settings, &out, &|what, done, total| reporter.report(what, done, total))
    })?;
    let about = PyDict::new(py);
    about.set_item("pairs", made.pairs)?;
    about.set_item("too_long", made.too_long)?;
    about.set_item("examples", made.examples)?;
    about.set_item("features", made.features)?;
    about.set_item("iterations", made.iterations)?;
    about.set_item("converged", made.converged)?;
    about.set_item("training", scores(py, &made.training)?)?;
    about.set_item("held_out", scores(py, &made.held_out)?)?;
    Ok(about)
}

/// The ends of the left and of the right block, and whether they are straight.
type Listed = (Vec<String>, Vec<String>, bool);

#[pyfunction]
fn list_reordering(
    py: Python<'_>,
    from: FilesTuple,
    max_length: usize,
    blocks: &str,
) -> PyResult<Vec<Listed>> {
    let limits = limits(py, max_length, blocks)?;
    run(py, || {
        let mut all = Vec::new();
        let owned = |words: [&str; 4]| words.map(str::to_owned).to_vec();
        list(&files(from), &limits, |(left, right, straight)| {
            all.push((owned(left), owned(right), straight));
        })?;
        Ok(all)
    })
}

#[pyclass(name = "ReorderingModel", frozen)]
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

    /// Log-odds of straight for pairs of blocks, each given by its end words.
    fn log_odds(&self, py: Python<'_>, pairs: Vec<([String; 4], [String; 4])>) -> PyResult<Vec<f32>> {
        self.checked(py, || {
            let (source, target) = (self.model.source_words(), self.model.target_words());
            let numbers = |words: &[String; 4]| {
                let known = [source, source, target, target];
                [0, 1, 2, 3].map(|k| known[k].get(&words[k]).unwrap_or(UNKNOWN))
            };
            Ok(pairs
                .iter()
                .map(|(left, right)| self.model.log_odds(&numbers(left), &numbers(right)))
                .collect())
        })
    }

    fn weights(&self, py: Python<'_>, word: &str) -> PyResult<Vec<f32>> {
        self.checked(py, || {
            let source = self.model.source_words().get(word).unwrap_or(UNKNOWN);
            let target = self.model.target_words().get(word).unwrap_or(UNKNOWN);
            let side = |place: usize| if place % 4 < 2 { source } else { target };
            Ok((0..8).map(|place| self.model.part(place, side(place))).collect())
        })
    }

    #[pyo3(signature = (from, *, max_length, blocks, max_examples, threads))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        from: FilesTuple,
        max_length: usize,
        blocks: &str,
        max_examples: usize,
        threads: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let limits = limits(py, max_length, blocks)?;
        let made = self.checked(py, || {
            threads::on(threads, || evaluate(&self.model, &files(from), &limits, max_examples))
        })?;
        scores(py, &made)
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
    module.add_function(wrap_pyfunction!(train_reordering, module)?)?;
    module.add_function(wrap_pyfunction!(list_reordering, module)?)?;
    Ok(())
}
