//! Gradients of a convolution with respect to weights and bias.
//!
//! `dw[k, (tap, c)] = Σ_pixel dy[pixel, k] · x[pixel · stride + tap, c]`: a product whose reduction
//! runs over all output pixels. A task owns some `k` and some panels of (tap, c); it walks its
//! pixels in blocks, packs `dy`'s block into tiles of six `k` (L2), one panel of `x` at a time into
//! (pixels, 16) (L1), and adds into its sums, kept tile by tile in scratch.
//!
//! Where the weights are too few to give all threads a part, the pixels are cut as well, into a
//! number of partial sums that follows from the shape; they are added in order at the end, when the
//! sums are put into Caffe's order.

use std::ops::Range;

use crate::{
    columns,
    conv::{Conv, runs::Runs},
    cpu::{Cpu, Pieces},
    pack::{self, even_runs},
    simd::{Kernel, Lanes},
    tile::{self, COLS, Panels, ROWS, Start, Target},
    view::{Mat, Rows, Write},
};

/// Output channels of a task: with `PIXELS`, 192 KiB of packed `dy`.
const BLOCK_K: usize = 64 * ROWS;
/// Pixels packed at a time.
const PIXELS: usize = 128;
/// Panels that share a packed block of `dy`, at least, if there are so many.
const PANELS: usize = 8;
/// Enough tasks to keep several threads busy to the end.
const TASKS: usize = 32;
/// Most partial sums.
const SPLITS: usize = 16;

/// `dw = Σ dy · x`, or `dw += ..`.
///
/// * `x`: (n, h, w, c)
/// * `dy`: n · out height · out width rows of k
/// * `dw`: (k, c / group, kernel height, kernel width)
///
/// # Panics
///
/// If an operand does not fit `conv`.
pub fn backward_weights(
    cpu: &Cpu,
    conv: &Conv,
    x: &[f32],
    dy: Rows<'_>,
    write: Write,
    dw: &mut [f32],
) {
    conv.check();
    assert_eq!(x.len(), conv.x_len(), "x of {conv:?}");
    dy.check(conv.out_pixels(), conv.k);
    assert_eq!(dw.len(), conv.weights_len(), "dw of {conv:?}");
    let runs = Runs::of(conv);
    let cut = Cut::of(conv, &runs);
    let sums_len = cut.splits * cut.sums_len;
    cpu.with_shared(sums_len + runs.copy_len(conv), |scratch| {
        let (sums, copy) = scratch.split_at_mut(sums_len);
        let x = runs.image(cpu, conv, x, copy);
        let work = Work { conv, runs: &runs, cut: &cut, x, dy, sums: Pieces::new(sums, 1) };
        let scratch_len = PIXELS * (BLOCK_K.min(cut.tiles * ROWS) + COLS);
        cpu.run_scratch(cut.tasks(), scratch_len, |task, scratch| {
            cpu.enter(Part::new(&work, task, scratch));
        });
        cut.collect(cpu, conv, sums, write, dw);
    });
}

/// `db[k] = Σ_pixel dy[pixel, k]`, or `db += ..`.
///
/// * `dy`: `rows` rows of k
/// * `db`: (k)
///
/// # Panics
///
/// If an operand is shorter than its shape says.
pub fn backward_bias(cpu: &Cpu, rows: usize, k: usize, dy: Rows<'_>, write: Write, db: &mut [f32]) {
    columns::sums_into(cpu, rows, k, dy, write, db);
}

/// How the work is cut; follows from the shape alone.
struct Cut {
    /// Tiles of six output channels in a group.
    tiles: usize,
    /// Runs of tiles, one a task.
    tile_runs: Vec<Range<usize>>,
    panels: Panels,
    /// Runs of panels, one a task.
    panel_runs: Vec<Range<usize>>,
    /// Partial sums over pixels.
    splits: usize,
    group: usize,
    /// Floats of one partial sum: (group, panels, tiles, 6, 16).
    sums_len: usize,
}

