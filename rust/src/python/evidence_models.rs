//! Bindings of memory n-gram posteriors: classifiers, probabilities, explanations.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use super::evidence::{PyInputs, PyMemoryIndex, PyRows, RowOptions};
use super::guard::{run, run_on, to_python};
use crate::error::{Error, Result};
use crate::evidence::boosting::BoostingSettings;
use crate::evidence::explain::{explain, Chosen, NgramSupport};
use crate::evidence::inputs::Inputs;
use crate::evidence::logistic::LogisticSettings;
use crate::evidence::neighbours::Neighbour;
use crate::evidence::predictor::{cross_fit, Classifier, ClassifierSettings, Predictor, Table};
use crate::evidence::text::Text;
use crate::evidence::ORDERS;

/// The fields of `graphmt.evidence.EvidenceOptions` that classifiers depend on.
#[derive(FromPyObject)]
struct ClassifierOptions {
    classifier: String,
    c: f64,
    trees: usize,
    rate: f64,
    leaves: usize,
    leaf_rows: usize,
    penalty: f64,
    folds: usize,
}

impl ClassifierOptions {
    fn settings(&self) -> Result<ClassifierSettings> {
        match self.classifier.as_str() {
            "lr" => Ok(ClassifierSettings::Logistic(LogisticSettings { c: self.c })),
            "gb" => Ok(ClassifierSettings::Boosting(BoostingSettings {
                trees: self.trees,
                rate: self.rate,
                leaves: self.leaves,
                leaf_rows: self.leaf_rows,
                penalty: self.penalty,
            })),
            other => Err(Error::option(format!("there is no classifier {other:?}; choose lr or gb."))),
        }
    }
}

#[pyclass(module = "graphmt._core", name = "NgramProbabilities", frozen)]
pub struct PyProbabilities {
    pub values: [Vec<f32>; ORDERS],
}

#[pymethods]
impl PyProbabilities {
    /// p(g in reference) of each row of an order.
    fn of_order<'py>(&self, py: Python<'py>, order: usize) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let message = || format!("no n-grams of order {order}; there are those of 1 to {ORDERS}.");
        let found = order.checked_sub(1).and_then(|order| self.values.get(order));
        let found = found.ok_or_else(|| to_python(py, &Error::input(message())))?;
        Ok(PyArray1::from_slice(py, found))
    }
}

#[pyclass(module = "graphmt._core", name = "NgramPredictor", frozen)]
pub struct PyPredictor {
    predictor: Predictor,
}

#[pymethods]
impl PyPredictor {
    /// Classifiers fitted to labelled rows.
    #[staticmethod]
    #[pyo3(signature = (rows, options, *, threads=0))]
    fn fit(py: Python<'_>, rows: &PyRows, options: ClassifierOptions, threads: usize) -> PyResult<Self> {
        run_on(py, threads, || {
            Ok(PyPredictor { predictor: Predictor::fit(&rows.rows, &options.settings()?)? })
        })
    }

    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        run(py, || Ok(PyPredictor { predictor: Predictor::open(&path)? }))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        run(py, || self.predictor.save(&path))
    }

    #[pyo3(signature = (rows, *, threads=0))]
    fn probabilities(&self, py: Python<'_>, rows: &PyRows, threads: usize) -> PyResult<PyProbabilities> {
        run_on(py, threads, || Ok(PyProbabilities { values: self.predictor.probabilities(&rows.rows)? }))
    }
}

/// The probabilities of labelled rows by classifiers fitted to the sentences of other folds.
#[pyfunction]
#[pyo3(signature = (rows, options, *, threads=0))]
fn cross_fit_ngrams(
    py: Python<'_>,
    rows: &PyRows,
    options: ClassifierOptions,
    threads: usize,
) -> PyResult<PyProbabilities> {
    run_on(py, threads, || {
        let values = cross_fit(&rows.rows, &options.settings()?, options.folds)?;
        Ok(PyProbabilities { values })
    })
}

/// A classifier of two classes over dense features.
#[pyclass(module = "graphmt._core", name = "DenseClassifier", frozen)]
pub struct PyClassifier {
    classifier: Classifier,
    features: usize,
}

