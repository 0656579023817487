//! Bindings only: a file for each class or group of functions, no logic.

mod guard;
mod lm;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    lm::register(module)?;
    Ok(())
}
