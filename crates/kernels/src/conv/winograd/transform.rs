//! Winograd transforms along both axes, one after the other, on vectors of eight channels.

use crate::{
    conv::winograd::points::{PointSet, WinogradPoints},
    simd::SimdLanes,
};

/// Transforms N×N inputs: `live` floats of each, `at` floats after the address in `pixels`; other
/// lanes are 0. Value (i, j) is stored at `to + (i * N + j) * step`.
///
/// # Safety
///
/// Pixels must be readable for `live` floats, eight if `WHOLE`, and `to` writable for eight floats
/// at these addresses.
#[inline(always)]
pub(super) unsafe fn input<S: SimdLanes, const N: usize, const WHOLE: bool>(
    s: S,
    pixels: &[[*const f32; N]; N],
    (at, live): (usize, usize),
    to: *mut f32,
    step: usize,
) where
    PointSet<N>: WinogradPoints<N>,
{
    let mut rows = [[s.splat(0.0); N]; N];
    for column in 0..N {
        let mut d = [s.splat(0.0); N];
        for (d, pixels) in d.iter_mut().zip(pixels) {
            let from = pixels[column].wrapping_add(at);
            *d = if WHOLE {
                // SAFETY: the caller guarantees the pixels.
                unsafe { s.load(from) }
            } else {
                // SAFETY: as above.
                unsafe { s.load_first(from, live) }
            };
        }
        for (row, value) in rows.iter_mut().zip(PointSet::input(s, d)) {
            row[column] = value;
        }
    }
    for (i, row) in rows.into_iter().enumerate() {
        for (j, value) in PointSet::input(s, row).into_iter().enumerate() {
            // SAFETY: the caller guarantees `to`.
            unsafe { s.store(to.wrapping_add((i * N + j) * step), value) };
        }
    }
}

/// Transforms K×K taps of a filter, or K×K values of `dy`, into N×N.
#[inline(always)]
pub(super) fn filter<S: SimdLanes, const K: usize, const N: usize>(
    s: S,
    values: &[[S::F; K]; K],
) -> [[S::F; N]; N]
where
    PointSet<N>: WinogradPoints<N>,
{
    let mut rows = [[s.splat(0.0); K]; N];
    for column in 0..K {
        let mut v = [s.splat(0.0); K];
        for (v, values) in v.iter_mut().zip(values) {
            *v = values[column];
        }
        for (row, value) in rows.iter_mut().zip(PointSet::filter(s, v)) {
            row[column] = value;
        }
    }
    let mut points = [[s.splat(0.0); N]; N];
    for (points, row) in points.iter_mut().zip(rows) {
        *points = PointSet::filter(s, row);
    }
    points
}

/// Transforms N×N sums of products into K×K outputs, or into the gradients of K×K taps: sum (i, j)
/// is read from `from + (i * N + j) * step`.
///
/// # Safety
///
/// `from` must be readable for eight floats at these addresses.
#[inline(always)]
pub(super) unsafe fn output<S: SimdLanes, const K: usize, const N: usize>(
    s: S,
    from: *const f32,
    step: usize,
) -> [[S::F; K]; K]
where
    PointSet<N>: WinogradPoints<N>,
{
    let mut rows = [[s.splat(0.0); N]; K];
    for column in 0..N {
        let mut m = [s.splat(0.0); N];
        for (row, m) in m.iter_mut().enumerate() {
            // SAFETY: the caller guarantees `from`.
            *m = unsafe { s.load(from.wrapping_add((row * N + column) * step)) };
        }
        let values: [S::F; K] = PointSet::output(s, m);
        for (row, value) in rows.iter_mut().zip(values) {
            row[column] = value;
        }
    }
    let mut values = [[s.splat(0.0); K]; K];
    for (values, row) in values.iter_mut().zip(rows) {
        *values = PointSet::output(s, row);
    }
    values
}
