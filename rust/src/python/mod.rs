//! Bindings only: a file for each class or group of functions, no logic.

mod corpus;
mod graph;
mod align;
mod guard;
mod lines;
mod lm;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    corpus::register(module)?;
    graph::register(module)?;
    lines::register(module)?;
    align::register(module)?;
    lm::register(module)?;
    Ok(())
}
