//! Chroma at twice the width, the height, or both: libjpeg's triangle filter with its roundings.
//!
//! A new sample lies a quarter of the way from one stored sample to the next, so it is 3/4 of
//! the near one plus 1/4 of the far one. Roundings alternate between up and down so that no drift
//! arises. Beyond the ends of a row its last sample is repeated.

use super::level;
use crate::simd::Simd;

/// Twice as many samples across.
///
/// * `near`: one row of samples
/// * `sums`: scratch
/// * `out`: two samples for each of `near`
///
/// # Panics
///
/// If `out` has another length, or this CPU does not support `simd`.
pub fn double_width(simd: Simd, near: &[u8], sums: &mut Vec<u16>, out: &mut [u8]) {
    vectorize!(level(simd), {
        let sums = with_ends(sums, near.len());
        let inner = sums.iter_mut().skip(1);
        inner.zip(near).for_each(|(sum, &near)| *sum = u16::from(near));
        double(sums, [1, 2], 2, out);
    });
}

/// Twice as many samples across, in a row that lies between two.
///
/// * `near`, `far`: the rows of samples a quarter and three quarters of a row away
/// * `sums`: scratch
/// * `out`: two samples for each of `near`
///
/// # Panics
///
/// If the lengths do not fit, or this CPU does not support `simd`.
pub fn double_both(simd: Simd, near: &[u8], far: &[u8], sums: &mut Vec<u16>, out: &mut [u8]) {
    assert_eq!(near.len(), far.len(), "rows of one plane");
    vectorize!(level(simd), {
        let sums = with_ends(sums, near.len());
        let inner = sums.iter_mut().skip(1);
        for ((sum, &near), &far) in inner.zip(near).zip(far) {
            *sum = 3 * u16::from(near) + u16::from(far);
        }
        double(sums, [8, 7], 4, out);
    });
}

/// A row that lies between two.
///
/// * `near`, `far`: the rows of samples a quarter and three quarters of a row away
/// * `upper`: whether the new row is above `near`, which decides the rounding
///
/// # Panics
///
/// If the lengths differ, or this CPU does not support `simd`.
pub fn double_height(simd: Simd, near: &[u8], far: &[u8], upper: bool, out: &mut [u8]) {
    assert_eq!([near.len(), far.len()], [out.len(); 2], "rows of one plane");
    let round = if upper { 1 } else { 2 };
    vectorize!(level(simd), {
        for ((out, &near), &far) in out.iter_mut().zip(near).zip(far) {
            *out = low_byte((3 * u16::from(near) + u16::from(far) + round) >> 2);
        }
    });
}

/// Room for `len` values and one more at each end.
#[inline(always)]
fn with_ends(sums: &mut Vec<u16>, len: usize) -> &mut [u16] {
    if sums.len() < len + 2 {
        sums.resize(len + 2, 0);
    }
    &mut sums[..len + 2]
}

/// Two samples for each of `sums` but the ends: mixed with its left neighbour and rounded by
/// `rounds[0]`, then with its right one and the other. The ends are set here.
#[inline(always)]
fn double(sums: &mut [u16], rounds: [u16; 2], shift: u32, out: &mut [u8]) {
    let len = sums.len() - 2;
    let (pairs, rest) = out.as_chunks_mut::<2>();
    assert!(pairs.len() == len && rest.is_empty(), "two samples for each of {len}");
    (sums[0], sums[len + 1]) = (sums[1], sums[len]);
    let neighbours = sums.iter().zip(&sums[1..]).zip(&sums[2..]);
    for (pair, ((&left, &this), &right)) in pairs.iter_mut().zip(neighbours) {
        *pair = [
            low_byte((3 * this + left + rounds[0]) >> shift),
            low_byte((3 * this + right + rounds[1]) >> shift),
        ];
    }
}

#[inline(always)]
fn low_byte(value: u16) -> u8 {
    value.to_le_bytes()[0]
}
