//! Prefetching memory before it is needed.

/// Bytes of a cache line.
pub const CACHE_LINE: usize = 64;

/// Prefetches `slice[at]` into the cache; no effect if the index is out of range.
#[inline]
pub fn prefetch<T>(slice: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch affects only caches, whatever the address.
    unsafe {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        _mm_prefetch(slice.as_ptr().wrapping_add(at).cast(), _MM_HINT_T0);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, at);
}
