//! How the gradient of weights is cut into tasks. Everything follows from the shape.

use crate::{
    conv::{
        Conv, Few,
        shares::{Shares, falling_runs},
        winograd::{Grid, POINTS, row_len},
    },
    pack::even_runs,
    simd::LANES,
    tile::{COLS, Panels, ROWS},
};

/// Tiles of a block.
pub(super) const BLOCK: usize = 48;
/// Most register tiles of output channels of a task.
const TILES: usize = 22;
/// Panels of input channels of a task, on average at least, if there are so many: `dy` is turned once
/// for all.
const PANELS: usize = 8;
/// Enough tasks to keep several threads busy to the end.
const TASKS: usize = 12;

/// How the work is cut; follows from the shape.
pub(super) struct Cut {
    pub(super) grid: Grid,
    /// Register tiles of a group's output channels.
    tiles: usize,
    /// Panels of a group's input channels.
    pub(super) panels: Panels,
    pub(super) shares: Shares,
    /// Floats of one partial sum: (group, 16, panels, tiles, 6, 16).
    pub(super) sums_len: usize,
    /// Floats of a row of turned `dy`.
    pub(super) dy_row: usize,
}

impl Cut {
    pub(super) fn of(conv: &Conv) -> Self {
        let grid = Grid { n: conv.n, outputs: conv.out(), inputs: [conv.h, conv.w], pad: conv.pad };
        let (tiles, panels) = (conv.group_k().div_ceil(ROWS), Panels::new(conv.group_c()));
        let tile_runs: Few<_> = even_runs(tiles, TILES).collect();
        let wanted = TASKS.div_ceil(conv.group * tile_runs.len());
        let cuts = wanted.min(panels.count() / PANELS).max(1);
        let panel_runs = falling_runs(panels.count(), cuts).collect();
        let blocks = grid.tiles().div_ceil(BLOCK);
        let shares = Shares::new(conv.group, tile_runs, panel_runs, blocks, TASKS);
        Self {
            grid,
            tiles,
            panels,
            sums_len: conv.group * POINTS * panels.count() * tiles * ROWS * COLS,
            // The last register tile may read past the last channel, and its vectors end there.
            dy_row: row_len(shares.most_tiles() * ROWS + LANES),
            shares,
        }
    }

    /// Floats for a block of both operands.
    pub(super) fn scratch_len(&self) -> usize {
        POINTS * BLOCK * (self.dy_row + COLS)
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
        let panels = (group * POINTS + point) * self.panels.count() + panel;
        split * self.sums_len + (panels * self.tiles + tile) * ROWS * COLS
    }
}
