//! The gradient of weights with the input unpacked, for few or odd channels.
//!
//! `dwᵀ[(tap, c), k] = Σ_pixel x[pixel · stride + tap, c] · dy[pixel, k]`. The rows of a tile are
//! six (tap, c), each a pointer into the image that advances by one pixel per step, and its columns
//! are output channels. So `dy` is packed, once per block of pixels, and `x` is read in place.
//! Packing `x`, as for many output channels, costs about as much as two tiles, and only `k / 6`
//! tiles would reuse it.
//!
//! Along a row of outputs the pixels of `x` are a fixed step apart: a pixel range. Where there is
//! padding, tiles belong to one tap, and its pixel ranges exclude the padding.
//!
//! Tasks and partial sums: see `split_k`.

mod collect;
mod operands;
mod pixel_ranges;

use std::ops::Range;

use crate::{
    conv::{
        ConvShape,
        input_taps::InputTaps,
        split_k::{SplitKPartition, SplitKTask, tapered_ranges},
    },
    cpu::{Cpu, DisjointMut},
    pack,
    simd::{Kernel, SimdLanes},
    tile::{self, COLS, KSlice, Panels, ROWS, TileInit, TileOutput},
    view::{MatrixView, StridedRows, Write},
};
use operands::UnpackedGradient;
use pixel_ranges::{PixelRange, PixelRanges};

/// Upper bound of the output channels of a group for which this pays.
const CHANNELS: usize = 128;
/// Pixels this many floats apart, or more, are packed instead: a block of them would cause
/// cache-set conflicts in L1.
const FAR: usize = 512;
/// Pixels in a block.
const PIXELS: usize = 128;
/// Lower bound of the mean number of tiles that reuse a packed block of `dy`.
const TILES: usize = 64;
/// Lower bound of the number of tasks, for load balance.
const TASKS: usize = 16;

/// Whether the input is read unpacked: with few output channels and near pixels, and where input
/// channels do not fill panels.
pub(super) fn applies(conv: &ConvShape) -> bool {
    let near = conv.c * conv.stride[1] < FAR;
    conv.group_k() <= CHANNELS && near || !conv.group_c().is_multiple_of(COLS)
}

/// The gradient, as [`backward_weights`](super::backward_weights).
pub(super) fn backward_weights(
    cpu: &Cpu,
    conv: &ConvShape,
    x: &[f32],
    dy: StridedRows<'_>,
    write: Write,
    dw: &mut [f32],
) {
    let taps = InputTaps::of(conv);
    let blocking = UnpackedBlocking::of(conv, &taps);
    let sums_len = blocking.partition.splits() * blocking.sums_len;
    cpu.with_shared(sums_len + taps.copy_len(conv), |scratch| {
        let (sums, copy) = scratch.split_at_mut(sums_len);
        let x = taps.image(cpu, conv, x, copy);
        let gradient = UnpackedGradient {
            conv,
            taps: &taps,
            blocking: &blocking,
            x,
            dy,
            sums: DisjointMut::new(sums, 1),
        };
        let packed_len = PIXELS * blocking.panels.packed_cols();
        cpu.run_scratch(blocking.partition.tasks(), packed_len, |task, packed| {
            cpu.enter(UnpackedTask { of: &gradient, task: blocking.partition.task(task), packed });
        });
        blocking.collect(cpu, conv, sums, write, dw);
    });
}

/// Tiles, panels and split-K partition of a gradient with `x` unpacked.
struct UnpackedBlocking {
    /// Whether taps may be padding; then each tap is a section.
    padded: bool,
    /// Rows (tap, c) that have the same pixel ranges: all, or those of a tap.
    section: usize,
    /// Tiles of a section.
    section_tiles: usize,
    /// Tiles of a group.
    tiles: usize,
    /// Panels of output channels: a task has all of them.
    panels: Panels,
    partition: SplitKPartition,
    /// Floats of one partial sum: (group, tiles, panels, 6, 16).
    sums_len: usize,
}

impl UnpackedBlocking {
    fn of(conv: &ConvShape, taps: &InputTaps) -> Self {
        let padded = taps.leave_image(conv);
        let sections = if padded { taps.taps.len() } else { 1 };
        let section = taps.taps.len() * taps.len / sections;
        let section_tiles = section.div_ceil(ROWS);
        let tiles = sections * section_tiles;
        let wanted = TASKS.div_ceil(conv.group);
        let tile_ranges = tapered_ranges(tiles, wanted.min(tiles / TILES).max(1)).collect();
        let blocks = conv.out_pixels().div_ceil(PIXELS);
        let panels = Panels::new(conv.group_k());
        let panel_ranges = tapered_ranges(panels.count(), 1).collect();
        let partition = SplitKPartition::new(conv.group, tile_ranges, panel_ranges, blocks, TASKS);
        let sums_len = conv.group * tiles * ROWS * panels.packed_cols();
        Self { padded, section, section_tiles, tiles, panels, partition, sums_len }
    }

