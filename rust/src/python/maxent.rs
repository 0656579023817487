//! Bindings of maximum-entropy classifiers.

use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use super::guard::run_on;
use crate::error::{Error, Result};
use crate::maxent::rows::Rows;
use crate::maxent::{binary, lbfgs, multiclass, Estimate, MaxentSettings};

/// `graphmt.maxent.ExampleColumns`: row k has the features `features[offsets[k]:offsets[k + 1]]`, a label and a count.
#[derive(FromPyObject)]
struct ExampleColumns<'py> {
    offsets: PyReadonlyArray1<'py, u64>,
    features: PyReadonlyArray1<'py, u32>,
    labels: PyReadonlyArray1<'py, u32>,
    counts: PyReadonlyArray1<'py, f32>,
}

/// `graphmt.maxent.FitOptions`.
#[derive(FromPyObject)]
struct FitOptions {
    features: usize,
    classes: usize,
    variance: f64,
    tolerance: f64,
    iterations: usize,
    threads: usize,
}

/// Weights, the value that was minimised, the iterations made, and whether the search converged.
#[pyclass(name = "MaxentFit", module = "graphmt._core", frozen, get_all)]
struct PyFit {
    weights: Py<PyArray1<f64>>,
    value: f64,
    iterations: usize,
    converged: bool,
}

#[pyfunction]
fn fit_maxent(py: Python<'_>, examples: ExampleColumns<'_>, options: FitOptions) -> PyResult<PyFit> {
    let (offsets, features) = (examples.offsets.to_vec()?, examples.features.to_vec()?);
    let (labels, counts) = (examples.labels.to_vec()?, examples.counts.to_vec()?);
    let FitOptions { features: number, classes, variance, tolerance, iterations, threads } = options;
    let search = lbfgs::LbfgsSettings { tolerance, max_iterations: iterations, ..Default::default() };
    let settings = MaxentSettings { variance, search };
    let made = run_on(py, threads, || {
        let rows = Rows::new(offsets, features, number)
            .filter(|rows| rows.len() == labels.len() && labels.len() == counts.len())
            .filter(|_| labels.iter().all(|&label| (label as usize) < classes))
            .ok_or_else(|| Error::input("rows, labels and counts do not fit together."))?;
        fit(rows, &labels, &counts, number, classes, &settings)
    })?;
    let Estimate { weights, outcome } = made;
    let lbfgs::Outcome { value, iterations, converged, .. } = outcome;
    Ok(PyFit { weights: weights.into_pyarray(py).unbind(), value, iterations, converged })
}

fn fit(
    rows: Rows,
    labels: &[u32],
    counts: &[f32],
    number: usize,
    classes: usize,
    settings: &MaxentSettings,
) -> Result<Estimate> {
    let pairs = labels.iter().zip(counts);
    if classes == 2 {
        let counts = pairs.map(|(&label, &n)| if label == 0 { [n, 0.0] } else { [0.0, n] }).collect();
        binary::Examples { rows, counts }.train(number, settings, |_, _| Ok(()))
    } else {
        let classes_seen = pairs.map(|(&label, &n)| (label, n)).collect();
        multiclass::Examples { rows, classes: classes_seen }.train(number, classes, settings, |_, _| Ok(()))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyFit>()?;
    module.add_function(wrap_pyfunction!(fit_maxent, module)?)
}
