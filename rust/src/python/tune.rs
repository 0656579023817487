//! Bindings of tuning: BLEU, accumulated n-best lists, line search, batch MIRA and pairs for PRO.

use std::sync::Arc;

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArray3,
};
use pyo3::prelude::*;
use rayon::prelude::*;

use super::guard::{run, run_on, to_python};
use crate::error::{Error, Result};
use crate::metric::bleu::{bleu, References, Smoothing, Sums, LENGTH};
use crate::metric::shuffles::Rows;
use crate::tune::line_search::LineSearch;
use crate::tune::lists::{Lists, Metric, NbestColumns};
use crate::tune::mira::{mira, MiraSettings};
use crate::tune::pro::{pairs, Sampling};

/// Something of every hypothesis in the light of its references.
fn for_each<T: Send>(
    py: Python<'_>,
    hypotheses: &[Vec<String>],
    references: &[Vec<Vec<String>>],
    threads: usize,
    of: impl Fn(&References, usize, &[u32]) -> T + Sync + Send,
) -> PyResult<Vec<T>> {
    run_on(py, threads, || {
        if hypotheses.len() != references.len() {
            let seen = format!("{} hypotheses for {} sentences.", hypotheses.len(), references.len());
            return Err(Error::input(seen));
        }
        let references = References::new(references)?;
        let one = |(sentence, words): (usize, &Vec<String>)| {
            let numbers: Vec<u32> = words.iter().map(|word| references.number(word)).collect();
            of(&references, sentence, &numbers)
        };
        Ok(hypotheses.par_iter().enumerate().map(one).collect())
    })
}

/// The BLEU statistics of each hypothesis: matches of four orders, n-grams of four orders, closest reference length; then 0.
#[pyfunction]
#[pyo3(signature = (hypotheses, references, *, threads=0))]
fn bleu_statistics<'py>(
    py: Python<'py>,
    hypotheses: Vec<Vec<String>>,
    references: Vec<Vec<Vec<String>>>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let rows = for_each(py, &hypotheses, &references, threads, References::statistics)?;
    rows.concat().into_pyarray(py).reshape([hypotheses.len(), LENGTH])
}

/// The fewest edits of TER that turn each hypothesis into one of its references.
#[pyfunction]
#[pyo3(signature = (hypotheses, references, *, threads=0))]
fn ter_edits<'py>(
    py: Python<'py>,
    hypotheses: Vec<Vec<String>>,
    references: Vec<Vec<Vec<String>>>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let rows: Vec<u32> = for_each(py, &hypotheses, &references, threads, References::edits)?;
    Ok(rows.into_pyarray(py))
}

/// Sums by trial, run and column of rows (by run, sentence and column) that change places between runs.
#[pyfunction]
#[pyo3(signature = (rows, trials, seed, *, threads=0))]
fn shuffled_sums<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray3<'_, f64>,
    trials: usize,
    seed: u64,
    threads: usize,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let (runs, sentences, columns) = rows.as_array().dim();
    let values: Vec<f64> = rows.as_array().iter().copied().collect();
    let sums = run_on(py, threads, || {
        Rows { values: &values, runs, sentences, columns }.shuffled_sums(trials, seed)
    })?;
    sums.into_pyarray(py).reshape([trials, runs, columns])
}

fn summed(py: Python<'_>, sums: Vec<i64>) -> PyResult<Sums> {
    sums.try_into().map_err(|given: Vec<i64>| {
        to_python(py, &Error::input(format!("{} statistics; there are {LENGTH}.", given.len())))
    })
}

fn metric(name: &str) -> Result<Metric> {
    match name {
        "bleu" => Ok(Metric::Bleu),
        "ter" => Ok(Metric::Ter),
        other => Err(Error::option(format!("there is no metric {other:?} to tune for; it is bleu or ter."))),
    }
}

/// Corpus BLEU (0 to 100) of summed statistics.
#[pyfunction]
#[pyo3(signature = (sums, *, smooth=true))]
fn bleu_score(py: Python<'_>, sums: Vec<i64>, smooth: bool) -> PyResult<f64> {
    let sums = summed(py, sums)?;
    Ok(bleu(&sums, if smooth { Smoothing::Exponential } else { Smoothing::None }))
}

