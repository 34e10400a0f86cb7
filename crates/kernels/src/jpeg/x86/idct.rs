//! The inverse transform of two neighbouring blocks at a time, one in each 128-bit lane.
//!
//! A vector holds one row of both blocks in 16-bit lanes. A sum of two products with 16-bit
//! constants is one instruction (`madd`), so the flow graph is multiplied out: each odd term is a
//! sum of four products, each even one of two. That gives the integers of the plain version, since
//! both compute modulo 2^32.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_broadcastsi128_si256, _mm256_castsi128_si256,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_inserti128_si256, _mm256_madd_epi16,
    _mm256_mullo_epi16, _mm256_or_si256, _mm256_packs_epi16, _mm256_packs_epi32,
    _mm256_permute4x64_epi64, _mm256_set1_epi8, _mm256_set1_epi32, _mm256_setr_epi16,
    _mm256_srai_epi32, _mm256_sub_epi32, _mm256_testz_si256, _mm256_unpackhi_epi8,
    _mm256_unpackhi_epi16, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi8,
    _mm256_unpacklo_epi16, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::{load8, store16};
use crate::{
    jpeg::{
        DctBlock, QuantTable,
        idct::{SHIFTS, mean_sample},
    },
    simd::Avx2,
};

/// Sixteen sums of 32 bits: of the first and of the last four values of each lane.
type WideSums = [__m256i; 2];

/// As [`inverse_dct`](crate::jpeg::inverse_dct), whose checks have passed.
pub(in crate::jpeg) fn inverse_dct(
    _: Avx2,
    blocks: &[DctBlock],
    quant: &QuantTable,
    out: &mut [u8],
    stride: usize,
) {
    // SAFETY: the argument proves that the CPU has AVX2.
    unsafe { row(blocks, quant, out, stride) }
}

#[target_feature(enable = "avx2")]
fn row(blocks: &[DctBlock], quant: &QuantTable, out: &mut [u8], stride: usize) {
    let (pairs, last) = blocks.as_chunks::<2>();
    for (x, [a, b]) in pairs.iter().enumerate() {
        pair(a, b, quant, &mut out[16 * x..], stride);
    }
    if let [last] = last {
        let mut both = [0; 8 * 16];
        pair(last, last, quant, &mut both, 16);
        let rows = out[16 * pairs.len()..].chunks_mut(stride);
        rows.zip(both.as_chunks::<16>().0).for_each(|(out, both)| {
            out[..8].copy_from_slice(&both[..8]);
        });
    }
}

/// Two blocks, to 8 rows of 16 samples that are `stride` apart.
#[inline]
#[target_feature(enable = "avx2")]
fn pair(a: &DctBlock, b: &DctBlock, quant: &QuantTable, out: &mut [u8], stride: usize) {
    let mut rows = [_mm256_set1_epi8(0); 8];
    for (y, row) in rows.iter_mut().enumerate() {
        let (a, b) = (load8(&a.as_chunks().0[y]), load8(&b.as_chunks().0[y]));
        *row = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b);
    }
    if has_means_only(&rows) {
        let [a, b] = [a, b].map(|block| [mean_sample(block, quant); 8]);
        for out in out.chunks_mut(stride).take(8) {
            out[..8].copy_from_slice(&a);
            out[8..16].copy_from_slice(&b);
        }
        return;
    }
    for (y, row) in rows.iter_mut().enumerate() {
        let divisors = _mm256_broadcastsi128_si256(load8(&quant.as_chunks().0[y]));
        *row = _mm256_mullo_epi16(*row, divisors);
    }
    let columns = transpose(pass::<{ SHIFTS[0] as i32 }>(rows));
    let rows = to_rows_of_bytes(pass::<{ SHIFTS[1] as i32 }>(columns));
    for (y, two) in rows.into_iter().enumerate() {
        // Rows 2y and 2y + 1 of the left block, then those of the right one, get exchanged.
        let two = _mm256_permute4x64_epi64::<0b11_01_10_00>(two);
        let mut put = |y: usize, row| {
            store16(out[y * stride..].first_chunk_mut().expect("the caller checked"), row);
        };
        put(2 * y, _mm256_castsi256_si128(two));
        put(2 * y + 1, _mm256_extracti128_si256::<1>(two));
    }
}

/// Whether neither block has a coefficient other than DC.
#[inline]
#[target_feature(enable = "avx2")]
fn has_means_only(rows: &[__m256i; 8]) -> bool {
    let not_mean = _mm256_setr_epi16(0, -1, -1, -1, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1);
    let [r0, r1, r2, r3, r4, r5, r6, r7] = *rows;
    let upper = _mm256_or_si256(_mm256_or_si256(r1, r2), _mm256_or_si256(r3, r4));
    let lower = _mm256_or_si256(_mm256_or_si256(r5, r6), r7);
    let below = _mm256_or_si256(upper, lower);
    _mm256_testz_si256(below, below) == 1 && _mm256_testz_si256(r0, not_mean) == 1
}

