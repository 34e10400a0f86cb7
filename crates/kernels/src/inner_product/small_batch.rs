//! Gradients of small batches, at the speed at which `W` is read or written.
//!
//! Both read their wide operand unpacked ([`GemmStrip`]): `dx` is a sum of rows of `W`, four at a
//! time, on a block of `dx` that stays in L1; rows of `dw` are sums over images, of which there are
//! few enough to add all in one pass. Rows are long, which the hardware prefetcher handles well;
//! software prefetch would slow it down.

use crate::{
    cpu::{Cpu, DisjointMut},
    inner_product::{
        InnerProductShape,
        strip::{GemmStrip, ROWS},
    },
    layout, pack,
    simd::{Kernel, SimdLanes},
    view::Write,
};

/// Floats of a cache line.
const LINE: usize = 16;
/// Floats of `x` that stay in L2.
const X_FLOATS: usize = 1 << 15;
/// Rows of `W` that are added to `dx` in one pass.
const DEPTH: usize = 4;
/// Floats of `dx` in a task, all images together: 32 KiB.
const DATA_TASK: usize = 1 << 13;
/// Upper bound of the columns of `dx` in a task.
const DATA_COLS: usize = 1 << 10;
/// Floats of `dw` in a task.
const WEIGHTS_TASK: usize = 1 << 16;
/// Rows of `dw` in a tile.
const WEIGHTS_ROWS: usize = 4;

/// As [`backward_data`](super::backward_data), for a small batch that is not empty.
pub(super) fn backward_data(
    cpu: &Cpu,
    ip: InnerProductShape,
    dy: &[f32],
    weights: &[f32],
    dx: &mut [f32],
) {
    // Tasks of equal size and even number, so that two threads finish together.
    let max = (DATA_TASK / ip.n).clamp(LINE, DATA_COLS);
    let tasks = ip.d.div_ceil(max).next_multiple_of(2).max(2);
    let cols = ip.d.div_ceil(tasks).next_multiple_of(LINE).max(LINE);
    let dx = DisjointMut::new(dx, 1);
    with_transposed(cpu, ip, dy, |dy| {
        // One cache line between rows: rows a power of two apart would cause cache-set conflicts in
        // L1.
        let stride = cols + LINE;
        cpu.run_scratch(ip.d.div_ceil(cols), ip.n * stride, |task, sums| {
            let first = task * cols;
            let cols = cols.min(ip.d - first);
            cpu.enter(SmallBatchData { ip, dy, weights, first, cols, sums, stride });
            for (image, sums) in sums.chunks_exact(stride).enumerate() {
                // SAFETY: these columns belong to this task only.
                unsafe { dx.range(image * ip.d + first, cols) }.copy_from_slice(&sums[..cols]);
            }
        });
    });
}

/// Columns `first..first + cols` of `dx`.
struct SmallBatchData<'a> {
    ip: InnerProductShape,
    /// See [`with_transposed`].
    dy: &'a [f32],
    weights: &'a [f32],
    first: usize,
    cols: usize,
    /// `n` rows of `cols`, `stride` apart.
    sums: &'a mut [f32],
    stride: usize,
}

impl Kernel for SmallBatchData<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let InnerProductShape { n, d, k } = self.ip;
        // `k = 0` is an empty sum, which must still be written.
        for from in (0..k.max(1)).step_by(DEPTH) {
            for images in pack::even_ranges(n, ROWS) {
                let image = images.start;
                let strip = GemmStrip {
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
                // SAFETY: images, rows `from..from + len` and columns exist, as the operands'
                // lengths were checked.
                unsafe { strip.run(s, images.len()) };
            }
        }
    }
}

/// As [`backward_weights`](super::backward_weights), for a small batch.
pub(super) fn backward_weights(
    cpu: &Cpu,
    ip: InnerProductShape,
    x: &[f32],
    dy: &[f32],
    write: Write,
    dw: &mut [f32],
) {
    let rows = (WEIGHTS_TASK / ip.d.max(1)).max(1).next_multiple_of(WEIGHTS_ROWS);
    cpu.run_blocks(dw, rows * ip.d.max(1), |task, dw| {
        cpu.enter(SmallBatchWeights { ip, x, dy, write, dw, first: task * rows });
    });
}

/// Rows of `dw` from `first` on.
struct SmallBatchWeights<'a> {
    ip: InnerProductShape,
    x: &'a [f32],
    dy: &'a [f32],
    write: Write,
    dw: &'a mut [f32],
    first: usize,
}

impl Kernel for SmallBatchWeights<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let InnerProductShape { n, d, k } = self.ip;
        let rows = self.dw.len() / d;
        for (col, cols) in column_blocks(self.ip) {
            for row in (0..rows).step_by(WEIGHTS_ROWS) {
                let strip = GemmStrip {
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
                // SAFETY: images, these columns and these rows of `dw` exist, as the operands'
                // lengths were checked.
                unsafe { strip.run(s, WEIGHTS_ROWS.min(rows - row)) };
            }
        }
    }
}

/// Blocks of columns of (n, d), as (first, count), so that a block of all images stays in L2.
fn column_blocks(ip: InnerProductShape) -> impl Iterator<Item = (usize, usize)> {
    let len = (X_FLOATS / ip.n.max(1)).next_multiple_of(LINE);
    (0..ip.d).step_by(len).map(move |first| (first, len.min(ip.d - first)))
}

/// Lends `dy`, (n, k), with groups of up to eight images transposed to (k, images): the values that
/// a tile needs of one output are contiguous.
fn with_transposed(cpu: &Cpu, ip: InnerProductShape, dy: &[f32], body: impl FnOnce(&[f32])) {
    cpu.with_shared(dy.len(), |transposed| {
        for images in pack::even_ranges(ip.n, ROWS) {
            let block = images.start * ip.k..images.end * ip.k;
            let (dy, transposed) = (&dy[block.clone()], &mut transposed[block]);
            layout::to_channels_last(cpu, 1, images.len(), ip.k, dy, transposed);
        }
        body(transposed);
    });
}
