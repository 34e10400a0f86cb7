//! AVE pooling.

use std::ops::Range;

use crate::{
    cpu::Cpu,
    elementwise::ReluMask,
    pooling::{
        PoolingShape,
        strips::{self, ChannelStrip, PixelMask, PixelView, StripVectors},
        windows::{
            PooledPixel, PoolingWindow, backward_tasks, each_pixel, each_window, rows_per_task,
        },
    },
    simd::{Kernel, SimdLanes},
};

/// Largest window that is added strip by strip. In larger windows (GoogLeNet's last pooling has 49
/// pixels of 4 KiB) the pixels of a strip would cause cache-set conflicts in L1.
const STRIP_PIXELS: usize = 32;

/// Mean of each window.
///
/// * `x`: (n, h, w, c)
/// * `y`: (n, out height, out width, c)
///
/// # Panics
///
/// If an operand does not fit `shape`.
pub fn ave_forward(cpu: &Cpu, shape: &PoolingShape, x: &[f32], y: &mut [f32]) {
    shape.check(x.len(), y.len());
    if y.is_empty() {
        return;
    }
    let row = shape.out()[1] * shape.c;
    let rows = rows_per_task(row);
    cpu.run_blocks(y, rows * row, |task, y| {
        cpu.enter(AveForward { shape, x, rows: (task * rows, y.len() / row), y });
    });
}

/// Some rows of outputs: the first, counted over all images, and their number.
struct AveForward<'a> {
    shape: &'a PoolingShape,
    x: &'a [f32],
    rows: (usize, usize),
    y: &'a mut [f32],
}

impl Kernel for AveForward<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let Self { shape, x, rows, y } = self;
        let c = shape.c;
        let mut outputs = y.chunks_exact_mut(c);
        each_window(
            shape,
            rows,
            #[inline(always)]
            |pixels| PixelView::new(x, c, pixels),
            #[inline(always)]
            |x, PoolingWindow { rows, cols, output }| {
                let Some(y) = outputs.next() else { return };
                let weight = weight(shape, output);
                if shape.kernel[0] * shape.kernel[1] > STRIP_PIXELS {
                    return add_pixels(shape, x.data(), [rows, cols], weight, y);
                }
                let strip = &mut AveWindow { x, rows, cols, width: shape.w, weight, y };
                strips::each(s, c, strip);
            },
        );
    }
}

/// A large window, pixel by pixel.
#[inline(always)]
fn add_pixels(
    shape: &PoolingShape,
    x: &[f32],
    [rows, cols]: [Range<usize>; 2],
    weight: f32,
    y: &mut [f32],
) {
    y.fill(0.0);
    for i in rows {
        for j in cols.clone() {
            let x = &x[(i * shape.w + j) * shape.c..][..shape.c];
            y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
        }
    }
    y.iter_mut().for_each(|y| *y *= weight);
}

/// One window, and where its means are stored.
struct AveWindow<'a> {
    x: PixelView<'a, f32>,
    rows: Range<usize>,
    cols: Range<usize>,
    width: usize,
    weight: f32,
    y: &'a mut [f32],
}

impl ChannelStrip for AveWindow<'_> {
    #[inline(always)]
    fn run<S: SimdLanes, const V: usize>(&mut self, s: S, at: StripVectors<V>) {
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
        let weight = s.splat(self.weight);
        for sum in &mut sums {
            *sum = s.fma(*sum, weight, zero);
        }
        at.store(s, self.y, sums);
    }
}

/// Distributes each gradient evenly over its window, through the ReLU that made the input if there
/// is one.
///
/// * `dy`: (n, out height, out width, c)
/// * `dx`, and the ReLU's output: (n, h, w, c); `dx` is overwritten
///
/// # Panics
///
/// If an operand does not fit `shape`.
pub fn ave_backward(
    cpu: &Cpu,
    shape: &PoolingShape,
    dy: &[f32],
    relu: Option<ReluMask<'_>>,
    dx: &mut [f32],
) {
    shape.check(dx.len(), dy.len());
    backward_tasks(cpu, shape, relu, dx, |first, relu, dx| {
        cpu.enter(AveBackward { shape, dy, first, relu, dx });
    });
}

/// Some rows of inputs from `first` on, counted over all images.
struct AveBackward<'a> {
    shape: &'a PoolingShape,
    dy: &'a [f32],
    first: usize,
    relu: PixelMask<'a>,
    dx: &'a mut [f32],
}

impl Kernel for AveBackward<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let Self { shape, dy, first, relu, dx } = self;
        let c = shape.c;
        let (ow, full) = (shape.out()[1], 1.0 / (shape.kernel[0] * shape.kernel[1]) as f32);
        each_pixel(
            (shape, c),
            first,
            dx,
            #[inline(always)]
            |outputs| PixelView::new(dy, c, outputs),
            #[inline(always)]
            |dy, PooledPixel { rows, cols, index, .. }, dx| {
                let relu = relu.at(index);
                let full = are_full(shape, [&rows, &cols]).then_some(full);
                let strip = &mut AvePixel { shape, dy, rows, cols, ow, full, relu, dx };
                strips::each(s, c, strip);
            },
        );
    }
}

/// A pixel of the input, and the windows that contain it.
struct AvePixel<'a> {
    shape: &'a PoolingShape,
    dy: PixelView<'a, f32>,
    rows: Range<usize>,
    cols: Range<usize>,
    ow: usize,
    /// The weight of all windows, if they are as large as the kernel; else each is computed.
    full: Option<f32>,
    relu: PixelMask<'a>,
    dx: &'a mut [f32],
}

impl ChannelStrip for AvePixel<'_> {
    /// Adds the weighted gradients of the windows, in the order of the outputs.
    #[inline(always)]
    fn run<S: SimdLanes, const V: usize>(&mut self, s: S, at: StripVectors<V>) {
        let mut sums = [s.splat(0.0); V];
        for oi in self.rows.clone() {
            for oj in self.cols.clone() {
                let dy = at.load(s, self.dy, oi * self.ow + oj);
                let weight = match self.full {
                    Some(weight) => weight,
                    None => weight(self.shape, [oi, oj]),
                };
                let weight = s.splat(weight);
                for v in 0..V {
                    sums[v] = s.fma(dy[v], weight, sums[v]);
                }
            }
        }
        at.store(s, self.dx, self.relu.apply(s, at, sums));
    }
}

/// Whether windows are as large as the kernel: if the last is, all are.
#[inline(always)]
fn are_full(shape: &PoolingShape, windows: [&Range<usize>; 2]) -> bool {
    let extent = [0, 1].map(
        #[inline(always)]
        |axis| shape.extent(axis, windows[axis].end.saturating_sub(1)),
    );
    extent == shape.kernel
}

/// The weight of each pixel of a window: one over its size, padding included.
#[inline(always)]
fn weight(shape: &PoolingShape, [oi, oj]: [usize; 2]) -> f32 {
    1.0 / (shape.extent(0, oi) * shape.extent(1, oj)).max(1) as f32
}
