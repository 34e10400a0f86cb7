//! Largest values, channels-last: vectors run along channels.

use std::ops::Range;

use super::{RoiBins, RoiImages};
use crate::cpu::Cpu;

/// Largest value of each bin, and its position.
///
/// * `x`: (n, h, w, c)
/// * `y`: (boxes, bins down, bins across, c)
/// * `mask`: as `y`; pixel `i · w + j` of the first largest value, `u32::MAX` in an empty bin
///
/// A NaN that comes first in a bin stays.
///
/// # Panics
///
/// If an operand does not fit, or a bin or box is not inside the images.
pub fn max_forward(
    cpu: &Cpu,
    images: &RoiImages,
    bins: &RoiBins,
    x: &[f32],
    (y, mask): (&mut [f32], &mut [u32]),
) {
    let RoiImages { c, h, w, .. } = *images;
    images.check(x.len(), bins);
    assert_eq!([y.len(), mask.len()], [bins.boxes() * bins.bins() * c; 2], "y of {images:?}");
    if y.is_empty() {
        return;
    }
    cpu.run_blocks2((y, mask), [bins.bins() * c; 2], |at, y, mask| {
        let image = &x[bins.images[at] * h * w * c..][..h * w * c];
        let mut outputs = y.chunks_exact_mut(c).zip(mask.chunks_exact_mut(c));
        for rows in bins.rows(at) {
            for (cols, (y, mask)) in bins.cols(at).zip(&mut outputs) {
                vectorize!(cpu, max_of_bin(image, (&rows, &cols), w, y, mask));
            }
        }
    });
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "blobs hold fewer than 2^31 values")]
fn max_of_bin(
    image: &[f32],
    (rows, cols): (&Range<usize>, &Range<usize>),
    w: usize,
    y: &mut [f32],
    mask: &mut [u32],
) {
    let c = y.len();
    if rows.is_empty() || cols.is_empty() {
        y.fill(0.0);
        return mask.fill(u32::MAX);
    }
    let first = rows.start * w + cols.start;
    y.copy_from_slice(&image[first * c..][..c]);
    mask.fill(first as u32);
    for i in rows.clone() {
        for j in cols.clone() {
            let pixel = i * w + j;
            let x = &image[pixel * c..][..c];
            for ((y, mask), &x) in y.iter_mut().zip(mask.iter_mut()).zip(x) {
                let larger = x > *y;
                *y = if larger { x } else { *y };
                *mask = if larger { pixel as u32 } else { *mask };
            }
        }
    }
}

/// Adds each gradient to the pixel its value came from.
///
/// * `dy`: (boxes, bins down, bins across, c)
/// * `mask`: as `dy`, from [`max_forward`]
/// * `dx`: (n, h, w, c), overwritten
///
/// # Panics
///
/// As [`max_forward`].
pub fn max_backward(
    cpu: &Cpu,
    images: &RoiImages,
    bins: &RoiBins,
    (dy, mask): (&[f32], &[u32]),
    dx: &mut [f32],
) {
    let RoiImages { c, h, w, .. } = *images;
    images.check(dx.len(), bins);
    assert_eq!([dy.len(), mask.len()], [bins.boxes() * bins.bins() * c; 2], "y of {images:?}");
    if dx.is_empty() {
        return;
    }
    let across = bins.grid[1];
    cpu.run_blocks(dx, w * c, |row, dx| {
        let (image, i) = (row / h, row % h);
        dx.fill(0.0);
        for at in bins.of(image) {
            for (bin_row, rows) in bins.rows(at).enumerate() {
                if !rows.contains(&i) {
                    continue;
                }
                for (bin_col, cols) in bins.cols(at).enumerate() {
                    let from = (at * bins.bins() + bin_row * across + bin_col) * c;
                    let (dy, mask) = (&dy[from..][..c], &mask[from..][..c]);
                    vectorize!(cpu, add_where_max(i * w, &cols, (dy, mask), dx));
                }
            }
        }
    });
}

/// Adds the gradients of one bin to the pixels of a row, which begins with pixel `first`.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "blobs hold fewer than 2^31 values")]
fn add_where_max(first: usize, cols: &Range<usize>, (dy, mask): (&[f32], &[u32]), dx: &mut [f32]) {
    let c = dy.len();
    for j in cols.clone() {
        let pixel = (first + j) as u32;
        let dx = &mut dx[j * c..][..c];
        for ((dx, &dy), &mask) in dx.iter_mut().zip(dy).zip(mask) {
            *dx += if mask == pixel { dy } else { 0.0 };
        }
    }
}
