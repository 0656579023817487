//! Large pages of memory for tables that are read in no order: fewer page faults, and addresses are found faster.

/// Memory that is smaller gains nothing.
#[cfg(target_os = "linux")]
const SMALLEST: usize = 4 << 20;

/// So many zeros, in large pages if there are enough for them.
pub fn zeros<T: Clone + Default>(number: usize) -> Vec<T> {
    let made = vec![T::default(); number];
    use_large_pages(&made);
    made
}

/// Asks the system for large pages in memory that was allocated, but not yet written. It may decline.
fn use_large_pages<T>(slice: &[T]) {
    #[cfg(target_os = "linux")]
    {
        /// The length of a large page.
        const PAGE: usize = 2 << 20;
        let range = slice.as_ptr_range();
        let start = (range.start as usize).next_multiple_of(PAGE);
        let end = range.end as usize / PAGE * PAGE;
        if end.saturating_sub(start) >= SMALLEST {
            // SAFETY: the range lies within the slice, and the call changes the size of its pages, not their content.
            unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = slice;
}
