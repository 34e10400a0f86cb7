//! MAX pooling.

use std::ops::Range;

use crate::{
    cpu::Cpu,
    elementwise::ReluMask,
    pooling::{
        PoolingShape, rows_of_a_task,
        strips::{self, Image, Relu, Strip, Vectors},
    },
    simd::{Kernel, Lanes},
};

/// Largest value of each window, and where it was.
///
/// * `x`: (n, h, w, c)
/// * `y`: (n, out height, out width, c)
/// * `mask`: as `y`; pixel `i · w + j` of the first largest value, Caffe's mask
///
/// A NaN that comes first in a window stays. A window without pixels (stride beyond the kernel) gives
/// the smallest float and the mask `u32::MAX`.
///
/// # Panics
///
/// If an operand does not fit `pool`.
pub fn max_forward(cpu: &Cpu, pool: &PoolingShape, x: &[f32], y: &mut [f32], mask: &mut [u32]) {
    pool.check(x.len(), y.len());
    assert_eq!(mask.len(), y.len(), "mask of {pool:?}");
    if y.is_empty() {
        return;
    }
    let row = pool.out()[1] * pool.c;
    let rows = rows_of_a_task(row);
    cpu.run_chunks2((y, mask), [rows * row; 2], |task, y, mask| {
        cpu.enter(Forward { pool, x, first: task * rows, y, mask });
    });
}

/// Some rows of outputs, counted through all images.
struct Forward<'a> {
    pool: &'a PoolingShape,
    x: &'a [f32],
    first: usize,
    y: &'a mut [f32],
    mask: &'a mut [u32],
}

impl Kernel for Forward<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let (pool, c) = (self.pool, self.pool.c);
        let ([oh, ow], image) = (pool.out(), pool.h * pool.w);
        let outputs = self.y.chunks_exact_mut(ow * c).zip(self.mask.chunks_exact_mut(ow * c));
        for (r, (y, mask)) in outputs.enumerate() {
            let (n, oi) = ((self.first + r) / oh, (self.first + r) % oh);
            let (x, rows) = (Image::new(self.x, c, n * image, image), pool.window(0, oi));
            for (oj, (y, mask)) in y.chunks_exact_mut(c).zip(mask.chunks_exact_mut(c)).enumerate() {
                let (rows, cols) = (rows.clone(), pool.window(1, oj));
                if rows.is_empty() || cols.is_empty() {
                    y.fill(f32::MIN);
                    mask.fill(u32::MAX);
                    continue;
                }
                strips::each(s, c, &mut Window { x, rows, cols, width: pool.w, y, mask });
            }
        }
    }
}

/// One window, and where its maxima go.
struct Window<'a> {
    x: Image<'a, f32>,
    rows: Range<usize>,
    cols: Range<usize>,
    width: usize,
    y: &'a mut [f32],
    mask: &'a mut [u32],
}

impl Strip for Window<'_> {
    #[inline(always)]
    fn run<S: Lanes, const V: usize>(&mut self, s: S, at: Vectors<V>) {
        let first = self.rows.start * self.width + self.cols.start;
        let mut best = at.load(s, self.x, first);
        let mut which = [number(s, first); V];
        let mut seen = 1;
        for i in self.rows.clone() {
            let row = i * self.width;
            for pixel in row + self.cols.start + seen..row + self.cols.end {
                let (x, pixel) = (at.load(s, self.x, pixel), number(s, pixel));
                for v in 0..V {
                    [best[v], which[v]] = s.larger([best[v], which[v]], x[v], pixel);
                }
            }
            seen = 0;
        }
        at.store(s, self.y, best);
        at.store(s, self.mask, which);
    }
}

/// Sends each gradient to the pixel its value came from, through the ReLU that made the input if there
/// is one.
///
/// * `dy`: (n, out height, out width, c)
/// * `mask`: as `dy`, from [`max_forward`]
/// * `dx`, and the ReLU's output: (n, h, w, c); `dx` is overwritten
///
/// # Panics
///
/// If an operand does not fit `pool`.
pub fn max_backward(
    cpu: &Cpu,
    pool: &PoolingShape,
    (dy, mask): (&[f32], &[u32]),
    relu: Option<ReluMask<'_>>,
    dx: &mut [f32],
) {
    pool.check(dx.len(), dy.len());
    assert_eq!(mask.len(), dy.len(), "mask of {pool:?}");
    assert!(relu.is_none_or(|relu| relu.y.len() == dx.len()), "the ReLU's output of {pool:?}");
    if dx.is_empty() {
        return;
    }
    let row = pool.w * pool.c;
    let rows = rows_of_a_task(row);
    cpu.run_chunks(dx, rows * row, |task, dx| {
        let relu = Relu::new(relu, pool.c, task * rows * pool.w, dx.len());
        cpu.enter(Backward { pool, dy, mask, first: task * rows, relu, dx });
    });
}

/// Some rows of inputs, counted through all images.
struct Backward<'a> {
    pool: &'a PoolingShape,
    dy: &'a [f32],
    mask: &'a [u32],
    first: usize,
    relu: Relu<'a>,
    dx: &'a mut [f32],
}

impl Kernel for Backward<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let (pool, c) = (self.pool, self.pool.c);
        let ([oh, ow], line) = (pool.out(), pool.w * c);
        for (r, dx) in self.dx.chunks_exact_mut(line).enumerate() {
            let (n, i) = ((self.first + r) / pool.h, (self.first + r) % pool.h);
            let dy = Image::new(self.dy, c, n * oh * ow, oh * ow);
            let mask = Image::new(self.mask, c, n * oh * ow, oh * ow);
            let rows = pool.windows_over(0, i);
            for (j, (dx, cols)) in dx.chunks_exact_mut(c).zip(pool.windows_along(1)).enumerate() {
                let (pixel, rows) = (i * pool.w + j, rows.clone());
                let relu = self.relu.at(r * pool.w + j);
                strips::each(s, c, &mut Pixel { dy, mask, pixel, rows, cols, ow, relu, dx });
            }
        }
    }
}

/// A pixel of the input, and the windows over it.
struct Pixel<'a> {
    dy: Image<'a, f32>,
    mask: Image<'a, u32>,
    pixel: usize,
    rows: Range<usize>,
    cols: Range<usize>,
    ow: usize,
    relu: Relu<'a>,
    dx: &'a mut [f32],
}

impl Strip for Pixel<'_> {
    /// Adds what the windows send here, in the order of the outputs.
    #[inline(always)]
    fn run<S: Lanes, const V: usize>(&mut self, s: S, at: Vectors<V>) {
        let pixel = number(s, self.pixel);
        let mut sums = [s.splat(0.0); V];
        for oi in self.rows.clone() {
            let row = oi * self.ow;
            for output in row + self.cols.start..row + self.cols.end {
                let (dy, mask) = (at.load(s, self.dy, output), at.load(s, self.mask, output));
                for v in 0..V {
                    sums[v] = s.add(sums[v], s.where_same(mask[v], pixel, dy[v]));
                }
            }
        }
        at.store(s, self.dx, self.relu.apply(s, at, sums));
    }
}

/// A pixel's number in the mask, as bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "blobs hold fewer than 2^31 values")]
fn number<S: Lanes>(s: S, pixel: usize) -> S::F {
    s.splat(f32::from_bits(pixel as u32))
}
