//! Bindings of language model estimation in chunks and parts.

use std::path::PathBuf;
use std::sync::Mutex;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyIterator};

use super::guard::{end_with, locked, run, run_on, to_python, Reporter};
use super::lm::{sink, LmOptions, PyLmReport};
use super::rule_parts::{pieces, PyPiece};
use super::text_column::{TextColumn, Texts};
use crate::error::{Error, Result};
use crate::lm::chunks::{self, NgramCounter};
use crate::lm::discount::{Discount, Statistics};
use crate::lm::estimate::Summary;
use crate::lm::parts::{self, Bounds};
use crate::lm::record::Record;
use crate::lm::SPECIAL_WORDS;
use crate::store::vocab::Interner;

/// Workers of a distributed engine use one thread each.
const THREADS: usize = 1;

/// Lines with their numbers from 0, in ascending order.
#[derive(FromPyObject)]
struct NumberedLines<'py> {
    numbers: PyReadonlyArray1<'py, i64>,
    texts: TextColumn<'py>,
}

impl NumberedLines<'_> {
    fn columns(&self) -> Result<(&[i64], Texts<'_>)> {
        let (numbers, texts) = (self.numbers.as_slice(), self.texts.texts()?);
        match numbers {
            Ok(numbers) if numbers.len() == texts.len() => Ok((numbers, texts)),
            _ => Err(Error::internal("lines whose numbers do not fit.")),
        }
    }
}

/// Words with their first places in a text; lines are numbered from 0, in ascending order.
#[pyfunction]
fn lm_words(py: Python<'_>, lines: NumberedLines<'_>) -> PyResult<Vec<(String, u64)>> {
    let (numbers, texts) = lines.columns().map_err(|error| to_python(py, &error))?;
    run(py, || chunks::first_places(numbers.iter().map(|&number| number as u64).zip(texts.iter())))
}

struct Counting {
    words: Interner,
    counter: NgramCounter,
}

/// Counts the n-grams of lines; `words` has a word per line, in the order of their numbers.
#[pyclass(name = "NgramCounter", module = "graphmt._core", frozen)]
pub struct PyNgramCounter {
    state: Mutex<Counting>,
    bounds: Vec<Record>,
}

#[pymethods]
impl PyNgramCounter {
    #[new]
    fn new(py: Python<'_>, words: &str, options: LmOptions, bounds: PyBackedBytes) -> PyResult<Self> {
        run(py, || {
            let options = options.with(PathBuf::new());
            options.check()?;
            let words = chunks::vocabulary(words.split_terminator('\n'))?;
            let counter = NgramCounter::new(options.order, options.reserved);
            Ok(PyNgramCounter {
                state: Mutex::new(Counting { words, counter }),
                bounds: chunks::records(&bounds)?,
            })
        })
    }

    /// Counts lines; returns the bytes of all n-grams counted since they were last taken.
    fn add(&self, py: Python<'_>, lines: NumberedLines<'_>) -> PyResult<usize> {
        let (numbers, texts) = lines.columns().map_err(|error| to_python(py, &error))?;
        run(py, || {
            let Counting { words, counter } = &mut *locked(&self.state);
            for (&number, line) in numbers.iter().zip(texts.iter()) {
                counter.add(number as u64, line, words)?;
            }
            Ok(counter.bytes())
        })
    }

    fn take(&self, py: Python<'_>) -> PyResult<Vec<PyPiece>> {
        let made = run(py, || Ok(locked(&self.state).counter.take(&self.bounds)))?;
        Ok(pieces(py, made))
    }

    /// Bounds of `parts` parts, from the n-grams counted so far.
    fn suggest_bounds(&self, py: Python<'_>, parts: usize) -> PyResult<Py<PyBytes>> {
        let made = run(py, || Ok(Record::bytes(&locked(&self.state).counter.bounds(parts)).to_vec()))?;
        Ok(PyBytes::new(py, &made).unbind())
    }

    #[getter]
    fn lines(&self) -> u64 {
        locked(&self.state).counter.lines
    }

    #[getter]
    fn tokens(&self) -> u64 {
        locked(&self.state).counter.tokens
    }
}

/// Adjusted counts of a part: the counts of its words, statistics of the orders from two on, and n-grams as order, part
/// of contexts and bytes.
#[pyclass(name = "AdjustedNgrams", module = "graphmt._core", frozen, get_all)]
struct PyAdjustedNgrams {
    words: Py<PyBytes>,
    statistics: Vec<[u64; 6]>,
    counts: Vec<(usize, u32, Py<PyBytes>)>,
}

/// Merges the counted n-grams of one part and adjusts their counts.
#[pyfunction]
fn adjust_ngrams(
    py: Python<'_>,
    pieces: Vec<PyBackedBytes>,
    options: LmOptions,
    bounds: PyBackedBytes,
) -> PyResult<PyAdjustedNgrams> {
    let options = options.with(std::env::temp_dir());
    let made = run_on(py, THREADS, || {
        parts::adjust_part(&pieces, &options, &Bounds::from_bytes(&bounds)?, &|_, _, _| Ok(()))
    })?;
    let bytes = |piece: Vec<u8>| PyBytes::new(py, &piece).unbind();
    let counts = made.counts.into_iter().enumerate();
    Ok(PyAdjustedNgrams {
        words: bytes(made.words),
        statistics: made.statistics.iter().map(Statistics::numbers).collect(),
        counts: counts
            .flat_map(|(place, own)| own.into_iter().map(move |(part, piece)| (place + 2, part, piece)))
            .map(|(order, part, piece)| (order, part, bytes(piece)))
            .collect(),
    })
}

