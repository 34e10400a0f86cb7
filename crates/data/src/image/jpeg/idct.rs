//! The inverse transform of 8 by 8 blocks, with libjpeg's integers.
//!
//! Loeffler, Ligtenberg & Moschytz 1989 with 13-bit constants: columns first, leaving 2 fractional
//! bits, then rows. A column with a DC coefficient only, the common case, is constant. Arithmetic
//! wraps: only damaged files come near the limits of 32 bits.

use std::num::Wrapping;

/// Bits of the constants.
const CONSTANT_BITS: usize = 13;
/// Fractional bits between the passes.
const PASS_BITS: usize = 2;

/// Eight values down or across a block.
type IdctRow = [Wrapping<i32>; 8];

/// Divisors of the coefficients, in natural order.
pub(super) type QuantTable = [u16; 64];

/// Writes the samples of `block` to the 8 rows of `out`, which are `stride` apart.
pub(super) fn block(block: &[i16; 64], quant: &QuantTable, out: &mut [u8], stride: usize) {
    if block[1..].iter().all(|&coefficient| coefficient == 0) {
        // What the passes below give for a DC coefficient alone.
        let mean = Wrapping(i32::from(block[0]) * i32::from(quant[0])) << PASS_BITS;
        let sample = sample(descale(mean, PASS_BITS + 3));
        for row in out.chunks_mut(stride).take(8) {
            row[..8].fill(sample);
        }
        return;
    }
    let mut values = [Wrapping(0); 64];
    for x in 0..8 {
        let column: IdctRow = std::array::from_fn(|y| {
            Wrapping(i32::from(block[y * 8 + x]) * i32::from(quant[y * 8 + x]))
        });
        let transformed = if column[1..].iter().all(|value| value.0 == 0) {
            [column[0] << PASS_BITS; 8]
        } else {
            transform(column, CONSTANT_BITS - PASS_BITS)
        };
        for (y, value) in transformed.into_iter().enumerate() {
            values[y * 8 + x] = value;
        }
    }
    let (rows, _) = values.as_chunks::<8>();
    for (out, row) in out.chunks_mut(stride).zip(rows) {
        let row = transform(*row, CONSTANT_BITS + PASS_BITS + 3);
        for (out, value) in out.iter_mut().zip(row) {
            *out = sample(value);
        }
    }
}

/// `c * 2^13`, rounded, of the constants in the paper's flow graph.
fn times(value: Wrapping<i32>, constant: i32) -> Wrapping<i32> {
    value * Wrapping(constant)
}

#[inline(always)]
fn transform([x0, x1, x2, x3, x4, x5, x6, x7]: IdctRow, shift: usize) -> IdctRow {
    // Even part.
    let turn = times(x2 + x6, 4433); // 0.541196100
    let even2 = turn - times(x6, 15137); // 1.847759065
    let even3 = turn + times(x2, 6270); // 0.765366865
    let (even0, even1) = ((x0 + x4) << CONSTANT_BITS, (x0 - x4) << CONSTANT_BITS);
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
fn descale(value: Wrapping<i32>, shift: usize) -> Wrapping<i32> {
    (value + (Wrapping(1) << (shift - 1))) >> shift
}

/// Samples are stored around 0.
fn sample(value: Wrapping<i32>) -> u8 {
    (value + Wrapping(128)).0.clamp(0, 255).cast_unsigned().to_le_bytes()[0]
}
