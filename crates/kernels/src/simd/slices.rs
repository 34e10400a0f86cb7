//! Vectors from and to slices, of which the last may be short.

use std::array::from_fn;

use crate::simd::{LANES, Lanes};

/// The first `count` values, at most eight; the other lanes are 0.
#[inline(always)]
pub(crate) fn load<S: Lanes>(s: S, from: &[f32], count: usize) -> S::F {
    // SAFETY: there are `count` values.
    unsafe { load_some(s, from[..count].as_ptr(), count) }
}

/// Writes the first `count` values, at most eight.
#[inline(always)]
pub(crate) fn store<S: Lanes>(s: S, to: &mut [f32], count: usize, values: S::F) {
    // SAFETY: there is room for `count` values.
    unsafe { store_some(s, to[..count].as_mut_ptr(), count, values) }
}

/// Calls `body(at, count)` for the vectors of a row of `c`: whole ones, then what is left.
#[inline(always)]
pub(crate) fn each_vector(c: usize, mut body: impl FnMut(usize, usize)) {
    let whole = c / LANES * LANES;
    for at in (0..whole).step_by(LANES) {
        body(at, LANES);
    }
    if whole < c {
        body(whole, c - whole);
    }
}

/// `N` vectors that lie together.
///
/// # Safety
///
/// All of them must be readable.
#[inline(always)]
pub(crate) unsafe fn load_all<S: Lanes, const N: usize>(s: S, from: *const f32) -> [S::F; N] {
    from_fn(
        #[inline(always)]
        |k| {
            // SAFETY: passed on to the caller.
            unsafe { s.load(from.wrapping_add(k * LANES)) }
        },
    )
}

/// Eight values or less.
///
/// # Safety
///
/// `from` must be readable for `count` values, at most eight.
#[inline(always)]
pub(crate) unsafe fn load_some<S: Lanes>(s: S, from: *const f32, count: usize) -> S::F {
    if count == LANES {
        // SAFETY: passed on to the caller.
        unsafe { s.load(from) }
    } else {
        // SAFETY: passed on to the caller.
        unsafe { s.load_first(from, count) }
    }
}

/// Writes eight values or less.
///
/// # Safety
///
/// `to` must be writable for `count` values, at most eight.
#[inline(always)]
pub(crate) unsafe fn store_some<S: Lanes>(s: S, to: *mut f32, count: usize, values: S::F) {
    if count == LANES {
        // SAFETY: passed on to the caller.
        unsafe { s.store(to, values) }
    } else {
        // SAFETY: passed on to the caller.
        unsafe { s.store_first(to, values, count) }
    }
}

/// Puts together what belongs to eight columns, for [`load_all`]: (columns / 8, N, 8).
pub(crate) fn interleave<const N: usize>(columns: [&[f32]; N], into: &mut [f32]) {
    for (i, into) in into.chunks_exact_mut(LANES).enumerate() {
        let from = &columns[i % N][i / N * LANES..];
        let count = from.len().min(LANES);
        into[..count].copy_from_slice(&from[..count]);
    }
}
