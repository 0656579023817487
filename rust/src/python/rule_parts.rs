//! Bindings of rule extraction in chunks and parts.

use std::path::PathBuf;
use std::sync::Mutex;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::guard::{locked, run_on, to_python};
use super::rules::{smoothing, Chosen, PyExtractSettings};
use super::text_column::TextColumn;
use crate::align::lexical::LexicalTable;
use crate::error::{Error, Result};
use crate::extract::assembly::Assembler;
use crate::extract::chunks::{ChunkCounts, PairParser, PairText, SymbolFinder, Vocabularies};
use crate::extract::corpus::RuleCounts;
use crate::extract::extractor::Extractor;
use crate::extract::parts::{self, Edge, FromOthers, MergedPart};
use crate::extract::score::ScoreSettings;
use crate::extract::smooth::SideCounts;
use crate::extract::train::describe;
use crate::store::runs::Run;

/// Calls `$call` with the extractor of `$settings` as `$extractor`.
macro_rules! with_extractor {
    ($chosen:expr, $extractor:ident => $call:expr) => {
        match $chosen {
            Chosen::Subgraphs($extractor) => $call,
            Chosen::Strings($extractor) => $call,
            Chosen::Fragments($extractor) => $call,
            Chosen::Dependents($extractor) => $call,
        }
    };
}

/// Workers of a distributed engine use one thread each.
const THREADS: usize = 1;

fn runs(pieces: Vec<PyBackedBytes>) -> Result<Vec<Run>> {
    let all = pieces.iter().map(|piece| Run::several(piece)).collect::<Result<Vec<_>>>()?;
    Ok(all.into_iter().flatten().collect())
}

fn to_bytes(py: Python<'_>, bytes: Vec<u8>) -> Py<PyBytes> {
    PyBytes::new(py, &bytes).unbind()
}

/// Sentence pairs as columns, ascending by number; `trees` is `None` where no trees are needed.
#[derive(FromPyObject)]
struct PairColumns<'py> {
    numbers: PyReadonlyArray1<'py, i64>,
    source: TextColumn<'py>,
    target: TextColumn<'py>,
    alignment: TextColumn<'py>,
    trees: Option<TextColumn<'py>>,
}

impl PairColumns<'_> {
    fn texts(&self) -> Result<Vec<PairText<'_>>> {
        let numbers =
            self.numbers.as_slice().map_err(|_| Error::internal("numbers that are apart in memory."))?;
        let [source, target, alignment] =
            [self.source.texts()?, self.target.texts()?, self.alignment.texts()?];
        let trees = self.trees.as_ref().map(TextColumn::texts).transpose()?;
        if [Some(source), Some(target), Some(alignment), trees]
            .iter()
            .flatten()
            .any(|column| column.len() != numbers.len())
        {
            return Err(Error::internal("columns of pairs of different lengths."));
        }
        let text = |(k, &number): (usize, &i64)| PairText {
            number: number as u64,
            source: source.get(k),
            target: target.get(k),
            alignment: alignment.get(k),
            tree: trees.map(|trees| trees.get(k)),
        };
        Ok(numbers.iter().enumerate().map(text).collect())
    }
}

/// The first places of symbols, as columns.
#[pyclass(name = "FirstPlaces", module = "graphmt._core", frozen, get_all)]
pub struct PyFirstPlaces {
    is_target: Vec<bool>,
    symbols: Vec<String>,
    places: Vec<u64>,
}

/// Finds the first places of the symbols of chunks.
#[pyclass(name = "SymbolFinder", module = "graphmt._core", frozen)]
pub struct PySymbolFinder {
    chosen: Chosen,
    state: Mutex<SymbolFinder>,
}

#[pymethods]
impl PySymbolFinder {
    #[new]
    fn new(settings: &PyExtractSettings) -> Self {
        PySymbolFinder { chosen: settings.chosen, state: Mutex::default() }
    }

    /// Reads a chunk; returns the number of symbols found since they were last taken.
    fn add(&self, py: Python<'_>, pairs: PairColumns<'_>) -> PyResult<usize> {
        let texts = pairs.texts().map_err(|error| to_python(py, &error))?;
        let chosen = self.chosen;
        run_on(py, THREADS, || {
            let mut state = locked(&self.state);
            with_extractor!(chosen, extractor => state.add(&extractor, &texts))?;
            Ok(state.found.len())
        })
    }

