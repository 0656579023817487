//! The source graph of one sentence.

use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use super::guard::to_python;
use crate::error::{Error, Result};
use crate::source::fragments::{FragmentLabels, FragmentShape, Fragments};
use crate::source::tree as graph;
use crate::store::vocab::Interner;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyFragment>()?;
    module.add_function(wrap_pyfunction!(graph_links, module)?)?;
    module.add_function(wrap_pyfunction!(check_tree, module)?)?;
    module.add_function(wrap_pyfunction!(is_projective, module)?)?;
    module.add_function(wrap_pyfunction!(projectivise, module)?)?;
    module.add_function(wrap_pyfunction!(fragments, module)?)
}

fn checked(py: Python<'_>, heads: &[i32]) -> PyResult<usize> {
    graph::check(heads).map_err(|fault| to_python(py, &Error::input(fault.message(heads.len()))))
}

/// Links as an array of pairs.
#[pyfunction]
fn graph_links<'py>(
    py: Python<'py>,
    heads: Vec<i32>,
    bigram: bool,
    dependency: bool,
) -> PyResult<Bound<'py, PyArray2<i32>>> {
    if dependency && !heads.is_empty() {
        checked(py, &heads)?;
    }
    let links = graph::links(&heads, bigram, dependency);
    let flat: Vec<i32> = links.iter().flat_map(|&(a, b)| [a as i32, b as i32]).collect();
    numpy::PyArray1::from_vec(py, flat).reshape([links.len(), 2])
}

/// The root's position, or an error that says why the heads are no tree.
#[pyfunction]
fn check_tree(py: Python<'_>, heads: Vec<i32>) -> PyResult<usize> {
    checked(py, &heads)
}

#[pyfunction]
fn is_projective(py: Python<'_>, heads: Vec<i32>) -> PyResult<bool> {
    checked(py, &heads)?;
    Ok(graph::is_projective(&heads))
}

#[pyfunction]
fn projectivise(py: Python<'_>, mut heads: Vec<i32>) -> PyResult<Vec<i32>> {
    checked(py, &heads)?;
    graph::projectivise(&mut heads);
    Ok(heads)
}

/// What labels show, by its name.
pub fn labels_named(name: &str) -> Result<FragmentLabels> {
    let known = FragmentLabels::ALL.into_iter().find(|labels| labels.name() == name);
    known.ok_or_else(|| Error::option(format!("there are no labels {name:?}; they are all, ends or none.")))
}

/// A fragment of the words from `first` up to, not including, `end`: its label, the word it depends on (-2 above a root),
/// and its word that others depend on (-1 where none do).
#[pyclass(name = "Fragment", module = "graphmt._core", frozen, get_all)]
struct PyFragment {
    first: usize,
    end: usize,
    label: String,
    head: i16,
    open: i16,
}

/// The dependency-graph fragments of a tree.
#[pyfunction]
#[pyo3(signature = (heads, tags, longest, max_external, labels_of="all"))]
fn fragments(
    py: Python<'_>,
    heads: Vec<i32>,
    tags: Vec<String>,
    longest: usize,
    max_external: usize,
    labels_of: &str,
) -> PyResult<Vec<PyFragment>> {
    checked(py, &heads)?;
    if tags.len() != heads.len() {
        let message = format!("{} parts of speech for {} words.", tags.len(), heads.len());
        return Err(to_python(py, &Error::input(message)));
    }
    let labels = labels_named(labels_of).map_err(|error| to_python(py, &error))?;
    let shape = FragmentShape { max_external, labels, ..FragmentShape::PAPER };
    let mut labels = Interner::default();
    let found = Fragments::new(&heads, &tags, longest, shape, |label| labels.intern(label).ok());
    let label = |symbol: Option<u32>| symbol.map_or("", |symbol| labels.word(symbol)).to_owned();
    Ok(found
        .all()
        .map(|((first, end), symbol, head, open)| PyFragment { first, end, label: label(symbol), head, open })
        .collect())
}
