//! Means, position-sensitive. Row-major, since the bins of a channel lie in one plane.

use std::ops::Range;

use super::{RoiBins, RoiImages, range};
use crate::cpu::Cpu;

/// Means of bins, each of channels of its own: of channel `q`, counted over the whole pixel, only
/// bin `(q / across % down, q % across)`.
///
/// * `x`: (n, c, h, w), where `c` is a multiple of the number of bins
/// * `y`: (boxes, c): channels, then bins
///
/// # Panics
///
/// As [`max_forward`](super::max_forward).
pub fn mean_forward(cpu: &Cpu, images: &RoiImages, bins: &RoiBins, x: &[f32], y: &mut [f32]) {
    let RoiImages { c, h, w, .. } = *images;
    images.check(x.len(), bins);
    assert_eq!(y.len(), bins.boxes() * c, "y of {images:?}");
    if y.is_empty() {
        return;
    }
    cpu.run_blocks(y, c, |at, y| {
        for (q, y) in y.iter_mut().enumerate() {
            let plane = &x[(bins.images[at] * c + q) * h * w..][..h * w];
            let (rows, cols) = bins.of_channel(at, q);
            let row_sum =
                |i: usize| plane[i * w + cols.start..i * w + cols.end].iter().sum::<f32>();
            let area = rows.len() * cols.len();
            *y = if area == 0 { 0.0 } else { rows.map(row_sum).sum::<f32>() / area as f32 };
        }
    });
}

/// Gradient of [`mean_forward`].
///
/// * `dy`: (boxes, c)
/// * `dx`: (n, c, h, w), overwritten
///
/// # Panics
///
/// As [`max_forward`](super::max_forward).
pub fn mean_backward(cpu: &Cpu, images: &RoiImages, bins: &RoiBins, dy: &[f32], dx: &mut [f32]) {
    let RoiImages { c, h, w, .. } = *images;
    images.check(dx.len(), bins);
    assert_eq!(dy.len(), bins.boxes() * c, "y of {images:?}");
    if dx.is_empty() {
        return;
    }
    cpu.run_blocks(dx, h * w, |plane, dx| {
        let (image, q) = (plane / c, plane % c);
        dx.fill(0.0);
        for at in bins.of(image) {
            let (rows, cols) = bins.of_channel(at, q);
            let share = dy[at * c + q] / (rows.len() * cols.len()).max(1) as f32;
            for i in rows {
                dx[i * w + cols.start..i * w + cols.end].iter_mut().for_each(|dx| *dx += share);
            }
        }
    });
}

impl RoiBins {
    /// Rows and columns of the bin that belongs to channel `q`; both empty if one is.
    fn of_channel(&self, at: usize, q: usize) -> (Range<usize>, Range<usize>) {
        let [down, across] = self.grid;
        let rows = range(self.rows[at * down + q / across % down]);
        let cols = range(self.cols[at * across + q % across]);
        if rows.is_empty() || cols.is_empty() { (0..0, 0..0) } else { (rows, cols) }
    }
}
