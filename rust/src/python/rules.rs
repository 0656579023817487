//! Bindings of rule extraction and rule tables.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::files::{Mebibytes, PyCorpusFiles};
use super::graph::labels_named;
use super::guard::{run, run_on, Reporter};
use super::search::Links;
use crate::error::{Error, Result};
use crate::extract::dependents::Dependents;
use crate::extract::hierarchical::{DependencyGraphs, Hierarchical, HoleLimits, Strings};
use crate::extract::initial::{SubgraphLimits, Unaligned};
use crate::extract::listing::list;
use crate::extract::score::ScoreSettings;
use crate::extract::sentence::{ContextScope, SubgraphSettings};
use crate::extract::smooth::Smoothing;
use crate::extract::subgraphs::Subgraphs;
use crate::extract::train::{train, Report};
use crate::rule::bytes::Rule;
use crate::rule::record::{Context, Identity};
use crate::source::fragments::FragmentShape;
use crate::store::vocab::Words;
use crate::store::watched::checked;
use crate::table::inspect::{containing, with_words, SourceSide};
use crate::table::moses;
use crate::table::prune::{prune, PruneLimits, Pruned};
use crate::table::read::Table;
use crate::table::{Grammar, TableSettings};

fn identity(name: &str) -> Result<Identity> {
    match name {
        "links" => Ok(Identity::Links),
        "gaps" => Ok(Identity::Gaps),
        other => Err(Error::option(format!("there is no identity {other:?}; it is links or gaps."))),
    }
}

fn scope(name: &str) -> Result<ContextScope> {
    match name {
        "next" => Ok(ContextScope::Next),
        "rest" => Ok(ContextScope::Rest),
        other => Err(Error::option(format!("there is no context scope {other:?}; it is next or rest."))),
    }
}

fn unaligned(name: &str) -> Result<Unaligned> {
    match name {
        "linked" => Ok(Unaligned::Linked),
        "neighbours" => Ok(Unaligned::Neighbours),
        other => Err(Error::option(format!(
            "there is no choice {other:?} of unaligned words; it is linked or neighbours."
        ))),
    }
}

pub fn smoothing(name: &str) -> Result<Smoothing> {
    match name {
        "none" => Ok(Smoothing::None),
        "good-turing" => Ok(Smoothing::GoodTuring),
        "kneser-ney" => Ok(Smoothing::KneserNey),
        other => Err(Error::option(format!(
            "there is no smoothing {other:?}; it is none, good-turing or kneser-ney."
        ))),
    }
}

/// What extraction found.
#[pyclass(name = "ExtractReport", module = "graphmt._core", frozen, get_all)]
pub struct PyExtractReport {
    pairs: u64,
    too_long: u64,
    source_sides: u64,
    /// Distinct rules by kind.
    kinds: Py<PyDict>,
}

impl PyExtractReport {
    fn of(py: Python<'_>, made: &Report) -> PyResult<Self> {
        let kinds = PyDict::new(py);
        for (kind, rules) in made.kinds.iter().zip(made.rules.kinds) {
            kinds.set_item(*kind, rules)?;
        }
        let Report { pairs, too_long, .. } = *made;
        Ok(PyExtractReport { pairs, too_long, source_sides: made.rules.source_sides, kinds: kinds.unbind() })
    }
}

/// The fields of `graphmt.rules.options.ExtractOptions` that the core reads.
#[derive(FromPyObject)]
struct ExtractOptions {
    max_source: usize,
    max_target: usize,
    max_span: usize,
    unaligned: String,
    identity: String,
    context_scope: String,
    max_length: usize,
    max_symbols: usize,
    max_holes: usize,
    min_hole: usize,
    max_external: usize,
    labels: String,
    structure: bool,
    max_gaps: usize,
    any_span: bool,
    partial: bool,
    phrasal: bool,
    smoothing: String,
    min_count: f64,
    reordering: bool,
    max_memory: Mebibytes,
    threads: usize,
}

