//! Matrix product `C = A·B` or `C += A·B`, any strides.
//!
//! Blocking after Goto and van de Geijn (2008). A task computes a block of C. For each slice of the
//! reduction it packs its block of B into panels of 16 columns and multiplies the rows of A by
//! them, as many rows at a time as L2 holds. Rows of A are read in place if the reduction is
//! contiguous in them, else packed six at a time.
//!
//! Rows in place use long slices: a panel larger than L1 streams from L2 fast enough, whereas short
//! slices of rows that lie 4 KiB apart map to a quarter of the cache sets of L1 and L2 (cache-set
//! conflicts).
//!
//! If B is tall and its columns are contiguous (`x·Wᵀ` of an inner product), packing it would cost
//! more than it saves. Then `Cᵀ = Bᵀ·Aᵀ` is computed instead, and the small A is packed.
//!
//! Blocks follow from the shape alone, so the sums do not depend on the number of threads.

use crate::{
    cpu::{Cpu, DisjointMut},
    pack,
    simd::{Kernel, SimdLanes},
    tile::{self, COLS, KSlice, Panels, ROWS, TileInit, TileOutput},
    view::{MatrixView, StridedRowsMut, Write},
};

/// Upper bound of the rows of C in a task.
const BLOCK_ROWS: usize = 32 * ROWS;
/// Lower bound of the columns of C in a task, if there are that many.
const BLOCK_COLS: usize = 128;
/// Floats of A that are multiplied by all panels before the next rows are read: 192 KiB, for L2.
const L2_FLOATS: usize = 48 << 10;
/// Up to this depth a tile of A is smaller than a panel of B, and stays in L1 instead of the panel.
const SHALLOW: usize = 64;

/// Up to this many rows of C, reading B costs as much as multiplying by it.
const FEW_ROWS: usize = 64;

/// `C = A·B` ([`Write::Set`]) or `C += A·B` ([`Write::Add`]).
///
/// * `a`: (m, k)
/// * `b`: (k, n)
/// * `c`: m rows of n
///
/// # Panics
///
/// If an operand is shorter than its shape says.
#[expect(clippy::many_single_char_names, reason = "BLAS's names")]
pub fn gemm(
    cpu: &Cpu,
    m: usize,
    n: usize,
    k: usize,
    a: MatrixView<'_>,
    b: MatrixView<'_>,
    write: Write,
    c: StridedRowsMut<'_>,
) {
    a.check(m, k);
    b.check(k, n);
    c.check(m, n);
    let (stride, offset) = (c.stride, c.offset);
    let c = DisjointMut::new(c.data, 1);
    let straight = GemmProduct { m, n, k, a, b, write, c: &c, offset, steps: (stride, 1) };
    if b.row_stride == 1 && b.col_stride != 1 && n > m {
        let transposed = GemmProduct {
            m: n,
            n: m,
            a: b.transpose(),
            b: a.transpose(),
            steps: (1, stride),
            ..straight
        };
        transposed.run(cpu);
    } else {
        straight.run(cpu);
    }
}

/// One product: element (i, j) of C is at `c[offset + i * steps.0 + j * steps.1]`.
#[derive(Clone, Copy)]
struct GemmProduct<'a> {
    m: usize,
    n: usize,
    k: usize,
    a: MatrixView<'a>,
    b: MatrixView<'a>,
    write: Write,
    c: &'a DisjointMut<'a, f32>,
    offset: usize,
    steps: (usize, usize),
}

impl GemmProduct<'_> {
    /// Depth of a slice of the reduction: steps between two updates of C.
    fn depth(&self) -> usize {
        match (self.m, self.n) {
            // Few columns: the whole block of B fits, and long rows of A suit the hardware
            // prefetcher.
            (_, ..=32) => 1024,
            (_, ..=64) => 512,
            // Few rows: B is streamed; shallow blocks have long rows.
            (..=FEW_ROWS, _) => 128,
            _ if self.a.col_stride == 1 => 1024,
            // A panel of 16 columns is 16 KiB, and the packed rows of A fit into L2.
            _ => 256,
        }
    }

    /// Rows and columns of a task. Tasks have nearly equal sizes and an even number, for two
    /// threads.
    fn block(&self, depth: usize) -> (usize, usize) {
        // Wider blocks if they are shallow, or if several panels amortise the packing of A.
        let packed = self.a.col_stride != 1 && depth > SHALLOW;
        let cols = BLOCK_COLS * (256 / depth).max(1) * if packed { 2 } else { 1 };
        let (mut tall, wide) = (self.m.div_ceil(BLOCK_ROWS), self.n.div_ceil(cols));
        if tall * wide > 1 && tall * wide % 2 == 1 {
            tall += 1;
        }
        let rows = self.m.div_ceil(tall).next_multiple_of(ROWS);
        (rows, self.n.div_ceil(wide).next_multiple_of(COLS))
    }

    fn run(&self, cpu: &Cpu) {
        if self.m == 0 || self.n == 0 {
            return;
        }
        let depth = self.depth().min(self.k).max(1);
        let (block_rows, block_cols) = self.block(depth);
        let (tall, wide) = (self.m.div_ceil(block_rows), self.n.div_ceil(block_cols));
        let b_len = depth * Panels::new(block_cols).packed_cols();
        let a_len =
            if self.a.col_stride == 1 { 0 } else { pack::tile_len(depth) * (block_rows / ROWS) };
        cpu.run_scratch(tall * wide, a_len + b_len, |task, scratch| {
            let (row, col) = (task % tall * block_rows, task / tall * block_cols);
            let (a_scratch, b_scratch) = scratch.split_at_mut(a_len);
            let rows = block_rows.min(self.m - row);
            let cols = block_cols.min(self.n - col);
            cpu.enter(GemmBlock { of: *self, row, col, rows, cols, a_scratch, b_scratch });
        });
    }
}