/// A vector with an entry for each feature.
fn vector(given: &PyReadonlyArray1<'_, f64>, features: usize) -> Result<Vec<f64>> {
    let values: Vec<f64> = given.as_array().iter().copied().collect();
    if values.len() != features || values.iter().any(|value| !value.is_finite()) {
        return Err(Error::input(format!(
            "{} weights, or one that is not finite; {features} finite ones were expected.",
            values.len()
        )));
    }
    Ok(values)
}

fn mask(given: Vec<bool>, features: usize) -> Result<Vec<bool>> {
    match given.len() == features {
        true => Ok(given),
        false => Err(Error::input(format!("{} flags for {features} features.", given.len()))),
    }
}

/// N-best lists as columns: `NBestColumns` of a decoder, or `graphmt.tune.NBest`.
#[derive(FromPyObject)]
struct GivenColumns<'py> {
    hypotheses: PyReadonlyArray1<'py, u32>,
    tokens: PyReadonlyArray1<'py, u32>,
    numbers: PyReadonlyArray1<'py, u32>,
    words: Vec<String>,
    values: PyReadonlyArray2<'py, f32>,
}

/// The fields of `graphmt.tune.options.TuneOptions` that the core reads.
#[derive(FromPyObject)]
struct TuneOptions {
    c: f64,
    decay: f64,
    epochs: usize,
    draws: usize,
    kept: usize,
    difference: f64,
    threads: usize,
}

/// What adding n-best lists brought: the number of new hypotheses, and the summed statistics of the first of each
/// sentence.
#[pyclass(name = "AddedHypotheses", module = "graphmt._core", frozen, get_all)]
pub struct PyAdded {
    new: usize,
    first: Vec<i64>,
}

/// Hypotheses for storing: how many each sentence has, and for each hypothesis values, statistics and a key.
#[pyclass(name = "StoredHypotheses", module = "graphmt._core", frozen, get_all)]
pub struct PyStored {
    counts: Py<PyArray1<u32>>,
    values: Py<PyArray2<f32>>,
    statistics: Py<PyArray2<u32>>,
    keys: Py<PyArray1<u64>>,
}

#[pymethods]
impl PyStored {
    #[new]
    #[pyo3(signature = (*, counts, values, statistics, keys))]
    fn new(
        counts: Py<PyArray1<u32>>,
        values: Py<PyArray2<f32>>,
        statistics: Py<PyArray2<u32>>,
        keys: Py<PyArray1<u64>>,
    ) -> Self {
        PyStored { counts, values, statistics, keys }
    }
}

/// Weights of MIRA, their BLEU on the lists, and the epoch they come from.
#[pyclass(name = "MiraResult", module = "graphmt._core", frozen, get_all)]
pub struct PyMiraResult {
    weights: Py<PyArray1<f64>>,
    bleu: f64,
    epoch: usize,
}

/// The best step along a direction, the quality there, and the quality without a step.
#[pyclass(name = "LineStep", module = "graphmt._core", frozen, get_all, eq)]
#[derive(PartialEq)]
pub struct PyLineStep {
    step: f64,
    quality: f64,
    start_quality: f64,
}

#[pyclass(name = "NBestLists", module = "graphmt._core")]
pub struct PyLists {
    lists: Arc<Lists>,
}

impl PyLists {
    fn change(&mut self) -> Result<&mut Lists> {
        Arc::get_mut(&mut self.lists)
            .ok_or_else(|| Error::input("the lists cannot grow while a LineSearch holds them."))
    }
}

#[pymethods]
impl PyLists {
    #[new]
    #[pyo3(signature = (references, features, *, metric="bleu"))]
    fn new(
        py: Python<'_>,
        references: Vec<Vec<Vec<String>>>,
        features: usize,
        metric: &str,
    ) -> PyResult<Self> {
        run(py, || {
            let metric = self::metric(metric)?;
            Ok(PyLists { lists: Arc::new(Lists::new(References::new(&references)?, features, metric)) })
        })
    }

