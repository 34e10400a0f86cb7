//! How the gradient of weights is divided into tasks, with both operands packed.
//!
//! A panel holds 16 channels of a tap. All taps of 16 channels are consecutive, so that the panels
//! of a task read the same pixels again. Everything follows from the shape.

use crate::{
    conv::{
        ConvShape, StackVec,
        backward_weights::{collect::CollectTile, for_output_channels},
        split_k::{PartialSums, SplitKPartition, tapered_ranges},
    },
    cpu::Cpu,
    pack::even_ranges,
    tile::{COLS, ROWS},
    view::Write,
};

/// Upper bound of the tiles of output channels in a task: with 128 pixels, 192 KiB of packed `dy`.
pub(super) const BLOCK_TILES: usize = 64;
/// Lower bound of the mean number of panels that reuse a packed block of `dy`.
const PANELS: usize = 24;
/// Lower bound of the number of tasks, for load balance.
const TASKS: usize = 16;

/// Tiles, panels and split-K partition of a gradient with packed operands.
pub(super) struct GradientBlocking {
    /// Tiles of six output channels in a group.
    pub(super) tiles: usize,
    /// Panels of a group: 16 channels of one tap each.
    pub(super) panels: usize,
    pub(super) partition: SplitKPartition,
    /// Floats of one partial sum: (group, panels, tiles, 6, 16).
    pub(super) sums_len: usize,
    taps: usize,
}

impl GradientBlocking {
    /// Blocking for blocks of `pixels` pixels.
    pub(super) fn of(conv: &ConvShape, pixels: usize) -> Self {
        let tiles = conv.group_k().div_ceil(ROWS);
        let (taps, panels) = (conv.taps(), conv.taps() * conv.group_c() / COLS);
        let tile_ranges: StackVec<_> = even_ranges(tiles, BLOCK_TILES).collect();
        let wanted = TASKS.div_ceil(conv.group * tile_ranges.len());
        let panel_ranges = tapered_ranges(panels, wanted.min(panels / PANELS).max(1)).collect();
        let blocks = conv.out_pixels().div_ceil(pixels);
        Self {
            tiles,
            panels,
            partition: SplitKPartition::new(conv.group, tile_ranges, panel_ranges, blocks, TASKS),
            sums_len: conv.group * panels * tiles * ROWS * COLS,
            taps,
        }
    }

    /// Floats of all partial sums.
    pub(super) fn all_sums_len(&self) -> usize {
        self.partition.splits() * self.sums_len
    }

    /// The tap of a panel, and its first channel.
    #[inline(always)]
    pub(super) fn tap_and_channel(&self, panel: usize) -> (usize, usize) {
        (panel % self.taps, panel / self.taps * COLS)
    }

    /// Where the sums of a tile begin.
    pub(super) fn tile_at(&self, split: usize, group: usize, panel: usize, tile: usize) -> usize {
        let before = (group * self.panels + panel) * self.tiles + tile;
        split * self.sums_len + before * ROWS * COLS
    }

    /// Adds the partial sums in order and puts them into Caffe's order.
    pub(super) fn collect(
        &self,
        cpu: &Cpu,
        conv: &ConvShape,
        sums: &[f32],
        write: Write,
        dw: &mut [f32],
    ) {
        let sums = PartialSums { sums, splits: self.partition.splits(), len: self.sums_len };
        for_output_channels(cpu, conv, ROWS, dw, |group, first, dw| {
            let tile = first / ROWS;
            cpu.enter(CollectTile { blocking: self, conv, sums, group, tile, write, dw });
        });
    }
}