/// What the parts of a text determine together. `words` are the counts of words of all parts, `statistics` the sums for
/// the orders from two on.
#[pyclass(name = "LmSummary", module = "graphmt._core", frozen)]
pub struct PyLmSummary {
    summary: Mutex<Option<Summary>>,
    /// The discounts of each order.
    #[pyo3(get)]
    discounts: Vec<[f64; 3]>,
    /// The probabilities of words for `interpolate_ngrams`.
    #[pyo3(get)]
    probabilities: Py<PyBytes>,
}

#[pymethods]
impl PyLmSummary {
    #[new]
    fn new(
        py: Python<'_>,
        words: Vec<PyBackedBytes>,
        vocabulary: usize,
        statistics: Vec<[u64; 6]>,
        options: LmOptions,
    ) -> PyResult<Self> {
        let options = options.with(PathBuf::new());
        let (summary, probabilities) = run(py, || {
            let statistics: Vec<_> = statistics.into_iter().map(Statistics::from_numbers).collect();
            let seen = words.iter().flat_map(|bytes| parts::read_words(bytes));
            let summary = Summary::new(seen, SPECIAL_WORDS.len() + vocabulary, &statistics, &options)?;
            let probabilities = parts::word_probabilities(&summary);
            Ok((summary, probabilities))
        })?;
        Ok(PyLmSummary {
            discounts: summary.discounts.iter().map(|discount| discount.0).collect(),
            probabilities: PyBytes::new(py, &probabilities).unbind(),
            summary: Mutex::new(Some(summary)),
        })
    }
}

/// Normalised n-grams of an order, and their contexts, by parts.
#[pyclass(name = "NormalisedNgrams", module = "graphmt._core", frozen, get_all)]
struct PyNormalisedNgrams {
    shares: Py<PyAny>,
    weights: Py<PyAny>,
}

/// Normalises the n-grams of an order with some contexts.
#[pyfunction]
fn normalise_ngrams(
    py: Python<'_>,
    order: usize,
    given: Vec<PyBackedBytes>,
    discount: [f64; 3],
    bounds: PyBackedBytes,
) -> PyResult<PyNormalisedNgrams> {
    let made = run_on(py, THREADS, || {
        let bounds = Bounds::from_bytes(&bounds)?;
        parts::normalise_part(order, &given, &Discount(discount), &bounds, &std::env::temp_dir())
    })?;
    Ok(PyNormalisedNgrams {
        shares: pieces(py, made.shares).into_pyobject(py)?.unbind().into_any(),
        weights: pieces(py, made.weights).into_pyobject(py)?.unbind().into_any(),
    })
}

/// Probabilities and backoffs of the n-grams of a part, by order from two on.
#[pyfunction]
fn interpolate_ngrams(
    py: Python<'_>,
    words: PyBackedBytes,
    shares: Vec<Vec<PyBackedBytes>>,
    weights: Vec<Vec<PyBackedBytes>>,
) -> PyResult<Vec<Vec<Py<PyBytes>>>> {
    let folder = std::env::temp_dir();
    let made = run_on(py, THREADS, || parts::interpolate_part(&words, &shares, &weights, &folder))?;
    let bytes = |own: Vec<Vec<u8>>| own.iter().map(|piece| PyBytes::new(py, piece).unbind()).collect();
    Ok(made.into_iter().map(bytes).collect())
}

/// A text as its words, one per line in the order of their numbers, its size, the backoffs of single words, and an
/// iterator of its longer n-grams: pairs of order and bytes.
#[derive(FromPyObject)]
struct EstimatedText {
    words: PyBackedStr,
    lines: u64,
    tokens: u64,
    backoffs: Vec<PyBackedBytes>,
    ngrams: Py<PyIterator>,
}

/// Writes a model from the n-grams of its parts.
#[pyfunction]
#[pyo3(signature = (text, summary, out, *, arpa, progress=None))]
fn lm_from_parts(
    py: Python<'_>,
    text: EstimatedText,
    summary: Py<PyLmSummary>,
    out: PathBuf,
    arpa: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyLmReport> {
    let (reporter, summary) = (Reporter::new(progress), summary.get());
    let report = run(py, || {
        let summary = locked(&summary.summary).take();
        let summary = summary.ok_or_else(|| Error::internal("the model is written already."))?;
        let words = chunks::vocabulary(text.words.split_terminator('\n'))?;
        let read = std::iter::from_fn(|| next_piece(&text.ngrams));
        let told = |what: &str, done, total| reporter.report(what, done, total);
        let size = (text.lines, text.tokens);
        parts::write(&words, size, summary, &text.backoffs, read, &mut *sink(out, arpa), &told)
    })?;
    Ok(report.into())
}

fn next_piece(pieces: &Py<PyIterator>) -> Option<Result<(usize, Vec<Record>)>> {
    let next = Python::attach(|py| -> PyResult<Option<(usize, PyBackedBytes)>> {
        pieces.bind(py).clone().next().transpose()?.map(|piece| piece.extract()).transpose()
    });
    match next {
        Ok(piece) => piece.map(|(order, bytes)| Ok((order, chunks::records(&bytes)?))),
        Err(raised) => end_with(raised),
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyNgramCounter>()?;
    module.add_function(wrap_pyfunction!(lm_words, module)?)?;
    module.add_class::<PyAdjustedNgrams>()?;
    module.add_class::<PyLmSummary>()?;
    module.add_class::<PyNormalisedNgrams>()?;
    module.add_function(wrap_pyfunction!(adjust_ngrams, module)?)?;
    module.add_function(wrap_pyfunction!(normalise_ngrams, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate_ngrams, module)?)?;
    module.add_function(wrap_pyfunction!(lm_from_parts, module)?)?;
    Ok(())
}
