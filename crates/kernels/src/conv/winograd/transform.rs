//! The transforms, on vectors of eight channels: additions and halvings of values in registers.
//!
//! Along one axis, with `d` the four inputs, `g` the three taps, `m` the four products and `y` the outputs:
//!
//! ```text
//!  inputs     d0 - d2,  d1 + d2,  d2 - d1,  d1 - d3
//!  taps       g0,  (g0 + g1 + g2) / 2,  (g0 - g1 + g2) / 2,  g2
//!  outputs    y0 = m0 + m1 + m2,  y1 = m1 - m2 - m3
//! ```
//!
//! and for the gradient of weights, with `e` the two values of `dy` and `w` the three taps:
//!
//! ```text
//!  dy         e0,  (e0 + e1) / 2,  (e0 - e1) / 2,  e1
//!  taps       w0 = m0 + m1 + m2,  w1 = m1 - m2,  w2 = m1 + m2 - m3
//! ```
//!
//! A value of two axes is one transform after the other.

// Plain loops and functions that are always inlined: a closure, or `array::map`, may be compiled apart,
// without the SIMD level's instructions, and is then several times slower.

use crate::{
    conv::winograd::{POINTS, REACH, SIDE, TAPS},
    simd::Lanes,
};

/// Turns 4×4 inputs: eight floats each, `at` floats behind where `pixels` point. Value `p` goes to
/// `to + p * step`. Inputs are read twice, which costs less than keeping 16 of them in registers.
///
/// # Safety
///
/// Pixels must be readable and `to` writable for eight floats at these places.
#[inline(always)]
pub(super) unsafe fn inputs<S: Lanes>(
    s: S,
    pixels: &[*const f32; POINTS],
    at: usize,
    to: *mut f32,
    step: usize,
) {
    // Which two rows make a row of the first axis' transform, and whether they are added.
    for (row, (a, b, plus)) in
        [(0, 2, false), (1, 2, true), (2, 1, false), (1, 3, false)].into_iter().enumerate()
    {
        let mut d = [s.splat(0.0); REACH];
        for (column, d) in d.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the pixels.
            let a = unsafe { s.load(pixels[a * REACH + column].wrapping_add(at)) };
            // SAFETY: as above.
            let b = unsafe { s.load(pixels[b * REACH + column].wrapping_add(at)) };
            *d = if plus { s.add(a, b) } else { s.sub(a, b) };
        }
        let four = [s.sub(d[0], d[2]), s.add(d[1], d[2]), s.sub(d[2], d[1]), s.sub(d[1], d[3])];
        for (column, value) in four.into_iter().enumerate() {
            // SAFETY: the caller vouches for `to`.
            unsafe { s.store(to.wrapping_add((row * REACH + column) * step), value) };
        }
    }
}

/// Turns 4×4 products into 2×2 outputs: product `p` is read from `from + p * step`.
///
/// # Safety
///
/// `from` must be readable for eight floats at these places.
#[inline(always)]
pub(super) unsafe fn outputs<S: Lanes>(s: S, from: *const f32, step: usize) -> [S::F; SIDE * SIDE] {
    let [mut upper, mut lower] = [[s.splat(0.0); REACH]; SIDE];
    for (column, (upper, lower)) in upper.iter_mut().zip(&mut lower).enumerate() {
        let mut m = [s.splat(0.0); REACH];
        for (row, m) in m.iter_mut().enumerate() {
            // SAFETY: the caller vouches for `from`.
            *m = unsafe { s.load(from.wrapping_add((row * REACH + column) * step)) };
        }
        [*upper, *lower] = two(s, m);
    }
    let [[a, b], [c, d]] = [two(s, upper), two(s, lower)];
    [a, b, c, d]
}

#[inline(always)]
fn two<S: Lanes>(s: S, m: [S::F; REACH]) -> [S::F; SIDE] {
    [s.add(m[0], s.add(m[1], m[2])), s.sub(s.sub(m[1], m[2]), m[3])]
}

/// Turns the 3×3 taps of a filter into 4×4.
#[inline(always)]
pub(super) fn filter<S: Lanes>(s: S, taps: &[S::F; TAPS]) -> [S::F; POINTS] {
    let mut rows = [[s.splat(0.0); 3]; REACH];
    for column in 0..3 {
        let four = four_of_three(s, [taps[column], taps[3 + column], taps[6 + column]]);
        for (row, value) in rows.iter_mut().zip(four) {
            row[column] = value;
        }
    }
    let mut points = [[s.splat(0.0); REACH]; REACH];
    for (points, row) in points.iter_mut().zip(rows) {
        *points = four_of_three(s, row);
    }
    flat(s, points)
}

#[inline(always)]
fn four_of_three<S: Lanes>(s: S, g: [S::F; 3]) -> [S::F; REACH] {
    let outer = s.add(g[0], g[2]);
    [g[0], half(s, s.add(outer, g[1])), half(s, s.sub(outer, g[1])), g[2]]
}

/// Turns 2×2 values of `dy` into 4×4, for the gradient of weights.
#[inline(always)]
pub(super) fn gradients<S: Lanes>(s: S, dy: &[S::F; SIDE * SIDE]) -> [S::F; POINTS] {
    let (left, right) = (four_of_two(s, [dy[0], dy[2]]), four_of_two(s, [dy[1], dy[3]]));
    let mut points = [[s.splat(0.0); REACH]; REACH];
    for (points, (&left, &right)) in points.iter_mut().zip(left.iter().zip(&right)) {
        *points = four_of_two(s, [left, right]);
    }
    flat(s, points)
}

#[inline(always)]
fn four_of_two<S: Lanes>(s: S, e: [S::F; SIDE]) -> [S::F; REACH] {
    [e[0], half(s, s.add(e[0], e[1])), half(s, s.sub(e[0], e[1])), e[1]]
}

/// Turns 4×4 sums of products into the gradients of 3×3 taps.
#[inline(always)]
pub(super) fn taps<S: Lanes>(s: S, sums: &[S::F; POINTS]) -> [S::F; TAPS] {
    let mut rows = [[s.splat(0.0); REACH]; 3];
    for column in 0..REACH {
        let m = [sums[column], sums[4 + column], sums[8 + column], sums[12 + column]];
        [rows[0][column], rows[1][column], rows[2][column]] = three(s, m);
    }
    let [[a, b, c], [d, e, f], [g, h, i]] =
        [three(s, rows[0]), three(s, rows[1]), three(s, rows[2])];
    [a, b, c, d, e, f, g, h, i]
}

#[inline(always)]
fn three<S: Lanes>(s: S, m: [S::F; REACH]) -> [S::F; 3] {
    let sum = s.add(m[1], m[2]);
    [s.add(m[0], sum), s.sub(m[1], m[2]), s.sub(sum, m[3])]
}

#[inline(always)]
fn half<S: Lanes>(s: S, x: S::F) -> S::F {
    s.fma(x, s.splat(0.5), s.splat(0.0))
}

#[inline(always)]
fn flat<S: Lanes>(s: S, rows: [[S::F; REACH]; REACH]) -> [S::F; POINTS] {
    let mut points = [s.splat(0.0); POINTS];
    points.copy_from_slice(rows.as_flattened());
    points
}
