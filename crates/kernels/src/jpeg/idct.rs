//! The inverse transform of 8 by 8 blocks, with libjpeg's integers.
//!
//! Loeffler, Ligtenberg & Moschytz 1989 with 13-bit constants: columns first, leaving 2 fractional
//! bits, then rows. Coefficients times divisors wrap at 16 bits and values between the passes
//! saturate there, as in libjpeg-turbo's vectors; only damaged files have values that large.

use std::num::Wrapping;

use super::{DctBlock, QuantTable, level};
use crate::simd::{Simd, SimdLevel};

/// Bits of the constants.
const CONSTANT_BITS: u8 = 13;
/// Fractional bits between the passes.
const PASS_BITS: u8 = 2;
/// Fractional bits after each pass. A transform scales by √8, so two of them by 8.
pub(super) const SHIFTS: [u8; 2] = [CONSTANT_BITS - PASS_BITS, CONSTANT_BITS + PASS_BITS + 3];

/// Eight values down or across a block.
type IdctRow = [Wrapping<i32>; 8];

/// Transforms a row of blocks to samples.
///
/// * `blocks`: coefficients, not yet multiplied by `quant`
/// * `out`: 8 rows of at least `8 * blocks.len()` samples, `stride` apart
///
/// # Panics
///
/// If the samples do not fit, or this CPU does not support `simd`.
pub fn inverse_dct(
    simd: Simd,
    blocks: &[DctBlock],
    quant: &QuantTable,
    out: &mut [u8],
    stride: usize,
) {
    let width = 8 * blocks.len();
    if width == 0 {
        return;
    }
    assert!(width <= stride && 7 * stride + width <= out.len(), "8 rows of {width} samples fit");
    match level(simd) {
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2(proof) => super::x86::idct::inverse_dct(proof, blocks, quant, out, stride),
        _ => {
            for (x, block) in blocks.iter().enumerate() {
                plain(block, quant, &mut out[8 * x..], stride);
            }
        }
    }
}

/// The sample of a block that has nothing but a DC coefficient: what the passes give for it.
#[inline]
pub(super) fn mean_sample(block: &DctBlock, quant: &QuantTable) -> u8 {
    let mean = Wrapping(i32::from(dequantize(block[0], quant[0]))) << usize::from(PASS_BITS);
    sample(descale(saturate(mean), PASS_BITS + 3))
}

/// One block, to 8 rows that are `stride` apart.
fn plain(block: &DctBlock, quant: &QuantTable, out: &mut [u8], stride: usize) {
    if block[1..].iter().all(|&coefficient| coefficient == 0) {
        let mean = mean_sample(block, quant);
        return out.chunks_mut(stride).take(8).for_each(|row| row[..8].fill(mean));
    }
    let mut values = [Wrapping(0); 64];
    for x in 0..8 {
        let column = std::array::from_fn(|y| {
            Wrapping(i32::from(dequantize(block[y * 8 + x], quant[y * 8 + x])))
        });
        for (y, value) in transform(column, SHIFTS[0]).into_iter().enumerate() {
            values[y * 8 + x] = saturate(value);
        }
    }
    let (rows, _) = values.as_chunks::<8>();
    for (out, row) in out.chunks_mut(stride).zip(rows) {
        for (out, value) in out.iter_mut().zip(transform(*row, SHIFTS[1])) {
            *out = sample(value);
        }
    }
}

fn dequantize(coefficient: i16, divisor: u16) -> i16 {
    coefficient.wrapping_mul(divisor.cast_signed())
}

fn saturate(value: Wrapping<i32>) -> Wrapping<i32> {
    Wrapping(value.0.clamp(i16::MIN.into(), i16::MAX.into()))
}

/// `c * 2^13`, rounded, of the constants in the paper's flow graph.
fn times(value: Wrapping<i32>, constant: i32) -> Wrapping<i32> {
    value * Wrapping(constant)
}

#[inline(always)]
fn transform([x0, x1, x2, x3, x4, x5, x6, x7]: IdctRow, shift: u8) -> IdctRow {
    // Even part.
    let turn = times(x2 + x6, 4433); // 0.541196100
    let even2 = turn - times(x6, 15137); // 1.847759065
    let even3 = turn + times(x2, 6270); // 0.765366865
    let whole = |value| times(value, 1 << CONSTANT_BITS);
    let (even0, even1) = (whole(x0 + x4), whole(x0 - x4));
    let even = [even0 + even3, even1 + even2, even1 - even2, even0 - even3];
    // Odd part.
    let (sum73, sum51) = (x7 + x3, x5 + x1);
    let turn = times(sum73 + sum51, 9633); // 1.175875602
    let across71 = times(x7 + x1, 7373); // 0.899976223
    let across53 = times(x5 + x3, 20995); // 2.562915447
    let side73 = turn - times(sum73, 16069); // 1.961570560
    let side51 = turn - times(sum51, 3196); // 0.390180644
    let odd = [
        times(x1, 12299) - across71 + side51, // 1.501321110
        times(x3, 25172) - across53 + side73, // 3.072711026
        times(x5, 16819) - across53 + side51, // 2.053119869
        times(x7, 2446) - across71 + side73,  // 0.298631336
    ];
    std::array::from_fn(|i| {
        let value = if i < 4 { even[i] + odd[i] } else { even[7 - i] - odd[7 - i] };
        descale(value, shift)
    })
}

/// Divides by `2^shift`, rounding halves up.
fn descale(value: Wrapping<i32>, shift: u8) -> Wrapping<i32> {
    let shift = usize::from(shift);
    (value + (Wrapping(1) << (shift - 1))) >> shift
}

/// Samples are stored around 0.
fn sample(value: Wrapping<i32>) -> u8 {
    (value.0.clamp(-128, 127) + 128).cast_unsigned().to_le_bytes()[0]
}
