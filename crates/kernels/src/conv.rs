//! Convolution of channels-last images, forward and backward, without im2col.
//!
//! The channels of a pixel are contiguous, so six output pixels by sixteen output channels are a
//! register tile (`tile`) whose rows start at six input pixels: one contiguous slice of channels
//! per kernel tap, read in place. This is an implicit GEMM (`implicit_gemm`). A pixel in the
//! padding is a pointer to zeros; tiles are ordered so that a tap is padding for all six pixels or
//! for none in most tiles (`pixel_order`), and then it is skipped. Weights (in Caffe's order) are
//! packed into panels of 16 outputs in every call, in scratch of the `Cpu`: weights change in every
//! iteration, so packed copies cannot be kept.
//!
//! * [`forward`]: implicit GEMM over output pixels; bias and ReLU are part of the epilogue.
//! * [`backward_data`]: implicit GEMM over input pixels, with `dy` as the image; a stride splits
//!   the pixels into phases that each use a subset of the taps.
//! * [`backward_weights`]: a product over pixels, `dw = dyᵀ·x`, with blocks of both operands
//!   packed; with few output channels, or channels that do not fill panels, only `dy` is packed.
//!
//! Other forms, chosen by shape: with few input channels (an image's 3), the slices of a kernel row
//! are contiguous and are read as one, from a padded copy if there is padding (`input_taps`). With
//! one channel per group (`depthwise`) there is no product to tile; a loop runs along channels.
//! Kernels of 3×3 and 5×5 with stride 1 and enough channels use Winograd convolution (`winograd`),
//! with fewer products.

mod backward_data;
mod backward_weights;
mod depthwise;
mod forward;
mod implicit_gemm;
mod input_taps;
mod pack_weights;
mod pixel_order;
mod split_k;
mod winograd;

use smallvec::SmallVec;

pub use backward_data::backward_data;
pub use backward_weights::{backward_bias, backward_weights};
pub use forward::forward;

/// A list with one entry per tap, phase or group of images: on the stack up to 32 entries, so that
/// a pass allocates nothing for common shapes.
type StackVec<T> = SmallVec<[T; 32]>;

/// The function that the epilogue applies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Activation {
    /// `v`.
    Linear,
    /// `v` where `v > 0`, else `slope * v`.
    Relu {
        /// Caffe's `negative_slope`.
        slope: f32,
    },
}

/// A convolution's geometry. Pairs are (vertical, horizontal).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvShape {
    /// Images.
    pub n: usize,
    /// Input channels.
    pub c: usize,
    /// Input height.
    pub h: usize,
    /// Input width.
    pub w: usize,
    /// Output channels.
    pub k: usize,
    /// Kernel size.
    pub kernel: [usize; 2],
    /// Input pixels between neighbouring outputs.
    pub stride: [usize; 2],
    /// Zeros before the image's first row and column.
    pub pad: [usize; 2],
    /// Zeros after its last row and column.
    pub pad_end: [usize; 2],
    /// Input pixels between neighbouring taps.
    pub dilation: [usize; 2],
    /// Groups of channels; outputs of a group depend on inputs of the same group only.
    pub group: usize,
}

impl ConvShape {
    /// Output height and width. Zero if the kernel does not fit.
    #[must_use]
    pub fn out(&self) -> [usize; 2] {
        let side = |size: usize, axis: usize| {
            let extent = self.dilation[axis] * (self.kernel[axis] - 1) + 1;
            let padded = self.pad[axis] + size + self.pad_end[axis];
            if padded < extent { 0 } else { (padded - extent) / self.stride[axis] + 1 }
        };
        [side(self.h, 0), side(self.w, 1)]
    }

    /// The same convolution of as many images as `x_len` floats of the input are.
    #[must_use]
    pub fn of_images(&self, x_len: usize) -> Self {
        let n = x_len.checked_div(self.h * self.w * self.c).unwrap_or(self.n);
        Self { n, ..self.clone() }
    }

    /// Floats of the input, (n, h, w, c).
    #[must_use]
    pub fn x_len(&self) -> usize {
        self.n * self.h * self.w * self.c
    }

    /// Output pixels of all images: rows of `k` in the output.
    #[must_use]
    pub fn out_pixels(&self) -> usize {
        let [oh, ow] = self.out();
        self.n * oh * ow
    }

    /// Floats of the weights, (k, c / group, kernel height, kernel width).
    #[must_use]
    pub fn weights_len(&self) -> usize {
        self.k * self.group_c() * self.taps()
    }

    /// Multiplications and additions of one pass.
    #[must_use]
    pub fn flops(&self) -> usize {
        2 * self.out_pixels() * self.weights_len()
    }

    fn group_c(&self) -> usize {
        self.c / self.group
    }

    fn group_k(&self) -> usize {
        self.k / self.group
    }

    fn has_padding(&self) -> bool {
        [self.pad, self.pad_end] != [[0, 0]; 2]
    }

    fn taps(&self) -> usize {
        self.kernel[0] * self.kernel[1]
    }

    fn check(&self) {
        let zero = [self.group, self.kernel[0], self.kernel[1], self.stride[0], self.stride[1]];
        assert!(!zero.contains(&0), "group, kernel and stride are at least 1: {self:?}");
        assert!(self.dilation.iter().all(|&d| d > 0), "dilation is at least 1: {self:?}");
        assert!(self.c > 0 && self.k > 0, "there are channels: {self:?}");
        assert_eq!(self.c % self.group, 0, "groups divide the input channels: {self:?}");
        assert_eq!(self.k % self.group, 0, "groups divide the output channels: {self:?}");
    }
}

#[cfg(test)]
mod tests;