    /// The symbols found since they were last taken; one may have several places, the first of which counts.
    fn take(&self) -> PyFirstPlaces {
        let mut columns = PyFirstPlaces { is_target: Vec::new(), symbols: Vec::new(), places: Vec::new() };
        for first in locked(&self.state).take() {
            columns.is_target.push(first.is_target);
            columns.symbols.push(first.symbol);
            columns.places.push(first.place);
        }
        columns
    }
}

/// The numbered symbols of both sides; the texts have a word per line, in the order of their numbers.
#[pyclass(name = "RuleVocabulary", module = "graphmt._core", frozen)]
pub struct PyRuleVocabulary {
    words: Mutex<Vocabularies>,
}

#[pymethods]
impl PyRuleVocabulary {
    #[new]
    fn new(py: Python<'_>, settings: &PyExtractSettings, source: &str, target: &str) -> PyResult<Self> {
        let chosen = settings.chosen;
        let words = run_on(py, THREADS, || {
            let [source, target] = [source, target].map(|text| text.split_terminator('\n'));
            with_extractor!(chosen, extractor => Vocabularies::with(&extractor, source, target))
        })?;
        Ok(PyRuleVocabulary { words: Mutex::new(words) })
    }
}

/// A piece of a part: bytes that a worker passes on.
#[pyclass(name = "Piece", module = "graphmt._core", frozen, get_all)]
pub struct PyPiece {
    part: u32,
    data: Py<PyBytes>,
}

pub fn pieces(py: Python<'_>, made: Vec<(u32, Vec<u8>)>) -> Vec<PyPiece> {
    made.into_iter().map(|(part, data)| PyPiece { part, data: to_bytes(py, data) }).collect()
}

struct Counting {
    parser: PairParser,
    counts: ChunkCounts,
}

/// Counts the rules and the linked words of chunks.
#[pyclass(name = "RuleCounter", module = "graphmt._core", frozen)]
pub struct PyRuleCounter {
    chosen: Chosen,
    words: Py<PyRuleVocabulary>,
    bounds: Vec<PyBackedBytes>,
    state: Mutex<Counting>,
}

#[pymethods]
impl PyRuleCounter {
    #[new]
    fn new(settings: &PyExtractSettings, words: Py<PyRuleVocabulary>, bounds: Vec<PyBackedBytes>) -> Self {
        let state = Counting { parser: PairParser::default(), counts: ChunkCounts::default() };
        PyRuleCounter { chosen: settings.chosen, words, bounds, state: Mutex::new(state) }
    }

    /// Counts a chunk; returns the bytes of all rules counted since they were last taken.
    fn add(&self, py: Python<'_>, pairs: PairColumns<'_>) -> PyResult<usize> {
        let texts = pairs.texts().map_err(|error| to_python(py, &error))?;
        let (chosen, words) = (self.chosen, self.words.get());
        run_on(py, THREADS, || {
            let mut words = locked(&words.words);
            let Counting { parser, counts } = &mut *locked(&self.state);
            with_extractor!(chosen, extractor => counts.add(parser, &extractor, &texts, &mut words))?;
            Ok(counts.bytes())
        })
    }

    /// The pieces of the rules counted since they were last taken.
    fn take(&self, py: Python<'_>) -> PyResult<Vec<PyPiece>> {
        let made = run_on(py, THREADS, || {
            let runs = std::mem::take(&mut locked(&self.state).counts.runs);
            Ok(parts::cut(&runs, &self.bounds))
        })?;
        Ok(pieces(py, made))
    }

    /// Bounds of `parts` parts, from the rules counted so far.
    fn suggest_bounds(&self, py: Python<'_>, parts: usize) -> PyResult<Vec<Py<PyBytes>>> {
        let made = run_on(py, THREADS, || {
            let runs = std::mem::take(&mut locked(&self.state).counts.runs);
            parts::bounds(runs, parts)
        })?;
        Ok(made.into_iter().map(|bound| to_bytes(py, bound)).collect())
    }

    /// The linked words counted so far, as a run.
    fn links(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        let made =
            run_on(py, THREADS, || Ok(parts::link_run(&locked(&self.state).counts.links).into_bytes()))?;
        Ok(to_bytes(py, made))
    }

