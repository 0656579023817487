//! Calls that stop because nobody waits for their result any longer, one by one: a token is installed for a thread, and
//! whatever the thread does stops at its next point once the token is cancelled.
//!
//! A thread may install several tokens, one inside the other; each of them stops it. Pools belong to one call and stop
//! with it, so that a token needs no other thread than its own.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

use pyo3::create_exception;
use pyo3::exceptions::{PyBaseException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::work::ending as process_end;

// Like KeyboardInterrupt, it is no `Exception`: what handles any failure of the work must not handle its end.
create_exception!(
    graphmt._core,
    Cancelled,
    PyBaseException,
    "Ends work whose :class:`Cancellation` was cancelled."
);

thread_local! {
    static INSTALLED: RefCell<Vec<Arc<AtomicBool>>> = const { RefCell::new(Vec::new()) };
}

/// What the work of this thread ends with, if one of its tokens was cancelled.
pub fn ending() -> Option<PyErr> {
    let is_cancelled = INSTALLED.with_borrow(|all| all.iter().any(|one| one.load(Ordering::Relaxed)));
    is_cancelled.then(|| Cancelled::new_err("the work was cancelled."))
}

#[pyclass(module = "graphmt._core", frozen)]
pub struct Cancellation {
    cancelled: Arc<AtomicBool>,
}

#[pymethods]
impl Cancellation {
    #[new]
    fn new() -> Self {
        Cancellation { cancelled: Arc::default() }
    }

    /// End the work of all threads in which this token is installed; any thread may call this.
    fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    #[getter]
    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Install the token for this thread.
    fn __enter__(this: Py<Self>) -> Py<Self> {
        INSTALLED.with_borrow_mut(|all| all.push(this.get().cancelled.clone()));
        this
    }

    /// Remove it again.
    fn __exit__(
        &self,
        _kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        INSTALLED.with_borrow_mut(|all| match all.iter().rposition(|one| Arc::ptr_eq(one, &self.cancelled)) {
            Some(at) => {
                all.remove(at);
                Ok(())
            }
            None => Err(PyRuntimeError::new_err("the token is not installed in this thread.")),
        })
    }
}

/// A place where work in Python may stop: raises `Cancelled` if a token of this thread was cancelled.
#[pyfunction]
fn point() -> PyResult<()> {
    ending().map_or(Ok(()), Err)
}

/// From now on, end the process with exit code 1 this many seconds after the first SIGTERM or SIGINT, whatever it is
/// doing; it writes the message to standard error. Call this after the handlers of both signals were set.
#[pyfunction]
fn end_after_signal(seconds: f64, message: String) -> PyResult<()> {
    let after =
        Duration::try_from_secs_f64(seconds).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(process_end::arm(after, message)?)
}

/// Take back `end_after_signal`: the process has ended its work in time and may go on.
#[pyfunction]
fn end_no_more() {
    process_end::disarm();
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Cancelled", module.py().get_type::<Cancelled>())?;
    module.add_class::<Cancellation>()?;
    module.add_function(wrap_pyfunction!(point, module)?)?;
    module.add_function(wrap_pyfunction!(end_after_signal, module)?)?;
    module.add_function(wrap_pyfunction!(end_no_more, module)?)
}
