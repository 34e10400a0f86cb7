//! How the gradient of weights is cut into tasks. Everything follows from the shape.

use std::ops::Range;

use crate::{
    conv::{
        Conv, Few,
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
/// Panels of input channels of a task, at least, if there are so many: `dy` is turned once for all.
const PANELS: usize = 8;
/// Enough tasks to keep several threads busy to the end.
const TASKS: usize = 8;
/// Blocks in a partial sum, at least.
const BLOCKS: usize = 4;

/// How the work is cut; follows from the shape.
pub(super) struct Cut {
    pub(super) grid: Grid,
    pub(super) group: usize,
    /// Register tiles of a group's output channels, and runs of them.
    pub(super) tiles: usize,
    tile_runs: Few<Range<usize>>,
    /// Panels of a group's input channels, and runs of them.
    pub(super) panels: Panels,
    panel_runs: Few<Range<usize>>,
    /// Partial sums over tiles of the image.
    pub(super) splits: usize,
    /// Floats of one partial sum: (group, 16, panels, tiles, 6, 16).
    pub(super) sums_len: usize,
    /// Floats of a row of turned `dy`.
    pub(super) dy_row: usize,
}

/// What one task does.
pub(super) struct Task {
    pub(super) split: usize,
    pub(super) group: usize,
    pub(super) tiles: Range<usize>,
    pub(super) panels: Range<usize>,
}

impl Cut {
    pub(super) fn of(conv: &Conv) -> Self {
        let grid = Grid { n: conv.n, outputs: conv.out(), inputs: [conv.h, conv.w], pad: conv.pad };
        let (tiles, panels) = (conv.group_k().div_ceil(ROWS), Panels::new(conv.group_c()));
        let tile_runs: Few<_> = even_runs(tiles, TILES).collect();
        let wanted = TASKS.div_ceil(conv.group * tile_runs.len());
        let cuts = wanted.min(panels.count() / PANELS).max(1);
        let panel_runs: Few<_> = even_runs(panels.count(), panels.count().div_ceil(cuts)).collect();
        let splits = wanted.div_ceil(panel_runs.len()).min(grid.tiles() / BLOCK / BLOCKS).max(1);
        let most = tile_runs.iter().map(Range::len).max().unwrap_or(0);
        Self {
            grid,
            group: conv.group,
            tiles,
            tile_runs,
            panels,
            panel_runs,
            splits,
            sums_len: conv.group * POINTS * panels.count() * tiles * ROWS * COLS,
            // The last register tile may read past the last channel, and its vectors end there.
            dy_row: row_len(most * ROWS + LANES),
        }
    }

    pub(super) fn tasks(&self) -> usize {
        self.splits * self.group * self.tile_runs.len() * self.panel_runs.len()
    }

    pub(super) fn task(&self, index: usize) -> Task {
        let (rest, split) = (index / self.splits, index % self.splits);
        let (rest, group) = (rest / self.group, rest % self.group);
        let tiles = self.tile_runs[rest % self.tile_runs.len()].clone();
        let panels = self.panel_runs[rest / self.tile_runs.len()].clone();
        Task { split, group, tiles, panels }
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
