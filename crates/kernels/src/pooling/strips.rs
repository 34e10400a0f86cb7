//! Strip mining over channels: up to four vectors of a pixel, which a kernel holds in registers
//! while it loops over the pixels of a window.
//!
//! The last vector ends with the last channel, so it may overlap the one before: channels of both
//! are computed twice, with the same result, which costs less than a partial store. Partial vectors
//! occur only with fewer channels than a vector has lanes.

use std::ops::Range;

use crate::{
    elementwise::ReluMask,
    simd::{LANES, SimdLanes},
};

/// Channels of a whole strip.
const STRIP: usize = 4 * LANES;

/// The work of a kernel on one strip.
pub(super) trait ChannelStrip {
    /// Computes the channels that `at` selects.
    fn run<S: SimdLanes, const V: usize>(&mut self, s: S, at: StripVectors<V>);
}

/// Runs all strips of `c` channels.
#[inline(always)]
pub(super) fn each<S: SimdLanes>(s: S, c: usize, strip: &mut impl ChannelStrip) {
    if c < LANES {
        return strip.run(s, StripVectors { first: 0, steps: [0], count: c, c });
    }
    let whole = c / STRIP * STRIP;
    for first in (0..whole).step_by(STRIP) {
        let steps = [0, LANES, 2 * LANES, 3 * LANES];
        strip.run(s, StripVectors { first, steps, count: LANES, c });
    }
    match (c - whole).div_ceil(LANES) {
        0 => {}
        1 => strip.run(s, StripVectors::<1>::last(c)),
        2 => strip.run(s, StripVectors::<2>::last(c)),
        3 => strip.run(s, StripVectors::<3>::last(c)),
        _ => strip.run(s, StripVectors::<4>::last(c)),
    }
}

/// The positions of `V` vectors of `count` channels each within a pixel of `c` channels.
#[derive(Clone, Copy)]
pub(super) struct StripVectors<const V: usize> {
    first: usize,
    /// Offset of each vector from the first; compile-time constants for whole strips.
    steps: [usize; V],
    count: usize,
    c: usize,
}

impl<const V: usize> StripVectors<V> {
    /// The channels after the whole strips, in as many vectors as needed; `c` must be at least
    /// eight.
    #[inline(always)]
    fn last(c: usize) -> Self {
        let first = (c / STRIP * STRIP).min(c - LANES);
        let mut steps = [c - LANES - first; V];
        for (v, step) in steps.iter_mut().enumerate() {
            *step = (*step).min(v * LANES);
        }
        Self { first, steps, count: LANES, c }
    }

    /// Loads the vectors of a pixel. Bits that are not floats may only be moved and compared.
    #[inline(always)]
    pub(super) fn load<S: SimdLanes, T: LaneBits>(
        &self,
        s: S,
        image: PixelView<'_, T>,
        pixel: usize,
    ) -> [S::F; V] {
        assert!(image.c == self.c && pixel < image.pixels, "the image has the pixel");
        let first = image.data.as_ptr().cast::<f32>().wrapping_add(pixel * image.c + self.first);
        let mut values = [s.splat(0.0); V];
        for (value, &step) in values.iter_mut().zip(&self.steps) {
            let from = first.wrapping_add(step);
            *value = if self.count == LANES {
                // SAFETY: the pixel is inside the image, and each vector inside the pixel.
                unsafe { s.load(from) }
            } else {
                // SAFETY: the pixel is inside the image, and has `count` channels here.
                unsafe { s.load_first(from, self.count) }
            };
        }
        values
    }

    /// Stores the vectors of a pixel of `c` channels.
    #[inline(always)]
    pub(super) fn store<S: SimdLanes, T: LaneBits>(
        &self,
        s: S,
        pixel: &mut [T],
        values: [S::F; V],
    ) {
        assert!(pixel.len() == self.c, "the pixel has all channels");
        let first = pixel.as_mut_ptr().cast::<f32>().wrapping_add(self.first);
        for (value, &step) in values.into_iter().zip(&self.steps) {
            let to = first.wrapping_add(step);
            if self.count == LANES {
                // SAFETY: each vector is inside the pixel.
                unsafe { s.store(to, value) }
            } else {
                // SAFETY: the pixel has `count` channels here.
                unsafe { s.store_first(to, value, self.count) }
            }
        }
    }
}

/// Types of four bytes for which every bit pattern is valid.
pub(super) trait LaneBits {}
impl LaneBits for f32 {}
impl LaneBits for u32 {}

/// Pixels of `c` channels each.
pub(super) struct PixelView<'a, T> {
    data: &'a [T],
    pixels: usize,
    c: usize,
}

impl<T> Clone for PixelView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for PixelView<'_, T> {}

impl<'a, T> PixelView<'a, T> {
    /// Pixels `pixels` of `data`.
    #[inline(always)]
    pub(super) fn new(data: &'a [T], c: usize, pixels: Range<usize>) -> Self {
        Self { data: &data[pixels.start * c..pixels.end * c], pixels: pixels.len(), c }
    }

    /// All values.
    pub(super) fn data(self) -> &'a [T] {
        self.data
    }
}

/// The mask of the ReLU that made the input, if there is one, for the pixels of one task.
#[derive(Clone, Copy)]
pub(super) struct PixelMask<'a> {
    mask: Option<(PixelView<'a, f32>, f32)>,
    pixel: usize,
}

impl<'a> PixelMask<'a> {
    /// For `len` values from pixel `first` on.
    pub(super) fn new(mask: Option<ReluMask<'a>>, c: usize, first: usize, len: usize) -> Self {
        let mask = mask.map(|mask| (PixelView::new(mask.y, c, first..first + len / c), mask.slope));
        Self { mask, pixel: 0 }
    }

    /// For one pixel, counted from the first.
    #[inline(always)]
    pub(super) fn at(self, pixel: usize) -> Self {
        Self { pixel, ..self }
    }

    /// Applies the mask to `d`.
    #[inline(always)]
    pub(super) fn apply<S: SimdLanes, const V: usize>(
        self,
        s: S,
        at: StripVectors<V>,
        mut d: [S::F; V],
    ) -> [S::F; V] {
        if let Some((y, slope)) = self.mask {
            let y = at.load(s, y, self.pixel);
            for v in 0..V {
                d[v] = s.masked(y[v], slope, d[v]);
            }
        }
        d
    }
}
