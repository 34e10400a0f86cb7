//! The channels of a pixel in strips of up to four vectors, which a kernel holds in registers while it walks
//! over the pixels of a window.
//!
//! The last vector ends with the last channel, so that it may begin inside the one before: channels of both are
//! computed twice, with the same result, which costs less than writing a part of a vector. Only fewer channels
//! than a vector has lanes are a part of one.

use crate::{
    elementwise::ReluMask,
    simd::{LANES, Lanes},
};

/// Channels of a whole strip.
const STRIP: usize = 4 * LANES;

/// A kernel's work on one strip.
pub(super) trait Strip {
    /// Does it for the channels that `at` names.
    fn run<S: Lanes, const V: usize>(&mut self, s: S, at: Vectors<V>);
}

/// Runs all strips of `c` channels.
#[inline(always)]
pub(super) fn each<S: Lanes>(s: S, c: usize, strip: &mut impl Strip) {
    if c < LANES {
        return strip.run(s, Vectors { first: 0, steps: [0], count: c, c });
    }
    let whole = c / STRIP * STRIP;
    for first in (0..whole).step_by(STRIP) {
        let steps = [0, LANES, 2 * LANES, 3 * LANES];
        strip.run(s, Vectors { first, steps, count: LANES, c });
    }
    match (c - whole).div_ceil(LANES) {
        0 => {}
        1 => strip.run(s, Vectors::<1>::last(c)),
        2 => strip.run(s, Vectors::<2>::last(c)),
        3 => strip.run(s, Vectors::<3>::last(c)),
        _ => strip.run(s, Vectors::<4>::last(c)),
    }
}

/// Where in a pixel of `c` channels `V` vectors lie, of `count` channels each: inside of it.
#[derive(Clone, Copy)]
pub(super) struct Vectors<const V: usize> {
    first: usize,
    /// From the first to each; constants where it matters.
    steps: [usize; V],
    count: usize,
    c: usize,
}

impl<const V: usize> Vectors<V> {
    /// The channels behind whole strips, in as many vectors as they need; there must be eight channels.
    #[inline(always)]
    fn last(c: usize) -> Self {
        let first = (c / STRIP * STRIP).min(c - LANES);
        let mut steps = [c - LANES - first; V];
        for (v, step) in steps.iter_mut().enumerate() {
            *step = (*step).min(v * LANES);
        }
        Self { first, steps, count: LANES, c }
    }

    /// Reads vectors of a pixel; bits that are not floats are only to be moved and compared.
    #[inline(always)]
    pub(super) fn load<S: Lanes, T: FourBytes>(
        &self,
        s: S,
        image: Image<'_, T>,
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
                // SAFETY: so is each of `count` channels.
                unsafe { s.load_first(from, self.count) }
            };
        }
        values
    }

    /// Writes vectors of a pixel of `c` channels.
    #[inline(always)]
    pub(super) fn store<S: Lanes, T: FourBytes>(&self, s: S, pixel: &mut [T], values: [S::F; V]) {
        assert!(pixel.len() == self.c, "the pixel has all channels");
        let first = pixel.as_mut_ptr().cast::<f32>().wrapping_add(self.first);
        for (value, &step) in values.into_iter().zip(&self.steps) {
            let to = first.wrapping_add(step);
            if self.count == LANES {
                // SAFETY: each vector is inside the pixel.
                unsafe { s.store(to, value) }
            } else {
                // SAFETY: so is each of `count` channels.
                unsafe { s.store_first(to, value, self.count) }
            }
        }
    }
}

/// Values whose bits a vector may hold: any four bytes are one.
pub(super) trait FourBytes {}
impl FourBytes for f32 {}
impl FourBytes for u32 {}

/// Pixels of `c` channels each.
pub(super) struct Image<'a, T> {
    data: &'a [T],
    pixels: usize,
    c: usize,
}

impl<T> Clone for Image<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Image<'_, T> {}

impl<'a, T> Image<'a, T> {
    /// `pixels` of `data`, the first of them number `first`.
    #[inline(always)]
    pub(super) fn new(data: &'a [T], c: usize, first: usize, pixels: usize) -> Self {
        Self { data: &data[first * c..][..pixels * c], pixels, c }
    }

    /// All values.
    pub(super) fn data(self) -> &'a [T] {
        self.data
    }
}

/// The ReLU below, if there is one, for the pixels of one task.
#[derive(Clone, Copy)]
pub(super) struct Relu<'a> {
    mask: Option<(Image<'a, f32>, f32)>,
    pixel: usize,
}

impl<'a> Relu<'a> {
    /// For `len` values from pixel `first` on.
    pub(super) fn new(mask: Option<ReluMask<'a>>, c: usize, first: usize, len: usize) -> Self {
        let mask = mask.map(|mask| (Image::new(mask.y, c, first, len / c), mask.slope));
        Self { mask, pixel: 0 }
    }

    /// For one pixel, counted from the first.
    #[inline(always)]
    pub(super) fn at(self, pixel: usize) -> Self {
        Self { pixel, ..self }
    }

    /// What passes of `d`.
    #[inline(always)]
    pub(super) fn apply<S: Lanes, const V: usize>(
        self,
        s: S,
        at: Vectors<V>,
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
