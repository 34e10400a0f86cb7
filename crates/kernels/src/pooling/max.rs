//! MAX pooling.

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

/// Largest value of each window, and its position.
///
/// * `x`: (n, h, w, c)
/// * `y`: (n, out height, out width, c)
/// * `mask`: as `y`; pixel `i · w + j` of the first largest value, Caffe's mask
///
/// A NaN that comes first in a window stays. A window without pixels (stride beyond the kernel)
/// gives the smallest float and the mask `u32::MAX`.
///
/// # Panics
///
/// If an operand does not fit `shape`.
pub fn max_forward(cpu: &Cpu, shape: &PoolingShape, x: &[f32], y: &mut [f32], mask: &mut [u32]) {
    shape.check(x.len(), y.len());
    assert_eq!(mask.len(), y.len(), "mask of {shape:?}");
    if y.is_empty() {
        return;
    }
    let row = shape.out()[1] * shape.c;
    let rows = rows_per_task(row);
    cpu.run_blocks2((y, mask), [rows * row; 2], |task, y, mask| {
        cpu.enter(MaxForward { shape, x, rows: (task * rows, y.len() / row), y, mask });
    });
}

/// Some rows of outputs: the first, counted over all images, and their number.
struct MaxForward<'a> {
    shape: &'a PoolingShape,
    x: &'a [f32],
    rows: (usize, usize),
    y: &'a mut [f32],
    mask: &'a mut [u32],
}

impl Kernel for MaxForward<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let Self { shape, x, rows, y, mask } = self;
        let c = shape.c;
        let mut outputs = y.chunks_exact_mut(c).zip(mask.chunks_exact_mut(c));
        each_window(
            shape,
            rows,
            #[inline(always)]
            |pixels| PixelView::new(x, c, pixels),
            #[inline(always)]
            |x, PoolingWindow { rows, cols, .. }| {
                let Some((y, mask)) = outputs.next() else { return };
                if rows.is_empty() || cols.is_empty() {
                    y.fill(f32::MIN);
                    return mask.fill(u32::MAX);
                }
                let strip = &mut MaxWindow { x, rows, cols, width: shape.w, y, mask };
                strips::each(s, c, strip);
            },
        );
    }
}

/// One window, and where its maxima are stored.
struct MaxWindow<'a> {
    x: PixelView<'a, f32>,
    rows: Range<usize>,
    cols: Range<usize>,
    width: usize,
    y: &'a mut [f32],
    mask: &'a mut [u32],
}

impl ChannelStrip for MaxWindow<'_> {
    #[inline(always)]
    fn run<S: SimdLanes, const V: usize>(&mut self, s: S, at: StripVectors<V>) {
        let first = self.rows.start * self.width + self.cols.start;
        let mut best = at.load(s, self.x, first);
        let mut which = [pixel_bits(s, first); V];
        let mut seen = 1;
        for i in self.rows.clone() {
            let row = i * self.width;
            for pixel in row + self.cols.start + seen..row + self.cols.end {
                let (x, pixel) = (at.load(s, self.x, pixel), pixel_bits(s, pixel));
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

/// Adds each gradient to the pixel its value came from, through the ReLU that made the input if
/// there is one.
///
/// * `dy`: (n, out height, out width, c)
/// * `mask`: as `dy`, from [`max_forward`]
/// * `dx`, and the ReLU's output: (n, h, w, c); `dx` is overwritten
///
/// # Panics
///
/// If an operand does not fit `shape`.
pub fn max_backward(
    cpu: &Cpu,
    shape: &PoolingShape,
    (dy, mask): (&[f32], &[u32]),
    relu: Option<ReluMask<'_>>,
    dx: &mut [f32],
) {
    shape.check(dx.len(), dy.len());
    assert_eq!(mask.len(), dy.len(), "mask of {shape:?}");
    backward_tasks(cpu, shape, relu, dx, |first, relu, dx| {
        cpu.enter(MaxBackward { shape, dy, mask, first, relu, dx });
    });
}

/// Some rows of inputs from `first` on, counted over all images.
struct MaxBackward<'a> {
    shape: &'a PoolingShape,
    dy: &'a [f32],
    mask: &'a [u32],
    first: usize,
    relu: PixelMask<'a>,
    dx: &'a mut [f32],
}

impl Kernel for MaxBackward<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let Self { shape, dy, mask, first, relu, dx } = self;
        let (c, ow) = (shape.c, shape.out()[1]);
        each_pixel(
            (shape, c),
            first,
            dx,
            #[inline(always)]
            |outputs| {
                let dy = PixelView::new(dy, c, outputs.clone());
                (dy, PixelView::new(mask, c, outputs))
            },
            #[inline(always)]
            |(dy, mask), PooledPixel { rows, cols, pixel, index }, dx| {
                let relu = relu.at(index);
                let strip = &mut MaxPixel { dy, mask, pixel, rows, cols, ow, relu, dx };
                strips::each(s, c, strip);
            },
        );
    }
}

/// A pixel of the input, and the windows that contain it.
struct MaxPixel<'a> {
    dy: PixelView<'a, f32>,
    mask: PixelView<'a, u32>,
    pixel: usize,
    rows: Range<usize>,
    cols: Range<usize>,
    ow: usize,
    relu: PixelMask<'a>,
    dx: &'a mut [f32],
}

impl ChannelStrip for MaxPixel<'_> {
    /// Adds the gradients of the windows whose maximum is here, in the order of the outputs.
    #[inline(always)]
    fn run<S: SimdLanes, const V: usize>(&mut self, s: S, at: StripVectors<V>) {
        let pixel = pixel_bits(s, self.pixel);
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

/// A pixel's index, as the bits of a float.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "blobs hold fewer than 2^31 values")]
fn pixel_bits<S: SimdLanes>(s: S, pixel: usize) -> S::F {
    s.splat(f32::from_bits(pixel as u32))
}
