//! Compressed files, for readers and writers in Python.

use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::guard::{end_with, locked, run, to_python};
use crate::error::Error;
use crate::store::compression::{in_words, plain_name, unpacked, Compression, Packed};

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Unpacker>()?;
    module.add_class::<Packer>()?;
    module.add_function(wrap_pyfunction!(compression_of_content, module)?)?;
    module.add_function(wrap_pyfunction!(compression_of_name, module)?)?;
    module.add_function(wrap_pyfunction!(uncompressed_name, module)?)
}

/// Bytes that are read from a stream at a time.
const BUFFER: usize = 1 << 17;

#[pyfunction]
fn compression_of_content(head: &[u8]) -> Option<&'static str> {
    Compression::of_content(head).map(Compression::name)
}

#[pyfunction]
fn compression_of_name(path: PathBuf) -> Option<&'static str> {
    Compression::of_name(&path).map(Compression::name)
}

#[pyfunction]
fn uncompressed_name(name: &str) -> &str {
    plain_name(name)
}

/// A binary stream of Python.
struct PythonStream(Py<PyAny>);

impl Read for PythonStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = buffer.len();
        let read = Python::attach(|py| -> PyResult<usize> {
            let bytes = self.0.call_method1(py, "read", (size,))?;
            let bytes: &[u8] = bytes.extract(py)?;
            let place = buffer
                .get_mut(..bytes.len())
                .ok_or_else(|| PyValueError::new_err("a stream returned more bytes than asked for"))?;
            place.copy_from_slice(bytes);
            Ok(bytes.len())
        });
        read.or_else(|raised| end_with(raised))
    }
}

/// The content of a stream of compressed bytes; errors name it by `name`.
#[pyclass(module = "graphmt._core", frozen)]
struct Unpacker {
    stream: Mutex<Box<dyn Read + Send>>,
    name: PathBuf,
}

#[pymethods]
impl Unpacker {
    #[new]
    fn new(py: Python<'_>, stream: Py<PyAny>, name: PathBuf) -> PyResult<Self> {
        let raw = BufReader::with_capacity(BUFFER, PythonStream(stream));
        let stream = run(py, || unpacked(raw).map_err(|error| in_words(&name, None, &error)))?;
        Ok(Unpacker { stream: Mutex::new(stream), name })
    }

    /// At most `size` bytes; none at the end.
    fn read<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = run(py, || {
            let mut bytes = vec![0; size];
            let read = locked(&self.stream).read(&mut bytes);
            bytes.truncate(read.map_err(|error| in_words(&self.name, None, &error))?);
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// Compresses bytes for a file of this name.
#[pyclass(module = "graphmt._core", frozen)]
struct Packer {
    out: Mutex<Option<Packed<Vec<u8>>>>,
    name: PathBuf,
}

impl Packer {
    fn failed(&self, error: &io::Error) -> Error {
        Error::io(&self.name, error)
    }
}

#[pymethods]
impl Packer {
    #[new]
    fn new(py: Python<'_>, name: PathBuf) -> PyResult<Self> {
        let out = Packed::named(Path::new(&name), Vec::new())
            .map_err(|error| to_python(py, &Error::io(&name, &error)))?;
        Ok(Packer { out: Mutex::new(Some(out)), name })
    }

    /// The compressed bytes that can be written by now.
    fn pack<'py>(&self, py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let packed = run(py, || {
            let mut out = locked(&self.out);
            let out = out.as_mut().ok_or_else(|| Error::internal("this file is finished."))?;
            out.write_all(bytes).map_err(|error| self.failed(&error))?;
            Ok(std::mem::take(out.get_mut()))
        })?;
        Ok(PyBytes::new(py, &packed))
    }

    /// The rest of the compressed bytes.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let packed = run(py, || {
            let out = locked(&self.out).take().ok_or_else(|| Error::internal("this file is finished."))?;
            out.finish().map_err(|error| self.failed(&error))
        })?;
        Ok(PyBytes::new(py, &packed))
    }
}
