//! `Alignment`, `EncodedText` and `LexicalCounts`, and the functions between them.

use std::borrow::Cow;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::align::encoded::{Encoded, Vocabulary, NULL};
use crate::align::error_rate;
use crate::align::lexical::{Entry, LexicalTable, LexicalWeights};
use crate::align::lexical_text;
use crate::align::lexical_text::{Direction, Reader};
use crate::align::symmetrise::{symmetrise, Heuristic};
use crate::corpus::links::{Link, Links, Position};
use crate::corpus::pharaoh;
use crate::work::threads;

use super::guard;

/// Links as columns: sentence `s` has the links `offsets[s]:offsets[s + 1]`.
#[pyclass(name = "AlignmentColumns", module = "graphmt._core", frozen, get_all)]
pub struct PyColumns {
    offsets: Py<PyArray1<i64>>,
    source: Py<PyArray1<Position>>,
    target: Py<PyArray1<Position>>,
}

#[pyclass(name = "Alignment", module = "graphmt._core", eq)]
#[derive(Clone, PartialEq)]
pub struct PyAlignment {
    pub links: Links,
}

#[pymethods]
impl PyAlignment {
    #[new]
    fn new() -> Self {
        PyAlignment { links: Links::default() }
    }

    #[staticmethod]
    fn from_pairs(py: Python<'_>, sentences: Vec<Vec<(u64, u64)>>) -> PyResult<Self> {
        guard::run(py, || {
            let mut links = Links::default();
            let mut sentence = Vec::new();
            for pairs in sentences {
                for (source, target) in pairs {
                    let source = crate::corpus::links::position(source)?;
                    sentence.push(Link::sure(source, crate::corpus::links::position(target)?));
                }
                links.push(&mut sentence);
            }
            Ok(PyAlignment { links })
        })
    }

    #[staticmethod]
    fn from_columns(
        py: Python<'_>,
        offsets: PyReadonlyArray1<'_, i64>,
        source: PyReadonlyArray1<'_, Position>,
        target: PyReadonlyArray1<'_, Position>,
    ) -> PyResult<Self> {
        let (offsets, source, target) = (whole(&offsets), whole(&source), whole(&target));
        guard::run(py, || Ok(PyAlignment { links: Links::from_columns(&offsets, &source, &target)? }))
    }

    #[staticmethod]
    fn from_choices(
        py: Python<'_>,
        choices: PyReadonlyArray1<'_, i32>,
        lengths: PyReadonlyArray1<'_, u32>,
        choosing_source: bool,
    ) -> PyResult<Self> {
        let (choices, lengths) = (whole(&choices), whole(&lengths));
        guard::run(py, || {
            Ok(PyAlignment { links: Links::from_choices(&choices, &lengths, choosing_source)? })
        })
    }

