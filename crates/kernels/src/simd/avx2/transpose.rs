//! Transpose of eight vectors of eight floats.

use std::arch::x86_64::{
    __m256, _mm256_permute2f128_ps, _mm256_shuffle_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};

/// Lane `j` of vector `i` becomes lane `i` of vector `j`: pairs, then quads, then halves are
/// exchanged.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn transpose([r0, r1, r2, r3, r4, r5, r6, r7]: [__m256; 8]) -> [__m256; 8] {
    let pairs = |a, b| (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    let ((a0, a1), (a2, a3)) = (pairs(r0, r1), pairs(r2, r3));
    let ((a4, a5), (a6, a7)) = (pairs(r4, r5), pairs(r6, r7));
    let quads = |a, b| (_mm256_shuffle_ps::<0x44>(a, b), _mm256_shuffle_ps::<0xEE>(a, b));
    let ((b0, b1), (b2, b3)) = (quads(a0, a2), quads(a1, a3));
    let ((b4, b5), (b6, b7)) = (quads(a4, a6), quads(a5, a7));
    let low = |a, b| _mm256_permute2f128_ps::<0x20>(a, b);
    let high = |a, b| _mm256_permute2f128_ps::<0x31>(a, b);
    [
        low(b0, b4),
        low(b1, b5),
        low(b2, b6),
        low(b3, b7),
        high(b0, b4),
        high(b1, b5),
        high(b2, b6),
        high(b3, b7),
    ]
}
