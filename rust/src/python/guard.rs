//! The one way from Python into a long call: the GIL is released, errors become `graphmt.errors.*`, a panic becomes
//! an `InternalError` instead of crossing the border, and a signal (Ctrl-C) stops the work at its next
//! [`point`](crate::work::interrupt::point) with whatever its Python handler raised. So does a token of the calling
//! thread that is cancelled ([`cancellation`](super::cancellation)); no call begins after that.

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::cancellation::{ending, Cancelled};
use crate::error::{Error, Kind, Result};
use crate::work::interrupt::{with_callback, Reason, Stopped};
use crate::work::threads;

/// Where the last panic was.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Runs `work` without the GIL.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    if let Some(cancelled) = ending() {
        return Err(cancelled);
    }
    let outcome = py.detach(|| catch_unwind(AssertUnwindSafe(|| with_callback(reason_to_stop, work))));
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(to_python(py, &error)),
        // A call from a worker of another one, which stops; that one has the actual reason.
        Err(panic) if panic.is::<Stopped>() => {
            Err(Cancelled::new_err("the call around this one was stopped."))
        }
        Err(panic) => Err(panic.downcast().map_or_else(|panic| defect(py, &panic), |raised| *raised)),
    }
}

/// What ends the work of this thread: a cancelled token, or what the Python handler of a signal that has come raises.
/// Signals are handled on Python's main thread alone.
fn reason_to_stop() -> Option<Reason> {
    let raised = || ending().or_else(|| Python::attach(|py| py.check_signals()).err());
    raised().map(|raised| Box::new(raised) as Reason)
}

fn defect(py: Python<'_>, panic: &Reason) -> PyErr {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    let place = PLACE.lock().map(|place| place.clone()).unwrap_or_default();
    let error = Error::internal(format!("a defect in the core: {text} ({place})."))
        .hint("Please report it with the command and, if you can, the input.");
    to_python(py, &error)
}

/// Panics are told to the user as errors: the message of the standard library is for developers.
pub fn remember_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |about| {
        if let (Some(at), Ok(mut place)) = (about.location(), PLACE.lock()) {
            *place = format!("{}:{}", at.file(), at.line());
        }
        if std::env::var_os("GRAPHMT_DEBUG").is_some_and(|value| !value.is_empty()) {
            usual(about);
        }
    }));
}

/// The same on a pool of so many threads; 0 means one for each core.
pub fn run_on<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    run(py, || threads::on(threads, work))
}

/// The content of a mutex, also if another thread panicked with it: that panic is reported where it happened.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the work with what Python code called by it raised; [`run`] raises the same again.
pub fn end_with(raised: PyErr) -> ! {
    resume_unwind(Box::new(raised))
}

/// An error of Python code that the work called, in words. An interrupt or an exit is no error and ends the work.
pub fn in_words(py: Python<'_>, raised: PyErr) -> String {
    match raised.is_instance_of::<PyException>(py) {
        true => raised.to_string(),
        false => end_with(raised),
    }
}

/// The `progress` argument of every long call: None, or a Python function that is called with the phase, the units done
/// in it and their total (0 where it is not known). What it raises ends the work.
pub struct Reporter {
    callback: Option<Py<PyAny>>,
}

impl Reporter {
    pub fn new(callback: Option<Py<PyAny>>) -> Self {
        Reporter { callback }
    }

    pub fn report(&self, phase: &str, done: u64, total: u64) -> Result<()> {
        let Some(callback) = &self.callback else { return Ok(()) };
        match Python::attach(|py| callback.call1(py, (phase, done, total))) {
            Ok(_) => Ok(()),
            Err(raised) => end_with(raised),
        }
    }
}

pub fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    let name = match error.kind {
        Kind::Input => "InputError",
        Kind::Option => "OptionError",
        Kind::Internal => "InternalError",
    };
    let build = || -> PyResult<PyErr> {
        let class = py.import("graphmt.errors")?.getattr(name)?;
        let details = PyDict::new(py);
        details.set_item("file", error.file.as_ref().map(|f| f.display().to_string()))?;
        details.set_item("line", error.line)?;
        details.set_item("hint", error.hint.as_deref())?;
        Ok(PyErr::from_value(class.call((error.message.as_str(),), Some(&details))?))
    };
    build().unwrap_or_else(|failure| failure)
}
