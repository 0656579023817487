//! Bindings only: a file for each class or group of functions, no logic.

mod align;
mod cancellation;
mod compression;
mod consensus;
mod corpus;
mod evidence;
mod evidence_models;
mod files;
mod gibbs;
mod gm;
mod gm_graph;
mod graph;
mod guard;
mod hypotheses;
mod lines;
mod lm;
mod lm_parts;
mod maxent;
mod memory;
mod options;
mod protect;
mod reorder;
mod rule_parts;
mod rules;
mod search;
mod selection;
mod sentence;
mod span_consensus;
mod text_column;
mod tune;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    guard::remember_panics();
    memory::register(module)?;
    cancellation::register(module)?;
    compression::register(module)?;
    corpus::register(module)?;
    graph::register(module)?;
    lines::register(module)?;
    align::register(module)?;
    gibbs::register(module)?;
    lm::register(module)?;
    lm_parts::register(module)?;
    maxent::register(module)?;
    reorder::register(module)?;
    files::register(module)?;
    sentence::register(module)?;
    options::register(module)?;
    protect::register(module)?;
    hypotheses::register(module)?;
    rules::register(module)?;
    rule_parts::register(module)?;
    search::register(module)?;
    selection::register(module)?;
    gm::register(module)?;
    gm_graph::register(module)?;
    tune::register(module)?;
    evidence::register(module)?;
    evidence_models::register(module)?;
    consensus::register(module)?;
    span_consensus::register(module)?;
    Ok(())
}
