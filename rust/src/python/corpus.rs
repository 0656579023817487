//! Readers of text and trees.

use std::collections::HashMap;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Mutex;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use super::guard::{run, to_python};
use crate::corpus::conllu;
use crate::corpus::conllu::{MultiwordTokens, Reader, MAX_CHUNK};
use crate::corpus::markup;
use crate::corpus::text::Lines;
use crate::corpus::tokens::joined;
use crate::corpus::trees::{Column, Trees};
use crate::error::{Error, Result};
use crate::source::tree as graph;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ConlluReader>()?;
    module.add_class::<TreeChunk>()?;
    module.add_class::<TreeColumns>()?;
    module.add_class::<MultiwordToken>()?;
    module.add_class::<TreeFault>()?;
    module.add_class::<Projectivised>()?;
    module.add_class::<TextReader>()?;
    module.add_function(wrap_pyfunction!(open_corpus, module)?)?;
    module.add_function(wrap_pyfunction!(require_plain, module)?)?;
    module.add_function(wrap_pyfunction!(is_conllu, module)?)
}

fn multiword_tokens(name: &str) -> Result<MultiwordTokens> {
    match name {
        "surface" => Ok(MultiwordTokens::Surface),
        "words" => Ok(MultiwordTokens::Words),
        _ => Err(Error::option(format!("multiword tokens are read as 'surface' or 'words', not {name:?}."))),
    }
}

fn whole_lines<'py>(py: Python<'py>, lines: &[String]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, lines.iter().map(|line| PyString::new(py, line)))
}

/// A `ConlluReader` or a `TextReader` of whole lines, whichever the file asks for. It is opened once, so that
/// standard input works too.
#[pyfunction]
#[pyo3(signature = (path, *, chunk = 4096, lenient = false))]
fn open_corpus(py: Python<'_>, path: PathBuf, chunk: usize, lenient: bool) -> PyResult<Py<PyAny>> {
    let lines = run(py, || Lines::open(&path))?;
    if conllu::named(&path) || conllu::looks_like(lines.head()) {
        let reader = Reader::new(lines, MultiwordTokens::Surface).lenient(lenient);
        Ok(Py::new(py, ConlluReader { reader: Mutex::new(reader), chunk })?.into_any())
    } else {
        markup::refuse(&path, lines.head()).map_err(|error| to_python(py, &error))?;
        let source = Mutex::new(Source::Text(lines));
        Ok(Py::new(py, TextReader { source, lowercase: false, verbatim: true, chunk })?.into_any())
    }
}

/// Refuses a file that is not plain text, by its name or its start. `trees`: CoNLL-U is welcome too.
#[pyfunction]
#[pyo3(signature = (path, head, *, trees = false))]
fn require_plain(py: Python<'_>, path: PathBuf, head: &[u8], trees: bool) -> PyResult<()> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let checked = if trees { markup::refuse(&path, head) } else { markup::require_plain(&path, head) };
    checked.map_err(|error| to_python(py, &error))
}

/// Whether a file is CoNLL-U, by name or content.
#[pyfunction]
fn is_conllu(py: Python<'_>, path: PathBuf) -> PyResult<bool> {
    run(py, || conllu::is_conllu(&path))
}

#[pyclass(module = "graphmt._core")]
struct ConlluReader {
    reader: Mutex<Reader>,
    chunk: usize,
}

#[pymethods]
impl ConlluReader {
    #[new]
    #[pyo3(signature = (path, *, multiword = "surface", chunk = 4096, lenient = false))]
    fn new(py: Python<'_>, path: PathBuf, multiword: &str, chunk: usize, lenient: bool) -> PyResult<Self> {
        let reader = run(py, || Ok(Reader::open(&path, multiword_tokens(multiword)?)?.lenient(lenient)))?;
        Ok(ConlluReader { reader: Mutex::new(reader), chunk })
    }

    /// A reader of a text in memory; errors name it by `name`.
    #[staticmethod]
    #[pyo3(signature = (text, *, name, multiword = "surface", chunk = 4096))]
    fn of_text(py: Python<'_>, text: &str, name: PathBuf, multiword: &str, chunk: usize) -> PyResult<Self> {
        let reader = run(py, || {
            let lines = Lines::from_stream(Cursor::new(text.as_bytes().to_vec()), &name)?;
            Ok(Reader::new(lines, multiword_tokens(multiword)?))
        })?;
        Ok(ConlluReader { reader: Mutex::new(reader), chunk })
    }

