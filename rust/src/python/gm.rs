//! Bindings of collective lexical selection.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::files::{Mebibytes, PyCorpusFiles};
use super::gm_graph::{GmWalk, PyTranslationGraph};
use super::guard::{in_words, run, run_on, to_python, Reporter};
use super::search::PyDecoder;
use super::selection::PySelector;
use super::sentence::PySentence;
use crate::decode::option_rows::OptionColumns;
use crate::decode::pieces::{cut, piece};
use crate::decode::sentence::Sentence;
use crate::decode::translator::NBestRequest;
use crate::error::{Error, Result};
use crate::selection::gm::annotator::{Gm, GmSelector};
use crate::selection::gm::model::{GmModel, Measure};
use crate::selection::gm::train::{train, GmSettings, Monolingual};
use crate::selection::gm::translations::Translation;
use crate::selection::gm::word_keys::Side;
use crate::store::watched;

fn measure(model: &GmModel, name: &str) -> Result<Measure> {
    match name {
        "lm" => Ok(Measure::Lm),
        "pmi" => Ok(Measure::Pmi),
        "embeddings" if model.has_vectors() => Ok(Measure::Embeddings),
        "embeddings" => {
            Err(Error::input("this model of gm was made without vectors, which embeddings need.")
                .hint("Train it with them: dimensions = 100 in [gm]."))
        }
        other => {
            Err(Error::option(format!("there is no relatedness {other:?}; it is lm, pmi or embeddings.")))
        }
    }
}

/// How often words occur near one another: those of number k are `words[offsets[k]:offsets[k + 1]]`.
#[pyclass(name = "NeighbourColumns", module = "graphmt._core", frozen, get_all)]
pub struct PyNeighbourColumns {
    offsets: Py<PyArray1<u64>>,
    words: Py<PyArray1<u32>>,
    counts: Py<PyArray1<u32>>,
}

/// How often a source word has a translation, of how many occurrences.
#[pyclass(name = "TranslationCount", module = "graphmt._core", frozen, get_all)]
pub struct PyTranslationCount {
    count: u64,
    total: u64,
}

/// The statistics of collective lexical selection, opened.
#[pyclass(name = "GmModel", module = "graphmt._core", frozen)]
pub struct PyGmModel {
    model: Arc<GmModel>,
}

#[pymethods]
impl PyGmModel {
    /// With `vectors`, a row for each target number, words are also related by the angle between them.
    #[new]
    #[pyo3(signature = (path, vectors=None))]
    fn new(py: Python<'_>, path: PathBuf, vectors: Option<PyReadonlyArray2<'_, f32>>) -> PyResult<Self> {
        let vectors = vectors.map(|given| (given.as_array().iter().copied().collect(), given.shape()[1]));
        run(py, || {
            let model = GmModel::open(&path)?;
            let model = match vectors {
                Some((values, dimensions)) => model.with_vectors(values, dimensions)?,
                None => model,
            };
            Ok(PyGmModel { model: Arc::new(model) })
        })
    }

    /// The counted neighbours of the target numbers.
    fn neighbours(&self, py: Python<'_>) -> PyResult<PyNeighbourColumns> {
        let (offsets, words, counts) = self.checked(py, || {
            let (offsets, near) = self.model.neighbours();
            let column = |at: usize| near.iter().skip(at).step_by(2).copied().collect::<Vec<u32>>();
            Ok((offsets.to_vec(), column(0), column(1)))
        })?;
        Ok(PyNeighbourColumns {
            offsets: offsets.into_pyarray(py).unbind(),
            words: words.into_pyarray(py).unbind(),
            counts: counts.into_pyarray(py).unbind(),
        })
    }