    #[getter]
    fn pairs(&self) -> u64 {
        locked(&self.state).counts.pairs
    }

    #[getter]
    fn too_long(&self) -> u64 {
        locked(&self.state).counts.too_long
    }
}

/// Merges runs and divides the result at bounds.
#[pyfunction]
fn divide_runs(
    py: Python<'_>,
    runs: Vec<PyBackedBytes>,
    bounds: Vec<PyBackedBytes>,
) -> PyResult<Vec<PyPiece>> {
    let made = run_on(py, THREADS, || parts::divide(self::runs(runs)?, &bounds))?;
    Ok(pieces(py, made))
}

/// The counts of rules with one source side and context at the border of a part.
#[pyclass(name = "Edge", module = "graphmt._core", frozen, get_all)]
pub struct PyEdge {
    prefix: Py<PyBytes>,
    total: u64,
    rules: [u32; 3],
}

/// A merged part: its runs, the counts of its target sides by their part, statistics for smoothing, its edges.
#[pyclass(name = "MergedRules", module = "graphmt._core", frozen, get_all)]
pub struct PyMergedRules {
    runs: Vec<Py<PyBytes>>,
    targets: Py<PyAny>,
    statistics: Vec<u64>,
    edges: Py<PyAny>,
}

#[pyfunction]
fn merge_rules(
    py: Python<'_>,
    settings: &PyExtractSettings,
    runs: Vec<PyBackedBytes>,
    target_parts: u32,
) -> PyResult<PyMergedRules> {
    let chosen = settings.chosen;
    let made = run_on(py, THREADS, || {
        let keys = with_extractor!(chosen, extractor => extractor.target_keys());
        parts::merge_part(self::runs(runs)?, keys, target_parts)
    })?;
    let MergedPart { runs, targets, statistics, edges } = made;
    let edge = |edge: Edge| {
        let SideCounts { total, rules } = edge.counts;
        PyEdge { prefix: to_bytes(py, edge.prefix), total, rules }
    };
    let edges = edges.into_iter().map(edge).collect::<Vec<_>>();
    Ok(PyMergedRules {
        runs: runs.into_iter().map(|run| to_bytes(py, run)).collect(),
        targets: pieces(py, targets).into_pyobject(py)?.unbind().into_any(),
        statistics,
        edges: edges.into_pyobject(py)?.unbind().into_any(),
    })
}

#[pyfunction]
fn add_up_targets(py: Python<'_>, counts: Vec<PyBackedBytes>) -> PyResult<Vec<Py<PyBytes>>> {
    let made = run_on(py, THREADS, || parts::add_up_targets(&counts))?;
    Ok(made.into_iter().map(|run| to_bytes(py, run)).collect())
}

/// The lexical table for scoring.
#[pyclass(name = "RuleLexicon", module = "graphmt._core", frozen)]
pub struct PyRuleLexicon {
    table: LexicalTable,
}

#[pymethods]
impl PyRuleLexicon {
    #[new]
    fn new(py: Python<'_>, words: Py<PyRuleVocabulary>, links: Vec<PyBackedBytes>) -> PyResult<Self> {
        let words = words.get();
        let table = run_on(py, THREADS, || {
            let words = locked(&words.words);
            parts::lexicon(&runs(links)?, (words.source.len(), words.target.len()))
        })?;
        Ok(PyRuleLexicon { table })
    }
}

/// What a part gets from the others for scoring: totals of its target sides, statistics and edges of all parts.
#[derive(FromPyObject)]
struct SharedCounts {
    smoothing: String,
    min_count: f64,
    statistics: Vec<u64>,
    targets: Vec<PyBackedBytes>,
    edges: Vec<(PyBackedBytes, u64, [u32; 3])>,
}

/// Scored rules in pieces for [`PyRuleTableWriter`], and the number of rules of each kind.
#[pyclass(name = "ScoredRules", module = "graphmt._core", frozen, get_all)]
pub struct PyScoredRules {
    pieces: Vec<Py<PyBytes>>,
    kinds: Vec<u64>,
}

