//! Bindings of collective lexical selection.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::guard::{in_words, run, run_on, tell, to_python};
use super::search::PyDecoder;
use super::selection::PySelector;
use super::sentence::{checked, Given};
use crate::corpus::pair_reader::Files;
use crate::decode::option_rows::OptionColumns;
use crate::decode::pieces::{cut, piece};
use crate::decode::sentence::Sentence;
use crate::decode::translator::NBestRequest;
use crate::error::{Error, Result};
use crate::selection::gm::annotator::{Gm, GmSelector, SentenceGraph};
use crate::selection::gm::graph::{Candidate, CandidateScore, Extensions, Graph, Word};
use crate::selection::gm::model::{GmModel, Measure};
use crate::selection::gm::train::{train, GmSettings, Monolingual};
use crate::selection::gm::translations::Translation;
use crate::selection::gm::walk::Walk;
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

/// A candidate: its words, how often it was seen, association, evidence and probability.
type CandidateTuple = (Vec<String>, u64, f64, f64, f64);
/// An edge between candidates, each as word and candidate, and its weight.
type EdgeTuple = ((usize, usize), (usize, usize), f64);
/// A translation graph: positions and importances of its words, their candidates, related words, edges.
type GraphTuple = (Vec<(usize, f64)>, Vec<Vec<CandidateTuple>>, Vec<(usize, usize)>, Vec<EdgeTuple>);

fn graph_tuple(one: SentenceGraph, model: &GmModel, edges: bool) -> GraphTuple {
    let words = model.target_words();
    let text = |translation: &Translation| match *translation {
        Translation::LONG => vec!["…".to_owned()],
        short => short.words().map(|word| words.word(word).to_owned()).collect(),
    };
    let candidates = one.words.iter().zip(&one.graph.scores).map(|(word, found)| {
        let both = word.candidates.iter().zip(found);
        both.map(|(candidate, found)| {
            (
                text(&candidate.translation),
                candidate.count,
                found.association,
                found.evidence,
                found.probability,
            )
        })
        .collect()
    });
    let candidates = candidates.collect();
    let edges = if edges { one.graph.edges() } else { Vec::new() };
    let importances = one.words.iter().map(|word| word.importance);
    (one.positions.into_iter().zip(importances).collect(), candidates, one.pairs, edges)
}

/// The statistics of collective lexical selection, opened.
#[pyclass(name = "GmModel", frozen)]
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

    /// The counted neighbours of the target numbers: where each number's begin, the neighbours, how often.
    #[allow(clippy::type_complexity)]
    fn neighbours<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>)> {
        let (offsets, words, counts) = self.checked(py, || {
            let (offsets, near) = self.model.neighbours();
            let column = |at: usize| near.iter().skip(at).step_by(2).copied().collect::<Vec<u32>>();
            Ok((offsets.to_vec(), column(0), column(1)))
        })?;
        Ok((offsets.into_pyarray(py), words.into_pyarray(py), counts.into_pyarray(py)))
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
    fn counts(&self, py: Python<'_>, word: &str, translation: Vec<String>) -> PyResult<(u64, u64)> {
        self.checked(py, || {
            let (source, target) = (self.model.source_words(), self.model.target_words());
            let Some(word) = source.get(word) else { return Ok((0, 0)) };
            let numbers: Option<Vec<u32>> = translation.iter().map(|one| target.get(one)).collect();
            let count = numbers.map_or(0, |numbers| self.model.count(word, Translation::of(numbers)));
            Ok((count, self.model.count_all(word)))
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
    #[pyo3(signature = (decoder, sentence, *, relatedness, prior, keep, reallocation, epsilon, rounds, edges=true))]
    #[allow(clippy::too_many_arguments)]
    fn graphs(
        &self,
        py: Python<'_>,
        decoder: &PyDecoder,
        sentence: Given,
        relatedness: &str,
        prior: bool,
        keep: bool,
        reallocation: f64,
        epsilon: f64,
        rounds: usize,
        edges: bool,
    ) -> PyResult<Vec<GraphTuple>> {
        let measure = measure(&self.model, relatedness).map_err(|error| to_python(py, &error))?;
        let walk = Walk { reallocation, epsilon, rounds };
        let sentences = checked(py, vec![sentence])?;
        self.checked(py, || {
            let gm = Gm::new(
                self.model.clone(),
                measure,
                Extensions { prior, keep },
                walk,
                decoder.decoder.table(),
            );
            let request = NBestRequest { n_best: 1, distinct: false, graph: false };
            let mut graphs = Vec::new();
            for (sentence, span) in sentences.iter().flat_map(|one| {
                cut(one, decoder.decoder.max_words()).into_iter().map(move |span| (one, span))
            }) {
                let found = Mutex::new(Vec::new());
                let look = |options: &dyn OptionColumns, sentence: &Sentence| {
                    let graphs = gm.graphs(options, sentence)?;
                    found.lock().map_err(|_| Error::internal("a lock was poisoned."))?.extend(graphs);
                    Ok((0, Vec::new()))
                };
                decoder.decoder.translate(&piece(sentence, span), &request, Some(&look))?;
                let found = found.into_inner().map_err(|_| Error::internal("a lock was poisoned."))?;
                graphs.extend(found.into_iter().map(|mut graph| {
                    graph.positions.iter_mut().for_each(|position| *position += span.0);
                    graph
                }));
            }
            Ok(graphs.into_iter().map(|one| graph_tuple(one, gm.model(), edges)).collect())
        })
    }

    /// The model with a measure and a walk.
    #[pyo3(signature = (*, relatedness, prior, keep, reallocation, epsilon, rounds))]
    #[allow(clippy::too_many_arguments)]
    fn selector(
        &self,
        py: Python<'_>,
        relatedness: &str,
        prior: bool,
        keep: bool,
        reallocation: f64,
        epsilon: f64,
        rounds: usize,
    ) -> PyResult<PySelector> {
        let measure = measure(&self.model, relatedness).map_err(|error| to_python(py, &error))?;
        let walk = Walk { reallocation, epsilon, rounds };
        Ok(PySelector {
            selector: Arc::new(GmSelector {
                model: self.model.clone(),
                measure,
                extensions: Extensions { prior, keep },
                walk,
            }),
        })
    }
}

impl PyGmModel {
    /// Work whose results are given away if the file is still what it was.
    fn checked<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
        run(py, || watched::checked(|| self.model.check(), work))
    }
}

/// Collects the statistics of a corpus given as source, target, alignment and trees, with further source texts (each
/// with its trees) and target texts; `lemmatise(side, words)` gives lemmas.
#[pyfunction]
#[pyo3(signature = (from, out, *, more_source, more_target, source_window, target_window, count, pmi, target_count,
    memory, folder, threads, lemmatise, progress=None))]
