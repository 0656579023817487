//! Bindings of rule extraction and rule tables.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::graph::labels_named;
use super::guard::{run, run_on, tell, to_python};
use crate::corpus::pair_reader::Files;
use crate::error::{Error, Result};
use crate::extract::dependents::Dependents;
use crate::extract::hierarchical::{DependencyGraphs, Hierarchical, HoleLimits, Strings};
use crate::extract::initial::{SubgraphLimits, Unaligned};
use crate::extract::listing::list;
use crate::extract::sentence::{ContextScope, SubgraphSettings};
use crate::extract::smooth::Smoothing;
use crate::extract::subgraphs::Subgraphs;
use crate::extract::train::{train, Report};
use crate::rule::record::{Context, Identity};
use crate::source::fragments::FragmentShape;
use crate::source::links::LinkKinds;
use crate::store::watched::checked;
use crate::table::inspect::{containing, with_words, SourceSide};
use crate::table::moses;
use crate::table::read::Table;
use crate::table::{Grammar, TableSettings};

fn identity(name: &str) -> Result<Identity> {
    match name {
        "links" => Ok(Identity::Links),
        "gaps" => Ok(Identity::Gaps),
        other => Err(Error::option(format!("there is no identity {other:?}; it is links or gaps."))),
    }
}

fn scope(name: &str) -> Result<Option<ContextScope>> {
    match name {
        "none" => Ok(None),
        "next" => Ok(Some(ContextScope::Next)),
        "rest" => Ok(Some(ContextScope::Rest)),
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

fn smoothing(name: &str) -> Result<Smoothing> {
    match name {
        "none" => Ok(Smoothing::None),
        "good-turing" => Ok(Smoothing::GoodTuring),
        "kneser-ney" => Ok(Smoothing::KneserNey),
        other => Err(Error::option(format!(
            "there is no smoothing {other:?}; it is none, good-turing or kneser-ney."
        ))),
    }
}

fn report<'py>(py: Python<'py>, made: &Report) -> PyResult<Bound<'py, PyDict>> {
    let about = PyDict::new(py);
    about.set_item("pairs", made.pairs)?;
    about.set_item("too_long", made.too_long)?;
    about.set_item("source_sides", made.rules.source_sides)?;
    let kinds = PyDict::new(py);
    for (kind, rules) in made.kinds.iter().zip(made.rules.kinds) {
        kinds.set_item(*kind, rules)?;
    }
    about.set_item("kinds", kinds)?;
    Ok(about)
}

/// One of the extractors.
#[derive(Clone, Copy)]
pub enum Chosen {
    Subgraphs(Subgraphs),
    Strings(Hierarchical<Strings>),
    Fragments(Hierarchical<DependencyGraphs>),
    Dependents(Dependents),
}

/// What to extract; the Python side makes it from a system and its options.
#[pyclass(name = "ExtractSettings", frozen)]
pub struct PyExtractSettings {
    pub chosen: Chosen,
}

#[pymethods]
impl PyExtractSettings {
    #[staticmethod]
    #[pyo3(signature = (*, bigram, dependency, max_source, max_target, max_span, unaligned_of, identity_of,
        context_scope, orientations))]
    #[allow(clippy::too_many_arguments)] // The fields of one options dataclass, by name.
    fn subgraphs(
        py: Python<'_>,
        bigram: bool,
        dependency: bool,
        max_source: usize,
        max_target: usize,
        max_span: usize,
        unaligned_of: &str,
        identity_of: &str,
        context_scope: &str,
        orientations: bool,
    ) -> PyResult<Self> {
        let fail = |error: Error| to_python(py, &error);
        let settings = SubgraphSettings {
            limits: SubgraphLimits {
                max_source,
                max_target,
                max_span,
                unaligned: unaligned(unaligned_of).map_err(fail)?,
            },
            identity: identity(identity_of).map_err(fail)?,
            context: scope(context_scope).map_err(fail)?,
            orientations,
        };
        let kinds = LinkKinds { bigram, dependency };
        Ok(PyExtractSettings { chosen: Chosen::Subgraphs(Subgraphs { settings, kinds }) })
    }

    #[staticmethod]
    #[pyo3(signature = (*, max_length, max_symbols, max_holes, min_hole))]
    fn strings(
        py: Python<'_>,
        max_length: usize,
        max_symbols: usize,
        max_holes: usize,
        min_hole: usize,
    ) -> PyResult<Self> {
        let limits = HoleLimits { max_length, max_symbols, max_holes, min_hole };
        limits.check().map_err(|error| to_python(py, &error))?;
        Ok(PyExtractSettings { chosen: Chosen::Strings(Hierarchical { grammar: Strings, limits }) })
    }

    #[staticmethod]
    #[pyo3(signature = (*, max_length, max_symbols, max_holes, min_hole, max_external, labels_of, structure,
        max_gaps))]
    #[allow(clippy::too_many_arguments)] // The fields of one options dataclass, by name.
    fn fragments(
        py: Python<'_>,
        max_length: usize,
        max_symbols: usize,
        max_holes: usize,
        min_hole: usize,
        max_external: usize,
        labels_of: &str,
        structure: bool,
        max_gaps: usize,
    ) -> PyResult<Self> {
        let limits = HoleLimits { max_length, max_symbols, max_holes, min_hole };
        let labels = limits.check().and_then(|()| labels_named(labels_of));
        let labels = labels.map_err(|error| to_python(py, &error))?;
        let grammar = DependencyGraphs { shape: FragmentShape { max_external, labels, structure, max_gaps } };
        Ok(PyExtractSettings { chosen: Chosen::Fragments(Hierarchical { grammar, limits }) })
    }

    #[staticmethod]
    #[pyo3(signature = (*, max_source, max_target, partial, phrasal))]
    fn dependents(
        py: Python<'_>,
        max_source: usize,
        max_target: usize,
        partial: bool,
        phrasal: bool,
    ) -> PyResult<Self> {
        let chosen = Dependents { max_source, max_target, partial, phrasal };
        chosen.check().map_err(|error| to_python(py, &error))?;
        Ok(PyExtractSettings { chosen: Chosen::Dependents(chosen) })
    }
}

