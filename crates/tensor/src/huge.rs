//! Huge pages for large slabs.
//!
//! A pass over activations touches a new page every 4 KiB, and TLB misses cost a tenth to a quarter
//! of its time where memory bandwidth is the limit. Linux provides 2 MiB pages on request. Only the
//! speed depends on whether it does, so the result of the request is ignored.

/// Size and alignment of a huge page.
const HUGE: usize = 2 << 20;

/// Requests huge pages for the `bytes` from `start` on, if they contain at least one. Must be
/// called before the memory is first written: pages that exist already stay small for a while.
#[cfg(all(target_os = "linux", not(miri)))]
#[expect(unsafe_code, reason = "a hint to the kernel about memory that the caller owns")]
pub(crate) fn prefer<T>(start: *mut T, bytes: usize) {
    use rustix::mm::{Advice, madvise};

    let address = start.addr();
    let (first, end) = (address.next_multiple_of(HUGE), (address + bytes) / HUGE * HUGE);
    if first < end {
        let start = start.wrapping_byte_add(first - address).cast();
        // SAFETY: the range lies in memory that the caller owns, and the hint changes no value in
        // it. The kernel may refuse, for instance where huge pages are switched off: nothing is
        // lost.
        _ = unsafe { madvise(start, end - first, Advice::LinuxHugepage) };
    }
}

/// Other systems have no such hint.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn prefer<T>(_: *mut T, _: usize) {}
