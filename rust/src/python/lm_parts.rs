//! Bindings of counting n-grams in chunks and parts.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyIterator};

use super::guard::{end_with, run, Reporter};
use super::lm::{sink, LmOptions, PyLmReport};
use super::rule_parts::{pieces, PyPiece};
use crate::error::Result;
use crate::lm::chunks::{self, NgramCounter};
use crate::lm::estimate::estimate_counted;
use crate::lm::record::Record;
use crate::store::vocab::Interner;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Words with their first places in a text; lines are numbered from 0, in ascending order.
#[pyfunction]
fn lm_words(py: Python<'_>, numbers: Vec<u64>, lines: Vec<PyBackedStr>) -> PyResult<Vec<(String, u64)>> {
    run(py, || chunks::first_places(numbers.iter().copied().zip(lines.iter().map(|line| &**line))))
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
    fn add(&self, py: Python<'_>, numbers: Vec<u64>, lines: Vec<PyBackedStr>) -> PyResult<usize> {
        run(py, || {
            let Counting { words, counter } = &mut *locked(&self.state);
            for (&number, line) in numbers.iter().zip(&lines) {
                counter.add(number, line, words)?;
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

/// Merges the pieces of one part.
#[pyfunction]
fn merge_ngrams(py: Python<'_>, pieces: Vec<PyBackedBytes>) -> PyResult<Vec<Py<PyBytes>>> {
    let records = pieces.iter().map(|piece| chunks::records(piece));
    let made = run(py, || chunks::merge(records, &std::env::temp_dir()))?;
    Ok(made.into_iter().map(|piece| PyBytes::new(py, &piece).unbind()).collect())
}

/// A text as its words, one per line in the order of their numbers, its size, and an iterator of its counted n-grams.
#[derive(FromPyObject)]
struct CountedText {
    words: PyBackedStr,
    lines: u64,
    tokens: u64,
    pieces: Py<PyIterator>,
}

/// Estimates a model from counted n-grams.
#[pyfunction]
#[pyo3(signature = (text, out, options, *, arpa, temporary, progress=None))]
fn lm_from_ngrams(
    py: Python<'_>,
    text: CountedText,
    out: PathBuf,
    options: LmOptions,
    arpa: bool,
    temporary: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyLmReport> {
    let (options, reporter) = (options.with(temporary), Reporter::new(progress));
    let report = run(py, || {
        let read = std::iter::from_fn(|| next_piece(&text.pieces));
        let counted = || {
            let words = chunks::vocabulary(text.words.split_terminator('\n'))?;
            let size = (text.lines, text.tokens);
            chunks::corpus(words, size, read, options.counting(), &options.temporary)
        };
        let told = |what: &str, done, total| reporter.report(what, done, total);
        estimate_counted(counted, &options, &mut *sink(out, arpa), &told)
    })?;
    Ok(report.into())
}

fn next_piece(pieces: &Py<PyIterator>) -> Option<Result<Vec<Record>>> {
    let next = Python::attach(|py| -> PyResult<Option<PyBackedBytes>> {
        pieces.bind(py).clone().next().transpose()?.map(|piece| Ok(piece.extract()?)).transpose()
    });
    match next {
        Ok(piece) => piece.map(|piece| chunks::records(&piece)),
        Err(raised) => end_with(raised),
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyNgramCounter>()?;
    module.add_function(wrap_pyfunction!(lm_words, module)?)?;
    module.add_function(wrap_pyfunction!(merge_ngrams, module)?)?;
    module.add_function(wrap_pyfunction!(lm_from_ngrams, module)?)?;
    Ok(())
}
