//! Bindings of the language model.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use super::files::Mebibytes;
use super::guard::{run, Reporter};
use crate::error::Result;
use crate::lm::arpa_write::ArpaWriter;
use crate::lm::batch;
use crate::lm::build::Builder;
use crate::lm::count::Reserved;
use crate::lm::estimate;
use crate::lm::{arpa_read, export, ChartState, Model, RuleScore, Sink, BOS, SPECIAL_WORDS};
use crate::store::watched::checked;

pub fn sink(out: PathBuf, arpa: bool) -> Box<dyn Sink + Send> {
    if arpa {
        Box::new(ArpaWriter::new(&out))
    } else {
        Box::new(Builder::new(&out))
    }
}

/// The fields of `graphmt.lm.options.LmOptions` that the core reads.
#[derive(FromPyObject)]
pub struct LmOptions {
    order: usize,
    max_memory: Mebibytes,
    prune: Vec<u64>,
    discount_fallback: bool,
    reserved_words: String,
    threads: usize,
}

impl LmOptions {
    pub fn with(self, temporary: PathBuf) -> estimate::LmOptions {
        let reserved = match self.reserved_words.as_str() {
            "skip" => Reserved::Skip,
            "unknown" => Reserved::Unknown,
            _ => Reserved::Error,
        };
        let LmOptions { order, max_memory, prune, discount_fallback, threads, .. } = self;
        estimate::LmOptions {
            order,
            memory: max_memory.bytes(),
            prune,
            discount_fallback,
            reserved,
            temporary,
            threads,
        }
    }
}

/// What estimation read and made: n-grams and discounts by order, orders with fixed discounts and why, and the bytes
/// that went to temporary files.
#[pyclass(name = "LmReport", module = "graphmt._core", frozen, get_all)]
pub struct PyLmReport {
    lines: u64,
    tokens: u64,
    counts: Vec<u64>,
    discounts: Vec<[f64; 3]>,
    fallback: BTreeMap<usize, String>,
    spilled: u64,
}