    /// An error's line is counted from the first line ever added.
    #[pyo3(signature = (lines, one_based=false, source_lengths=None, target_lengths=None))]
    fn add_lines(
        &mut self,
        py: Python<'_>,
        lines: Vec<String>,
        one_based: bool,
        source_lengths: Option<PyReadonlyArray1<'_, u32>>,
        target_lengths: Option<PyReadonlyArray1<'_, u32>>,
    ) -> PyResult<()> {
        let source_lengths = source_lengths.as_ref().map(whole);
        let target_lengths = target_lengths.as_ref().map(whole);
        let links = &mut self.links;
        guard::run(py, || {
            let mut sentence = Vec::new();
            for line in &lines {
                let number = links.len();
                let read = pharaoh::parse_line(line, one_based, &mut sentence).and_then(|()| {
                    let length = |lengths: &Option<Cow<'_, [u32]>>| {
                        lengths.as_ref().map_or(u32::MAX, |lengths| lengths.get(number).copied().unwrap_or(0))
                    };
                    pharaoh::check_range(&sentence, length(&source_lengths), length(&target_lengths))
                });
                read.map_err(|mut error| {
                    error.line = Some(number as u64 + 1);
                    error
                })?;
                links.push(&mut sentence);
            }
            Ok(())
        })
    }

    #[pyo3(signature = (start=0, end=None))]
    fn text(&self, py: Python<'_>, start: usize, end: Option<usize>) -> PyResult<String> {
        guard::run(py, || {
            let mut text = String::new();
            pharaoh::write_lines(&self.links, start, end.unwrap_or(usize::MAX), &mut text);
            Ok(text)
        })
    }

    fn __len__(&self) -> usize {
        self.links.len()
    }

    fn __getitem__(&self, number: isize) -> PyResult<Vec<(Position, Position)>> {
        let length = self.links.len() as isize;
        let at = if number < 0 { number + length } else { number };
        if at < 0 || at >= length {
            return Err(PyIndexError::new_err(format!("sentence {number} of {length}")));
        }
        Ok(self.links.sentence(at as usize).map(|link| (link.source, link.target)).collect())
    }

    fn __repr__(&self) -> String {
        format!("<Alignment of {} sentences, {} links>", self.links.len(), self.links.total())
    }

    #[getter]
    fn links(&self) -> usize {
        self.links.total()
    }

    #[getter]
    fn has_possible(&self) -> bool {
        self.links.has_possible()
    }

    fn columns(&self, py: Python<'_>) -> PyColumns {
        let offsets: Vec<i64> = self.links.offsets().iter().map(|&end| end as i64).collect();
        PyColumns {
            offsets: offsets.into_pyarray(py).unbind(),
            source: self.links.source().to_vec().into_pyarray(py).unbind(),
            target: self.links.target().to_vec().into_pyarray(py).unbind(),
        }
    }

    fn transposed(&self, py: Python<'_>) -> PyResult<Self> {
        guard::run(py, || Ok(PyAlignment { links: self.links.transposed() }))
    }

    fn spread(&self, py: Python<'_>, kept: PyReadonlyArray1<'_, bool>) -> PyResult<Self> {
        let kept = whole(&kept);
        guard::run(py, || Ok(PyAlignment { links: self.links.spread(&kept)? }))
    }

    fn slice(&self, py: Python<'_>, start: usize, end: usize) -> PyResult<Self> {
        guard::run(py, || Ok(PyAlignment { links: self.links.slice(start, end) }))
    }
}

/// The values of an array, copied only when they do not lie side by side.
pub fn whole<'a, T: numpy::Element + Clone>(array: &'a PyReadonlyArray1<'_, T>) -> Cow<'a, [T]> {
    match array.as_slice() {
        Ok(slice) => Cow::Borrowed(slice),
        Err(_) => Cow::Owned(array.as_array().to_vec()),
    }
}

#[pyclass(name = "EncodedText", module = "graphmt._core")]
pub struct PyEncodedText {
    pub text: Encoded,
}

#[pymethods]
impl PyEncodedText {
    #[new]
    #[pyo3(signature = (prefix=0))]
    fn new(prefix: usize) -> Self {
        PyEncodedText { text: Encoded::new(prefix) }
    }

    fn add_lines(&mut self, py: Python<'_>, lines: Vec<String>) -> PyResult<()> {
        let text = &mut self.text;
        guard::run(py, || {
            for line in &lines {
                text.push(line).map_err(|mut error| {
                    error.line = Some(text.len() as u64 + 1);
                    error
                })?;
            }
            Ok(())
        })
    }

    fn __len__(&self) -> usize {
        self.text.len()
    }

    fn lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.text.lengths().collect::<Vec<_>>().into_pyarray(py)
    }

    fn words(&self) -> Vec<String> {
        self.text.vocabulary().words().to_vec()
    }

    fn numbers_as_text(
        &self,
        py: Python<'_>,
        kept: PyReadonlyArray1<'_, bool>,
        start: usize,
        end: usize,
    ) -> PyResult<String> {
        let kept = whole(&kept);
        guard::run(py, || self.text.numbers_as_text(&kept, start, end))
    }
}

/// The entries of a lexical table as columns, sorted by the numbers of the two words.
#[pyclass(name = "LexicalColumns", module = "graphmt._core", frozen, get_all)]
pub struct PyTableColumns {
    source: Py<PyArray1<u32>>,
    target: Py<PyArray1<u32>>,
    links: Py<PyArray1<u32>>,
    target_given_source: Py<PyArray1<f32>>,
    source_given_target: Py<PyArray1<f32>>,
}

