//! Text that must not change.

use pyo3::prelude::*;

use super::guard::{run, to_python};
use crate::protect::scanner;

/// Bytes from which on a text is scanned without the GIL: for shorter ones, waiting to get it back would take longer.
const LONG: usize = 4096;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ItemScanner>()
}

/// Finds the items of a text that must not change.
#[pyclass(module = "graphmt._core", frozen)]
struct ItemScanner {
    scanner: scanner::Scanner,
}

#[pymethods]
impl ItemScanner {
    #[new]
    fn new(py: Python<'_>, groups: Vec<String>, patterns: Vec<String>) -> PyResult<Self> {
        let scanner = scanner::Scanner::new(&groups, &patterns).map_err(|error| to_python(py, &error))?;
        Ok(ItemScanner { scanner })
    }

    /// The start, the end and the kind of each item.
    fn find(&self, py: Python<'_>, text: &str) -> PyResult<Vec<(usize, usize, &'static str)>> {
        let found = match text.len() < LONG {
            true => self.scanner.find(text),
            false => run(py, || Ok(self.scanner.find(text)))?,
        };
        Ok(found.into_iter().map(|item| (item.start, item.end, item.kind)).collect())
    }

    /// How many characters of a text are looked at to find its items, each as often as it is.
    fn steps(&self, py: Python<'_>, text: &str) -> PyResult<u64> {
        run(py, || Ok(self.scanner.steps(text)))
    }
}