impl Cut {
    fn of(conv: &Conv, runs: &Runs) -> Self {
        let tiles = conv.group_k().div_ceil(ROWS);
        let panels = Panels::new(runs.taps.len() * runs.len);
        let tile_runs: Vec<_> = even_runs(tiles, BLOCK_K / ROWS).collect();
        let base = conv.group * tile_runs.len();
        let cuts = TASKS.div_ceil(base).min((panels.count() / PANELS).max(1));
        let panel_runs: Vec<_> = even_runs(panels.count(), panels.count().div_ceil(cuts)).collect();
        let blocks = conv.out_pixels().div_ceil(PIXELS);
        let splits = TASKS.div_ceil(base * panel_runs.len()).min(SPLITS).min(blocks).max(1);
        let sums_len = conv.group * panels.count() * tiles * ROWS * COLS;
        Self { tiles, tile_runs, panels, panel_runs, splits, group: conv.group, sums_len }
    }

    fn tasks(&self) -> usize {
        self.splits * self.group * self.tile_runs.len() * self.panel_runs.len()
    }

    /// Where the sums of a tile begin.
    fn tile_at(&self, split: usize, group: usize, panel: usize, tile: usize) -> usize {
        let before = (group * self.panels.count() + panel) * self.tiles + tile;
        split * self.sums_len + before * ROWS * COLS
    }

    /// Adds the partial sums in order and writes them in Caffe's order.
    fn collect(&self, cpu: &Cpu, conv: &Conv, sums: &[f32], write: Write, dw: &mut [f32]) {
        let (c, k, taps) = (conv.group_c(), conv.group_k(), conv.taps());
        cpu.run_chunks(dw, c * taps, |row, dw| {
            let (group, k) = (row / k, row % k);
            for panel in 0..self.panels.count() {
                let width = self.panels.width(panel);
                let at = self.tile_at(0, group, panel, k / ROWS) + k % ROWS * width;
                for j in 0..self.panels.cols(panel) {
                    let sum: f32 = (0..self.splits).map(|s| sums[at + s * self.sums_len + j]).sum();
                    let column = panel * COLS + j;
                    let into = &mut dw[column % c * taps + column / c];
                    match write {
                        Write::Set => *into = sum,
                        Write::Add => *into += sum,
                    }
                }
            }
        });
    }
}

/// What all tasks share.
struct Work<'a> {
    conv: &'a Conv,
    runs: &'a Runs,
    cut: &'a Cut,
    /// With its border, if it needs one.
    x: &'a [f32],
    dy: Rows<'a>,
    sums: Pieces<'a, f32>,
}

/// One task.
struct Part<'a> {
    of: &'a Work<'a>,
    split: usize,
    group: usize,
    tiles: Range<usize>,
    panels: Range<usize>,
    scratch: &'a mut [f32],
}

impl<'a> Part<'a> {
    fn new(of: &'a Work<'a>, task: usize, scratch: &'a mut [f32]) -> Self {
        let cut = of.cut;
        let (rest, split) = (task / cut.splits, task % cut.splits);
        let (rest, group) = (rest / cut.group, rest % cut.group);
        let tiles = cut.tile_runs[rest % cut.tile_runs.len()].clone();
        let panels = cut.panel_runs[rest / cut.tile_runs.len()].clone();
        Self { of, split, group, tiles, panels, scratch }
    }
}

impl Kernel for Part<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(mut self, s: S) {
        let pixels = self.of.conv.out_pixels();
        let blocks = pixels.div_ceil(PIXELS);
        let splits = self.of.cut.splits;
        let mine = blocks * self.split / splits..blocks * (self.split + 1) / splits;
        for block in mine.clone() {
            let pixels = block * PIXELS..pixels.min((block + 1) * PIXELS);
            self.add_block(s, pixels, block == mine.start);
        }
    }
}