/// A target word linked to a source word; None is the empty word.
#[pyclass(name = "LexicalEntry", module = "graphmt._core", frozen, get_all)]
pub struct PyLexicalEntry {
    target: Option<String>,
    links: u32,
    target_given_source: f32,
    source_given_target: f32,
}

/// The weights of words or phrases in both directions.
#[pyclass(name = "LexicalWeights", module = "graphmt._core", frozen, get_all)]
pub struct PyLexicalWeights {
    target_given_source: f64,
    source_given_target: f64,
}

#[pyclass(name = "LexicalCounts", module = "graphmt._core", frozen)]
pub struct PyLexicalCounts {
    table: LexicalTable,
    source: Vocabulary,
    target: Vocabulary,
}

impl PyLexicalCounts {
    /// The number of a word, of the empty word for `None`, and a number that has no entries for an unknown word.
    fn number(vocabulary: &Vocabulary, word: Option<&str>) -> u32 {
        word.map_or(NULL, |word| vocabulary.number(word).unwrap_or(u32::MAX))
    }
}

#[pymethods]
impl PyLexicalCounts {
    #[staticmethod]
    #[pyo3(signature = (source, target, alignment, threads=0))]
    fn count(
        py: Python<'_>,
        source: PyRef<'_, PyEncodedText>,
        target: PyRef<'_, PyEncodedText>,
        alignment: PyRef<'_, PyAlignment>,
        threads: usize,
    ) -> PyResult<Self> {
        let (source, target, links) = (&source.text, &target.text, &alignment.links);
        guard::run(py, || {
            let table = threads::on(threads, || LexicalTable::count(source, target, links))?;
            let (source, target) = (source.vocabulary().clone(), target.vocabulary().clone());
            Ok(PyLexicalCounts { table, source, target })
        })
    }

    fn __len__(&self) -> usize {
        self.table.len()
    }

    #[getter]
    fn source_words(&self) -> Vec<String> {
        self.source.words().to_vec()
    }

    #[getter]
    fn target_words(&self) -> Vec<String> {
        self.target.words().to_vec()
    }

    fn columns(&self, py: Python<'_>) -> PyTableColumns {
        let entries: Vec<Entry> = self.table.entries().collect();
        let numbers =
            |of: fn(&Entry) -> u32| entries.iter().map(of).collect::<Vec<_>>().into_pyarray(py).unbind();
        let values =
            |of: fn(&Entry) -> f32| entries.iter().map(of).collect::<Vec<_>>().into_pyarray(py).unbind();
        PyTableColumns {
            source: numbers(|entry| entry.source),
            target: numbers(|entry| entry.target),
            links: numbers(|entry| entry.count),
            target_given_source: values(|entry| entry.target_given_source),
            source_given_target: values(|entry| entry.source_given_target),
        }
    }

    fn lookup(&self, source: Option<&str>, target: Option<&str>) -> Option<PyLexicalWeights> {
        let (f, e) = (Self::number(&self.source, source), Self::number(&self.target, target));
        let entry = self.table.find(f, e)?;
        Some(PyLexicalWeights {
            target_given_source: entry.target_given_source.into(),
            source_given_target: entry.source_given_target.into(),
        })
    }

    fn row(&self, source: Option<&str>) -> Vec<PyLexicalEntry> {
        let row = self.table.row(Self::number(&self.source, source));
        let word = |number: u32| (number != NULL).then(|| self.target.words()[number as usize].clone());
        let entry = |entry: Entry| PyLexicalEntry {
            target: word(entry.target),
            links: entry.count,
            target_given_source: entry.target_given_source,
            source_given_target: entry.source_given_target,
        };
        row.map(entry).collect()
    }

    fn weights(
        &self,
        py: Python<'_>,
        source: Vec<String>,
        target: Vec<String>,
        links: Vec<(Position, Position)>,
    ) -> PyResult<PyLexicalWeights> {
        guard::run(py, || {
            let pairs: Vec<Link> = links.iter().map(|&(i, j)| Link::sure(i, j)).collect();
            pharaoh::check_range(&pairs, source.len() as u32, target.len() as u32)?;
            let f: Vec<u32> = source.iter().map(|word| Self::number(&self.source, Some(word))).collect();
            let e: Vec<u32> = target.iter().map(|word| Self::number(&self.target, Some(word))).collect();
            let places = links.iter().map(|&(i, j)| (usize::from(i), usize::from(j)));
            let (target_given_source, source_given_target) =
                LexicalWeights::new(&self.table).of(&f, &e, places);
            Ok(PyLexicalWeights { target_given_source, source_given_target })
        })
    }

