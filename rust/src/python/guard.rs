//! The one way from Python into a long call: the GIL is released, errors become `graphmt.errors.*`, and a panic
//! becomes an `InternalError` instead of crossing the border.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Error, Kind, Result};

/// Where the last panic was, as " (file:line)".
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Keeps panics from printing anything by themselves: [`run`] says it in a sentence.
pub fn quiet_panics() {
    std::panic::set_hook(Box::new(|about| {
        if let (Some(at), Ok(mut last)) = (about.location(), LAST_PANIC.lock()) {
            *last = format!(" ({}:{})", at.file(), at.line());
        }
    }));
}

/// Runs `work` without the GIL.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let outcome = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(to_python(py, &error)),
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            let place = LAST_PANIC.lock().map_or(String::new(), |mut last| std::mem::take(&mut *last));
            let error = Error::internal(format!("a defect in the core: {text}{place}."))
                .hint("Please report it with the command and, if you can, the input.");
            Err(to_python(py, &error))
        }
    }
}

/// The same on a pool of so many threads; 0 means one for each core.
pub fn run_on<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    run(py, || on_threads(threads, work))
}

/// Work on a pool of so many threads, for those who are without the GIL already.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::input(format!("threads cannot be started: {error}.")))?;
    pool.install(work)
}

/// Calls a Python function with (what, done, total) at coarse steps; what it raises ends the work. Since it runs Python
/// code, an interrupt from the keyboard is seen there too.
pub struct Reporter {
    callback: Option<Py<PyAny>>,
    raised: Mutex<Option<PyErr>>,
}

impl Reporter {
    pub fn new(callback: Option<Py<PyAny>>) -> Self {
        Reporter { callback, raised: Mutex::new(None) }
    }

    pub fn report(&self, what: &str, done: u64, total: u64) -> Result<()> {
        Python::attach(|py| {
            let outcome = match &self.callback {
                Some(callback) => callback.call1(py, (what, done, total)).map(|_| ()),
                None => py.check_signals(),
            };
            outcome.map_err(|error| {
                *self.raised.lock().expect("no panic while it was held") = Some(error);
                Error::internal("stopped by the caller.")
            })
        })
    }

    /// Runs `work`; what the Python function raised comes back as it was raised.
    pub fn run<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
        let outcome = run(py, work);
        match self.raised.lock().expect("no panic while it was held").take() {
            Some(raised) => Err(raised),
            None => outcome,
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