impl ExtractOptions {
    fn subgraphs(&self, links: Links, context: bool) -> Result<Subgraphs> {
        let limits = SubgraphLimits {
            max_source: self.max_source,
            max_target: self.max_target,
            max_span: self.max_span,
            unaligned: unaligned(&self.unaligned)?,
        };
        let settings = SubgraphSettings {
            limits,
            identity: identity(&self.identity)?,
            context: if context { Some(scope(&self.context_scope)?) } else { None },
            orientations: self.reordering,
        };
        Ok(Subgraphs { settings, kinds: links.kinds() })
    }

    fn limits(&self) -> Result<HoleLimits> {
        let ExtractOptions { max_length, max_symbols, max_holes, min_hole, .. } = *self;
        let limits = HoleLimits { max_length, max_symbols, max_holes, min_hole };
        limits.check().map(|()| limits)
    }

    fn shape(&self) -> Result<FragmentShape> {
        let ExtractOptions { max_external, structure, max_gaps, any_span, .. } = *self;
        let labels = labels_named(&self.labels)?;
        let shape = FragmentShape { max_external, labels, structure, max_gaps, any_span };
        shape.check().map(|()| shape)
    }

    fn dependents(&self) -> Result<Dependents> {
        let ExtractOptions { max_source, max_target, partial, phrasal, .. } = *self;
        let chosen = Dependents { max_source, max_target, partial, phrasal };
        chosen.check().map(|()| chosen)
    }
}

/// One of the extractors.
#[derive(Clone, Copy)]
pub enum Chosen {
    Subgraphs(Subgraphs),
    Strings(Hierarchical<Strings>),
    Fragments(Hierarchical<DependencyGraphs>),
    Dependents(Dependents),
}

/// Which rules to extract, for a system and its options.
#[pyclass(name = "ExtractSettings", module = "graphmt._core", frozen)]
pub struct PyExtractSettings {
    pub chosen: Chosen,
}

#[pymethods]
impl PyExtractSettings {
    /// Connected subgraphs of a graph with these links; `context`: with contextual rules.
    #[staticmethod]
    #[pyo3(signature = (options, links, *, context))]
    fn subgraphs(py: Python<'_>, options: ExtractOptions, links: Links, context: bool) -> PyResult<Self> {
        run(py, || Ok(PyExtractSettings { chosen: Chosen::Subgraphs(options.subgraphs(links, context)?) }))
    }

    /// Hierarchical phrases.
    #[staticmethod]
    fn strings(py: Python<'_>, options: ExtractOptions) -> PyResult<Self> {
        run(py, || {
            let chosen = Hierarchical { grammar: Strings, limits: options.limits()? };
            Ok(PyExtractSettings { chosen: Chosen::Strings(chosen) })
        })
    }

    /// Hierarchical phrases of dependency-graph fragments.
    #[staticmethod]
    fn fragments(py: Python<'_>, options: ExtractOptions) -> PyResult<Self> {
        run(py, || {
            let limits = options.limits()?;
            let grammar = DependencyGraphs { shape: options.shape()? };
            Ok(PyExtractSettings { chosen: Chosen::Fragments(Hierarchical { grammar, limits }) })
        })
    }

    /// Heads with their dependents.
    #[staticmethod]
    fn dependents(py: Python<'_>, options: ExtractOptions) -> PyResult<Self> {
        run(py, || Ok(PyExtractSettings { chosen: Chosen::Dependents(options.dependents()?) }))
    }
}

