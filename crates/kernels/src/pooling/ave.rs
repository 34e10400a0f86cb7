//! AVE pooling.

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

/// Most pixels of a window that is added strip by strip. Strips of many pixels, some KiB apart (GoogLeNet's last
/// pooling has 49 of 4 KiB), would compete for the same few places in L1.
const STRIP_PIXELS: usize = 32;

/// Mean of each window.
///
/// * `x`: (n, h, w, c)
/// * `y`: (n, out height, out width, c)
///
/// # Panics
///
/// If an operand does not fit `pool`.
pub fn ave_forward(cpu: &Cpu, pool: &PoolingShape, x: &[f32], y: &mut [f32]) {
    pool.check(x.len(), y.len());
    if y.is_empty() {
        return;
    }
    let row = pool.out()[1] * pool.c;
    let rows = rows_of_a_task(row);
    cpu.run_chunks(y, rows * row, |task, y| {
        cpu.enter(Forward { pool, x, first: task * rows, y });
    });
}

/// Some rows of outputs, counted through all images.
struct Forward<'a> {
    pool: &'a PoolingShape,
    x: &'a [f32],
    first: usize,
    y: &'a mut [f32],
}

impl Kernel for Forward<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let (pool, c) = (self.pool, self.pool.c);
        let ([oh, ow], image) = (pool.out(), pool.h * pool.w);
        for (r, y) in self.y.chunks_exact_mut(ow * c).enumerate() {
            let (n, oi) = ((self.first + r) / oh, (self.first + r) % oh);
            let (x, rows) = (Image::new(self.x, c, n * image, image), pool.window(0, oi));
            for (oj, y) in y.chunks_exact_mut(c).enumerate() {
                let (rows, cols) = (rows.clone(), pool.window(1, oj));
                let share = share(pool, oi, oj);
                if pool.kernel[0] * pool.kernel[1] > STRIP_PIXELS {
                    add_pixels(pool, x.data(), [rows, cols], share, y);
                    continue;
                }
                strips::each(s, c, &mut Window { x, rows, cols, width: pool.w, share, y });
            }
        }
    }
}

/// A large window, pixel by pixel.
#[inline(always)]
fn add_pixels(
    pool: &PoolingShape,
    x: &[f32],
    [rows, cols]: [Range<usize>; 2],
    share: f32,
    y: &mut [f32],
) {
    y.fill(0.0);
    for i in rows {
        for j in cols.clone() {
            let x = &x[(i * pool.w + j) * pool.c..][..pool.c];
            y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
        }
    }
    y.iter_mut().for_each(|y| *y *= share);
}

/// One window, and where its means go.
struct Window<'a> {
    x: Image<'a, f32>,
    rows: Range<usize>,
    cols: Range<usize>,
    width: usize,
    share: f32,
    y: &'a mut [f32],
}

impl Strip for Window<'_> {
    #[inline(always)]
    fn run<S: Lanes, const V: usize>(&mut self, s: S, at: Vectors<V>) {
        let zero = s.splat(0.0);
        let mut sums = [zero; V];
        for i in self.rows.clone() {
            for pixel in i * self.width + self.cols.start..i * self.width + self.cols.end {
                let x = at.load(s, self.x, pixel);
                for v in 0..V {
                    sums[v] = s.add(sums[v], x[v]);
                }
            }
        }
        let share = s.splat(self.share);
        for sum in &mut sums {
            *sum = s.fma(*sum, share, zero);
        }
        at.store(s, self.y, sums);
    }
}

/// Spreads each gradient evenly over its window, through the ReLU that made the input if there is one.
///
/// * `dy`: (n, out height, out width, c)
/// * `dx`, and the ReLU's output: (n, h, w, c); `dx` is overwritten
///
/// # Panics
///
/// If an operand does not fit `pool`.
pub fn ave_backward(
    cpu: &Cpu,
    pool: &PoolingShape,
    dy: &[f32],
    relu: Option<ReluMask<'_>>,
    dx: &mut [f32],
) {
    pool.check(dx.len(), dy.len());
    assert!(relu.is_none_or(|relu| relu.y.len() == dx.len()), "the ReLU's output of {pool:?}");
    if dx.is_empty() {
        return;
    }
    let row = pool.w * pool.c;
    let rows = rows_of_a_task(row);
    cpu.run_chunks(dx, rows * row, |task, dx| {
        let relu = Relu::new(relu, pool.c, task * rows * pool.w, dx.len());
        cpu.enter(Backward { pool, dy, first: task * rows, relu, dx });
    });
}

/// Some rows of inputs, counted through all images.
struct Backward<'a> {
    pool: &'a PoolingShape,
    dy: &'a [f32],
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
        let whole = 1.0 / (pool.kernel[0] * pool.kernel[1]) as f32;
        for (r, dx) in self.dx.chunks_exact_mut(line).enumerate() {
            let (n, i) = ((self.first + r) / pool.h, (self.first + r) % pool.h);
            let dy = Image::new(self.dy, c, n * oh * ow, oh * ow);
            let rows = pool.windows_over(0, i);
            for (j, (dx, cols)) in dx.chunks_exact_mut(c).zip(pool.windows_along(1)).enumerate() {
                let relu = self.relu.at(r * pool.w + j);
                let whole = are_whole(pool, [&rows, &cols]).then_some(whole);
                let rows = rows.clone();
                strips::each(s, c, &mut Pixel { pool, dy, rows, cols, ow, whole, relu, dx });
            }
        }
    }
}

/// A pixel of the input, and the windows over it.
struct Pixel<'a> {
    pool: &'a PoolingShape,
    dy: Image<'a, f32>,
    rows: Range<usize>,
    cols: Range<usize>,
    ow: usize,
    /// The share of all windows, if they are as large as the kernel: others are divided one by one.
    whole: Option<f32>,
    relu: Relu<'a>,
    dx: &'a mut [f32],
}

impl Strip for Pixel<'_> {
    /// Adds its share of what the windows send, in the order of the outputs.
    #[inline(always)]
    fn run<S: Lanes, const V: usize>(&mut self, s: S, at: Vectors<V>) {
        let mut sums = [s.splat(0.0); V];
        for oi in self.rows.clone() {
            for oj in self.cols.clone() {
                let dy = at.load(s, self.dy, oi * self.ow + oj);
                let share = match self.whole {
                    Some(share) => share,
                    None => share(self.pool, oi, oj),
                };
                let share = s.splat(share);
                for v in 0..V {
                    sums[v] = s.fma(dy[v], share, sums[v]);
                }
            }
        }
        at.store(s, self.dx, self.relu.apply(s, at, sums));
    }
}

/// Whether windows are as large as the kernel: if the last is, all are.
#[inline(always)]
fn are_whole(pool: &PoolingShape, windows: [&Range<usize>; 2]) -> bool {
    let extent = [0, 1].map(
        #[inline(always)]
        |axis| pool.extent(axis, windows[axis].end.saturating_sub(1)),
    );
    extent == pool.kernel
}

/// What each pixel of window (oi, oj) counts for; those in the padding count too.
#[inline(always)]
fn share(pool: &PoolingShape, oi: usize, oj: usize) -> f32 {
    1.0 / (pool.extent(0, oi) * pool.extent(1, oj)).max(1) as f32
}
