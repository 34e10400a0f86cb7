//! How the gradient of weights is cut into tasks. Everything follows from the shape.

use crate::{
    conv::{
        Conv, Few,
        shares::{Shares, falling_runs},
        winograd::{grid::Grid, planes::Planes},
    },
    pack::even_runs,
    simd::LANES,
    tile::{COLS, Panels, ROWS},
};

/// Tiles of a block.
pub(super) const BLOCK: usize = 48;
/// Most register tiles of output channels of a task, by products: turned `dy` stays in L2.
const TILES: usize = 22 * 16;
/// Panels of input channels of a task, on average at least, if there are so many: `dy` is turned once
/// for all.
const PANELS: usize = 8;
/// Enough tasks to keep several threads busy to the end.
const TASKS: usize = 12;

/// How the work is cut; follows from the shape.
pub(super) struct Cut<const M: usize, const N: usize> {
    pub(super) grid: Grid<M, N>,
    /// Register tiles of a group's output channels.
    tiles: usize,
    /// Panels of a group's input channels.
    pub(super) panels: Panels,
    pub(super) shares: Shares,
    /// Floats of one partial sum: (group, N², panels, tiles, 6, width).
    pub(super) sums_len: usize,
    /// Turned `dy`, (48, k).
    pub(super) dy: Planes,
    /// Floats of a partial sum's product.
    sums_plane: usize,
}

impl<const M: usize, const N: usize> Cut<M, N> {
    pub(super) fn of(conv: &Conv) -> Self {
        let grid = Grid { n: conv.n, outputs: conv.out(), inputs: [conv.h, conv.w], pad: conv.pad };
        let (tiles, panels) = (conv.group_k().div_ceil(ROWS), Panels::new(conv.group_c()));
        let tile_runs: Few<_> = even_runs(tiles, TILES / (N * N)).collect();
        let wanted = TASKS.div_ceil(conv.group * tile_runs.len());
        let cuts = wanted.min(panels.count() / PANELS).max(1);
        let panel_runs = falling_runs(panels.count(), cuts).collect();
        let blocks = grid.tiles().div_ceil(BLOCK);
        let sums_plane = Planes::dense(tiles * ROWS, panels.packed_cols()).plane;
        let shares = Shares::new(conv.group, tile_runs, panel_runs, blocks, TASKS);
        Self {
            grid,
            tiles,
            panels,
            sums_plane,
            sums_len: conv.group * N * N * sums_plane,
            // The last register tile may read past the last channel, and its vectors end there.
            dy: Planes::new(BLOCK, shares.most_tiles() * ROWS + LANES),
            shares,
        }
    }

    /// Floats for a block of both operands.
    pub(super) fn scratch_len(&self) -> usize {
        let most = Planes::dense(BLOCK, self.panels.most_width());
        N * N * (self.dy.plane + most.plane)
    }

    /// A turned panel of `x`, (48, width).
    pub(super) fn x(&self, panel: usize) -> Planes {
        Planes::dense(BLOCK, self.panels.width(panel))
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
