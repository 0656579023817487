//! Bindings of lexical selection: rule selection and topic similarity, and what all models are to a decoder.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use super::files::{Mebibytes, PyCorpusFiles};
use super::guard::{run, run_on, Reporter};
use super::rules::{Chosen, PyExtractSettings};
use crate::corpus::pair_reader::Files;
use crate::error::Result;
use crate::maxent;
use crate::selection::classifiers::model::Classifiers;
use crate::selection::classifiers::train::{ClassifierSettings, Report};
use crate::selection::dwl::context::ContextScope;
use crate::selection::tsm::train::Spill;
use crate::selection::{classifiers, dwl, lrsm, order, tsm, Selector};
use crate::store::watched::checked;
use crate::table::read::Table;

/// A model of lexical selection, for decoders to use.
#[pyclass(name = "Selector", module = "graphmt._core", frozen)]
pub struct PySelector {
    pub selector: Arc<dyn Selector>,
}

/// The fields of `graphmt.selection.base.Corpus` that the core reads: where rules occur, and how they were extracted.
#[derive(FromPyObject)]
struct RuleCorpus {
    files: Py<PyCorpusFiles>,
    settings: Py<PyExtractSettings>,
    rules: PathBuf,
}

/// The topics of rules, opened, for decoders to use.
#[pyfunction]
fn open_tsm(py: Python<'_>, path: PathBuf) -> PyResult<PySelector> {
    run(py, || {
        let model = Arc::new(tsm::model::TsmModel::open(&path)?);
        Ok(PySelector { selector: Arc::new(tsm::annotator::TsmSelector { model }) })
    })
}

/// The fields of `graphmt.selection.options.TsmOptions` that the core reads.
#[derive(FromPyObject)]
struct TsmOptions {
    topics: usize,
    max_memory: Mebibytes,
    threads: usize,
}

/// `graphmt.selection.tsm.CorpusTopics`: what topic models say of a corpus.
#[derive(FromPyObject)]
struct CorpusTopics<'py> {
    documents: Vec<u32>,
    source: PyReadonlyArray2<'py, f32>,
    target: PyReadonlyArray2<'py, f32>,
    source_words: PyReadonlyArray1<'py, i16>,
    target_words: PyReadonlyArray1<'py, i16>,
}

/// Gives every rule the topics of the documents it occurs in; returns how many rules there are.
#[pyfunction]
#[pyo3(signature = (corpus, out, options, topics, *, folder, progress=None))]
fn train_tsm(
    py: Python<'_>,
    corpus: RuleCorpus,
    out: PathBuf,
    options: TsmOptions,
    topics: CorpusTopics<'_>,
    folder: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let given = tsm::train::Topics {
        number: options.topics,
        documents: topics.documents,
        source: topics.source.as_array().iter().copied().collect(),
        target: topics.target.as_array().iter().copied().collect(),
        source_words: topics.source_words.as_array().to_vec(),
        target_words: topics.target_words.as_array().to_vec(),
    };
    let reporter = Reporter::new(progress);
    run_on(py, options.threads, || {
        let (from, table) = (corpus.files.get().files(), Table::open(&corpus.rules)?);
        let spill = Spill { folder: &folder, budget: options.max_memory.bytes() };
        let told = |read| reporter.report("topics of rules", read, 0);
        checked(
            || table.check(),
            || match corpus.settings.get().chosen {
                Chosen::Subgraphs(by) => tsm::train::train(&from, &by, &table, &given, &out, &spill, told),
                Chosen::Strings(by) => tsm::train::train(&from, &by, &table, &given, &out, &spill, told),
                Chosen::Fragments(by) => tsm::train::train(&from, &by, &table, &given, &out, &spill, told),
                Chosen::Dependents(by) => tsm::train::train(&from, &by, &table, &given, &out, &spill, told),
            },
        )
    })
}

/// Classifiers of rule selection, opened, for decoders to use.
#[pyfunction]
fn open_lrsm(py: Python<'_>, path: PathBuf) -> PyResult<PySelector> {
    run(py, || {
        let model = Arc::new(Classifiers::open(&path, &lrsm::train::KIND.format)?);
        Ok(PySelector { selector: Arc::new(lrsm::annotator::LrsmSelector { model }) })
    })
}

/// The fields of `graphmt.selection.options.LrsmOptions` and `DwlOptions` that the core reads.
#[derive(FromPyObject)]
struct ClassifierOptions {
    occurrences: f64,
    classes: usize,
    features: f64,
    variance: f64,
    iterations: usize,
    max_memory: Mebibytes,
    threads: usize,
}

impl ClassifierOptions {
    fn settings(&self) -> ClassifierSettings {
        let &ClassifierOptions { occurrences, classes, features, variance, .. } = self;
        let search = maxent::lbfgs::LbfgsSettings { max_iterations: self.iterations, ..Default::default() };
        let maxent = maxent::MaxentSettings { variance, search };
        ClassifierSettings { occurrences, classes, features, maxent, budget: self.max_memory.bytes() }
    }
}

/// The fields of `graphmt.selection.options.OrderOptions` that the core reads.
#[derive(FromPyObject)]
struct OrderOptions {
    occurrences: f64,
    features: f64,
    variance: f64,
    iterations: usize,
    max_memory: Mebibytes,
    threads: usize,
}

impl OrderOptions {
    fn of_classifiers(&self) -> ClassifierOptions {
        let &OrderOptions { occurrences, features, variance, iterations, max_memory, threads } = self;
        // Straight and inverted.
        let classes = 2;
        ClassifierOptions { occurrences, classes, features, variance, iterations, max_memory, threads }
    }
}

