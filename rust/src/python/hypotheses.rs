//! What decoders find: hypotheses with their derivations, translations of spans, and n-best lists as columns.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::decode::derivation::{Derivation, Step};
use crate::decode::translator::{ForcedResult, SpanTranslations};

/// One rule of a derivation.
#[pyclass(name = "Step", module = "graphmt._core", frozen, get_all)]
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
    features: Vec<f32>,
}

impl From<&Step> for PyStep {
    fn from(step: &Step) -> Self {
        let Step { positions, kind, context, target, places, children, labels, alignment, count, features } =
            step.clone();
        PyStep { positions, kind, context, target, places, children, labels, alignment, count, features }
    }
}

/// A translation with its score, its feature values in the order of the weights, and its derivation.
#[pyclass(name = "Hypothesis", module = "graphmt._core", frozen)]
pub struct PyHypothesis {
    #[pyo3(get)]
    tokens: Vec<String>,
    #[pyo3(get)]
    score: f32,
    #[pyo3(get)]
    features: Vec<f32>,
    steps: Vec<Step>,
}

impl From<Derivation> for PyHypothesis {
    fn from(derivation: Derivation) -> Self {
        let tokens = derivation.target().into_iter().map(str::to_owned).collect();
        let Derivation { score, features, steps } = derivation;
        PyHypothesis { tokens, score, features, steps }
    }
}

#[pymethods]
impl PyHypothesis {
    /// The rules of the derivation. Most callers want the words alone, so these objects are made on request.
    #[getter]
    fn steps(&self) -> Vec<PyStep> {
        self.steps.iter().map(PyStep::from).collect()
    }
}

/// A translation of a span.
#[pyclass(name = "SpanTranslation", module = "graphmt._core", frozen, get_all)]
#[derive(Clone)]
pub struct PySpanTranslation {
    words: Vec<String>,
    score: f32,
}

/// The translations of the words from `first` up to, not including, `end`; the best first.
#[pyclass(name = "SpanTranslations", module = "graphmt._core", frozen, get_all)]
pub struct PySpanTranslations {
    first: usize,
    end: usize,
    translations: Vec<Py<PySpanTranslation>>,
}

pub fn span_translations(
    py: Python<'_>,
    spans: Vec<SpanTranslations>,
) -> PyResult<Vec<Py<PySpanTranslations>>> {
    let one = |SpanTranslations { span: (first, end), translations }| {
        let made = |(words, score)| Py::new(py, PySpanTranslation { words, score });
        let translations = translations.into_iter().map(made).collect::<PyResult<_>>()?;
        Py::new(py, PySpanTranslations { first, end, translations })
    };
    spans.into_iter().map(one).collect()
}

/// The result of forced decoding: the best derivation of the reference, if there is one, and the translations of spans
/// found on the way.
#[pyclass(name = "ForcedDecoding", module = "graphmt._core", frozen, get_all)]
pub struct PyForcedDecoding {
    hypothesis: Option<Py<PyHypothesis>>,
    spans: Vec<Py<PySpanTranslations>>,
}

impl PyForcedDecoding {
    pub fn of(py: Python<'_>, found: ForcedResult) -> PyResult<Self> {
        let hypothesis = found.derivation.map(PyHypothesis::from);
        Ok(PyForcedDecoding {
            hypothesis: hypothesis.map(|one| Py::new(py, one)).transpose()?,
            spans: span_translations(py, found.spans)?,
        })
    }
}

/// N-best lists as columns.
#[pyclass(name = "NBestColumns", module = "graphmt._core", frozen, get_all)]
pub struct PyNBestColumns {
    pub hypotheses: Py<PyArray1<u32>>,
    pub tokens: Py<PyArray1<u32>>,
    pub numbers: Py<PyArray1<u32>>,
    pub words: Vec<String>,
    pub values: Py<PyArray2<f32>>,
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyStep>()?;
    module.add_class::<PyHypothesis>()?;
    module.add_class::<PySpanTranslation>()?;
    module.add_class::<PySpanTranslations>()?;
    module.add_class::<PyForcedDecoding>()?;
    module.add_class::<PyNBestColumns>()
}
