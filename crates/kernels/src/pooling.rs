//! MAX and AVE pooling of channels-last images, with Caffe's windows.
//!
//! A window is clipped to the image for MAX. For AVE the sum is over the image, but the divisor
//! counts the window clipped to the padded image, as Caffe's does. The output size rounds up by
//! default; with padding, a last window that would start beyond the image is dropped.
//!
//! Vectors run along channels (`strips`): the results of a window are computed in registers and
//! stored once. Backward gathers: each input pixel adds, in the order of the outputs, the gradients
//! of the windows that contain it, so rows can be computed by different threads, and `dx` is stored
//! once too. Both methods share the loops over windows and pixels (`windows`).

mod ave;
mod max;
mod strips;
mod windows;

use std::ops::Range;

pub use ave::{ave_backward, ave_forward};
pub use max::{max_backward, max_forward};

/// How the output size is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Rounded up: Caffe's default.
    Ceil,
    /// Windows that do not fit are dropped.
    Floor,
}

/// A pooling's geometry. Pairs are (vertical, horizontal). Global pooling: `kernel = [h, w]`,
/// `stride = [1, 1]`, no padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolingShape {
    /// Images.
    pub n: usize,
    /// Channels.
    pub c: usize,
    /// Input height.
    pub h: usize,
    /// Input width.
    pub w: usize,
    /// Window size.
    pub kernel: [usize; 2],
    /// Pixels between neighbouring windows.
    pub stride: [usize; 2],
    /// Pixels before the image's first row and column; less than the kernel.
    pub pad: [usize; 2],
    /// Pixels after its last row and column; less than the kernel.
    pub pad_end: [usize; 2],
    /// Rounding of the output size.
    pub rounding: Rounding,
}

impl PoolingShape {
    /// Output height and width.
    #[must_use]
    pub fn out(&self) -> [usize; 2] {
        let padded = [self.pad, self.pad_end] != [[0, 0]; 2];
        [(self.h, 0), (self.w, 1)].map(|(size, axis)| {
            let (kernel, stride, pad) = (self.kernel[axis], self.stride[axis], self.pad[axis]);
            let Some(room) = self.padded(axis).checked_sub(kernel) else { return 0 };
            let out = 1 + match self.rounding {
                Rounding::Ceil => room.div_ceil(stride),
                Rounding::Floor => room / stride,
            };
            if padded && (out - 1) * stride >= size + pad { out - 1 } else { out }
        })
    }

    /// Floats of the input, (n, h, w, c).
    #[must_use]
    pub fn x_len(&self) -> usize {
        self.n * self.h * self.w * self.c
    }

    /// Floats of the output, (n, out height, out width, c).
    #[must_use]
    pub fn y_len(&self) -> usize {
        let [oh, ow] = self.out();
        self.n * oh * ow * self.c
    }

    fn check(&self, x: usize, y: usize) {
        assert!(self.kernel.iter().chain(&self.stride).all(|&v| v > 0), "sizes of {self:?}");
        let fits = |axis: usize| self.pad[axis].max(self.pad_end[axis]) < self.kernel[axis];
        assert!((0..2).all(fits), "padding of {self:?}");
        assert_eq!(x, self.x_len(), "x of {self:?}");
        assert_eq!(y, self.y_len(), "y of {self:?}");
    }

    fn size(&self, axis: usize) -> usize {
        [self.h, self.w][axis]
    }

    fn padded(&self, axis: usize) -> usize {
        self.pad[axis] + self.size(axis) + self.pad_end[axis]
    }

    /// The pixels of window `index` that are inside the image.
    #[inline(always)]
    fn window(&self, axis: usize, index: usize) -> Range<usize> {
        let start = index * self.stride[axis];
        let end = (start + self.kernel[axis]).saturating_sub(self.pad[axis]);
        start.saturating_sub(self.pad[axis])..end.min(self.size(axis))
    }

    /// Length of window `index` clipped to the padded image.
    #[inline(always)]
    fn extent(&self, axis: usize, index: usize) -> usize {
        self.kernel[axis].min(self.padded(axis).saturating_sub(index * self.stride[axis]))
    }

    /// The windows that contain each pixel, pixel after pixel. Counts where
    /// [`windows_over`](Self::windows_over) divides, which would cost more than the arithmetic of
    /// the window.
    #[inline(always)]
    fn windows_along(&self, axis: usize) -> impl Iterator<Item = Range<usize>> {
        let (kernel, stride, pad) = (self.kernel[axis], self.stride[axis], self.pad[axis]);
        let out = self.out()[axis];
        let (mut first, mut end) = (0, 0);
        (pad..pad + self.size(axis)).map(move |at| {
            while first * stride + kernel <= at {
                first += 1;
            }
            while end * stride <= at {
                end += 1;
            }
            first..end.min(out)
        })
    }

    /// The windows that contain pixel `index`. Not inlined: the compiler would move the divisions
    /// into the innermost loop.
    #[inline(never)]
    fn windows_over(&self, axis: usize, index: usize) -> Range<usize> {
        let (kernel, stride) = (self.kernel[axis], self.stride[axis]);
        let at = index + self.pad[axis];
        let first = (at + 1).saturating_sub(kernel).div_ceil(stride);
        first..(at / stride + 1).min(self.out()[axis])
    }
}

#[cfg(test)]
mod tests;