    #[getter]
    fn meta(&self) -> &str {
        self.model.meta()
    }

    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        run(py, || self.model.verify())
    }

    /// RS(t, t') of two target words; None where one of them is no content word.
    fn relatedness(&self, py: Python<'_>, measure_of: &str, a: &str, b: &str) -> PyResult<Option<f64>> {
        let by = measure(&self.model, measure_of).map_err(|error| to_python(py, &error))?;
        self.checked(py, || {
            let words = self.model.target_words();
            let number = |word: &str| words.get(word).and_then(|word| self.model.target_number(word));
            Ok(number(a).zip(number(b)).map(|(a, b)| self.model.relatedness(by, a, b)))
        })
    }

    /// Whether two source words of these parts of speech are related.
    fn related(&self, py: Python<'_>, a: (String, String), b: (String, String)) -> PyResult<bool> {
        self.checked(py, || {
            let words = self.model.source_words();
            let number = |(word, upos): &(String, String)| {
                let class = crate::selection::classes::Class::of(upos);
                let word = words.get(word).filter(|_| class.is_content());
                word.map(|word| self.model.source_number(word, class))
            };
            Ok(number(&a).zip(number(&b)).is_some_and(|(a, b)| self.model.related(a, b)))
        })
    }

    /// How often a source word was translated with these words, and how often it was translated.
    fn counts(&self, py: Python<'_>, word: &str, translation: Vec<String>) -> PyResult<PyTranslationCount> {
        self.checked(py, || {
            let (source, target) = (self.model.source_words(), self.model.target_words());
            let Some(word) = source.get(word) else { return Ok(PyTranslationCount { count: 0, total: 0 }) };
            let numbers: Option<Vec<u32>> = translation.iter().map(|one| target.get(one)).collect();
            let count = numbers.map_or(0, |numbers| self.model.count(word, Translation::of(numbers)));
            Ok(PyTranslationCount { count, total: self.model.count_all(word) })
        })
    }

    fn idf(&self, py: Python<'_>, word: &str) -> PyResult<Option<f64>> {
        self.checked(py, || Ok(self.model.source_words().get(word).map(|word| self.model.idf(word))))
    }

    /// The target words taken for content words.
    fn content_words(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.checked(py, || {
            let words = self.model.target_words();
            let content = (0..words.len() as u32).filter(|&word| self.model.target_number(word).is_some());
            Ok(content.map(|word| words.word(word).to_owned()).collect())
        })
    }

    /// The translation graphs of a sentence, from the options that a decoder has for it; of large ones the edges are
    /// most of the work, and `edges` says whether they are wanted.
    #[pyo3(signature = (decoder, sentence, walk, *, edges=true))]
    fn graphs(
        &self,
        py: Python<'_>,
        decoder: &PyDecoder,
        sentence: &PySentence,
        walk: GmWalk,
        edges: bool,
    ) -> PyResult<Vec<PyTranslationGraph>> {
        let measure = measure(&self.model, &walk.relatedness).map_err(|error| to_python(py, &error))?;
        let (sentence, decoder) = (&sentence.sentence, &decoder.decoder);
        self.checked(py, || {
            let gm = Gm::new(self.model.clone(), measure, walk.extensions(), walk.walk(), decoder.table());
            let request = NBestRequest { n_best: 1, distinct: false, graph: false, words_only: false };
            let mut graphs = Vec::new();
            for span in cut(sentence, decoder.max_words()) {
                let found = Mutex::new(Vec::new());
                let look = |options: &dyn OptionColumns, sentence: &Sentence| {
                    let graphs = gm.graphs(options, sentence)?;
                    found.lock().map_err(|_| Error::internal("a lock was poisoned."))?.extend(graphs);
                    Ok((0, Vec::new()))
                };
                decoder.translate(&piece(sentence, span), &request, Some(&look))?;
                let found = found.into_inner().map_err(|_| Error::internal("a lock was poisoned."))?;
                graphs.extend(found.into_iter().map(|mut graph| {
                    graph.positions.iter_mut().for_each(|position| *position += span.0);
                    graph
                }));
            }
            Ok(graphs.into_iter().map(|one| PyTranslationGraph::of(one, gm.model(), edges)).collect())
        })
    }

    /// The model as decoders use it.
    fn selector(&self, py: Python<'_>, walk: GmWalk) -> PyResult<PySelector> {
        let measure = measure(&self.model, &walk.relatedness).map_err(|error| to_python(py, &error))?;
        let (extensions, walk) = (walk.extensions(), walk.walk());
        Ok(PySelector {
            selector: Arc::new(GmSelector { model: self.model.clone(), measure, extensions, walk }),
        })
    }
}

impl PyGmModel {
    /// Work whose results are given away if the file is still what it was.
    fn checked<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
        run(py, || watched::checked(|| self.model.check(), work))
    }
}

/// The fields of `graphmt.selection.options.GmOptions` that the core reads.
#[derive(FromPyObject)]
struct GmOptions {
    source_window: usize,
    target_window: usize,
    source_count: u64,
    source_pmi: f64,
    target_count: u64,
    max_memory: Mebibytes,
    threads: usize,
}

impl GmOptions {
    fn settings(&self) -> GmSettings {
        GmSettings {
            source_window: self.source_window,
            target_window: self.target_window,
            count: self.source_count,
            pmi: self.source_pmi,
            target_count: self.target_count,
            budget: self.max_memory.bytes(),
        }
    }
}

/// `graphmt.selection.gm.MoreText`: further source text, each with its trees, and further target text.
#[derive(FromPyObject)]
struct MoreText {
    source: Vec<(PathBuf, PathBuf)>,
    target: Vec<PathBuf>,
}

/// What training counted.
#[pyclass(name = "GmReport", module = "graphmt._core", frozen, get_all)]
struct PyGmReport {
    pairs: u64,
    source_words: u64,
    source_related: u64,
    target_words: u64,
    target_content: u64,
    target_pairs: u64,
    translations: u64,
}

/// Collects the statistics of a corpus with trees, and of further text; `lemmatise(side, words)` gives lemmas.
#[pyfunction]
#[pyo3(signature = (files, more, out, options, *, folder, lemmatise, progress=None))]
fn train_gm(
    files: &PyCorpusFiles,
    more: MoreText,
    out: PathBuf,
    options: GmOptions,
    folder: PathBuf,
    lemmatise: Bound<'_, PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyGmReport> {
    let (py, lemmatise) = (lemmatise.py(), lemmatise.unbind());
    let (corpus, reporter) = (files.files(), Reporter::new(progress));
    let more = Monolingual { source: more.source, target: more.target };
    let made = run_on(py, options.threads, || {
        let lemmas = |side: Side, words: &[&str]| {
            Python::attach(|py| {
                let side = if side == Side::Source { "source" } else { "target" };
                let given = lemmatise.call1(py, (side, words.to_vec()));
                given
                    .and_then(|given| given.extract::<Vec<String>>(py))
                    .map_err(|error| Error::input(format!("lemmatising failed: {}.", in_words(py, error))))
            })
        };
        let told = |read: u64| reporter.report("counting words", read, 0);
        train(&corpus, &more, &options.settings(), &lemmas, &folder, &out, told)
    })?;
    Ok(PyGmReport {
        pairs: made.pairs,
        source_words: made.source_words,
        source_related: made.source_related,
        target_words: made.target_words,
        target_content: made.target_content,
        target_pairs: made.target_pairs,
        translations: made.translations,
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyGmModel>()?;
    module.add_class::<PyGmReport>()?;
    module.add_class::<PyNeighbourColumns>()?;
    module.add_class::<PyTranslationCount>()?;
    module.add_function(wrap_pyfunction!(train_gm, module)?)
}