impl Part<'_> {
    /// Adds a block of pixels to the task's sums.
    #[inline(always)]
    fn add_block<S: Lanes>(&mut self, s: S, pixels: Range<usize>, first: bool) {
        let Work { conv, cut, dy, .. } = *self.of;
        let depth = pixels.len();
        let (dy_tiles, panel_scratch) = self.scratch.split_at_mut(PIXELS * self.tiles.len() * ROWS);
        let k = self.tiles.start * ROWS;
        let live = (self.tiles.len() * ROWS).min(conv.group_k() - k);
        let dy = Mat::transposed(&dy.data[dy.offset..], dy.stride);
        pack::tiles(dy, (self.group * conv.group_k() + k, live), (pixels.start, depth), dy_tiles);
        let start = if first { Start::Zero } else { Start::Output };
        for panel in self.panels.clone() {
            let width = cut.panels.width(panel);
            let packed = &mut panel_scratch[..depth * width];
            pack_x(self.of, self.group, panel, &pixels, packed);
            for (index, tile) in self.tiles.clone().enumerate() {
                let a = dy_tiles[index * ROWS * depth..].as_ptr();
                let a: [_; ROWS] = std::array::from_fn(|i| a.wrapping_add(i));
                let to = self.of.sums.pointer(cut.tile_at(self.split, self.group, panel, tile));
                let rows: [_; ROWS] = std::array::from_fn(|i| to.wrapping_add(i * width));
                let target = Target { rows: &rows, valid: ROWS, cols: width, step: 1 };
                let strides = (ROWS, depth);
                // SAFETY: `a` is (depth, 6) and `packed` (depth, width), both just packed; the tile's
                // sums are this task's alone.
                unsafe {
                    tile::sum_panel(
                        s,
                        width,
                        &[a],
                        strides,
                        packed.as_ptr(),
                        (start, None),
                        &target,
                    );
                }
            }
        }
    }
}

/// Packs columns (tap, c) of one panel for some output pixels: `into` is (pixels, width).
#[inline(always)]
fn pack_x(of: &Work<'_>, group: usize, panel: usize, pixels: &Range<usize>, into: &mut [f32]) {
    let Work { conv, runs, cut, x, .. } = *of;
    let width = cut.panels.width(panel);
    let [oh, ow] = conv.out();
    let [h, w] = runs.padded(conv);
    let (mut column, mut lane) = (panel * COLS, 0);
    if cut.panels.cols(panel) < width {
        into.fill(0.0);
    }
    while lane < cut.panels.cols(panel) {
        let (tap, skip) = (runs.taps[column / runs.len], column % runs.len);
        let len = (runs.len - skip).min(cut.panels.cols(panel) - lane);
        let mut pixel = pixels.start;
        while pixel < pixels.end {
            // One row of outputs at a time: its input row exists, or is padding, as a whole.
            let (row, j) = (pixel / ow, pixel % ow);
            let (image, i) = (row / oh, row % oh);
            let count = (ow - j).min(pixels.end - pixel);
            let into = &mut into[(pixel - pixels.start) * width + lane..];
            let i = (i * conv.stride[0]).wrapping_add_signed(tap[0]);
            for p in 0..count {
                let into = &mut into[p * width..][..len];
                let j = ((j + p) * conv.stride[1]).wrapping_add_signed(tap[1]);
                if i < h && j < w {
                    let at = ((image * h + i) * w + j) * conv.c + group * runs.len + skip;
                    copy_run(into, &x[at..][..len]);
                } else {
                    into.fill(0.0);
                }
            }
            pixel += count;
        }
        lane += len;
        column += len;
    }
}

/// Copies; a whole panel row as two vectors.
#[inline(always)]
fn copy_run(into: &mut [f32], from: &[f32]) {
    match (into.as_chunks_mut::<COLS>(), from.as_chunks::<COLS>()) {
        (([into], []), ([from], [])) => *into = *from,
        _ => into.copy_from_slice(from),
    }
}
