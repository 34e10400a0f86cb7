//! Samples at full size: which rows of a plane make a row of pixels, and how.

use std::ops::Range;

use kernels::{
    Simd,
    jpeg::{double_both, double_height, double_width},
};

use super::{frame::JpegComponent, planes::JpegPlanes};

/// One sample per pixel of `columns` in row `y` of the image. `line` and `sums` are scratch.
pub(super) fn row<'s>(
    simd: Simd,
    planes: &'s JpegPlanes,
    (index, component): (usize, &JpegComponent),
    (y, columns): (usize, Range<usize>),
    line: &'s mut Vec<u8>,
    sums: &mut Vec<u16>,
) -> &'s [u8] {
    let (across, down) = (component.across, component.down);
    let near = planes.row(index, component, y / down);
    let first = columns.start - component.columns.start * across;
    if (across, down) == (1, 1) {
        return &near[first..][..columns.len()];
    }
    // Above the upper sample row of a pair, below the lower one; at the top, the row itself.
    let upper = y.is_multiple_of(2);
    let far = if upper { (y / 2).saturating_sub(1) } else { y / 2 + 1 };
    let far = || planes.row(index, component, far);
    line.resize(near.len() * across, 0);
    // libjpeg does not mix in images of few columns.
    let mixes = component.width > 2;
    match (across, down) {
        (2, 1) if mixes => double_width(simd, near, sums, line),
        (2, 2) if mixes => double_both(simd, near, far(), sums, line),
        (1, 2) => double_height(simd, near, far(), upper, line),
        _ => {
            let copies = line.chunks_exact_mut(across).zip(near);
            copies.for_each(|(copies, &sample)| copies.fill(sample));
        }
    }
    &line[first..][..columns.len()]
}