    fn __iter__(own: PyRef<'_, Self>) -> PyRef<'_, Self> {
        own
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<TreeChunk>> {
        let (reader, chunk) = (&mut self.reader, self.chunk);
        let trees = run(py, || {
            reader.get_mut().map_err(|_| Error::internal("a reader failed before."))?.read(chunk)
        })?;
        Ok((!trees.is_empty()).then_some(TreeChunk { trees }))
    }
}

/// A sentence's columns, its comments and its multiword tokens.
#[pyclass(module = "graphmt._core", frozen, get_all)]
struct TreeColumns {
    forms: Py<PyTuple>,
    lemmas: Py<PyTuple>,
    upos: Py<PyTuple>,
    xpos: Py<PyTuple>,
    feats: Py<PyTuple>,
    deprels: Py<PyTuple>,
    deps: Py<PyTuple>,
    misc: Py<PyTuple>,
    heads: Py<PyTuple>,
    comments: Py<PyTuple>,
    multiword: Vec<Py<MultiwordToken>>,
}

/// A token that stands for the words from `first` to `last`, counted from 0.
#[pyclass(module = "graphmt._core", frozen, get_all)]
struct MultiwordToken {
    first: u32,
    last: u32,
    form: String,
    feats: String,
    misc: String,
}

/// A sentence whose tree could not be read, and the error that says why.
#[pyclass(module = "graphmt._core", frozen, get_all)]
struct TreeFault {
    sentence: usize,
    error: Py<PyAny>,
}

/// The sentences that lifting changed, and the arcs it lifted.
#[pyclass(module = "graphmt._core", frozen, get_all)]
struct Projectivised {
    changed: usize,
    lifts: usize,
}

#[pyclass(module = "graphmt._core")]
struct TreeChunk {
    trees: Trees,
}

#[pymethods]
impl TreeChunk {
    fn __len__(&self) -> usize {
        self.trees.len()
    }

    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.trees.offsets)
    }

    #[getter]
    fn heads<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_slice(py, &self.trees.heads)
    }

    #[getter]
    fn lines<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_slice(py, &self.trees.lines)
    }

    fn faults(&self, py: Python<'_>) -> Vec<TreeFault> {
        let fault = |(sentence, error): &(usize, Error)| TreeFault {
            sentence: *sentence,
            error: to_python(py, error).into_value(py).into_any(),
        };
        self.trees.faults.iter().map(fault).collect()
    }

    #[pyo3(signature = (*, lowercase = false))]
    fn tokens<'py>(&self, py: Python<'py>, lowercase: bool) -> PyResult<Bound<'py, PyList>> {
        let lines = run(py, || Ok(token_lines(&self.trees, lowercase)))?;
        whole_lines(py, &lines)
    }

    /// The columns of a sentence.
    fn columns(&self, py: Python<'_>, sentence: usize) -> PyResult<TreeColumns> {
        if sentence >= self.trees.len() {
            return Err(pyo3::exceptions::PyIndexError::new_err("no such sentence in this chunk"));
        }
        // Texts occur again and again in a sentence, in several columns: each becomes one Python string.
        let mut known: HashMap<&str, Bound<'_, PyString>> = HashMap::new();
        let mut column = |column| {
            let texts = self.trees.column(sentence, column);
            let texts =
                texts.map(|text| known.entry(text).or_insert_with(|| PyString::new(py, text)).clone());
            Ok::<_, PyErr>(PyTuple::new(py, texts.collect::<Vec<_>>())?.unbind())
        };
        let multiword = self.trees.multiwords(sentence).iter().map(|token| {
            let text = |span| self.trees.text(span).to_owned();
            let (form, feats, misc) = (text(token.form), text(token.feats), text(token.misc));
            Py::new(py, MultiwordToken { first: token.first, last: token.last, form, feats, misc })
        });
        Ok(TreeColumns {
            forms: column(Column::Form)?,
            lemmas: column(Column::Lemma)?,
            upos: column(Column::Upos)?,
            xpos: column(Column::Xpos)?,
            feats: column(Column::Feats)?,
            deprels: column(Column::Deprel)?,
            deps: column(Column::Deps)?,
            misc: column(Column::Misc)?,
            heads: PyTuple::new(py, self.trees.heads_of(sentence))?.unbind(),
            comments: PyTuple::new(py, self.trees.comments(sentence))?.unbind(),
            multiword: multiword.collect::<PyResult<_>>()?,
        })
    }

    #[pyo3(signature = (*, keep = None, verbatim = false))]
    fn conllu(
        &self,
        py: Python<'_>,
        keep: Option<PyReadonlyArray1<'_, bool>>,
        verbatim: bool,
    ) -> PyResult<String> {
        let keep: Option<Vec<bool>> = keep.map(|mask| mask.as_array().to_vec());
        run(py, || {
            let mut text = String::new();
            for sentence in 0..self.trees.len() {
                if keep.as_ref().is_some_and(|mask| !mask.get(sentence).copied().unwrap_or(false)) {
                    continue;
                }
                if verbatim {
                    self.trees.push_raw(sentence, &mut text);
                } else {
                    self.trees.push_conllu(sentence, &mut text);
                }
            }
            Ok(text)
        })
    }

    /// How many sentences have a tree that is not projective.
    fn non_projective(&self, py: Python<'_>) -> PyResult<usize> {
        let crossing = |sentence: &usize| !graph::is_projective(self.trees.heads_of(*sentence));
        run(py, || Ok((0..self.trees.len()).filter(crossing).count()))
    }

    /// Lifts arcs until every tree is projective.
    fn projectivise(&mut self, py: Python<'_>) -> PyResult<Projectivised> {
        let trees = &mut self.trees;
        run(py, || {
            let mut made = Projectivised { changed: 0, lifts: 0 };
            for sentence in 0..trees.len() {
                let lifts = graph::projectivise(trees.heads_of_mut(sentence));
                made.changed += usize::from(lifts > 0);
                made.lifts += lifts;
            }
            Ok(made)
        })
    }
}