/// Estimates a model from texts; `temporary` is the folder for temporary files.
#[pyfunction]
#[pyo3(signature = (texts, out, options, *, arpa, temporary, progress=None))]
fn lm_train(
    py: Python<'_>,
    texts: Vec<PathBuf>,
    out: PathBuf,
    options: LmOptions,
    arpa: bool,
    temporary: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyLmReport> {
    let (options, reporter) = (options.with(temporary), Reporter::new(progress));
    let report = run(py, || {
        estimate::estimate(&texts, &options, &mut *sink(out, arpa), &|what, done, total| {
            reporter.report(what, done, total)
        })
    })?;
    Ok(report.into())
}

impl From<estimate::Report> for PyLmReport {
    fn from(report: estimate::Report) -> Self {
        PyLmReport {
            lines: report.lines,
            tokens: report.tokens,
            counts: report.counts,
            discounts: report.discounts.iter().map(|discount| discount.0).collect(),
            fallback: report.fallback.into_iter().collect(),
            spilled: report.spilled,
        }
    }
}

/// What was built from an ARPA file: n-grams by order, those added, and whether the file had `<unk>`.
#[pyclass(name = "LmBuildReport", module = "graphmt._core", frozen, get_all)]
struct PyLmBuildReport {
    counts: Vec<u64>,
    added: u64,
    has_unknown: bool,
}

#[pyfunction]
#[pyo3(signature = (arpa, out, *, threads, progress=None))]
fn lm_build(
    py: Python<'_>,
    arpa: PathBuf,
    out: PathBuf,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyLmBuildReport> {
    let reporter = Reporter::new(progress);
    let report = run(py, || {
        arpa_read::build(&arpa, &out, threads, &|what, done, total| reporter.report(what, done, total))
    })?;
    let arpa_read::Report { counts, added, has_unknown } = report;
    Ok(PyLmBuildReport { counts, added, has_unknown })
}

/// The log10 probability of a word, the length of the n-gram it comes from, and whether the word is unknown.
#[pyclass(name = "WordScore", module = "graphmt._core", frozen, get_all)]
struct PyWordScore {
    word: String,
    log10: f64,
    length: u8,
    unknown: bool,
}

/// The scores of lines: log10 probability, the part of it that unknown words have, words, unknown words.
#[pyclass(name = "LineScores", module = "graphmt._core", frozen, get_all)]
struct PyLineScores {
    log10: Py<PyArray1<f64>>,
    log10_unknown: Py<PyArray1<f64>>,
    tokens: Py<PyArray1<u32>>,
    unknown: Py<PyArray1<u32>>,
}

/// How long queries took.
#[pyclass(name = "QueryTime", module = "graphmt._core", frozen, get_all)]
struct PyQueryTime {
    seconds: f64,
    queries: u64,
    total: f64,
}

/// A memory-mapped model.
#[pyclass(frozen, name = "LanguageModel", module = "graphmt._core")]
struct PyModel {
    model: Model,
}

#[pymethods]
impl PyModel {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(PyModel { model: run(py, || Model::open(&path))? })
    }

    #[getter]
    fn order(&self) -> usize {
        self.model.order()
    }

    #[getter]
    fn counts(&self) -> Vec<usize> {
        self.model.counts().to_vec()
    }

    #[getter]
    fn size(&self) -> usize {
        self.model.size()
    }

    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        run(py, || self.model.verify())
    }

    fn word(&self, id: u32) -> Option<&str> {
        self.model.vocab().word(id)
    }

    fn id(&self, word: &str) -> Option<u32> {
        self.model.vocab().get(word)
    }

    fn score(&self, py: Python<'_>, sentence: &str, bos: bool, eos: bool) -> PyResult<f64> {
        self.checked(py, || Ok(batch::sentence(&self.model, sentence, bos, eos, |_, _, _| ()).total))
    }

    fn full_scores(
        &self,
        py: Python<'_>,
        sentence: &str,
        bos: bool,
        eos: bool,
    ) -> PyResult<Vec<PyWordScore>> {
        self.checked(py, || {
            let mut words = Vec::new();
            batch::sentence(&self.model, sentence, bos, eos, |word, id, scored| {
                let unknown = id == self.model.vocab().unk();
                let (word, log10) = (word.to_owned(), f64::from(scored.prob));
                words.push(PyWordScore { word, log10, length: scored.length, unknown });
            });
            Ok(words)
        })
    }

    fn score_lines(
        &self,
        py: Python<'_>,
        lines: Vec<PyBackedStr>,
        bos: bool,
        eos: bool,
        threads: usize,
    ) -> PyResult<PyLineScores> {
        let scores = self.checked(py, || batch::sentences(&self.model, &lines, bos, eos, threads))?;
        let numbers = |of: fn(&batch::Sentence) -> u32| {
            scores.iter().map(of).collect::<Vec<_>>().into_pyarray(py).unbind()
        };
        let values = |of: fn(&batch::Sentence) -> f64| {
            scores.iter().map(of).collect::<Vec<_>>().into_pyarray(py).unbind()
        };
        Ok(PyLineScores {
            log10: values(|score| score.total),
            log10_unknown: values(|score| score.unknown_total),
            tokens: numbers(|score| score.tokens),
            unknown: numbers(|score| score.unknown),
        })
    }

    /// Scores a text in pieces as a chart search does: a piece is a list of words and of indices of earlier pieces,
    /// `<s>` as the first thing starting a sentence. Returns the score of the last piece.
    fn score_pieces(&self, py: Python<'_>, pieces: Vec<Vec<Piece>>) -> PyResult<f64> {
        let mut made: Vec<(ChartState, f32)> = Vec::new();
        for piece in &pieces {
            let mut rule = RuleScore::new(&self.model);
            for item in piece {
                match item {
                    Piece::Word(word) if word == SPECIAL_WORDS[BOS as usize] => rule.begin_sentence(),
                    Piece::Word(word) => rule.terminal(self.model.vocab().id(word)),
                    Piece::Earlier(earlier) => match made.get(*earlier) {
                        Some((state, prob)) => rule.nonterminal(state, *prob),
                        None => return Err(pyo3::exceptions::PyIndexError::new_err("no such earlier piece")),
                    },
                }
            }
            made.push(rule.finish());
        }
        self.checked(py, || Ok(made.last().map_or(0.0, |(_, prob)| f64::from(*prob))))
    }

    /// log10 of words with nothing known before them.
    fn phrase(&self, py: Python<'_>, words: &str) -> PyResult<f64> {
        self.checked(py, || {
            let ids: Vec<u32> =
                crate::lm::text::words(words).map(|word| self.model.vocab().id(word)).collect();
            Ok(f64::from(self.model.phrase(&ids)))
        })
    }

    /// The words that a left-to-right search has to remember after a sentence's start, the latest first.
    fn state_words(&self, words: &str, bos: bool) -> Vec<u32> {
        let mut state = if bos { self.model.begin_state() } else { self.model.null_state() };
        for word in crate::lm::text::words(words) {
            let from = state;
            self.model.score(&from, self.model.vocab().id(word), &mut state);
        }
        state.words().to_vec()
    }

    fn measure(
        &self,
        py: Python<'_>,
        lines: Vec<PyBackedStr>,
        rounds: usize,
        ahead: bool,
    ) -> PyResult<PyQueryTime> {
        self.checked(py, || {
            let (seconds, queries, total) = batch::measure(&self.model, &lines, rounds, ahead);
            Ok(PyQueryTime { seconds, queries, total })
        })
    }

    fn to_arpa(&self, py: Python<'_>, path: PathBuf, temporary: PathBuf) -> PyResult<()> {
        self.checked(py, || export::export(&self.model, &temporary, &mut ArpaWriter::new(&path)))
    }
}

impl PyModel {
    /// Work whose results are given away if the file is still what it was.
    fn checked<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
        run(py, || checked(|| self.model.check(), work))
    }
}

#[derive(FromPyObject)]
enum Piece {
    Earlier(usize),
    Word(String),
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(lm_train, module)?)?;
    module.add_function(wrap_pyfunction!(lm_build, module)?)?;
    module.add_class::<PyLmReport>()?;
    module.add_class::<PyLmBuildReport>()?;
    module.add_class::<PyWordScore>()?;
    module.add_class::<PyLineScores>()?;
    module.add_class::<PyQueryTime>()?;
    module.add_class::<PyModel>()
}