    /// Adds the hypotheses that are new.
    #[pyo3(signature = (lists, *, threads=0))]
    fn add(&mut self, py: Python<'_>, lists: GivenColumns<'_>, threads: usize) -> PyResult<PyAdded> {
        let (hypotheses, tokens) = (lists.hypotheses.to_vec()?, lists.tokens.to_vec()?);
        let (numbers, words) = (lists.numbers.to_vec()?, lists.words);
        let values: Vec<f32> = lists.values.as_array().iter().copied().collect();
        let added = run_on(py, threads, || {
            let columns = NbestColumns {
                hypotheses: &hypotheses,
                tokens: &tokens,
                numbers: &numbers,
                words: &words,
                values: &values,
            };
            self.change()?.add(&columns)
        })?;
        Ok(PyAdded { new: added.new, first: added.first.to_vec() })
    }

    /// The number of hypotheses of each sentence.
    fn sizes(&self) -> Vec<usize> {
        self.lists.lists.iter().map(|list| list.len()).collect()
    }

    /// The hypotheses of each sentence from the given place on, for storing.
    fn stored(&self, py: Python<'_>, since: Vec<usize>) -> PyResult<PyStored> {
        let features = self.lists.features;
        let (mut counts, mut values, mut statistics, mut keys) = (vec![], vec![], vec![], vec![]);
        for (list, from) in self.lists.lists.iter().zip(since) {
            let from = from.min(list.len());
            counts.push((list.len() - from) as u32);
            values.extend_from_slice(&list.values[from * features..]);
            statistics.extend(list.statistics[from..].iter().flatten());
            keys.extend_from_slice(&list.keys[from..]);
        }
        let number = keys.len();
        Ok(PyStored {
            counts: counts.into_pyarray(py).unbind(),
            values: values.into_pyarray(py).reshape([number, features])?.unbind(),
            statistics: statistics.into_pyarray(py).reshape([number, LENGTH])?.unbind(),
            keys: keys.into_pyarray(py).unbind(),
        })
    }

    /// Adds hypotheses that `stored` gave.
    fn restore(&mut self, py: Python<'_>, stored: &PyStored) -> PyResult<()> {
        let (counts, keys) = (stored.counts.bind(py).to_vec()?, stored.keys.bind(py).to_vec()?);
        let values: Vec<f32> = stored.values.bind(py).readonly().as_array().iter().copied().collect();
        let statistics: Vec<u32> = stored.statistics.bind(py).readonly().as_array().iter().copied().collect();
        run(py, || self.change()?.restore(&counts, &values, &statistics, &keys))
    }

    /// Corpus BLEU of the hypotheses that the weights choose.
    #[pyo3(signature = (weights, *, threads=0))]
    fn bleu(&self, py: Python<'_>, weights: PyReadonlyArray1<'_, f64>, threads: usize) -> PyResult<f64> {
        let weights = vector(&weights, self.lists.features).map_err(|error| to_python(py, &error))?;
        run_on(py, threads, || Ok(self.lists.bleu(&weights)))
    }

    /// What tuning is to raise, of the hypotheses that the weights choose: BLEU, or TER with its sign turned.
    #[pyo3(signature = (weights, *, threads=0))]
    fn quality(&self, py: Python<'_>, weights: PyReadonlyArray1<'_, f64>, threads: usize) -> PyResult<f64> {
        let weights = vector(&weights, self.lists.features).map_err(|error| to_python(py, &error))?;
        run_on(py, threads, || Ok(self.lists.quality(&self.lists.sums(&weights))))
    }

    /// The same of statistics that `add` summed.
    fn quality_of(&self, py: Python<'_>, sums: Vec<i64>) -> PyResult<f64> {
        Ok(self.lists.quality(&summed(py, sums)?))
    }

