//! From the pixels of an image to the values of a batch: crop, mirror, subtract a mean, scale.
//!
//! Each value is `(x - mean) * scale`, two operations that are rounded one by one on every SIMD
//! level, so the level changes no bit and callers may use the best one. The result is channel after
//! channel, whatever the source is. One call makes one image, on the calling thread: images are
//! prepared on threads of their own.
//!
//! Plain loops that the compiler vectorises, each with one kind of mean and one direction. Rows of
//! interleaved pixels are first separated by channel, a block at a time, which stays in L1. The
//! cost is that of writing the result to memory; arithmetic hides behind it.

mod color;
#[cfg(test)]
mod tests;

pub use color::{ColorMatrix, channel_sums};

use crate::simd::{Simd, SimdLevel};

/// Pixels of an interleaved row that are separated at a time.
const BLOCK: usize = 256;

/// A pixel as stored.
pub trait PixelValue: Copy + Default + Into<f32> {}
impl PixelValue for u8 {}
impl PixelValue for f32 {}

/// Values (c, y, x) of an image, at `c * channel + y * row + x * pixel`.
#[derive(Debug, Clone, Copy)]
pub struct ImagePixels<'a, T> {
    values: &'a [T],
    channel: usize,
    row: usize,
    pixel: usize,
}

impl<'a, T: PixelValue> ImagePixels<'a, T> {
    /// Channel after channel, in the order of `size`: channels, height, width.
    ///
    /// # Panics
    ///
    /// If there are more or fewer values than that.
    #[must_use]
    pub fn planar(values: &'a [T], size: [usize; 3]) -> Self {
        assert_eq!(values.len(), size.iter().product(), "as many values as the size says");
        Self { values, channel: size[1] * size[2], row: size[2], pixel: 1 }
    }

    /// The channels of a pixel next to each other; `size` is channels, height, width.
    ///
    /// # Panics
    ///
    /// If there are more or fewer values than that.
    #[must_use]
    pub fn interleaved(values: &'a [T], size: [usize; 3]) -> Self {
        assert_eq!(values.len(), size.iter().product(), "as many values as the size says");
        Self { values, channel: 1, row: size[0] * size[2], pixel: size[0] }
    }

    /// Without the first `top` rows and the first `left` columns.
    #[must_use]
    pub fn below(self, top: usize, left: usize) -> Self {
        Self { values: &self.values[top * self.row + left * self.pixel..], ..self }
    }

    /// The first `len` values of row `y`, from that of channel `c` on.
    #[inline(always)]
    fn line(&self, c: usize, y: usize, len: usize) -> &'a [T] {
        &self.values[c * self.channel + y * self.row..][..len]
    }
}

/// What is subtracted.
#[derive(Debug, Clone, Copy)]
pub enum PixelMean<'a> {
    /// One value per channel, one for all, or none.
    Channels(&'a [f32]),
    /// An image, planar, from the crop's first pixel on.
    Image(ImagePixels<'a, f32>),
}

/// What happens to the pixels of one image.
#[derive(Debug, Clone, Copy)]
pub struct PixelTransform<'a> {
    /// Subtracted before scaling.
    pub mean: PixelMean<'a>,
    /// Multiplied with.
    pub scale: f32,
    /// Whether the first column becomes the last.
    pub mirror: bool,
}

impl PixelTransform<'_> {
    /// Makes `out`, of `size` (channels, height, width), of as many pixels of `source`, from its
    /// first one on.
    ///
    /// # Panics
    ///
    /// If `source` or the mean image is smaller, or `out` is of another length.
    pub fn run<T: PixelValue>(
        &self,
        simd: Simd,
        source: ImagePixels<'_, T>,
        size: [usize; 3],
        out: &mut [f32],
    ) {
        assert_eq!(out.len(), size.iter().product(), "out is as long as the size says");
        let level = level(simd);
        match source.pixel {
            1 => vectorize!(level, self.planar(source, size, out)),
            3 => vectorize!(level, self.interleaved::<T, 3>(source, size, out)),
            4 => vectorize!(level, self.interleaved::<T, 4>(source, size, out)),
            _ => vectorize!(level, self.strided(source, size, out)),
        }
    }

    #[inline(always)]
    fn planar<T: PixelValue>(
        &self,
        source: ImagePixels<'_, T>,
        [_, height, width]: [usize; 3],
        out: &mut [f32],
    ) {
        for (index, out) in out.chunks_exact_mut(width).enumerate() {
            let (c, y) = (index / height, index % height);
            self.line(source.line(c, y, width).iter().copied(), (c, y, 0), out);
        }
    }

    /// Any number of interleaved channels, slowly.
    #[inline(always)]
    fn strided<T: PixelValue>(
        &self,
        source: ImagePixels<'_, T>,
        [_, height, width]: [usize; 3],
        out: &mut [f32],
    ) {
        for (index, out) in out.chunks_exact_mut(width).enumerate() {
            let (c, y) = (index / height, index % height);
            let line = source.line(c, y, (width - 1) * source.pixel + 1);
            self.line(line.iter().step_by(source.pixel).copied(), (c, y, 0), out);
        }
    }

    #[inline(always)]
    fn interleaved<T: PixelValue, const C: usize>(
        &self,
        source: ImagePixels<'_, T>,
        [channels, height, width]: [usize; 3],
        out: &mut [f32],
    ) {
        assert_eq!(channels, C, "all channels are wanted");
        let mut lines = [[T::default(); BLOCK]; C];
        for y in 0..height {
            let (pixels, _) = source.line(0, y, width * C).as_chunks::<C>();
            for (block, pixels) in pixels.chunks(BLOCK).enumerate() {
                for (x, pixel) in pixels.iter().enumerate() {
                    for (line, &value) in lines.iter_mut().zip(pixel) {
                        line[x] = value;
                    }
                }
                let (left, count) = (block * BLOCK, pixels.len());
                let first = if self.mirror { width - left - count } else { left };
                for (c, line) in lines.iter().enumerate() {
                    let out = &mut out[(c * height + y) * width + first..][..count];
                    self.line(line[..count].iter().copied(), (c, y, left), out);
                }
            }
        }
    }

    /// Values of row `y` of channel `c`, from column `left` on; as many as `out` has.
    #[inline(always)]
    fn line<T: PixelValue>(
        &self,
        values: impl Iterator<Item = T>,
        (c, y, left): (usize, usize, usize),
        out: &mut [f32],
    ) {
        match self.mean {
            PixelMean::Channels(means) => {
                let mean = means.get(c).or(means.first()).copied().unwrap_or(0.0);
                self.put(values.map(|x| (x, mean)), out);
            }
            PixelMean::Image(image) => {
                let means = &image.line(c, y, left + out.len())[left..];
                self.put(values.zip(means.iter().copied()), out);
            }
        }
    }

    /// Values and their means, to a row of the result.
    #[inline(always)]
    fn put<T: PixelValue>(&self, values: impl Iterator<Item = (T, f32)>, out: &mut [f32]) {
        let scale = self.scale;
        if self.mirror {
            for (out, (x, mean)) in out.iter_mut().rev().zip(values) {
                *out = (x.into() - mean) * scale;
            }
        } else {
            for (out, (x, mean)) in out.iter_mut().zip(values) {
                *out = (x.into() - mean) * scale;
            }
        }
    }
}

fn level(simd: Simd) -> SimdLevel {
    SimdLevel::new(simd).unwrap_or_else(|| panic!("this CPU does not support {simd}"))
}