/// A task: rows `row..row + rows` and columns `col..col + cols` of C.
struct GemmBlock<'a> {
    of: GemmProduct<'a>,
    row: usize,
    col: usize,
    rows: usize,
    cols: usize,
    a_scratch: &'a mut [f32],
    b_scratch: &'a mut [f32],
}

impl Kernel for GemmBlock<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(mut self, s: S) {
        // `k = 0` is an empty sum, which must still be written: one slice of depth 0.
        let (mut from, max) = (0, self.of.depth());
        loop {
            let depth = max.min(self.of.k - from);
            self.add_slice(s, from, depth);
            from += depth;
            if from == self.of.k {
                break;
            }
        }
    }
}

impl GemmBlock<'_> {
    /// Adds steps `from..from + depth` of the reduction.
    #[inline(always)]
    fn add_slice<S: SimdLanes>(&mut self, s: S, from: usize, depth: usize) {
        let of = self.of;
        pack::panels(s, of.b, (from, depth), (self.col, self.cols), self.b_scratch);
        let in_place = of.a.col_stride == 1;
        if !in_place {
            pack::tiles(s, of.a, (self.row, self.rows), (from, depth), self.a_scratch);
        }
        let start = match of.write {
            Write::Set if from == 0 => TileInit::Zero,
            Write::Set | Write::Add => TileInit::Output,
        };
        let panels = Panels::new(self.cols).count();
        if depth <= SHALLOW {
            for row in (0..self.rows).step_by(ROWS) {
                // Not `for_each`: a closure that is not inlined is compiled without the level's
                // instructions.
                for panel in 0..panels {
                    self.tile(s, (from, depth), (row, panel), start);
                }
            }
            return;
        }
        let max = (L2_FLOATS / depth).max(ROWS) / ROWS * ROWS;
        for first in (0..self.rows).step_by(max) {
            for panel in 0..panels {
                for row in (first..self.rows.min(first + max)).step_by(ROWS) {
                    self.tile(s, (from, depth), (row, panel), start);
                }
            }
        }
    }

    /// Adds the packed steps to one tile.
    #[inline(always)]
    fn tile<S: SimdLanes>(
        &self,
        s: S,
        (from, depth): (usize, usize),
        (row, panel): (usize, usize),
        start: TileInit,
    ) {
        let of = self.of;
        let in_place = of.a.col_stride == 1;
        let panels = Panels::new(self.cols);
        let b = self.b_scratch[panel * COLS * depth..].as_ptr();
        let col = self.col + panel * COLS;
        let valid = ROWS.min(self.rows - row);
        let mut a = [std::ptr::null(); ROWS];
        let mut c = [std::ptr::null_mut(); ROWS];
        for i in 0..ROWS {
            // Rows past the end repeat the last row: they are read, and not written.
            let at = self.row + row + i.min(valid - 1);
            a[i] = if in_place {
                of.a.at(at, from)
            } else {
                self.a_scratch[row / ROWS * pack::tile_len(depth) + i..].as_ptr()
            };
            c[i] = of.c.pointer(of.offset + at * of.steps.0 + col * of.steps.1);
        }
        let step = if in_place { 1 } else { ROWS };
        let output = TileOutput { rows: &c, valid, cols: panels.cols(panel), step: of.steps.1 };
        let (width, slice) = (panels.width(panel), KSlice { rows: a, panel_row: 0, len: depth });
        // SAFETY: `a` and `c` point into operands whose extents `gemm` checked (or into packed
        // blocks), `b` into the packed panel, and only this task writes its block.
        unsafe { tile::sum_panel(s, width, &[slice], step, b, (start, None), &output) };
    }
}

#[cfg(test)]
mod tests;
