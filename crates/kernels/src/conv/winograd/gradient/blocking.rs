//! How the gradient of weights is divided into tasks. Everything follows from the shape.

use crate::{
    conv::{
        ConvShape, StackVec,
        split_k::{SplitKPartition, tapered_ranges},
        winograd::{plane_layout::PlaneLayout, tiling::WinogradTiling},
    },
    pack::even_ranges,
    simd::LANES,
    tile::{COLS, Panels, ROWS},
};

/// Tiles of a block.
pub(super) const BLOCK: usize = 48;
/// Upper bound of the register tiles of output channels of a task, times N²: transformed `dy` stays
/// in L2.
const TILES: usize = 22 * 16;
/// Lower bound of the mean number of panels of input channels of a task: `dy` is transformed once
/// for all.
const PANELS: usize = 8;
/// Lower bound of the number of tasks, for load balance.
const TASKS: usize = 12;

/// Tiling, panels and split-K partition of the gradient.
pub(super) struct WinogradBlocking<const M: usize, const N: usize> {
    pub(super) tiling: WinogradTiling<M, N>,
    /// Register tiles of a group's output channels.
    tiles: usize,
    /// Panels of a group's input channels.
    pub(super) panels: Panels,
    pub(super) partition: SplitKPartition,
    /// Floats of one partial sum: (group, N², panels, tiles, 6, width).
    pub(super) sums_len: usize,
    /// Layout of transformed `dy`, (48, k).
    pub(super) dy: PlaneLayout,
    /// Floats of one of the N² products of a partial sum.
    sums_plane: usize,
}

impl<const M: usize, const N: usize> WinogradBlocking<M, N> {
    pub(super) fn of(conv: &ConvShape) -> Self {
        let tiling = WinogradTiling {
            n: conv.n,
            outputs: conv.out(),
            inputs: [conv.h, conv.w],
            pad: conv.pad,
        };
        let (tiles, panels) = (conv.group_k().div_ceil(ROWS), Panels::new(conv.group_c()));
        let tile_ranges: StackVec<_> = even_ranges(tiles, TILES / (N * N)).collect();
        let wanted = TASKS.div_ceil(conv.group * tile_ranges.len());
        let count = wanted.min(panels.count() / PANELS).max(1);
        let panel_ranges = tapered_ranges(panels.count(), count).collect();
        let blocks = tiling.tiles().div_ceil(BLOCK);
        let sums_plane = PlaneLayout::dense(tiles * ROWS, panels.packed_cols()).plane;
        let partition = SplitKPartition::new(conv.group, tile_ranges, panel_ranges, blocks, TASKS);
        Self {
            tiling,
            tiles,
            panels,
            sums_plane,
            sums_len: conv.group * N * N * sums_plane,
            // The last register tile may read past the last channel.
            dy: PlaneLayout::new(BLOCK, partition.max_tiles() * ROWS + LANES),
            partition,
        }
    }

    /// Floats for a block of both operands.
    pub(super) fn scratch_len(&self) -> usize {
        let widest = PlaneLayout::dense(BLOCK, self.panels.max_width());
        N * N * (self.dy.plane + widest.plane)
    }

    /// Layout of a transformed panel of `x`, (48, width).
    pub(super) fn x(&self, panel: usize) -> PlaneLayout {
        PlaneLayout::dense(BLOCK, self.panels.width(panel))
    }

    /// Where the sums of a register tile begin.
    pub(super) fn sums_at(
        &self,
        split: usize,
        group: usize,
        point: usize,
        panel: usize,
        tile: usize,
    ) -> usize {
        let columns = panel * COLS * self.tiles + tile * self.panels.width(panel);
        split * self.sums_len + (group * N * N + point) * self.sums_plane + columns * ROWS
    }
}