    /// The lines of `lex.f2e` (or of `lex.e2f`) for the source words with these numbers.
    fn text(&self, py: Python<'_>, e2f: bool, start: usize, end: usize) -> PyResult<String> {
        guard::run(py, || {
            let mut text = String::new();
            let (source, target) = (&self.source, &self.target);
            lexical_text::write_lines(&self.table, source, target, which(e2f), (start, end), &mut text);
            Ok(text)
        })
    }
}

fn which(e2f: bool) -> Direction {
    if e2f {
        Direction::SourceGivenTarget
    } else {
        Direction::TargetGivenSource
    }
}

#[pyclass(name = "LexicalReader", module = "graphmt._core")]
#[derive(Default)]
pub struct PyLexicalReader {
    reader: Reader,
}

#[pymethods]
impl PyLexicalReader {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// `first` is the number of the first of these lines, counted from 1, for errors.
    fn add_lines(&mut self, py: Python<'_>, lines: Vec<String>, e2f: bool, first: u64) -> PyResult<()> {
        let reader = &mut self.reader;
        guard::run(py, || {
            for (k, line) in lines.iter().enumerate() {
                reader.add(line, which(e2f)).map_err(|mut error| {
                    error.line = Some(first + k as u64);
                    error
                })?;
            }
            Ok(())
        })
    }

    /// The table; the reader is empty afterwards.
    fn finish(&mut self, py: Python<'_>) -> PyResult<PyLexicalCounts> {
        let reader = std::mem::take(&mut self.reader);
        guard::run(py, || {
            let (table, source, target) = reader.finish()?;
            Ok(PyLexicalCounts { table, source, target })
        })
    }
}

#[pyfunction(name = "symmetrise")]
#[pyo3(signature = (forward, reverse, heuristic="grow-diag-final-and", threads=0))]
fn py_symmetrise(
    py: Python<'_>,
    forward: PyRef<'_, PyAlignment>,
    reverse: PyRef<'_, PyAlignment>,
    heuristic: &str,
    threads: usize,
) -> PyResult<PyAlignment> {
    let (forward, reverse) = (&forward.links, &reverse.links);
    guard::run(py, || {
        let heuristic = Heuristic::from_name(heuristic)?;
        Ok(PyAlignment { links: threads::on(threads, || symmetrise(forward, reverse, heuristic))? })
    })
}

/// Numbers of links: found (A), sure (S), possible (P), and of the found ones those that are sure and possible.
#[pyclass(name = "LinkCounts", module = "graphmt._core", frozen, get_all)]
pub struct PyLinkCounts {
    found: u64,
    sure: u64,
    possible: u64,
    found_sure: u64,
    found_possible: u64,
}

#[pyfunction]
fn count_links(
    py: Python<'_>,
    gold: PyRef<'_, PyAlignment>,
    found: PyRef<'_, PyAlignment>,
) -> PyResult<PyLinkCounts> {
    let (gold, found) = (&gold.links, &found.links);
    guard::run(py, || {
        let counts = error_rate::count(gold, found)?;
        Ok(PyLinkCounts {
            found: counts.found,
            sure: counts.sure,
            possible: counts.possible,
            found_sure: counts.found_sure,
            found_possible: counts.found_possible,
        })
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyAlignment>()?;
    module.add_class::<PyColumns>()?;
    module.add_class::<PyTableColumns>()?;
    module.add_class::<PyLexicalEntry>()?;
    module.add_class::<PyLexicalWeights>()?;
    module.add_class::<PyLinkCounts>()?;
    module.add_class::<PyEncodedText>()?;
    module.add_class::<PyLexicalCounts>()?;
    module.add_class::<PyLexicalReader>()?;
    module.add("HEURISTICS", Heuristic::ALL.map(|(name, _)| name))?;
    module.add_function(wrap_pyfunction!(py_symmetrise, module)?)?;
    module.add_function(wrap_pyfunction!(count_links, module)?)
}