#[pyfunction]
#[pyo3(signature = (files, settings, out, options, *, folder, progress=None))]
fn train_rules(
    py: Python<'_>,
    files: &PyCorpusFiles,
    settings: &PyExtractSettings,
    out: PathBuf,
    options: ExtractOptions,
    folder: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyExtractReport> {
    let (from, chosen) = (files.files(), settings.chosen);
    let (memory, reporter) = (options.max_memory.bytes(), Reporter::new(progress));
    let made = run_on(py, options.threads, || {
        let scored =
            ScoreSettings { smoothing: smoothing(&options.smoothing)?, min_count: options.min_count };
        let told = |pairs| reporter.report("extracting rules", pairs, 0);
        match chosen {
            Chosen::Subgraphs(chosen) => train(&from, &chosen, scored, &out, &folder, memory, told),
            Chosen::Strings(chosen) => train(&from, &chosen, scored, &out, &folder, memory, told),
            Chosen::Fragments(chosen) => train(&from, &chosen, scored, &out, &folder, memory, told),
            Chosen::Dependents(chosen) => train(&from, &chosen, scored, &out, &folder, memory, told),
        }
    })?;
    PyExtractReport::of(py, &made)
}

#[pyfunction]
fn list_rules(py: Python<'_>, files: &PyCorpusFiles, settings: &PyExtractSettings) -> PyResult<Vec<String>> {
    let (from, chosen) = (files.files(), settings.chosen);
    run(py, || match chosen {
        Chosen::Subgraphs(chosen) => list(&from, &chosen),
        Chosen::Strings(chosen) => list(&from, &chosen),
        Chosen::Fragments(chosen) => list(&from, &chosen),
        Chosen::Dependents(chosen) => list(&from, &chosen),
    })
}

/// A rule of a source side.
#[pyclass(name = "Rule", module = "graphmt._core", frozen, get_all)]
#[derive(Clone)]
pub struct PyRule {
    /// Positions in the source side; None for rules without context.
    context: Option<Vec<usize>>,
    target: Vec<String>,
    alignment: Vec<(u8, u8)>,
    count: f32,
    /// ln of the four scores.
    scores: Vec<f32>,
}

/// A source side with its rules; `joints` says how each word is joined to the earlier ones.
#[pyclass(name = "SourceSide", module = "graphmt._core", frozen, get_all)]
pub struct PySourceSide {
    words: Vec<String>,
    joints: Vec<u16>,
    rules: Vec<PyRule>,
}

impl From<SourceSide> for PySourceSide {
    fn from(side: SourceSide) -> Self {
        let nodes = |context| match context {
            Context::Any => None,
            Context::Nodes(set) => Some((0..16).filter(|k| set >> k & 1 == 1).collect()),
        };
        let rule = |(rule, target): (Rule, Vec<String>)| PyRule {
            context: nodes(rule.context),
            target,
            alignment: rule.alignment.to_vec(),
            count: rule.count,
            scores: rule.scores.to_vec(),
        };
        let rules = side.rules.into_iter().map(rule).collect();
        PySourceSide { words: side.words, joints: side.joints, rules }
    }
}

/// The shape of fragments that a table of dependency graphs was extracted with.
#[pyclass(name = "FragmentShape", module = "graphmt._core", frozen, get_all)]
pub struct PyFragmentShape {
    max_external: usize,
    labels: &'static str,
    structure: bool,
    max_gaps: usize,
    any_span: bool,
}

#[pyclass(name = "RuleTable", module = "graphmt._core", frozen)]
pub struct PyRuleTable {
    table: Table,
}

#[pymethods]
impl PyRuleTable {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        run(py, || Ok(PyRuleTable { table: Table::open(&path)? }))
    }

    #[getter]
    fn meta(&self) -> &str {
        self.table.meta()
    }

    /// The number of files.
    #[getter]
    fn parts(&self) -> usize {
        self.table.number_of_parts()
    }

    #[getter]
    fn grammar(&self) -> &'static str {
        self.table.settings().grammar.name()
    }

    #[getter]
    fn identity(&self) -> &'static str {
        match self.table.settings().identity {
            Identity::Links => "links",
            Identity::Gaps => "gaps",
        }
    }

    /// The shape of fragments; None for other tables than those of dependency graphs.
    #[getter]
    fn fragments(&self) -> Option<PyFragmentShape> {
        let TableSettings {
            grammar,
            shape: FragmentShape { max_external, labels, structure, max_gaps, any_span },
            ..
        } = *self.table.settings();
        (grammar == Grammar::Fragments).then(|| PyFragmentShape {
            max_external,
            labels: labels.name(),
            structure,
            max_gaps,
            any_span,
        })
    }

    #[getter]
    fn max_span(&self) -> u32 {
        self.table.settings().max_span
    }

    #[getter]
    fn oriented(&self) -> bool {
        self.table.settings().oriented
    }

    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        run(py, || self.table.verify())
    }

    fn vocabulary(&self, py: Python<'_>) -> PyResult<PyVocabulary> {
        let words = |words: Words<'_>| (0..words.len() as u32).map(|id| words.word(id).to_owned()).collect();
        self.checked(py, || {
            Ok(PyVocabulary {
                source: words(self.table.source_words()),
                target: words(self.table.target_words()),
            })
        })
    }

    fn with_words(&self, py: Python<'_>, words: Vec<String>) -> PyResult<Vec<PySourceSide>> {
        self.checked(py, || Ok(with_words(&self.table, &words).into_iter().map(Into::into).collect()))
    }

    fn containing(&self, py: Python<'_>, word: &str, limit: usize) -> PyResult<Vec<PySourceSide>> {
        self.checked(py, || Ok(containing(&self.table, word, limit).into_iter().map(Into::into).collect()))
    }

    fn to_moses(&self, py: Python<'_>, path: PathBuf) -> PyResult<u64> {
        self.checked(py, || moses::export(&self.table, &path))
    }
}

