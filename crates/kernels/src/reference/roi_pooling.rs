//! Pooling of boxes, one output at a time.

use std::ops::Range;

/// Largest value of one bin of one channel and its pixel, of images (h, w, c); `None` if it is
/// empty.
#[must_use]
pub fn max(
    image: &[f32],
    [w, c]: [usize; 2],
    rows: &Range<usize>,
    cols: &Range<usize>,
    channel: usize,
) -> Option<(f64, usize)> {
    let pixels = rows.clone().flat_map(|i| cols.clone().map(move |j| i * w + j));
    let values = pixels.map(|pixel| (f64::from(image[pixel * c + channel]), pixel));
    values.reduce(|best, next| if next.0 > best.0 { next } else { best })
}

/// Mean of one bin of a plane (h, w); 0 if it is empty.
#[must_use]
pub fn mean(plane: &[f32], w: usize, rows: &Range<usize>, cols: &Range<usize>) -> f64 {
    let pixels = rows.clone().flat_map(|i| cols.clone().map(move |j| i * w + j));
    let sum: f64 = pixels.map(|pixel| f64::from(plane[pixel])).sum();
    sum / (rows.len() * cols.len()).max(1) as f64
}