#[pyfunction]
fn score_rules(
    py: Python<'_>,
    settings: &PyExtractSettings,
    lexicon: &PyRuleLexicon,
    runs: Vec<PyBackedBytes>,
    shared: SharedCounts,
) -> PyResult<PyScoredRules> {
    let chosen = settings.chosen;
    let (made, counts) = run_on(py, THREADS, || {
        let SharedCounts { smoothing: named, min_count, statistics, targets, edges } = shared;
        let edge = |(prefix, total, rules): (PyBackedBytes, u64, [u32; 3])| {
            (prefix.to_vec(), SideCounts { total, rules })
        };
        let others = FromOthers {
            settings: ScoreSettings { smoothing: smoothing(&named)?, min_count },
            statistics: &statistics,
            targets: &targets.iter().map(|bytes| &**bytes).collect::<Vec<_>>(),
            edges: edges.into_iter().map(edge).collect(),
            lexicon: &lexicon.table,
        };
        let runs = self::runs(runs)?;
        let mut pieces = Vec::new();
        let mut keep = |piece| {
            pieces.push(piece);
            Ok(())
        };
        let counts = with_extractor!(chosen, extractor => {
            parts::score_part(&extractor, runs, &others, &mut keep)
        })?;
        Ok((pieces, counts))
    })?;
    let pieces = made.into_iter().map(|piece| to_bytes(py, piece)).collect();
    Ok(PyScoredRules { pieces, kinds: counts.kinds.to_vec() })
}

/// Writes a rule table from scored rules in the order of their parts.
#[pyclass(name = "RuleTableWriter", module = "graphmt._core", frozen)]
pub struct PyRuleTableWriter {
    chosen: Chosen,
    words: Py<PyRuleVocabulary>,
    assembler: Mutex<Option<Assembler>>,
}

fn ended() -> Error {
    Error::internal("the rule table is written already.")
}

#[pymethods]
impl PyRuleTableWriter {
    #[new]
    fn new(
        py: Python<'_>,
        settings: &PyExtractSettings,
        words: Py<PyRuleVocabulary>,
        out: PathBuf,
    ) -> PyResult<Self> {
        let chosen = settings.chosen;
        let assembler = run_on(py, THREADS, || {
            Assembler::create(
                &out,
                with_extractor!(chosen, extractor => {
                    use crate::extract::extractor::Extractor;
                    extractor.settings()
                }),
            )
        })?;
        Ok(PyRuleTableWriter { chosen, words, assembler: Mutex::new(Some(assembler)) })
    }

    fn add(&self, py: Python<'_>, piece: PyBackedBytes) -> PyResult<()> {
        run_on(py, THREADS, || locked(&self.assembler).as_mut().ok_or_else(ended)?.add(&piece))
    }

    /// Completes the table of so many pairs and rules of each kind; returns the number of source sides.
    fn finish(&self, py: Python<'_>, pairs: u64, kinds: [u64; 3]) -> PyResult<u64> {
        let words = self.words.get();
        let chosen = self.chosen;
        run_on(py, THREADS, || {
            let mut assembler = locked(&self.assembler).take().ok_or_else(ended)?;
            assembler.end()?;
            let source_sides = assembler.source_sides;
            let names = with_extractor!(chosen, extractor => {
                use crate::extract::extractor::Extractor;
                extractor.kinds()
            });
            let meta = describe(pairs, names, &RuleCounts { kinds, source_sides });
            assembler.finish(&meta, &locked(&words.words))?;
            Ok(source_sides)
        })
    }

    /// The names of the kinds of rules.
    #[getter]
    fn kinds(&self) -> Vec<&'static str> {
        use crate::extract::extractor::Extractor;
        with_extractor!(self.chosen, extractor => extractor.kinds()).to_vec()
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyFirstPlaces>()?;
    module.add_class::<PyRuleVocabulary>()?;
    module.add_class::<PyPiece>()?;
    module.add_class::<PyRuleCounter>()?;
    module.add_class::<PyEdge>()?;
    module.add_class::<PyMergedRules>()?;
    module.add_class::<PyRuleLexicon>()?;
    module.add_class::<PyScoredRules>()?;
    module.add_class::<PyRuleTableWriter>()?;
    module.add_class::<PySymbolFinder>()?;
    module.add_function(wrap_pyfunction!(divide_runs, module)?)?;
    module.add_function(wrap_pyfunction!(merge_rules, module)?)?;
    module.add_function(wrap_pyfunction!(add_up_targets, module)?)?;
    module.add_function(wrap_pyfunction!(score_rules, module)?)?;
    Ok(())
}