/// What training classifiers counted.
#[pyclass(name = "ClassifierReport", module = "graphmt._core", frozen, get_all)]
struct PyClassifierReport {
    pairs: u64,
    classifiers: u64,
    weights: u64,
}

impl From<Report> for PyClassifierReport {
    fn from(made: Report) -> Self {
        PyClassifierReport { pairs: made.pairs, classifiers: made.classifiers, weights: made.weights }
    }
}

/// Estimates classifiers by `train`, which gets the corpus, its rules, the settings and what to tell of its progress.
fn train_classifiers(
    py: Python<'_>,
    corpus: &RuleCorpus,
    options: &ClassifierOptions,
    progress: Option<Py<PyAny>>,
    train: impl FnOnce(&Files, &Table, &ClassifierSettings, &dyn Fn(&str, u64) -> Result<()>) -> Result<Report>
        + Send,
) -> PyResult<PyClassifierReport> {
    let (how, reporter) = (options.settings(), Reporter::new(progress));
    run_on(py, options.threads, || {
        let (from, table) = (corpus.files.get().files(), Table::open(&corpus.rules)?);
        let told = |_: &str, done: u64| reporter.report("training classifiers", done, 0);
        checked(|| table.check(), || train(&from, &table, &how, &told))
    })
    .map(PyClassifierReport::from)
}

/// Estimates a classifier for each ambiguous source side.
#[pyfunction]
#[pyo3(signature = (corpus, out, options, *, folder, progress=None))]
fn train_lrsm(
    py: Python<'_>,
    corpus: RuleCorpus,
    out: PathBuf,
    options: ClassifierOptions,
    folder: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyClassifierReport> {
    let by = &corpus.settings.get().chosen;
    train_classifiers(py, &corpus, &options, progress, |from, table, how, told| match by {
        Chosen::Subgraphs(by) => lrsm::train::train(from, by, table, how, &out, &folder, told),
        Chosen::Strings(by) => lrsm::train::train(from, by, table, how, &out, &folder, told),
        Chosen::Fragments(by) => lrsm::train::train(from, by, table, how, &out, &folder, told),
        Chosen::Dependents(by) => lrsm::train::train(from, by, table, how, &out, &folder, told),
    })
}

/// A discriminative word lexicon, opened, for decoders to use.
#[pyfunction]
fn open_dwl(py: Python<'_>, path: PathBuf) -> PyResult<PySelector> {
    run(py, || {
        let model = Arc::new(Classifiers::open(&path, &dwl::train::KIND.format)?);
        Ok(PySelector { selector: Arc::new(dwl::annotator::DwlSelector { model }) })
    })
}

/// The field of `graphmt.selection.options.DwlOptions` that the classifiers of rules do not have.
#[derive(FromPyObject)]
struct WordContext {
    context: String,
}

impl WordContext {
    fn scope(&self) -> ContextScope {
        match self.context.as_str() {
            "links" => ContextScope::Links,
            _ => ContextScope::Sentence,
        }
    }
}

/// Estimates a classifier for each ambiguous source word.
#[pyfunction]
#[pyo3(signature = (corpus, out, options, *, folder, progress=None))]
fn train_dwl(
    py: Python<'_>,
    corpus: RuleCorpus,
    out: PathBuf,
    options: Bound<'_, PyAny>,
    folder: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyClassifierReport> {
    let scope = options.extract::<WordContext>()?.scope();
    let options: ClassifierOptions = options.extract()?;
    let (matches, kind) = (dwl::train::Words { scope }, &dwl::train::KIND);
    train_classifiers(py, &corpus, &options, progress, |from, table, how, told| {
        classifiers::corpus::train(from, table, &matches, (kind, how), (&out, &folder), told)
    })
}

/// Classifiers of word order, opened, for decoders to use.
#[pyfunction]
fn open_order(py: Python<'_>, path: PathBuf) -> PyResult<PySelector> {
    run(py, || {
        let model = Arc::new(Classifiers::open(&path, &order::train::KIND.format)?);
        Ok(PySelector { selector: Arc::new(order::annotator::OrderSelector { model }) })
    })
}

/// Estimates classifiers of the order of linked words.
#[pyfunction]
#[pyo3(signature = (corpus, out, options, *, folder, progress=None))]
fn train_order(
    py: Python<'_>,
    corpus: RuleCorpus,
    out: PathBuf,
    options: OrderOptions,
    folder: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyClassifierReport> {
    let (matches, kind) = (order::train::LinkedWords, &order::train::KIND);
    train_classifiers(py, &corpus, &options.of_classifiers(), progress, |from, table, how, told| {
        classifiers::corpus::train(from, table, &matches, (kind, how), (&out, &folder), told)
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySelector>()?;
    module.add_class::<PyClassifierReport>()?;
    module.add_function(wrap_pyfunction!(train_tsm, module)?)?;
    module.add_function(wrap_pyfunction!(open_tsm, module)?)?;
    module.add_function(wrap_pyfunction!(train_lrsm, module)?)?;
    module.add_function(wrap_pyfunction!(open_lrsm, module)?)?;
    module.add_function(wrap_pyfunction!(train_dwl, module)?)?;
    module.add_function(wrap_pyfunction!(open_dwl, module)?)?;
    module.add_function(wrap_pyfunction!(train_order, module)?)?;
    module.add_function(wrap_pyfunction!(open_order, module)?)
}
