//! Line-wise work on text: casing, cleaning, counting.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use super::guard::{run, to_python};
use crate::corpus::casing;
use crate::corpus::clean;
use crate::corpus::clean::{CleaningLimits, Duplicates, Length};
use crate::corpus::statistics;
use crate::error::Error;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CasingCounts>()?;
    module.add_class::<Truecaser>()?;
    module.add_class::<PairFilter>()?;
    module.add_class::<Statistics>()?;
    module.add_class::<UnknownWords>()?;
    module.add_function(wrap_pyfunction!(lowercase, module)?)?;
    module.add_function(wrap_pyfunction!(capitalise, module)?)
}

#[pyfunction]
fn lowercase(text: &str) -> String {
    text.to_lowercase()
}

#[pyfunction]
fn capitalise(line: &str) -> String {
    casing::capitalise(line)
}

#[pyclass(module = "graphmt._core")]
struct CasingCounts {
    counts: casing::CasingCounts,
}

#[pymethods]
impl CasingCounts {
    #[new]
    fn new() -> Self {
        CasingCounts { counts: casing::CasingCounts::default() }
    }

    fn add(&mut self, py: Python<'_>, lines: Vec<PyBackedStr>) -> PyResult<()> {
        let counts = &mut self.counts;
        run(py, || {
            lines.iter().for_each(|line| counts.add(line));
            Ok(())
        })
    }

    fn table(&self, py: Python<'_>) -> PyResult<Vec<Vec<String>>> {
        run(py, || Ok(self.counts.table()))
    }
}

#[pyclass(module = "graphmt._core", frozen)]
struct Truecaser {
    caser: casing::Truecaser,
}

#[pymethods]
impl Truecaser {
    #[new]
    fn new(table: Vec<Vec<String>>) -> Self {
        Truecaser { caser: casing::Truecaser::new(table) }
    }

    fn apply(&self, line: &str) -> String {
        self.caser.apply(line)
    }
}

/// The fields of `graphmt.corpus.cleaning.CleanOptions` that the core reads.
#[derive(FromPyObject)]
struct CleanOptions {
    min_source: usize,
    max_source: usize,
    min_target: usize,
    max_target: usize,
    max_ratio: f64,
    max_word: usize,
    drop_control: bool,
    drop_copies: bool,
    duplicates: String,
}

/// Decides which pairs of a corpus to drop.
#[pyclass(module = "graphmt._core")]
struct PairFilter {
    filter: clean::PairFilter,
}

#[pymethods]
impl PairFilter {
    #[new]
    fn new(py: Python<'_>, options: CleanOptions) -> PyResult<Self> {
        let duplicates = match options.duplicates.as_str() {
            "keep" => Duplicates::Keep,
            "pairs" => Duplicates::Pairs,
            "sources" => Duplicates::Sources,
            other => {
                let message = format!("duplicates are 'keep', 'pairs' or 'sources', not {other:?}.");
                return Err(to_python(py, &Error::option(message)));
            }
        };
        let limits = CleaningLimits {
            source: Length { least: options.min_source, most: options.max_source },
            target: Length { least: options.min_target, most: options.max_target },
            ratio: options.max_ratio,
            word: options.max_word,
            control: options.drop_control,
            copies: options.drop_copies,
            duplicates,
        };
        Ok(PairFilter { filter: clean::PairFilter::new(limits) })
    }

    /// The number of the reason to keep or drop each pair; `faulty` are those with bad trees, in order.
    fn reasons<'py>(
        &mut self,
        py: Python<'py>,
        sources: Vec<PyBackedStr>,
        targets: Vec<PyBackedStr>,
        faulty: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let filter = &mut self.filter;
        let reasons = run(py, || {
            let mut faulty = faulty.iter().peekable();
            let pairs = sources.iter().zip(&targets).enumerate();
            Ok(pairs
                .map(|(at, (source, target))| match faulty.next_if_eq(&&at) {
                    Some(_) => clean::Reason::BadTree as u8,
                    None => filter.classify(source, target) as u8,
                })
                .collect())
        })?;
        Ok(PyArray1::from_vec(py, reasons))
    }
}

/// How many unknown words a text has: all of them, and different ones.
#[pyclass(module = "graphmt._core", frozen, get_all)]
struct UnknownWords {
    tokens: u64,
    types: u64,
}

#[pyclass(module = "graphmt._core")]
struct Statistics {
    counts: statistics::Statistics,
}

#[pymethods]
impl Statistics {
    #[new]
    fn new() -> Self {
        Statistics { counts: statistics::Statistics::default() }
    }

    fn add(&mut self, py: Python<'_>, lines: Vec<PyBackedStr>) -> PyResult<()> {
        let counts = &mut self.counts;
        run(py, || {
            lines.iter().for_each(|line| counts.add(line));
            Ok(())
        })
    }

    #[getter]
    fn lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_slice(py, self.counts.lengths())
    }

    #[getter]
    fn types(&self) -> u64 {
        self.counts.types()
    }

    #[getter]
    fn singletons(&self) -> u64 {
        self.counts.singletons()
    }

    /// The words and their counts, as two columns in the same order.
    fn words(&self) -> (Vec<&str>, Vec<u64>) {
        self.counts.words().unzip()
    }

    /// The words of another text that this one does not have.
    fn unknown(&self, py: Python<'_>, other: PyRef<'_, Statistics>) -> PyResult<UnknownWords> {
        let other = &other.counts;
        run(py, || {
            let unknown = self.counts.unknown(other);
            Ok(UnknownWords { tokens: unknown.tokens, types: unknown.types })
        })
    }
}
