//! Gradients of a convolution with respect to weights and bias.
//!
//! `dw[k, (tap, c)] = Σ_pixel dy[pixel, k] · x[pixel · stride + tap, c]`: a product whose reduction
//! runs over all output pixels. A task owns some `k` and some panels of (tap, c). It processes its
//! pixels in blocks: packs the block of `dy` into tiles of six `k` (in L2) and one panel of `x` at
//! a time into (pixels, 16) (in L1), and accumulates into sums that are stored tile by tile in
//! scratch, or in `dw` if that has the same order. With few output channels the cost of packing `x`
//! is not amortised: see `unpacked`.
//!
//! Partial sums over pixels, if there are several (`split_k`), are added in order at the end, when
//! the sums are put into Caffe's order.

mod blocking;
mod collect;
mod pack_input;
mod skip_padding;
mod unpacked;
mod valid_pixels;

use std::ops::Range;

use crate::{
    column_sums,
    conv::{
        ConvShape,
        backward_weights::blocking::{BLOCK_TILES, GradientBlocking},
        depthwise,
        input_taps::InputTaps,
        pixel_order::PixelOrder,
        split_k::SplitKTask,
        winograd,
    },
    cpu::{Cpu, DisjointMut},
    pack,
    simd::{Kernel, SimdLanes},
    tile::{self, COLS, KSlice, ROWS, TileInit, TileOutput},
    view::{MatrixView, StridedRows, Write},
};

/// Pixels packed at a time.
const PIXELS: usize = 128;
/// From this many tiles per panel on, the pixels of the next panel are prefetched meanwhile.
const PREFETCH_TILES: usize = 16;

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
    conv: &ConvShape,
    x: &[f32],
    dy: StridedRows<'_>,
    write: Write,
    dw: &mut [f32],
) {
    conv.check();
    assert_eq!(x.len(), conv.x_len(), "x of {conv:?}");
    dy.check(conv.out_pixels(), conv.k);
    assert_eq!(dw.len(), conv.weights_len(), "dw of {conv:?}");
    if conv.out_pixels() == 0 {
        if write == Write::Set {
            dw.fill(0.0);
        }
        return;
    }
    if depthwise::applies(conv) {
        return depthwise::backward_weights(cpu, conv, x, dy, write, dw);
    }
    if let Some(form) = winograd::WinogradForm::of(conv, conv.out()) {
        return winograd::backward_weights(cpu, (form, conv), x, dy, write, dw);
    }
    if unpacked::applies(conv) {
        return unpacked::backward_weights(cpu, conv, x, dy, write, dw);
    }
    let taps = InputTaps::of(conv);
    let blocking = GradientBlocking::of(conv, PIXELS);
    let order = skip_padding::order(conv);
    let multiply = |sums: DisjointMut<'_, f32>, write: Write, in_order: bool| {
        let order = order.as_ref();
        let gradient = WeightGradient {
            conv,
            taps: &taps,
            blocking: &blocking,
            order,
            x,
            dy,
            sums,
            write,
            in_order,
        };
        let scratch_len = pack::tile_len(PIXELS) * blocking.tiles.min(BLOCK_TILES) + PIXELS * COLS;
        cpu.run_scratch(blocking.partition.tasks(), scratch_len, |task, scratch| {
            cpu.enter(WeightGradientTask {
                of: &gradient,
                task: blocking.partition.task(task),
                scratch,
            });
        });
    };
    if blocking.partition.splits() == 1 && conv.taps() == 1 {
        return multiply(DisjointMut::new(dw, 1), write, true);
    }
    cpu.with_shared(blocking.all_sums_len(), |sums| {
        multiply(DisjointMut::new(sums, 1), Write::Set, false);
        blocking.collect(cpu, conv, sums, write, dw);
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
pub fn backward_bias(
    cpu: &Cpu,
    rows: usize,
    k: usize,
    dy: StridedRows<'_>,
    write: Write,
    db: &mut [f32],
) {
    column_sums::sums_into(cpu, rows, k, dy, write, db);
}

/// Runs one task per `max` output channels of a group: `take(group, first, dw)`, where `first` is
/// counted in the group and `dw` is (k, c / group, taps).
pub(super) fn for_output_channels(
    cpu: &Cpu,
    conv: &ConvShape,
    max: usize,
    dw: &mut [f32],
    take: impl Fn(usize, usize, &mut [f32]) + Sync,
) {
    let (ks, row) = (conv.group_k(), conv.group_c() * conv.taps());
    let blocks = ks.div_ceil(max);
    let dw = DisjointMut::new(dw, 1);
    cpu.run(conv.group * blocks, |task| {
        let (group, first) = (task / blocks, task % blocks * max);
        // SAFETY: the rows of these channels belong to one task.
        let dw = unsafe { dw.range((group * ks + first) * row, max.min(ks - first) * row) };
        take(group, first, dw);
    });
}

/// The operands of the gradient, shared by all tasks.
struct WeightGradient<'a> {
    conv: &'a ConvShape,
    taps: &'a InputTaps,
    blocking: &'a GradientBlocking,
    /// The order of pixels, if not memory order.
    order: Option<&'a PixelOrder>,
    x: &'a [f32],
    dy: StridedRows<'a>,
    sums: DisjointMut<'a, f32>,
    /// Whether the sums overwrite or are added to `sums`.
    write: Write,
    /// Whether the sums are stored as the gradient itself: one partial sum of one tap.
    in_order: bool,
}

impl WeightGradient<'_> {
    /// Where the six rows of a tile's sums begin, and how many exist.
    #[inline(always)]
    fn tile_sums(
        &self,
        (split, group): (usize, usize),
        panel: usize,
        tile: usize,
    ) -> ([*mut f32; ROWS], usize) {
        let (at, step, valid) = if self.in_order {
            let (k, c) = (self.conv.group_k(), self.conv.group_c());
            let row = group * k + tile * ROWS;
            (row * c + panel * COLS, c, ROWS.min(k - tile * ROWS))
        } else {
            (self.blocking.tile_at(split, group, panel, tile), COLS, ROWS)
        };
        let to = self.sums.pointer(at);
        (std::array::from_fn(|i| to.wrapping_add(i * step)), valid)
    }
}