/// The one-dimensional transform down the eight vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn pass<const SHIFT: i32>([x0, x1, x2, x3, x4, x5, x6, x7]: [__m256i; 8]) -> [__m256i; 8] {
    let (x04, x26) = (interleave(x0, x4), interleave(x2, x6));
    let (x13, x57) = (interleave(x1, x3), interleave(x5, x7));
    let round = [_mm256_set1_epi32(1 << (SHIFT - 1)); 2];
    let even0 = add(dot(x04, 8192, 8192), round);
    let even1 = add(dot(x04, 8192, -8192), round);
    let even2 = dot(x26, 4433, 4433 - 15137);
    let even3 = dot(x26, 4433 + 6270, 4433);
    let odd0 = add(dot(x13, 11363, 9633), dot(x57, 6437, 2260));
    let odd1 = add(dot(x13, 9633, -2259), dot(x57, -11362, -6436));
    let odd2 = add(dot(x13, 6437, -11362), dot(x57, 2261, 9633));
    let odd3 = add(dot(x13, 2260, -6436), dot(x57, 9633, -11363));
    let [y0, y7] = both::<SHIFT>(add(even0, even3), odd0);
    let [y1, y6] = both::<SHIFT>(add(even1, even2), odd1);
    let [y2, y5] = both::<SHIFT>(sub(even1, even2), odd2);
    let [y3, y4] = both::<SHIFT>(sub(even0, even3), odd3);
    [y0, y1, y2, y3, y4, y5, y6, y7]
}

/// Pairs of (a, b).
#[inline]
#[target_feature(enable = "avx2")]
fn interleave(a: __m256i, b: __m256i) -> WideSums {
    [_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)]
}

/// `a * of_a + b * of_b` of each pair.
#[inline]
#[target_feature(enable = "avx2")]
fn dot([low, high]: WideSums, of_a: i16, of_b: i16) -> WideSums {
    let constants = _mm256_set1_epi32(i32::from(of_b) << 16 | i32::from(of_a.cast_unsigned()));
    [_mm256_madd_epi16(low, constants), _mm256_madd_epi16(high, constants)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: WideSums, b: WideSums) -> WideSums {
    [_mm256_add_epi32(a[0], b[0]), _mm256_add_epi32(a[1], b[1])]
}

#[inline]
#[target_feature(enable = "avx2")]
fn sub(a: WideSums, b: WideSums) -> WideSums {
    [_mm256_sub_epi32(a[0], b[0]), _mm256_sub_epi32(a[1], b[1])]
}

/// Sum and difference, shifted and saturated to 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn both<const SHIFT: i32>(even: WideSums, odd: WideSums) -> [__m256i; 2] {
    let ([a, b], [c, d]) = (add(even, odd), sub(even, odd));
    [
        _mm256_packs_epi32(_mm256_srai_epi32::<SHIFT>(a), _mm256_srai_epi32::<SHIFT>(b)),
        _mm256_packs_epi32(_mm256_srai_epi32::<SHIFT>(c), _mm256_srai_epi32::<SHIFT>(d)),
    ]
}

/// Exchanges rows and columns of both blocks: values, then pairs, then fours are interleaved.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose([r0, r1, r2, r3, r4, r5, r6, r7]: [__m256i; 8]) -> [__m256i; 8] {
    let (a0, a1) = (_mm256_unpacklo_epi16(r0, r1), _mm256_unpackhi_epi16(r0, r1));
    let (a2, a3) = (_mm256_unpacklo_epi16(r2, r3), _mm256_unpackhi_epi16(r2, r3));
    let (a4, a5) = (_mm256_unpacklo_epi16(r4, r5), _mm256_unpackhi_epi16(r4, r5));
    let (a6, a7) = (_mm256_unpacklo_epi16(r6, r7), _mm256_unpackhi_epi16(r6, r7));
    let (b0, b1) = (_mm256_unpacklo_epi32(a0, a2), _mm256_unpackhi_epi32(a0, a2));
    let (b2, b3) = (_mm256_unpacklo_epi32(a1, a3), _mm256_unpackhi_epi32(a1, a3));
    let (b4, b5) = (_mm256_unpacklo_epi32(a4, a6), _mm256_unpackhi_epi32(a4, a6));
    let (b6, b7) = (_mm256_unpacklo_epi32(a5, a7), _mm256_unpackhi_epi32(a5, a7));
    [
        _mm256_unpacklo_epi64(b0, b4),
        _mm256_unpackhi_epi64(b0, b4),
        _mm256_unpacklo_epi64(b1, b5),
        _mm256_unpackhi_epi64(b1, b5),
        _mm256_unpacklo_epi64(b2, b6),
        _mm256_unpackhi_epi64(b2, b6),
        _mm256_unpacklo_epi64(b3, b7),
        _mm256_unpackhi_epi64(b3, b7),
    ]
}

/// Eight columns of values around 0 to samples. Each vector of the result has, per lane, two rows.
#[inline]
#[target_feature(enable = "avx2")]
fn to_rows_of_bytes([c0, c1, c2, c3, c4, c5, c6, c7]: [__m256i; 8]) -> [__m256i; 4] {
    let (a, b) = (_mm256_packs_epi16(c0, c4), _mm256_packs_epi16(c1, c5));
    let (c, d) = (_mm256_packs_epi16(c2, c6), _mm256_packs_epi16(c3, c7));
    let (c01, c45) = (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b));
    let (c23, c67) = (_mm256_unpacklo_epi8(c, d), _mm256_unpackhi_epi8(c, d));
    let (left, left_below) = (_mm256_unpacklo_epi16(c01, c23), _mm256_unpackhi_epi16(c01, c23));
    let (right, right_below) = (_mm256_unpacklo_epi16(c45, c67), _mm256_unpackhi_epi16(c45, c67));
    let middle = _mm256_set1_epi8(-128);
    [
        _mm256_xor_si256(_mm256_unpacklo_epi32(left, right), middle),
        _mm256_xor_si256(_mm256_unpackhi_epi32(left, right), middle),
        _mm256_xor_si256(_mm256_unpacklo_epi32(left_below, right_below), middle),
        _mm256_xor_si256(_mm256_unpackhi_epi32(left_below, right_below), middle),
    ]
}