fn token_lines(trees: &Trees, lowercase: bool) -> Vec<String> {
    let line = |sentence| {
        let mut text = String::new();
        trees.push_tokens(sentence, &mut text);
        cased(text, lowercase)
    };
    (0..trees.len()).map(line).collect()
}

fn cased(text: String, lowercase: bool) -> String {
    if lowercase {
        text.to_lowercase()
    } else {
        text
    }
}

enum Source {
    Text(Lines),
    Trees(Reader),
}

/// Chunks of tokenised lines from text or CoNLL-U.
#[pyclass(module = "graphmt._core")]
struct TextReader {
    source: Mutex<Source>,
    lowercase: bool,
    verbatim: bool,
    chunk: usize,
}

#[pymethods]
impl TextReader {
    #[new]
    #[pyo3(signature = (path, *, lowercase = false, chunk = 4096))]
    fn new(py: Python<'_>, path: PathBuf, lowercase: bool, chunk: usize) -> PyResult<Self> {
        let source = run(py, || {
            let lines = Lines::open(&path)?;
            Ok(if conllu::named(&path) || conllu::looks_like(lines.head()) {
                Source::Trees(Reader::new(lines, MultiwordTokens::Surface))
            } else {
                markup::refuse(&path, lines.head())?;
                Source::Text(lines)
            })
        })?;
        Ok(TextReader { source: Mutex::new(source), lowercase, verbatim: false, chunk })
    }

    fn __iter__(own: PyRef<'_, Self>) -> PyRef<'_, Self> {
        own
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let (source, lowercase, verbatim, chunk) =
            (&mut self.source, self.lowercase, self.verbatim, self.chunk);
        let lines =
            run(py, || match source.get_mut().map_err(|_| Error::internal("a reader failed before."))? {
                Source::Trees(reader) => Ok(token_lines(&reader.read(chunk)?, lowercase)),
                Source::Text(lines) => {
                    let (mut found, mut size) = (Vec::new(), 0);
                    while found.len() < chunk {
                        let Some(line) = lines.next_line()? else { break };
                        size += line.len();
                        if size > MAX_CHUNK {
                            let message = format!("{} lines of more than 1 GiB together.", found.len() + 1);
                            return Err(lines
                                .error(message)
                                .hint("A text has one sentence a line; is this one?"));
                        }
                        found.push(cased(if verbatim { line.to_owned() } else { joined(line) }, lowercase));
                    }
                    Ok(found)
                }
            })?;
        (!lines.is_empty()).then(|| whole_lines(py, &lines)).transpose()
    }
}
