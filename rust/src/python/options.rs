//! The options of a sentence for an annotation in Python.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::guard::in_words;
use crate::decode::annotate::Annotate;
use crate::decode::option_rows::OptionColumns;
use crate::decode::sentence::Sentence;
use crate::error::{Error, Result};
use crate::rule::SCORES;

/// The columns of a sentence's options, as an annotation gets them.
#[pyclass(name = "OptionColumns", frozen, get_all)]
pub struct PyOptionColumns {
    /// The positions of option k are `positions[position_offsets[k]:position_offsets[k + 1]]`, and so on.
    position_offsets: Py<PyArray1<i32>>,
    positions: Py<PyArray1<i32>>,
    target_offsets: Py<PyArray1<i32>>,
    target: Py<PyArray1<i32>>,
    alignment_offsets: Py<PyArray1<i32>>,
    alignment_source: Py<PyArray1<i32>>,
    alignment_target: Py<PyArray1<i32>>,
    scores: Py<PyArray2<f32>>,
    copied: Py<PyArray1<bool>>,
    context: Py<PyArray1<i32>>,
    hole_offsets: Py<PyArray1<i32>>,
    /// The first position of each hole, and the one after its last.
    hole_first: Py<PyArray1<i32>>,
    hole_end: Py<PyArray1<i32>>,
}

fn columns(py: Python<'_>, options: &dyn OptionColumns) -> PyResult<PyOptionColumns> {
    let mut position_offsets = vec![0i32];
    let mut target_offsets = vec![0i32];
    let mut alignment_offsets = vec![0i32];
    let (mut positions, mut target) = (Vec::new(), Vec::new());
    let (mut alignment_source, mut alignment_target) = (Vec::new(), Vec::new());
    let mut scores: Vec<f32> = Vec::with_capacity(options.number() * SCORES);
    let (mut copied, mut context) = (Vec::new(), Vec::new());
    let mut hole_offsets = vec![0i32];
    let (mut hole_first, mut hole_end) = (Vec::new(), Vec::new());
    options.each(&mut |row| {
        positions.extend(row.positions.iter().map(|&p| p as i32));
        position_offsets.push(positions.len() as i32);
        // A copied word has no number: it is -1. The holes of a rule follow: -2, -3, ...
        let symbol =
            |(at, &word): (usize, &u32)| row.target_hole(at).map_or(word as i32, |hole| -2 - hole as i32);
        target.extend(row.target.iter().enumerate().map(symbol));
        target_offsets.push(target.len() as i32);
        for (s, t) in row.alignment.iter() {
            alignment_source.push(row.positions.get(usize::from(s)).map_or(-1, |&p| p as i32));
            alignment_target.push(i32::from(t));
        }
        alignment_offsets.push(alignment_source.len() as i32);
        scores.extend_from_slice(row.scores);
        copied.push(row.copied);
        context.push(row.context.map_or(-1, i32::from));
        for &(first, end) in row.holes {
            hole_first.push(first as i32);
            hole_end.push(end as i32);
        }
        hole_offsets.push(hole_first.len() as i32);
    });
    let number = options.number();
    Ok(PyOptionColumns {
        position_offsets: position_offsets.into_pyarray(py).unbind(),
        positions: positions.into_pyarray(py).unbind(),
        target_offsets: target_offsets.into_pyarray(py).unbind(),
        target: target.into_pyarray(py).unbind(),
        alignment_offsets: alignment_offsets.into_pyarray(py).unbind(),
        alignment_source: alignment_source.into_pyarray(py).unbind(),
        alignment_target: alignment_target.into_pyarray(py).unbind(),
        scores: scores.into_pyarray(py).reshape([number, SCORES])?.unbind(),
        copied: copied.into_pyarray(py).unbind(),
        context: context.into_pyarray(py).unbind(),
        hole_offsets: hole_offsets.into_pyarray(py).unbind(),
        hole_first: hole_first.into_pyarray(py).unbind(),
        hole_end: hole_end.into_pyarray(py).unbind(),
    })
}

/// Calls a Python annotation: `annotate(columns, words) -> array of shape (options, added features)`.
fn call(annotate: &Py<PyAny>, options: &dyn OptionColumns, sentence: &Sentence) -> Result<(usize, Vec<f32>)> {
    Python::attach(|py| {
        let answer = || -> PyResult<(usize, Vec<f32>)> {
            let given = annotate.call1(py, (columns(py, options)?, sentence.words.clone()))?;
            let array: PyReadonlyArray2<'_, f32> = given.extract(py)?;
            let shape = array.shape();
            if shape[0] != options.number() {
                let message = format!("{} rows for {} options", shape[0], options.number());
                return Err(pyo3::exceptions::PyValueError::new_err(message));
            }
            Ok((shape[1], array.as_array().iter().copied().collect()))
        };
        answer().map_err(|error| {
            Error::input(format!("an annotation failed: {}.", in_words(py, error)))
                .hint("It must return a float32 array with a row for each option.")
        })
    })
}

/// Does some work with a Python annotation, or with none.
pub fn annotating<R>(annotate: Option<&Py<PyAny>>, work: impl FnOnce(Option<Annotate<'_>>) -> R) -> R {
    match annotate {
        None => work(None),
        Some(callable) => {
            work(Some(&|options: &dyn OptionColumns, of: &Sentence| call(callable, options, of)))
        }
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyOptionColumns>()
}