/// One task of the split-K partition.
struct WeightGradientTask<'a> {
    of: &'a WeightGradient<'a>,
    task: SplitKTask,
    scratch: &'a mut [f32],
}

impl Kernel for WeightGradientTask<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(mut self, s: S) {
        let pixels = self.of.conv.out_pixels();
        let blocks = self.task.blocks.clone();
        for block in blocks.clone() {
            let pixels = block * PIXELS..pixels.min((block + 1) * PIXELS);
            self.add_block(s, pixels, block == blocks.start);
        }
    }
}

impl WeightGradientTask<'_> {
    /// Adds a block of pixels to the task's sums.
    #[inline(always)]
    fn add_block<S: SimdLanes>(&mut self, s: S, pixels: Range<usize>, first: bool) {
        let WeightGradient { conv, dy, .. } = *self.of;
        let SplitKTask { split, group, tiles, panels, .. } = &self.task;
        let depth = pixels.len();
        let (dy_tiles, panel_scratch) =
            self.scratch.split_at_mut(pack::tile_len(PIXELS) * tiles.len());
        let k = tiles.start * ROWS;
        let live = (tiles.len() * ROWS).min(conv.group_k() - k);
        let channels = (group * conv.group_k() + k, live);
        if let Some(order) = self.of.order {
            skip_padding::pack_dy(s, self.of, order, channels, &pixels, dy_tiles);
        } else {
            let dy = MatrixView::transposed(&dy.data[dy.offset..], dy.stride);
            pack::tiles(s, dy, channels, (pixels.start, depth), dy_tiles);
        }
        let start = match self.of.write {
            Write::Set if first => TileInit::Zero,
            Write::Set | Write::Add => TileInit::Output,
        };
        for panel in panels.clone() {
            let packed = &mut panel_scratch[..depth * COLS];
            let valid_pixels = pack_input::pack(s, self.of, (*group, panel), &pixels, packed);
            if tiles.len() >= PREFETCH_TILES && panel + 1 < panels.end {
                pack_input::prefetch(s, self.of, (*group, panel + 1), &pixels);
            }
            for (index, tile) in tiles.clone().enumerate() {
                let a = dy_tiles[index * pack::tile_len(depth)..].as_ptr();
                let slices = valid_pixels.ranges().iter().map(|&(at, end)| {
                    let rows = std::array::from_fn(|i| a.wrapping_add(at * ROWS + i));
                    KSlice { rows, panel_row: at, len: end - at }
                });
                let (rows, valid) = self.of.tile_sums((*split, *group), panel, tile);
                let output = TileOutput { rows: &rows, valid, cols: COLS, step: 1 };
                // SAFETY: `a` is (depth, 6) and `packed` (depth, 16), both just packed; the tile's
                // sums belong to this task only.
                unsafe {
                    tile::sum_tile(s, COLS, slices, ROWS, packed.as_ptr(), (start, None), &output);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
