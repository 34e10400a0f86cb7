//! Huge pages for large slabs.
//!
//! A pass over activations touches a new page every 4 KiB, and looking pages up costs a tenth to a
//! quarter of its time where memory is the limit. Linux gives pages of 2 MiB to those who ask. Nothing
//! but the time depends on the answer, so it is not looked at.

/// Size and alignment of a huge page.
const HUGE: usize = 2 << 20;

/// Asks for huge pages in the `bytes` from `start` on, if they hold at least one. To be called before the
/// memory is first written: pages that are there already stay small for a while.
#[cfg(all(target_os = "linux", not(miri)))]
#[expect(unsafe_code, reason = "a hint to the kernel about memory that the caller owns")]
pub(crate) fn prefer<T>(start: *mut T, bytes: usize) {
    use std::ffi::{c_int, c_void};

    /// Linux's number for the hint, on every architecture but Alpha.
    const MADV_HUGEPAGE: c_int = 14;

    // SAFETY: the signature of the C library that std links.
    unsafe extern "C" {
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }

    let address = start.addr();
    let (first, end) = (address.next_multiple_of(HUGE), (address + bytes) / HUGE * HUGE);
    if first < end {
        let start = start.cast::<c_void>().wrapping_byte_add(first - address);
        // SAFETY: the range lies in memory that the caller owns, and the hint changes no value in it.
        unsafe { madvise(start, end - first, MADV_HUGEPAGE) };
    }
}

/// Other systems are not asked.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn prefer<T>(_: *mut T, _: usize) {}
