//! Partial loads and stores: the first lanes of a vector, without touching the memory behind them.
//!
//! A load uses the masked-load instruction. The masked store is slow on many CPUs; at most three
//! plain stores of 4, 2 and 1 floats replace it.

use std::arch::x86_64::{
    __m256, _mm_castps_pd, _mm_movehl_ps, _mm_store_ss, _mm_storel_pd, _mm_storeu_ps,
    _mm256_castps256_ps128, _mm256_extractf128_ps, _mm256_loadu_si256, _mm256_maskload_ps,
    _mm256_storeu_ps,
};

use crate::simd::LANES;

/// Eight lanes from `MASKS[8 - count]` on select the first `count`.
static MASKS: [i32; 2 * LANES] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// Reads `count` floats; the other lanes are 0.
///
/// # Safety
///
/// `from` must be readable for `count` floats, at most eight.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn load(from: *const f32, count: usize) -> __m256 {
    let masks = MASKS[LANES - count.min(LANES)..].as_ptr();
    // SAFETY: at least eight masks follow.
    let mask = unsafe { _mm256_loadu_si256(masks.cast()) };
    // SAFETY: reads the first `count` floats only.
    unsafe { _mm256_maskload_ps(from, mask) }
}

/// Writes the first `count` of eight floats.
///
/// # Safety
///
/// `to` must be writable for `count` floats, at most eight.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn store(mut to: *mut f32, x: __m256, count: usize) {
    if count >= LANES {
        // SAFETY: eight floats are writable.
        return unsafe { _mm256_storeu_ps(to, x) };
    }
    let mut rest = _mm256_castps256_ps128(x);
    if count & 4 != 0 {
        // SAFETY: four floats are writable.
        unsafe { _mm_storeu_ps(to, rest) };
        to = to.wrapping_add(4);
        rest = _mm256_extractf128_ps::<1>(x);
    }
    if count & 2 != 0 {
        let two = _mm_castps_pd(rest);
        // SAFETY: two more are writable.
        unsafe { _mm_storel_pd(to.cast(), two) };
        to = to.wrapping_add(2);
        rest = _mm_movehl_ps(rest, rest);
    }
    if count & 1 != 0 {
        // SAFETY: one more is writable.
        unsafe { _mm_store_ss(to, rest) };
    }
}
