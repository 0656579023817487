//! Source sentences.

use pyo3::prelude::*;

use super::guard::to_python;
use crate::decode::sentence::Sentence;
use crate::decode::terms::{check, Term, TermUse};
use crate::error::{Error, Result};

/// A term of a sentence, as `graphmt.glossary` gives it.
#[derive(FromPyObject)]
pub struct TermArgument {
    first: usize,
    end: usize,
    target: Vec<String>,
    lookup: Vec<String>,
    alignment: Vec<(u8, u8)>,
    /// `required`, `chosen`, `preferred` or `forbidden`.
    usage: String,
    log_probability: f32,
}

impl TermArgument {
    fn term(self) -> Result<Term> {
        let usage = match self.usage.as_str() {
            "required" => TermUse::Required,
            "chosen" => TermUse::Chosen,
            "preferred" => TermUse::Preferred,
            "forbidden" => TermUse::Forbidden,
            other => return Err(Error::option(format!("there is no use of terms {other:?}."))),
        };
        let TermArgument { first, end, target, lookup, alignment, log_probability, .. } = self;
        Ok(Term { span: (first, end), target, lookup, alignment, usage, log_probability })
    }
}

fn refused(error: Error) -> PyErr {
    Python::attach(|py| to_python(py, &error))
}

/// A source sentence as decoders take it, checked once when it is made.
#[pyclass(name = "Sentence", module = "graphmt._core", frozen)]
pub struct PySentence {
    pub sentence: Sentence,
    /// The caller's own record of the text, such as what its words stand for; kept and returned, not used here.
    record: Option<Py<PyAny>>,
}

#[pymethods]
impl PySentence {
    /// `words` are looked up, those of `surface` (by default the same) copied where a word is unknown; `heads` and `tags`
    /// (parts of speech) may be empty, and so may `topics`, the topics of the sentence's document. `record` is any object
    /// that the caller wants back with the sentence; `terms` are translations of spans that are required, preferred or
    /// forbidden.
    #[new]
    #[pyo3(signature = (words, surface=None, heads=None, tags=None, topics=None, record=None, terms=None))]
    fn new(
        words: Vec<String>,
        surface: Option<Vec<String>>,
        heads: Option<Vec<i32>>,
        tags: Option<Vec<String>>,
        topics: Option<Vec<f32>>,
        record: Option<Py<PyAny>>,
        terms: Option<Vec<TermArgument>>,
    ) -> PyResult<Self> {
        let surface = surface.unwrap_or_else(|| words.clone());
        let (heads, tags) = (heads.unwrap_or_default(), tags.unwrap_or_default());
        let fits = |length: usize| length == 0 || length == words.len();
        let agree = surface.len() == words.len() && fits(heads.len()) && fits(tags.len());
        let in_range = heads.iter().all(|&head| head >= -1 && head < words.len() as i32);
        if !agree || !in_range {
            return Err(refused(Error::input(
                "words, copies, heads and tags of a sentence do not go together.",
            )));
        }
        let topics = topics.unwrap_or_default();
        let terms: Result<Vec<Term>> =
            terms.unwrap_or_default().into_iter().map(TermArgument::term).collect();
        let terms = terms.and_then(|terms| check(&terms, words.len()).map(|()| terms));
        let terms = terms.map_err(refused)?;
        Ok(PySentence { sentence: Sentence { words, surface, heads, tags, topics, terms }, record })
    }

    fn __len__(&self) -> usize {
        self.sentence.words.len()
    }

    #[getter]
    fn words(&self) -> Vec<String> {
        self.sentence.words.clone()
    }

    #[getter]
    fn surface(&self) -> Vec<String> {
        self.sentence.surface.clone()
    }

    #[getter]
    fn heads(&self) -> Vec<i32> {
        self.sentence.heads.clone()
    }

    #[getter]
    fn tags(&self) -> Vec<String> {
        self.sentence.tags.clone()
    }

    #[getter]
    fn topics(&self) -> Vec<f32> {
        self.sentence.topics.clone()
    }

    #[getter]
    fn record(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.record.as_ref().map(|record| record.clone_ref(py))
    }

    /// The same sentence in a document with these topics.
    fn with_topics(&self, py: Python<'_>, topics: Vec<f32>) -> Self {
        PySentence { sentence: Sentence { topics, ..self.sentence.clone() }, record: self.record(py) }
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySentence>()
}
