//! Bindings of maximum-entropy classifiers.

use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use super::guard::run_on;
use crate::error::{Error, Result};
use crate::maxent::rows::Rows;
use crate::maxent::{binary, lbfgs, multiclass, Estimate, MaxentSettings};

/// Weights, the value that was minimised, iterations, and whether the search ended by itself.
type Fitted<'py> = (Bound<'py, PyArray1<f64>>, f64, usize, bool);

#[pyfunction]
#[pyo3(signature = (offsets, features, labels, counts, *, number, classes, variance, tolerance, iterations, threads))]
#[allow(clippy::too_many_arguments)]
fn fit_maxent<'py>(
    py: Python<'py>,
    offsets: PyReadonlyArray1<'py, u64>,
    features: PyReadonlyArray1<'py, u32>,
    labels: PyReadonlyArray1<'py, u32>,
    counts: PyReadonlyArray1<'py, f32>,
    number: usize,
    classes: usize,
    variance: f64,
    tolerance: f64,
    iterations: usize,
    threads: usize,
) -> PyResult<Fitted<'py>> {
    let (offsets, features) = (offsets.to_vec()?, features.to_vec()?);
    let (labels, counts) = (labels.to_vec()?, counts.to_vec()?);
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
    Ok((weights.into_pyarray(py), outcome.value, outcome.iterations, outcome.converged))
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
    module.add_function(wrap_pyfunction!(fit_maxent, module)?)
}