    /// How much each feature differs among the hypotheses of a sentence.
    #[pyo3(signature = (*, threads=0))]
    fn spread<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(run_on(py, threads, || Ok(self.lists.spread()))?.into_pyarray(py))
    }

    /// Exact line searches along these directions.
    #[pyo3(signature = (directions, *, threads=0))]
    fn line_search(
        &self,
        py: Python<'_>,
        directions: PyReadonlyArray2<'_, f64>,
        threads: usize,
    ) -> PyResult<PyLineSearch> {
        let rows: Vec<Vec<f64>> = directions.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
        let lists = self.lists.clone();
        if rows.iter().any(|row| row.len() != lists.features) {
            let message = format!("directions for other than {} features.", lists.features);
            return Err(to_python(py, &Error::input(message)));
        }
        let search = run_on(py, threads, || Ok(LineSearch::new(&lists, &rows)))?;
        Ok(PyLineSearch { lists, search, threads })
    }

    /// Batch MIRA from these weights; `free` says which may change.
    #[pyo3(signature = (weights, free, options, *, seed))]
    fn mira(
        &self,
        py: Python<'_>,
        weights: PyReadonlyArray1<'_, f64>,
        free: Vec<bool>,
        options: TuneOptions,
        seed: u64,
    ) -> PyResult<PyMiraResult> {
        let given = vector(&weights, self.lists.features).map_err(|error| to_python(py, &error))?;
        let TuneOptions { c, decay, epochs, threads, .. } = options;
        let tuned = run_on(py, threads, || {
            let free = mask(free, self.lists.features)?;
            Ok(mira(&self.lists, &given, &free, &MiraSettings { c, decay, epochs, seed }))
        })?;
        let weights = tuned.weights.into_pyarray(py).unbind();
        Ok(PyMiraResult { weights, bleu: tuned.bleu, epoch: tuned.epoch })
    }

    /// Differences of sampled pairs, better less worse, a row for each.
    #[pyo3(signature = (free, options, *, seed))]
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        free: Vec<bool>,
        options: TuneOptions,
        seed: u64,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let features = self.lists.features;
        let TuneOptions { draws, kept, difference, threads, .. } = options;
        let found = run_on(py, threads, || {
            let free = mask(free, features)?;
            Ok(pairs(&self.lists, &free, &Sampling { draws, kept, difference, seed }))
        })?;
        let rows = found.len() / features.max(1);
        found.into_pyarray(py).reshape([rows, features])
    }
}

#[pyclass(name = "LineSearch", module = "graphmt._core")]
pub struct PyLineSearch {
    lists: Arc<Lists>,
    search: LineSearch,
    threads: usize,
}

#[pymethods]
impl PyLineSearch {
    /// From these weights on, the best step along each of `wanted` directions.
    #[pyo3(signature = (weights, wanted, *, narrowest=0.0))]
    fn steps(
        &mut self,
        py: Python<'_>,
        weights: PyReadonlyArray1<'_, f64>,
        wanted: Vec<usize>,
        narrowest: f64,
    ) -> PyResult<Vec<PyLineStep>> {
        let weights = vector(&weights, self.lists.features).map_err(|error| to_python(py, &error))?;
        run_on(py, self.threads, || {
            if let Some(strange) = wanted.iter().find(|&&one| one >= self.search.directions()) {
                return Err(Error::input(format!("there is no direction {strange}.")));
            }
            self.search.set_start(&self.lists, &weights);
            let found = wanted.iter().map(|&one| self.search.search(&self.lists, one, narrowest));
            Ok(found
                .map(|found| PyLineStep {
                    step: found.step,
                    quality: found.quality,
                    start_quality: found.start_quality,
                })
                .collect())
        })
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(bleu_statistics, module)?)?;
    module.add_function(wrap_pyfunction!(bleu_score, module)?)?;
    module.add_function(wrap_pyfunction!(ter_edits, module)?)?;
    module.add_function(wrap_pyfunction!(shuffled_sums, module)?)?;
    module.add_class::<PyLists>()?;
    module.add_class::<PyAdded>()?;
    module.add_class::<PyStored>()?;
    module.add_class::<PyMiraResult>()?;
    module.add_class::<PyLineStep>()?;
    module.add_class::<PyLineSearch>()?;
    Ok(())
}
