//! Colours of an image changed by one matrix: what brightness, contrast, saturation and lighting
//! come to.

use super::{ImagePixels, level};
use crate::simd::Simd;

/// Three channels as a function of three: `factors[c] · pixel + offsets[c]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColorMatrix {
    /// By channel of the result, then of the source.
    pub factors: [[f32; 3]; 3],
    /// Added to the channels of the result.
    pub offsets: [f32; 3],
}

impl ColorMatrix {
    /// The first `size` (height, width) pixels of `source`, which has three interleaved channels,
    /// in new colours: channel after channel. Products are added in the order of the channels, and
    /// each operation is rounded, on every SIMD level.
    ///
    /// # Panics
    ///
    /// If `source` is smaller or has another number of channels, or `out` is of another length.
    pub fn run(
        &self,
        simd: Simd,
        source: ImagePixels<'_, u8>,
        [height, width]: [usize; 2],
        out: &mut [f32],
    ) {
        assert_eq!((source.pixel, out.len()), (3, 3 * height * width), "three channels");
        let level = level(simd);
        let Self { factors, offsets } = *self;
        for (c, plane) in out.chunks_exact_mut(height * width).enumerate() {
            let ([f0, f1, f2], offset) = (factors[c], offsets[c]);
            vectorize!(level, {
                for (y, out) in plane.chunks_exact_mut(width).enumerate() {
                    let (pixels, _) = source.line(0, y, 3 * width).as_chunks::<3>();
                    for (out, pixel) in out.iter_mut().zip(pixels) {
                        let [x0, x1, x2] = [pixel[0], pixel[1], pixel[2]].map(f32::from);
                        *out = f0 * x0 + f1 * x1 + f2 * x2 + offset;
                    }
                }
            });
        }
    }
}

/// Sums of the three channels of the first `size` (height, width) pixels: integers, so that no
/// order of adding matters.
///
/// # Panics
///
/// If `source` is smaller or has another number of channels.
#[must_use]
pub fn channel_sums(source: ImagePixels<'_, u8>, [height, width]: [usize; 2]) -> [u64; 3] {
    assert_eq!(source.pixel, 3, "three channels");
    let mut sums = [0; 3];
    for y in 0..height {
        let (pixels, _) = source.line(0, y, 3 * width).as_chunks::<3>();
        for pixel in pixels {
            sums.iter_mut().zip(pixel).for_each(|(sum, &x)| *sum += u64::from(x));
        }
    }
    sums
}