#[allow(clippy::too_many_arguments)] // The fields of one options dataclass, by name.
fn train_gm<'py>(
    py: Python<'py>,
    from: (PathBuf, PathBuf, PathBuf, PathBuf),
    out: PathBuf,
    more_source: Vec<(PathBuf, PathBuf)>,
    more_target: Vec<PathBuf>,
    source_window: usize,
    target_window: usize,
    count: u64,
    pmi: f64,
    target_count: u64,
    memory: usize,
    folder: PathBuf,
    threads: usize,
    lemmatise: Py<PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (source, target, alignment, trees) = from;
    let corpus = Files { source, target, alignment, trees: Some(trees) };
    let more = Monolingual { source: more_source, target: more_target };
    let settings = GmSettings { source_window, target_window, count, pmi, target_count, budget: memory };
    let made = run_on(py, threads, || {
        let lemmas = |side: Side, words: &[&str]| {
            Python::attach(|py| {
                let side = if side == Side::Source { "source" } else { "target" };
                let given = lemmatise.call1(py, (side, words.to_vec()));
                given
                    .and_then(|given| given.extract::<Vec<String>>(py))
                    .map_err(|error| Error::input(format!("lemmatising failed: {}.", in_words(py, error))))
            })
        };
        let told = |read: u64| tell(progress.as_ref(), read);
        train(&corpus, &more, &settings, &lemmas, &folder, &out, told)
    })?;
    let about = PyDict::new(py);
    about.set_item("pairs", made.pairs)?;
    about.set_item("source_words", made.source_words)?;
    about.set_item("source_related", made.source_related)?;
    about.set_item("target_words", made.target_words)?;
    about.set_item("target_content", made.target_content)?;
    about.set_item("target_pairs", made.target_pairs)?;
    about.set_item("translations", made.translations)?;
    Ok(about)
}

/// A word of a graph: its importance, and its candidates as count and content words.
type WordTuple = (f64, Vec<(u64, Vec<u32>)>);

/// The graph of words given as (importance, [(count, content words)]), with the relatedness of content words as a
/// matrix: for each candidate association, evidence and probability; and the edges between candidates.
#[pyfunction]
#[pyo3(signature = (words, pairs, relatedness, *, reallocation, epsilon, rounds, prior=false, keep=false))]
#[allow(clippy::type_complexity, clippy::too_many_arguments)] // A list for each word.
fn translation_graph(
    py: Python<'_>,
    words: Vec<WordTuple>,
    pairs: Vec<(usize, usize)>,
    relatedness: Vec<Vec<f64>>,
    reallocation: f64,
    epsilon: f64,
    rounds: usize,
    prior: bool,
    keep: bool,
) -> PyResult<(Vec<Vec<(f64, f64, f64)>>, Vec<EdgeTuple>)> {
    run(py, || {
        let known = |&word: &u32| (word as usize) < relatedness.len();
        let square = relatedness.iter().all(|row| row.len() == relatedness.len());
        let inside = pairs.iter().all(|&(a, b)| a.max(b) < words.len());
        if !square || !inside || !words.iter().flat_map(|word| &word.1).all(|one| one.1.iter().all(known)) {
            return Err(Error::input("words, pairs and relatedness of a graph do not go together."));
        }
        let candidate =
            |(count, content): (u64, Vec<u32>)| Candidate { translation: Translation::NULL, count, content };
        let word = |(importance, candidates): WordTuple| Word {
            importance,
            candidates: candidates.into_iter().map(candidate).collect(),
        };
        let words: Vec<Word> = words.into_iter().map(word).collect();
        let walk = Walk { reallocation, epsilon, rounds };
        let graph = Graph::infer(
            &words,
            &pairs,
            |t, u| relatedness[t as usize][u as usize],
            Extensions { prior, keep },
            &walk,
        );
        let of = |found: &Vec<CandidateScore>| {
            found.iter().map(|one| (one.association, one.evidence, one.probability)).collect()
        };
        Ok((graph.scores.iter().map(of).collect(), graph.edges()))
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyGmModel>()?;
    module.add_function(wrap_pyfunction!(train_gm, module)?)?;
    module.add_function(wrap_pyfunction!(translation_graph, module)?)
}
