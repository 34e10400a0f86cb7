//! The same in AVX2, 32 bytes at a time.
//!
//! Public functions of the submodules take the proof that the CPU has AVX2. Inside, only loads and
//! stores are unsafe, and the functions below keep those within arrays. Loops over vectors are
//! written out: closures given to library functions would not be compiled for AVX2.

pub(super) mod color;
pub(super) mod idct;

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_loadu_si256, _mm256_storeu_si256,
};

/// Integers of 16 bits, with or without a sign.
trait Lane16 {}
impl Lane16 for i16 {}
impl Lane16 for u16 {}

#[inline]
#[target_feature(enable = "avx2")]
fn load8<T: Lane16>(values: &[T; 8]) -> __m128i {
    // SAFETY: 8 values of 16 bits are readable, and any bits are a vector.
    unsafe { _mm_loadu_si128(values.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load32(values: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes are readable.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store16(to: &mut [u8; 16], values: __m128i) {
    // SAFETY: 16 bytes are writable.
    unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), values) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store32(to: &mut [u8; 32], values: __m256i) {
    // SAFETY: 32 bytes are writable.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), values) }
}
