//! Asking for memory before it is needed.

/// Bytes that come together.
pub const CACHE_LINE: usize = 64;

/// Has the processor fetch `slice[at]` while other work is done; without effect where there is no such place.
#[inline]
pub fn prefetch<T>(slice: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no effect but on caches, whatever the address.
    unsafe {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        _mm_prefetch(slice.as_ptr().wrapping_add(at).cast(), _MM_HINT_T0);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, at);
}
