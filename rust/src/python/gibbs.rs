//! `gibbs_align`, and the conditional distributions of its sampler.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::align::gibbs::sampler::{Priors, Stage};
use crate::align::gibbs::{self, Settings};
use crate::error::Error;

use super::align::{whole, PyAlignment, PyEncodedText};
use super::guard::{run, run_on, Reporter};

/// The fields of `graphmt.align.AlignOptions` that this model reads.
#[derive(FromPyObject)]
struct GibbsOptions {
    seed: u64,
    samplers: Option<usize>,
    eflomal_length: f64,
    threads: usize,
}

/// The links of both directions, the source position first.
#[pyclass(module = "graphmt._core", frozen, get_all)]
struct GibbsLinks {
    forward: Py<PyAlignment>,
    reverse: Py<PyAlignment>,
}

#[pyfunction]
#[pyo3(signature = (source, target, kept, options, *, progress=None))]
fn gibbs_align(
    py: Python<'_>,
    source: PyRef<'_, PyEncodedText>,
    target: PyRef<'_, PyEncodedText>,
    kept: PyReadonlyArray1<'_, bool>,
    options: GibbsOptions,
    progress: Option<Py<PyAny>>,
) -> PyResult<GibbsLinks> {
    let (source, target, kept) = (&source.text, &target.text, whole(&kept));
    let reporter = Reporter::new(progress);
    let settings = Settings {
        seed: options.seed,
        samplers: options.samplers.unwrap_or(gibbs::SAMPLERS),
        length: options.eflomal_length,
        priors: Priors::default(),
    };
    let report = |done, total| reporter.report("sweeps", done, total);
    let (forward, reverse) =
        run_on(py, options.threads, || gibbs::align(source, target, &kept, &settings, &report))?;
    Ok(GibbsLinks {
        forward: Py::new(py, PyAlignment { links: forward })?,
        reverse: Py::new(py, PyAlignment { links: reverse })?,
    })
}

#[pyfunction]
fn gibbs_conditionals(
    py: Python<'_>,
    given: PyRef<'_, PyEncodedText>,
    choosing: PyRef<'_, PyEncodedText>,
    links: PyReadonlyArray1<'_, i32>,
    stage: &str,
) -> PyResult<Vec<Vec<f32>>> {
    let (given, choosing, links) = (&given.text, &choosing.text, whole(&links));
    run(py, || {
        let stage = match stage {
            "ibm1" => Stage::Ibm1,
            "hmm" => Stage::Hmm,
            "fertility" => Stage::Fertility,
            _ => return Err(Error::option(format!("there is no stage {stage:?}: ibm1, hmm or fertility."))),
        };
        gibbs::conditionals(given, choosing, &links, stage, Priors::default())
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<GibbsLinks>()?;
    module.add_function(wrap_pyfunction!(gibbs_align, module)?)?;
    module.add_function(wrap_pyfunction!(gibbs_conditionals, module)?)
}
