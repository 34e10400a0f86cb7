//! Bilinear resizing with the arithmetic of OpenCV's `cv::resize` for bytes (`INTER_LINEAR`).
//!
//! Pixel centres are aligned: target `d` looks at source `(d + 0.5) * scale - 0.5`, in f32. Weights
//! are fixed-point with 11 bits; rows are first resized across to 11 fractional bits and then mixed
//! downwards with OpenCV's truncations, so results are equal to the bit and not merely close. An
//! exact halving of both sides is the mean of 2 by 2 pixels instead, also as there.
//!
//! Cost: two rows of intermediate values; each source row is resized once for the target rows
//! that use it next to one another. An [`ImageResizer`] keeps its memory from image to image.

use super::DecodedImage;

/// One in the weights' fixed point.
const ONE: f32 = 2048.0;

/// Two neighbouring source positions and their weights.
#[derive(Debug)]
struct ResizeTap {
    low: usize,
    high: usize,
    weights: [i32; 2],
}

/// Resizes images one after another, in memory that it keeps.
#[derive(Debug, Default)]
pub struct ImageResizer {
    across: Vec<ResizeTap>,
    rows: [Vec<i32>; 2],
}

impl ImageResizer {
    /// Makes `out` the image at another size; its memory is reused.
    ///
    /// # Panics
    ///
    /// If a side is 0: sizes are checked where they are read.
    pub fn resize(
        &mut self,
        image: &DecodedImage,
        height: usize,
        width: usize,
        out: &mut DecodedImage,
    ) {
        assert!(height > 0 && width > 0 && image.height > 0 && image.width > 0, "sides are not 0");
        (out.channels, out.height, out.width) = (image.channels, height, width);
        out.pixels.clear();
        out.pixels.reserve(height * width * image.channels);
        if image.height == height && image.width == width {
            out.pixels.extend_from_slice(&image.pixels);
        } else if image.height == 2 * height && image.width == 2 * width {
            halve(image, &mut out.pixels);
        } else {
            self.interpolate(image, height, width, &mut out.pixels);
        }
    }
}

/// One image at another size.
///
/// # Panics
///
/// As [`ImageResizer::resize`].
#[must_use]
pub fn resize(image: &DecodedImage, height: usize, width: usize) -> DecodedImage {
    let mut out = DecodedImage::default();
    ImageResizer::default().resize(image, height, width, &mut out);
    out
}

fn halve(image: &DecodedImage, pixels: &mut Vec<u8>) {
    let (c, stride) = (image.channels, image.width * image.channels);
    for rows in image.pixels.chunks_exact(2 * stride) {
        let (top, bottom) = rows.split_at(stride);
        for (a, b) in top.chunks_exact(2 * c).zip(bottom.chunks_exact(2 * c)) {
            for i in 0..c {
                let sum = [a[i], a[i + c], b[i], b[i + c]].map(u32::from).iter().sum::<u32>();
                pixels.push(byte(((sum + 2) >> 2).cast_signed()));
            }
        }
    }
}

impl ImageResizer {
    fn interpolate(
        &mut self,
        image: &DecodedImage,
        height: usize,
        width: usize,
        pixels: &mut Vec<u8>,
    ) {
        let Self { across, rows } = self;
        across.clear();
        across.extend((0..width).map(|x| tap(x, image.width, width, true)));
        let mut rows = ResizeRows { image, across, cached: [None, None], values: rows };
        for y in 0..height {
            let tap = tap(y, image.height, height, false);
            let (low, high) = (rows.fetch(tap.low, tap.high), rows.fetch(tap.high, tap.low));
            let [a, b] = tap.weights;
            for (s0, s1) in rows.values[low].iter().zip(&rows.values[high]) {
                let mixed = ((a * (s0 >> 4)) >> 16) + ((b * (s1 >> 4)) >> 16);
                pixels.push(byte((mixed + 2) >> 2));
            }
        }
    }
}

/// Where target position `to` of `target` looks in a line of `source` pixels.
///
/// Beyond the ends both taps are the border; OpenCV moves the weight too across, but not downwards.
fn tap(to: usize, source: usize, target: usize, across: bool) -> ResizeTap {
    let scale = 1.0 / (target as f64 / source as f64);
    let place = single((to as f64 + 0.5) * scale - 0.5);
    let floor = place.floor();
    let mut share = place - floor;
    let last = source - 1;
    if across && (floor < 0.0 || floor >= last as f32) {
        share = 0.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "within the image, or -1")]
    let low = floor as isize;
    let clip = |at: isize| usize::try_from(at).unwrap_or(0).min(last);
    ResizeTap { low: clip(low), high: clip(low + 1), weights: [weight(1.0 - share), weight(share)] }
}

#[expect(clippy::cast_possible_truncation, reason = "at most 2048")]
fn weight(share: f32) -> i32 {
    (share * ONE).round_ties_even() as i32
}

#[expect(clippy::cast_possible_truncation, reason = "OpenCV keeps positions as floats")]
fn single(place: f64) -> f32 {
    place as f32
}

fn byte(value: i32) -> u8 {
    u8::try_from(value.clamp(0, 255)).expect("clamped")
}

/// The last two source rows, resized across.
struct ResizeRows<'a> {
    image: &'a DecodedImage,
    across: &'a [ResizeTap],
    cached: [Option<usize>; 2],
    values: &'a mut [Vec<i32>; 2],
}

impl ResizeRows<'_> {
    /// Which of the two holds `row`; the one with row `keep` is not overwritten.
    fn fetch(&mut self, row: usize, keep: usize) -> usize {
        if let Some(slot) = self.cached.iter().position(|cached| *cached == Some(row)) {
            return slot;
        }
        let slot = usize::from(self.cached[0] == Some(keep));
        let (c, stride) = (self.image.channels, self.image.width * self.image.channels);
        let line = &self.image.pixels[row * stride..][..stride];
        let out = &mut self.values[slot];
        out.clear();
        for tap in self.across {
            let [a, b] = tap.weights;
            for i in 0..c {
                let (low, high) = (line[tap.low * c + i], line[tap.high * c + i]);
                out.push(i32::from(low) * a + i32::from(high) * b);
            }
        }
        self.cached[slot] = Some(row);
        slot
    }
}