    /// Where the sums of a tile begin.
    fn tile_at(&self, (split, group): (usize, usize), tile: usize, panel: usize) -> usize {
        let before = (group * self.tiles + tile) * ROWS * self.panels.packed_cols();
        split * self.sums_len + before + panel * ROWS * COLS
    }
}

/// One task of the split-K partition.
struct UnpackedTask<'a> {
    of: &'a UnpackedGradient<'a>,
    task: SplitKTask,
    packed: &'a mut [f32],
}

impl Kernel for UnpackedTask<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(mut self, s: S) {
        let pixels = self.of.conv.out_pixels();
        let blocks = self.task.blocks.clone();
        for block in blocks.clone() {
            let pixels_of =
                |block: usize| pixels.min(block * PIXELS)..pixels.min((block + 1) * PIXELS);
            let start = if block == blocks.start { TileInit::Zero } else { TileInit::Output };
            let next = if block + 1 < blocks.end { pixels_of(block + 1) } else { 0..0 };
            self.add_block(s, pixels_of(block), next, start);
        }
    }
}

impl UnpackedTask<'_> {
    /// Adds a block of pixels to the task's sums; prefetches those of the next block meanwhile.
    #[inline(always)]
    fn add_block<S: SimdLanes>(
        &mut self,
        s: S,
        pixels: Range<usize>,
        next: Range<usize>,
        start: TileInit,
    ) {
        let UnpackedGradient { conv, blocking, dy, .. } = *self.of;
        let k = conv.group_k();
        let dy = MatrixView::new(&dy.data[dy.offset..], dy.stride);
        pack::panels(s, dy, (pixels.start, pixels.len()), (self.task.group * k, k), self.packed);
        let mut ranges = PixelRanges::new();
        let Range { start: mut tile, end: last } = self.task.tiles;
        while tile < last {
            let section = tile / blocking.section_tiles;
            let end = last.min((section + 1) * blocking.section_tiles);
            ranges.find(self.of, section, &pixels);
            // Six rows of 128 pixels stay in L1 for all panels, which stream from L2.
            for tile in tile..end {
                let first = (tile - section * blocking.section_tiles) * ROWS;
                let row = section * blocking.section + first;
                let rows = self.of.rows(self.task.group, row, blocking.section - first);
                self.of.prefetch(
                    s,
                    subrange(&next, tile - self.task.tiles.start, self.task.tiles.len()),
                );
                for panel in 0..blocking.panels.count() {
                    let b = self.packed[panel * COLS * pixels.len()..].as_ptr();
                    self.tile(s, rows, (tile, panel), b, ranges.as_slice(), start);
                }
            }
            tile = end;
        }
    }

    /// Accumulates the pixel ranges into one tile.
    #[inline(always)]
    fn tile<S: SimdLanes>(
        &self,
        s: S,
        rows: [*const f32; ROWS],
        (tile, panel): (usize, usize),
        b: *const f32,
        ranges: &[PixelRange],
        start: TileInit,
    ) {
        let UnpackedGradient { conv, blocking, .. } = *self.of;
        let slices = ranges.iter().map(|range| KSlice {
            rows: rows.map(|row| row.wrapping_add(range.skip)),
            panel_row: range.at,
            len: range.len,
        });
        let width = blocking.panels.width(panel);
        let to =
            self.of.sums.pointer(blocking.tile_at((self.task.split, self.task.group), tile, panel));
        let sums: [_; ROWS] = std::array::from_fn(|i| to.wrapping_add(i * width));
        let output = TileOutput { rows: &sums, valid: ROWS, cols: width, step: 1 };
        let step = conv.stride[1] * conv.c;
        // SAFETY: the pixels of a range are inside the image for every row of its section, `b` is
        // the packed panel of the block, and the tile's sums belong to this task only.
        unsafe { tile::sum_tile(s, width, slices, step, b, (start, None), &output) };
    }
}

/// Range `index` of `count` near-equal ranges of `whole`.
fn subrange(whole: &Range<usize>, index: usize, count: usize) -> Range<usize> {
    let at = |index| whole.start + whole.len() * index / count;
    at(index)..at(index + 1)
}
