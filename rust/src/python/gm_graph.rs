//! The translation graphs of collective lexical selection.

use pyo3::prelude::*;

use super::guard::run;
use crate::error::Error;
use crate::selection::gm::annotator::SentenceGraph;
use crate::selection::gm::graph::{Candidate, CandidateScore, Extensions, Graph, Word};
use crate::selection::gm::model::GmModel;
use crate::selection::gm::translations::Translation;
use crate::selection::gm::walk::Walk;

/// `graphmt.selection.gm.GmWalk`: how graphs are made and walked.
#[derive(FromPyObject)]
pub struct GmWalk {
    pub relatedness: String,
    prior: bool,
    keep: bool,
    reallocation: f64,
    epsilon: f64,
    rounds: usize,
}

impl GmWalk {
    pub fn walk(&self) -> Walk {
        Walk { reallocation: self.reallocation, epsilon: self.epsilon, rounds: self.rounds }
    }

    pub fn extensions(&self) -> Extensions {
        Extensions { prior: self.prior, keep: self.keep }
    }
}

/// A translation of a word: how often it was seen, and its association, evidence and probability.
#[pyclass(name = "GraphCandidate", module = "graphmt._core", frozen, get_all)]
#[derive(Clone)]
pub struct PyCandidate {
    words: Vec<String>,
    count: u64,
    association: f64,
    evidence: f64,
    probability: f64,
}

impl PyCandidate {
    fn of(words: Vec<String>, count: u64, found: &CandidateScore) -> Self {
        let CandidateScore { association, evidence, probability, .. } = *found;
        PyCandidate { words, count, association, evidence, probability }
    }
}

/// A source word of a graph with its position, its importance and its candidates.
#[pyclass(name = "GraphWord", module = "graphmt._core", frozen, get_all)]
#[derive(Clone)]
pub struct PyWord {
    position: usize,
    importance: f64,
    candidates: Vec<PyCandidate>,
}

/// An edge between two candidates, each given as (word of the graph, candidate of the word).
#[pyclass(name = "GraphEdge", module = "graphmt._core", frozen, get_all)]
#[derive(Clone)]
pub struct PyEdge {
    first: (usize, usize),
    second: (usize, usize),
    weight: f64,
}

/// A translation graph: its words, the pairs of words that are related, and the edges between candidates.
#[pyclass(name = "TranslationGraph", module = "graphmt._core", frozen, get_all)]
pub struct PyTranslationGraph {
    words: Vec<PyWord>,
    related: Vec<(usize, usize)>,
    edges: Vec<PyEdge>,
}

fn edges(graph: &Graph) -> Vec<PyEdge> {
    let edge = |(first, second, weight)| PyEdge { first, second, weight };
    graph.edges().into_iter().map(edge).collect()
}

impl PyTranslationGraph {
    pub fn of(one: SentenceGraph, model: &GmModel, with_edges: bool) -> Self {
        let known = model.target_words();
        let text = |translation: &Translation| match *translation {
            Translation::LONG => vec!["…".to_owned()],
            short => short.words().map(|word| known.word(word).to_owned()).collect(),
        };
        let nodes = one.words.iter().zip(&one.graph.scores).zip(&one.positions);
        let words = nodes.map(|((word, found), &position)| {
            let candidates = word.candidates.iter().zip(found);
            let candidates =
                candidates.map(|(one, found)| PyCandidate::of(text(&one.translation), one.count, found));
            PyWord { position, importance: word.importance, candidates: candidates.collect() }
        });
        PyTranslationGraph {
            words: words.collect(),
            edges: if with_edges { edges(&one.graph) } else { Vec::new() },
            related: one.pairs,
        }
    }
}

/// A word of a graph that is given: its importance and its candidates.
#[derive(FromPyObject)]
struct GivenWord {
    importance: f64,
    candidates: Vec<GivenCandidate>,
}

/// How often a candidate was seen, and its content words as rows of the relatedness.
#[derive(FromPyObject)]
struct GivenCandidate {
    count: u64,
    content: Vec<u32>,
}

/// The graph of words that are given, with the relatedness of content words as a matrix.
#[pyfunction]
fn translation_graph(
    py: Python<'_>,
    words: Vec<GivenWord>,
    pairs: Vec<(usize, usize)>,
    relatedness: Vec<Vec<f64>>,
    walk: GmWalk,
) -> PyResult<PyTranslationGraph> {
    run(py, || {
        let known = |&word: &u32| (word as usize) < relatedness.len();
        let square = relatedness.iter().all(|row| row.len() == relatedness.len());
        let inside = pairs.iter().all(|&(a, b)| a.max(b) < words.len());
        let mut candidates = words.iter().flat_map(|word| &word.candidates);
        if !square || !inside || !candidates.all(|one| one.content.iter().all(known)) {
            return Err(Error::input("words, pairs and relatedness of a graph do not go together."));
        }
        let candidate =
            |GivenCandidate { count, content }| Candidate { translation: Translation::NULL, count, content };
        let word = |GivenWord { importance, candidates }| Word {
            importance,
            candidates: candidates.into_iter().map(candidate).collect(),
        };
        let words: Vec<Word> = words.into_iter().map(word).collect();
        let relatedness = |t: u32, u: u32| relatedness[t as usize][u as usize];
        let graph = Graph::infer(&words, &pairs, relatedness, walk.extensions(), &walk.walk());
        let nodes = words.iter().zip(&graph.scores).enumerate();
        let made = nodes.map(|(position, (word, found))| {
            let candidates = word.candidates.iter().zip(found);
            let candidates = candidates.map(|(one, found)| PyCandidate::of(Vec::new(), one.count, found));
            PyWord { position, importance: word.importance, candidates: candidates.collect() }
        });
        Ok(PyTranslationGraph { words: made.collect(), edges: edges(&graph), related: pairs })
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyTranslationGraph>()?;
    module.add_class::<PyWord>()?;
    module.add_class::<PyCandidate>()?;
    module.add_class::<PyEdge>()?;
    module.add_function(wrap_pyfunction!(translation_graph, module)?)
}
