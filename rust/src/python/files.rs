//! The files of an aligned corpus, amounts of memory, and checksums, as Python passes them.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::corpus::pair_reader::Files;
use crate::store::hashing;

/// The files of an aligned corpus, one sentence a line; `trees` is the source side as CoNLL-U.
#[pyclass(name = "CorpusFiles", module = "graphmt._core", frozen, get_all)]
pub struct PyCorpusFiles {
    source: PathBuf,
    target: PathBuf,
    alignment: PathBuf,
    trees: Option<PathBuf>,
}

#[pymethods]
impl PyCorpusFiles {
    #[new]
    #[pyo3(signature = (source, target, alignment, trees=None))]
    fn new(source: PathBuf, target: PathBuf, alignment: PathBuf, trees: Option<PathBuf>) -> Self {
        PyCorpusFiles { source, target, alignment, trees }
    }
}

impl PyCorpusFiles {
    pub fn files(&self) -> Files {
        let PyCorpusFiles { source, target, alignment, trees } = self;
        Files {
            source: source.clone(),
            target: target.clone(),
            alignment: alignment.clone(),
            trees: trees.clone(),
        }
    }
}

/// An option that counts mebibytes. The options of a user are whole; tests pass fractions to make stages spill to disk.
#[derive(Clone, Copy, FromPyObject)]
#[pyo3(transparent)]
pub struct Mebibytes(f64);

impl Mebibytes {
    pub fn bytes(self) -> usize {
        (self.0 * f64::from(1 << 20)) as usize
    }
}

/// The checksum that our binary files carry, for tools that put such files together.
#[pyfunction]
fn checksum(data: &[u8]) -> u64 {
    hashing::checksum(data)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyCorpusFiles>()?;
    module.add_function(wrap_pyfunction!(checksum, module)?)
}
