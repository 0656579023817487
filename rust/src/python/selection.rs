//! Bindings of lexical selection: rule selection and topic similarity, and what all models are to a decoder.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::guard::{run, run_on, tell};
use super::rules::{files, Chosen, FilesTuple, PyExtractSettings};
use crate::maxent;
use crate::selection::{lrsm, tsm, Selector};
use crate::store::watched::checked;
use crate::table::read::Table;

/// A model of lexical selection, for decoders to use.
#[pyclass(name = "Selector", frozen)]
pub struct PySelector {
    pub selector: Arc<dyn Selector>,
}

/// The topics of rules, opened, for decoders to use.
#[pyfunction]
fn open_tsm(py: Python<'_>, path: PathBuf) -> PyResult<PySelector> {
    run(py, || {
        let model = Arc::new(tsm::model::TsmModel::open(&path)?);
        Ok(PySelector { selector: Arc::new(tsm::annotator::TsmSelector { model }) })
    })
}

/// Gives every rule the topics of the documents it occurs in; returns how many rules there are.
#[pyfunction]
#[pyo3(signature = (from, settings, table, out, *, topics, documents, source, target, source_words, target_words,
    memory, folder, threads, progress=None))]
#[allow(clippy::too_many_arguments)]
fn train_tsm(
    py: Python<'_>,
    from: FilesTuple,
    settings: &PyExtractSettings,
    table: PathBuf,
    out: PathBuf,
    topics: usize,
    documents: Vec<u32>,
    source: PyReadonlyArray2<'_, f32>,
    target: PyReadonlyArray2<'_, f32>,
    source_words: PyReadonlyArray1<'_, i16>,
    target_words: PyReadonlyArray1<'_, i16>,
    memory: usize,
    folder: PathBuf,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let chosen = settings.chosen;
    let given = tsm::train::Topics {
        number: topics,
        documents,
        source: source.as_array().iter().copied().collect(),
        target: target.as_array().iter().copied().collect(),
        source_words: source_words.as_array().to_vec(),
        target_words: target_words.as_array().to_vec(),
    };
    run_on(py, threads, || {
        let (from, table) = (files(from), Table::open(&table)?);
        let told = |read| tell(progress.as_ref(), read);
        checked(
            || table.check(),
            || match chosen {
                Chosen::Subgraphs(by) => {
                    tsm::train::train(&from, &by, &table, &given, &out, &folder, memory, told)
                }
                Chosen::Strings(by) => {
                    tsm::train::train(&from, &by, &table, &given, &out, &folder, memory, told)
                }
                Chosen::Fragments(by) => {
                    tsm::train::train(&from, &by, &table, &given, &out, &folder, memory, told)
                }
                Chosen::Dependents(by) => {
                    tsm::train::train(&from, &by, &table, &given, &out, &folder, memory, told)
                }
            },
        )
    })
}

/// Classifiers of rule selection, opened, for decoders to use.
#[pyfunction]
fn open_lrsm(py: Python<'_>, path: PathBuf) -> PyResult<PySelector> {
    run(py, || {
        let model = Arc::new(lrsm::model::LrsmModel::open(&path)?);
        Ok(PySelector { selector: Arc::new(lrsm::annotator::LrsmSelector { model }) })
    })
}

/// Estimates a classifier for each ambiguous source side.
#[pyfunction]
#[pyo3(signature = (from, settings, table, out, *, occurrences, classes, features, variance, iterations, memory, folder,
    threads, progress=None))]
#[allow(clippy::too_many_arguments)]
fn train_lrsm<'py>(
    py: Python<'py>,
    from: FilesTuple,
    settings: &PyExtractSettings,
    table: PathBuf,
    out: PathBuf,
    occurrences: f64,
    classes: usize,
    features: f64,
    variance: f64,
    iterations: usize,
    memory: usize,
    folder: PathBuf,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let chosen = settings.chosen;
    let search = maxent::lbfgs::LbfgsSettings { max_iterations: iterations, ..Default::default() };
    let maxent = maxent::MaxentSettings { variance, search };
    let how = lrsm::train::LrsmSettings { occurrences, classes, features, maxent, budget: memory };
    let made = run_on(py, threads, || {
        let (from, table) = (files(from), Table::open(&table)?);
        let told = |_: &str, done: u64| tell(progress.as_ref(), done);
        checked(
            || table.check(),
            || match chosen {
                Chosen::Subgraphs(by) => lrsm::train::train(&from, &by, &table, &how, &out, &folder, &told),
                Chosen::Strings(by) => lrsm::train::train(&from, &by, &table, &how, &out, &folder, &told),
                Chosen::Fragments(by) => lrsm::train::train(&from, &by, &table, &how, &out, &folder, &told),
                Chosen::Dependents(by) => lrsm::train::train(&from, &by, &table, &how, &out, &folder, &told),
            },
        )
    })?;
    let about = PyDict::new(py);
    about.set_item("pairs", made.pairs)?;
    about.set_item("classifiers", made.classifiers)?;
    about.set_item("weights", made.weights)?;
    Ok(about)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySelector>()?;
    module.add_function(wrap_pyfunction!(train_tsm, module)?)?;
    module.add_function(wrap_pyfunction!(open_tsm, module)?)?;
    module.add_function(wrap_pyfunction!(train_lrsm, module)?)?;
    module.add_function(wrap_pyfunction!(open_lrsm, module)?)
}