/// Source, target, alignment and trees.
pub type FilesTuple = (PathBuf, PathBuf, PathBuf, Option<PathBuf>);

pub fn files((source, target, alignment, trees): FilesTuple) -> Files {
    Files { source, target, alignment, trees }
}

#[pyfunction]
#[pyo3(signature = (from, settings, out, *, smoothing_of, memory, folder, threads, progress=None))]
#[allow(clippy::too_many_arguments)]
fn train_rules<'py>(
    py: Python<'py>,
    from: FilesTuple,
    settings: &PyExtractSettings,
    out: PathBuf,
    smoothing_of: &str,
    memory: usize,
    folder: PathBuf,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let chosen = settings.chosen;
    let smoothed = smoothing(smoothing_of).map_err(|error| to_python(py, &error))?;
    let made = run_on(py, threads, || {
        let from = files(from);
        let told = |pairs| tell(progress.as_ref(), pairs);
        match chosen {
            Chosen::Subgraphs(chosen) => train(&from, &chosen, smoothed, &out, &folder, memory, told),
            Chosen::Strings(chosen) => train(&from, &chosen, smoothed, &out, &folder, memory, told),
            Chosen::Fragments(chosen) => train(&from, &chosen, smoothed, &out, &folder, memory, told),
            Chosen::Dependents(chosen) => train(&from, &chosen, smoothed, &out, &folder, memory, told),
        }
    })?;
    report(py, &made)
}

#[pyfunction]
fn list_rules(py: Python<'_>, from: FilesTuple, settings: &PyExtractSettings) -> PyResult<Vec<String>> {
    let chosen = settings.chosen;
    run(py, || match chosen {
        Chosen::Subgraphs(chosen) => list(&files(from), &chosen),
        Chosen::Strings(chosen) => list(&files(from), &chosen),
        Chosen::Fragments(chosen) => list(&files(from), &chosen),
        Chosen::Dependents(chosen) => list(&files(from), &chosen),
    })
}

/// A rule as Python sees it: context nodes or None, target words, alignment, count, scores.
type RuleTuple = (Option<Vec<usize>>, Vec<String>, Vec<(u8, u8)>, f32, Vec<f32>);

fn rule_tuples(side: &SourceSide) -> Vec<RuleTuple> {
    let nodes = |context| match context {
        Context::Any => None,
        Context::Nodes(set) => Some((0..16).filter(|k| set >> k & 1 == 1).collect()),
    };
    side.rules
        .iter()
        .map(|(rule, target)| {
            (nodes(rule.context), target.clone(), rule.alignment.clone(), rule.count, rule.scores.to_vec())
        })
        .collect()
}

/// A source side as Python sees it: its words, what joins each to the earlier ones, its rules.
type SideTuple = (Vec<String>, Vec<u16>, Vec<RuleTuple>);

fn side_tuples(sides: &[SourceSide]) -> Vec<SideTuple> {
    sides.iter().map(|side| (side.words.clone(), side.joints.clone(), rule_tuples(side))).collect()
}

#[pyclass(name = "RuleTable", frozen)]
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

    /// The shape of fragments, for tables of dependency graphs.
    #[getter]
    fn fragments(&self) -> Option<(usize, &'static str, bool, usize)> {
        let TableSettings { grammar, shape, .. } = *self.table.settings();
        let is_shaped = grammar == Grammar::Fragments;
        is_shaped.then_some((shape.max_external, shape.labels.name(), shape.structure, shape.max_gaps))
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

    fn with_words(&self, py: Python<'_>, words: Vec<String>) -> PyResult<Vec<SideTuple>> {
        self.checked(py, || Ok(side_tuples(&with_words(&self.table, &words))))
    }

    fn containing(&self, py: Python<'_>, word: &str, limit: usize) -> PyResult<Vec<SideTuple>> {
        self.checked(py, || Ok(side_tuples(&containing(&self.table, word, limit))))
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

#[pyfunction]
fn rules_from_moses(py: Python<'_>, path: PathBuf, out: PathBuf) -> PyResult<u64> {
    run(py, || moses::import(&path, &out))
}

#[pyfunction]
#[pyo3(signature = (table, out, sentences))]
fn filter_rules(py: Python<'_>, table: PathBuf, out: PathBuf, sentences: Vec<Vec<String>>) -> PyResult<u64> {
    run(py, || crate::table::filter::filter(&Table::open(&table)?, &sentences, &out))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyRuleTable>()?;
    module.add_class::<PyExtractSettings>()?;
    module.add_function(wrap_pyfunction!(list_rules, module)?)?;
    module.add_function(wrap_pyfunction!(train_rules, module)?)?;
    module.add_function(wrap_pyfunction!(rules_from_moses, module)?)?;
    module.add_function(wrap_pyfunction!(filter_rules, module)?)?;
    Ok(())
}
