//! Convolution of channels-last images, forward and backward, without im2col.
//!
//! A pixel's channels are contiguous, so a row of six output pixels times sixteen output channels
//! is a `tile` whose rows start at six input pixels: one run of channels per kernel
//! tap, read where it lies. A pixel in the padding is a pointer to zeros; tiles are chosen so that a tap is
//! mostly padding for all six pixels or for none (`order`), and then it is left out. Weights (Caffe's order)
//! are packed into panels of 16 outputs at every call, in scratch of the `Cpu`: a weight
//! changes every iteration, so keeping them packed would save nothing.
//!
//! * [`forward`]: `sweep` over output pixels; bias and ReLU are part of the last visit.
//! * [`backward_data`]: the same sweep over input pixels, with `dy` as the image; a stride splits
//!   the pixels into phases that each see a part of the taps.
//! * [`backward_weights`]: a product over pixels, `dw = dyᵀ·x`, blocks of both packed on the way; with few
//!   output channels, or channels that do not fill panels, only `dy` is.
//!
//! Few input channels (an image's 3): the runs of a kernel row are contiguous too, and are read
//! as one, from a padded copy if there is padding. One channel a group (`depthwise`): no product to tile,
//! a loop along channels instead. Kernels of 3×3 and 5×5 with stride 1 and enough channels: `winograd`,
//! with fewer products.

mod backward_data;
mod backward_weights;
mod depthwise;
mod forward;
mod order;
mod runs;
mod shares;
mod sweep;
mod weights;
mod winograd;

use smallvec::SmallVec;

pub use backward_data::backward_data;
pub use backward_weights::{backward_bias, backward_weights};
pub use forward::forward;

/// One a tap, a phase or a group of images: on the stack, as an iteration should allocate nothing, unless there
/// are more of them than most kernels have.
type Few<T> = SmallVec<[T; 32]>;

/// What follows the sum in the same pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Activation {
    /// Nothing.
    Linear,
    /// `v` where `v > 0`, else `slope * v`.
    Relu {
        /// Caffe's `negative_slope`.
        slope: f32,
    },
}

/// A convolution's geometry. Pairs are (vertical, horizontal).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conv {
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
    /// Zeros around the image.
    pub pad: [usize; 2],
    /// Input pixels between neighbouring taps.
    pub dilation: [usize; 2],
    /// Groups of channels that do not see each other.
    pub group: usize,
}

impl Conv {
    /// Output height and width. Zero if the kernel does not fit.
    #[must_use]
    pub fn out(&self) -> [usize; 2] {
        let side = |size: usize, axis: usize| {
            let extent = self.dilation[axis] * (self.kernel[axis] - 1) + 1;
            let padded = size + 2 * self.pad[axis];
            if padded < extent { 0 } else { (padded - extent) / self.stride[axis] + 1 }
        };
        [side(self.h, 0), side(self.w, 1)]
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
