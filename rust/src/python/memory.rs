//! Memory of the core. Where none is left, Rust can only end the process; the command line asks for a sentence and an
//! exit code in place of an abort.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

static EXITS: AtomicBool = AtomicBool::new(false);

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        checked(unsafe { System.realloc(place, layout, size) }, size)
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
}

#[inline]
fn checked(place: *mut u8, size: usize) -> *mut u8 {
    if place.is_null() {
        failed(size);
    }
    place
}

#[cold]
fn failed(size: usize) {
    if EXITS.load(Ordering::Relaxed) {
        // The sentence is put together without allocating anything.
        let mut digits = [0; 20];
        let mut at = digits.len();
        let mut rest = size;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        let parts: [&[u8]; 3] = [
            b"graphmt: out of memory: ",
            &digits[at..],
            b" bytes more could not be had. Use fewer --threads, a smaller --memory or less text at a time.\n",
        ];
        exit(&parts);
    }
}

#[cfg(unix)]
fn exit(parts: &[&[u8]]) {
    extern "C" {
        fn write(file: i32, bytes: *const u8, length: usize) -> isize;
        fn _exit(code: i32) -> !;
    }
    for part in parts {
        // SAFETY: the bytes are there, and nothing is expected of the answer.
        unsafe { write(2, part.as_ptr(), part.len()) };
    }
    // SAFETY: ends the process at once. Handlers of a regular exit might wait for threads or need memory.
    unsafe { _exit(1) }
}

#[cfg(not(unix))]
fn exit(parts: &[&[u8]]) {
    use std::io::Write;
    for part in parts {
        let _ = std::io::stderr().write_all(part);
    }
    std::process::exit(1)
}

/// From now on, the core ends the process with a sentence and exit code 1 where it can get no more memory.
#[pyfunction]
fn exit_when_out_of_memory() {
    EXITS.store(true, Ordering::Relaxed);
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(exit_when_out_of_memory, module)?)
}