impl PyRuleTable {
    /// Work whose results are given away if the table is still what it was.
    fn checked<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
        run(py, || checked(|| self.table.check(), work))
    }
}

/// The words of a table.
#[pyclass(name = "Vocabulary", module = "graphmt._core", frozen, get_all)]
pub struct PyVocabulary {
    source: Vec<String>,
    target: Vec<String>,
}

#[pyfunction]
fn rules_from_moses(py: Python<'_>, path: PathBuf, out: PathBuf) -> PyResult<u64> {
    run(py, || moses::import(&path, &out))
}

#[pyfunction]
#[pyo3(signature = (table, out, sentences))]
fn filter_rules(py: Python<'_>, table: PathBuf, out: PathBuf, sentences: Vec<Vec<String>>) -> PyResult<u64> {
    run(py, || crate::table::filter::filter(&Table::open(&table)?, &sentences, &out))
}

/// The number of rules kept and dropped.
#[pyclass(name = "PrunedRules", module = "graphmt._core", frozen, get_all)]
pub struct PyPrunedRules {
    kept: u64,
    dropped: u64,
}

#[pyfunction]
#[pyo3(signature = (table, out, *, min_count, significance))]
fn prune_rules(
    py: Python<'_>,
    table: PathBuf,
    out: PathBuf,
    min_count: f64,
    significance: Option<f64>,
) -> PyResult<PyPrunedRules> {
    let limits = PruneLimits { min_count, significance };
    let Pruned { kept, dropped } = run(py, || prune(&Table::open(&table)?, limits, &out))?;
    Ok(PyPrunedRules { kept, dropped })
}

#[pyfunction]
fn split_rules(py: Python<'_>, table: PathBuf, out: PathBuf, part_bytes: u64) -> PyResult<usize> {
    run(py, || crate::table::split::split(&Table::open(&table)?, part_bytes, &out))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyRuleTable>()?;
    module.add_class::<PyVocabulary>()?;
    module.add_class::<PyExtractSettings>()?;
    module.add_class::<PyExtractReport>()?;
    module.add_class::<PySourceSide>()?;
    module.add_class::<PyRule>()?;
    module.add_class::<PyFragmentShape>()?;
    module.add_class::<PyPrunedRules>()?;
    module.add_function(wrap_pyfunction!(list_rules, module)?)?;
    module.add_function(wrap_pyfunction!(train_rules, module)?)?;
    module.add_function(wrap_pyfunction!(rules_from_moses, module)?)?;
    module.add_function(wrap_pyfunction!(filter_rules, module)?)?;
    module.add_function(wrap_pyfunction!(prune_rules, module)?)?;
    module.add_function(wrap_pyfunction!(split_rules, module)?)?;
    Ok(())
}
