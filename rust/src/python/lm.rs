//! Bindings of the language model.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;

use super::guard::{run, Reporter};
use crate::error::Result;
use crate::lm::arpa_write::ArpaWriter;
use crate::lm::batch;
use crate::lm::build::Builder;
use crate::lm::count::Reserved;
use crate::lm::estimate::{estimate, LmOptions};
use crate::lm::{arpa_read, export, ChartState, Model, RuleScore, Sink, BOS, SPECIAL_WORDS};
use crate::store::watched::checked;

fn sink(out: PathBuf, arpa: bool) -> Box<dyn Sink + Send> {
    if arpa {
        Box::new(ArpaWriter::new(&out))
    } else {
        Box::new(Builder::new(&out))
    }
}

#[pyfunction]
#[pyo3(signature = (texts, out, *, arpa, order, memory, prune, discount_fallback, reserved_words, temporary, threads, progress=None))]
#[allow(clippy::too_many_arguments)]
fn lm_train<'py>(
    py: Python<'py>,
    texts: Vec<PathBuf>,
    out: PathBuf,
    arpa: bool,
    order: usize,
    memory: usize,
    prune: Vec<u64>,
    discount_fallback: bool,
    reserved_words: &str,
    temporary: PathBuf,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let reserved = match reserved_words {
        "skip" => Reserved::Skip,
        "unknown" => Reserved::Unknown,
        _ => Reserved::Error,
    };
    let options = LmOptions { order, memory, prune, discount_fallback, reserved, temporary, threads };
    let reporter = Reporter::new(progress);
    let report = run(py, || {
        estimate(&texts, &options, &mut *sink(out, arpa), &|what, done, total| {
            reporter.report(what, done, total)
        })
    })?;
    let made = PyDict::new(py);
    made.set_item("lines", report.lines)?;
    made.set_item("tokens", report.tokens)?;
    made.set_item("counts", report.counts)?;
    made.set_item("discounts", report.discounts.iter().map(|discount| discount.0).collect::<Vec<_>>())?;
    made.set_item("fallback", report.fallback)?;
    made.set_item("spilled", report.spilled)?;
    Ok(made)
}

#[pyfunction]
#[pyo3(signature = (arpa, out, *, threads, progress=None))]
fn lm_build<'py>(
    py: Python<'py>,
    arpa: PathBuf,
    out: PathBuf,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let reporter = Reporter::new(progress);
    let report = run(py, || {
        arpa_read::build(&arpa, &out, threads, &|what, done, total| reporter.report(what, done, total))
    })?;
    let made = PyDict::new(py);
    made.set_item("counts", report.counts)?;
    made.set_item("added", report.added)?;
    made.set_item("has_unknown", report.has_unknown)?;
    Ok(made)
}

type Column<'py, T> = Bound<'py, PyArray1<T>>;

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
    ) -> PyResult<Vec<(String, f64, u8, bool)>> {
        self.checked(py, || {
            let mut words = Vec::new();
            batch::sentence(&self.model, sentence, bos, eos, |word, id, scored| {
                let unknown = id == self.model.vocab().unk();
                words.push((word.to_owned(), f64::from(scored.prob), scored.length, unknown));
            });
            Ok(words)
        })
    }

    #[allow(clippy::type_complexity)]
    fn score_lines<'py>(
        &self,
        py: Python<'py>,
        lines: Vec<PyBackedStr>,
        bos: bool,
        eos: bool,
        threads: usize,
    ) -> PyResult<(Column<'py, f64>, Column<'py, f64>, Column<'py, u32>, Column<'py, u32>)> {
        let scores = self.checked(py, || batch::sentences(&self.model, &lines, bos, eos, threads))?;
        Ok((
            scores.iter().map(|score| score.total).collect::<Vec<_>>().into_pyarray(py),
            scores.iter().map(|score| score.unknown_total).collect::<Vec<_>>().into_pyarray(py),
            scores.iter().map(|score| score.tokens).collect::<Vec<_>>().into_pyarray(py),
            scores.iter().map(|score| score.unknown).collect::<Vec<_>>().into_pyarray(py),
        ))
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
    ) -> PyResult<(f64, u64, f64)> {
        self.checked(py, || Ok(batch::measure(&self.model, &lines, rounds, ahead)))
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
    module.add_class::<PyModel>()
}
