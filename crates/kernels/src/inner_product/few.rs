//! Gradients of few images, at the speed at which `W` is read or written.
//!
//! Both read their wide operand in place ([`Strip`]): `dx` is the sum of rows of `W`, four at a time, on a block
//! of `dx` that stays in L1; `dw`'s rows are sums of images, of which there are few enough to add all at once. Long
//! stretches of rows are what the CPU's own prefetching is best at; asking for rows ahead made it slower.

use crate::{
    cpu::{Cpu, Pieces},
    inner_product::{
        InnerProductShape,
        strip::{ROWS, Strip},
    },
    layout, pack,
    simd::{Kernel, Lanes},
    view::Write,
};

/// Floats of a cache line.
const LINE: usize = 16;
/// Floats of `x` that are to stay in L2.
const RUN: usize = 1 << 15;
/// Rows of `W` that are added to `dx` at a time.
const DEPTH: usize = 4;
/// Floats of `dx` in a task, of all images together: 32 KiB.
const DATA_TASK: usize = 1 << 13;
/// Most columns of `dx` in a task.
const DATA_COLS: usize = 1 << 10;
/// Floats of `dw` in a task.
const WEIGHTS_TASK: usize = 1 << 16;
/// Rows of `dw` in a tile.
const WEIGHTS_ROWS: usize = 4;

/// As [`backward_data`](super::backward_data), for images that are few but not none.
pub(super) fn backward_data(
    cpu: &Cpu,
    ip: InnerProductShape,
    dy: &[f32],
    weights: &[f32],
    dx: &mut [f32],
) {
    // Tasks of one size, and an even number, so that two threads end together.
    let most = (DATA_TASK / ip.n).clamp(LINE, DATA_COLS);
    let tasks = ip.d.div_ceil(most).next_multiple_of(2).max(2);
    let cols = ip.d.div_ceil(tasks).next_multiple_of(LINE).max(LINE);
    let dx = Pieces::new(dx, 1);
    with_turned(cpu, ip, dy, |dy| {
        // A line between rows, as L1 does not keep many that are a power of two apart.
        let stride = cols + LINE;
        cpu.run_scratch(ip.d.div_ceil(cols), ip.n * stride, |task, sums| {
            let first = task * cols;
            let cols = cols.min(ip.d - first);
            cpu.enter(Data { ip, dy, weights, first, cols, sums, stride });
            for (image, sums) in sums.chunks_exact(stride).enumerate() {
                // SAFETY: these columns are this task's alone.
                unsafe { dx.range(image * ip.d + first, cols) }.copy_from_slice(&sums[..cols]);
            }
        });
    });
}

/// Columns `first..first + cols` of `dx`.
struct Data<'a> {
    ip: InnerProductShape,
    /// See [`with_turned`].
    dy: &'a [f32],
    weights: &'a [f32],
    first: usize,
    cols: usize,
    /// `n` rows of `cols`, `stride` apart.
    sums: &'a mut [f32],
    stride: usize,
}

impl Kernel for Data<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let InnerProductShape { n, d, k } = self.ip;
        // `k = 0` is an empty sum, which must still be written.
        for from in (0..k.max(1)).step_by(DEPTH) {
            for images in pack::even_runs(n, ROWS) {
                let image = images.start;
                let strip = Strip {
                    a: self.dy.as_ptr().wrapping_add(image * k + from * images.len()),
                    a_stride: images.len(),
                    b: self.weights.as_ptr().wrapping_add(from * d + self.first),
                    b_stride: d,
                    c: self.sums[image * self.stride..].as_mut_ptr(),
                    c_stride: self.stride,
                    add: from > 0,
                    len: DEPTH.min(k - from),
                    cols: self.cols,
                };
                // SAFETY: images, rows `from..from + len` and columns exist, as the operands' lengths
                // were checked.
                unsafe { strip.run(s, images.len()) };
            }
        }
    }
}

/// As [`backward_weights`](super::backward_weights), for few images.
pub(super) fn backward_weights(
    cpu: &Cpu,
    ip: InnerProductShape,
    x: &[f32],
    dy: &[f32],
    write: Write,
    dw: &mut [f32],
) {
    let rows = (WEIGHTS_TASK / ip.d.max(1)).max(1).next_multiple_of(WEIGHTS_ROWS);
    cpu.run_chunks(dw, rows * ip.d.max(1), |task, dw| {
        cpu.enter(Weights { ip, x, dy, write, dw, first: task * rows });
    });
}

/// Rows of `dw` from `first` on.
struct Weights<'a> {
    ip: InnerProductShape,
    x: &'a [f32],
    dy: &'a [f32],
    write: Write,
    dw: &'a mut [f32],
    first: usize,
}

impl Kernel for Weights<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let InnerProductShape { n, d, k } = self.ip;
        let rows = self.dw.len() / d;
        for (col, cols) in runs(self.ip) {
            for row in (0..rows).step_by(WEIGHTS_ROWS) {
                let strip = Strip {
                    a: self.dy.as_ptr().wrapping_add(self.first + row),
                    a_stride: k,
                    b: self.x.as_ptr().wrapping_add(col),
                    b_stride: d,
                    c: self.dw[row * d + col..].as_mut_ptr(),
                    c_stride: d,
                    add: self.write == Write::Add,
                    len: n,
                    cols,
                };
                // SAFETY: images, these columns and these rows of `dw` exist, as the operands' lengths
                // were checked.
                unsafe { strip.run(s, WEIGHTS_ROWS.min(rows - row)) };
            }
        }
    }
}

/// Columns of (n, d) in runs, as (first, how many), so that a run of all images stays in L2.
fn runs(ip: InnerProductShape) -> impl Iterator<Item = (usize, usize)> {
    let len = (RUN / ip.n.max(1)).next_multiple_of(LINE);
    (0..ip.d).step_by(len).map(move |first| (first, len.min(ip.d - first)))
}

/// Lends `dy`, (n, k), with groups of up to eight images turned to (k, images): what a tile needs of an output
/// lies side by side.
fn with_turned(cpu: &Cpu, ip: InnerProductShape, dy: &[f32], body: impl FnOnce(&[f32])) {
    cpu.with_shared(dy.len(), |turned| {
        for images in pack::even_runs(ip.n, ROWS) {
            let part = images.start * ip.k..images.end * ip.k;
            let (dy, turned) = (&dy[part.clone()], &mut turned[part]);
            layout::to_channels_last(cpu, 1, images.len(), ip.k, dy, turned);
        }
        body(turned);
    });
}
