//! Bilinear interpolation: every output is a weighted sum of inputs, here over all of them.

use std::ops::Range;

/// Weight of each input of an axis in output `at`: a triangle around where the output looks.
fn weights(size: usize, crop: &Range<usize>, out: usize, at: usize) -> Vec<f64> {
    let scale = if out > 1 { (crop.len() - 1) as f64 / (out - 1) as f64 } else { 0.0 };
    let place = crop.start as f64 + at as f64 * scale;
    let weight = |i: usize| (1.0 - (i as f64 - place).abs()).max(0.0);
    (0..size).map(|i| if crop.contains(&i) { weight(i) } else { 0.0 }).collect()
}

/// Calls `visit(index in y, index in x, weight)` for every pair.
fn pairs(
    (n, c): (usize, usize),
    [h, w]: [usize; 2],
    crop: &[Range<usize>; 2],
    [oh, ow]: [usize; 2],
    mut visit: impl FnMut(usize, usize, f64),
) {
    for oi in 0..oh {
        let rows = weights(h, &crop[0], oh, oi);
        for oj in 0..ow {
            let cols = weights(w, &crop[1], ow, oj);
            for at in 0..n * h * w * c {
                let (pixel, channel) = (at / c, at % c);
                let (image, i, j) = (pixel / (h * w), pixel / w % h, pixel % w);
                visit(((image * oh + oi) * ow + oj) * c + channel, at, rows[i] * cols[j]);
            }
        }
    }
}

/// The images at size `to`; operands as in [`forward`](crate::interpolation::forward).
#[must_use]
pub fn forward(
    (n, c): (usize, usize),
    from: [usize; 2],
    crop: &[Range<usize>; 2],
    to: [usize; 2],
    x: &[f32],
) -> Vec<f64> {
    let mut y = vec![0.0; n * c * to[0] * to[1]];
    pairs((n, c), from, crop, to, |out, at, weight| y[out] += weight * f64::from(x[at]));
    y
}

/// Gradient of [`forward`].
#[must_use]
pub fn backward(
    (n, c): (usize, usize),
    from: [usize; 2],
    crop: &[Range<usize>; 2],
    to: [usize; 2],
    dy: &[f32],
) -> Vec<f64> {
    let mut dx = vec![0.0; n * c * from[0] * from[1]];
    pairs((n, c), from, crop, to, |out, at, weight| dx[at] += weight * f64::from(dy[out]));
    dx
}