#[pymethods]
impl PyClassifier {
    #[staticmethod]
    #[pyo3(signature = (values, labels, options, *, threads=0))]
    fn fit(
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f32>,
        labels: PyReadonlyArray1<'_, u8>,
        options: ClassifierOptions,
        threads: usize,
    ) -> PyResult<Self> {
        let (rows, features) = values.as_array().dim();
        let values: Vec<f32> = values.as_array().iter().copied().collect();
        let labels: Vec<u8> = labels.as_array().to_vec();
        run_on(py, threads, || {
            if rows != labels.len() || labels.iter().any(|&label| label > 1) {
                return Err(Error::input("labels are 0 or 1, one for each row."));
            }
            if values.iter().any(|value| !value.is_finite()) {
                return Err(Error::input("a feature is not a finite number."));
            }
            let table = Table { values: &values, labels: &labels, features, rows: None };
            Ok(PyClassifier { classifier: Classifier::fit(&table, &options.settings()?)?, features })
        })
    }

    #[pyo3(signature = (values, *, threads=0))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'_, f32>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let features = values.as_array().dim().1;
        let values: Vec<f32> = values.as_array().iter().copied().collect();
        let found = run_on(py, threads, || match features == self.features {
            true => Ok(self.classifier.probabilities(&values, features)),
            false => Err(Error::input(format!("{features} features a row, {} expected.", self.features))),
        })?;
        Ok(found.into_pyarray(py))
    }

    /// The weights of standardised features and then the bias; None for boosted trees.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        match &self.classifier {
            Classifier::Logistic(model) => {
                Some([&model.weights[..], &[model.bias]].concat().into_pyarray(py))
            }
            Classifier::Boosted(_) => None,
        }
    }
}

/// The n-grams of a candidate, each with its probability and the memory pairs that support it.
#[pyfunction]
fn explain_candidate(
    py: Python<'_>,
    memory: &PyMemoryIndex,
    inputs: &PyInputs,
    options: RowOptions,
    predictor: &PyPredictor,
    place: CandidatePlace,
) -> PyResult<Vec<PyNgramSupport>> {
    let inputs = &inputs.inputs;
    run(py, || {
        let chosen = Chosen { sentence: place.sentence, candidate: place.candidate };
        let found = explain(&memory.memory, inputs, options.settings(), &predictor.predictor, chosen)?;
        Ok(found.into_iter().map(|support| shown(inputs, chosen, support)).collect())
    })
}

/// A candidate of a sentence, both counted from 0.
#[derive(FromPyObject)]
struct CandidatePlace {
    sentence: usize,
    candidate: usize,
}

#[pyclass(module = "graphmt._core", name = "SourceSupport", frozen, get_all)]
pub struct PySourceSupport {
    words: String,
    position: usize,
    examined: usize,
    pairs: Vec<u32>,
}

#[pyclass(module = "graphmt._core", name = "SupportingNeighbour", frozen, get_all)]
pub struct PyNeighbour {
    pair: u32,
    similarity: f64,
}

#[pyclass(module = "graphmt._core", name = "NgramSupport", frozen, get_all)]
pub struct PyNgramSupport {
    words: String,
    position: usize,
    probability: f32,
    source: Option<Py<PySourceSupport>>,
    neighbours: Vec<Py<PyNeighbour>>,
    by_vectors: Vec<Py<PyNeighbour>>,
}

fn shown(inputs: &Inputs, chosen: Chosen, support: NgramSupport) -> PyNgramSupport {
    let candidate = inputs.candidates().get(inputs.list(chosen.sentence).start + chosen.candidate);
    let input = inputs.sources().get(chosen.sentence);
    let words = |text: &Text, words: &[u32], at: usize, length: usize| text.join(&words[at..at + length]);
    Python::attach(|py| PyNgramSupport {
        words: words(inputs.candidates(), candidate, support.position, support.length),
        position: support.position,
        probability: support.probability,
        source: support.source.and_then(|source| {
            let made = PySourceSupport {
                words: words(inputs.sources(), input, source.position, source.length),
                position: source.position,
                examined: source.examined,
                pairs: source.pairs,
            };
            Py::new(py, made).ok()
        }),
        neighbours: neighbours(py, support.neighbours),
        by_vectors: neighbours(py, support.by_vectors),
    })
}

fn neighbours(py: Python<'_>, found: Vec<Neighbour>) -> Vec<Py<PyNeighbour>> {
    let one = |one: Neighbour| Py::new(py, PyNeighbour { pair: one.pair, similarity: one.similarity }).ok();
    found.into_iter().filter_map(one).collect()
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySourceSupport>()?;
    module.add_class::<PyNeighbour>()?;
    module.add_class::<PyNgramSupport>()?;
    module.add_class::<PyProbabilities>()?;
    module.add_class::<PyPredictor>()?;
    module.add_class::<PyClassifier>()?;
    module.add_function(wrap_pyfunction!(cross_fit_ngrams, module)?)?;
    module.add_function(wrap_pyfunction!(explain_candidate, module)?)
}
