//! Sweeps register tiles over pixels: the loop of forward and of backward to data.
//!
//! Output pixels of all images are numbered through and taken six at a time, so a tile may span
//! rows and images and none is wasted on a 7×7 image. Where taps may be padding, the six are mostly one
//! place in six images (see `order`), so that taps in the padding cost nothing. A task takes `TILES` tiles and a
//! group of column panels. It visits the reduction in blocks of about `DEPTH` floats (several taps of few channels,
//! or a part of the channels of one tap): for each panel (16 KiB, in L1) it passes all its pixels (in L2). Without
//! padding the runs of a pixel are the same for all, and found on the way; with padding they are looked up first.
//!
//! Pixels of one run (1×1) are different: nothing is read twice but for another panel, so memory is felt. A
//! task asks for the next one's pixels (`ahead`). It takes all channels in one visit, though a panel is then
//! too large for L1: from L2 it comes fast enough, whereas parts of pixels 4 KiB apart would compete for
//! a quarter of the places in L1 and in L2. What L2 must hold is kept small by taking fewer pixels.

mod ahead;
mod block;
mod pixels;
mod table;

use std::ops::Range;

use crate::{
    conv::{
        Few,
        order::{Order, Spot},
        sweep::block::Block,
    },
    cpu::{Cpu, Pieces},
    pack::even_runs,
    tile::{Panels, ROWS},
};

/// Tiles of a task.
const TILES: usize = 16;
/// Floats of the reduction in a visit.
const DEPTH: usize = 256;
/// The same for pixels of one run.
const POINT_DEPTH: usize = 2048;
/// Floats of such pixels in a task: 192 KiB.
const POINT_FLOATS: usize = 48 << 10;
/// Runs in a visit.
const RUNS: usize = 16;
/// Column panels of a task: more would push its outputs out of L2.
const PANELS: usize = 32;
/// Images of a group, if taps may be padding: two tiles.
const IMAGES: usize = 2 * ROWS;
/// Enough tasks to keep several threads busy to the end.
const TASKS: usize = 32;

/// Pixels of one image, and how a position `p` of the sweep maps to them: `origin + p · step`.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    /// Height and width.
    pub(super) size: [usize; 2],
    /// Floats of a pixel, other groups' included.
    pub(super) stride: usize,
    /// Where the first pixel's channels begin.
    pub(super) offset: usize,
    /// Pixel of position 0.
    pub(super) origin: [usize; 2],
    /// Pixels between positions.
    pub(super) step: [usize; 2],
}

impl Grid {
    /// Row and column of a position.
    #[inline(always)]
    fn pixel(&self, spot: Spot) -> [usize; 2] {
        [spot.row * self.step[0] + self.origin[0], spot.column * self.step[1] + self.origin[1]]
    }
}

/// A sweep: `y[p] = start + Σ_tap x[p · step + tap] · packed[tap]` for all positions `p`.
pub(super) struct Sweep<'a> {
    /// Images.
    pub(super) n: usize,
    /// Positions of one image.
    pub(super) positions: [usize; 2],
    /// Groups; group `g` reads channels from `g · len` and writes from `g · cols`.
    pub(super) group: usize,
    /// The image read.
    pub(super) x: &'a [f32],
    pub(super) x_grid: Grid,
    /// Where runs begin: rows of taps, from left to right.
    pub(super) taps: &'a [[isize; 2]],
    /// Floats of a run.
    pub(super) len: usize,
    /// (group, panels, taps · len, 16); see [`Panels`].
    pub(super) packed: &'a [f32],
    /// Output channels of a group.
    pub(super) cols: usize,
    /// One a channel, all groups.
    pub(super) bias: Option<&'a [f32]>,
    /// Slope of a ReLU at the end.
    pub(super) relu: Option<f32>,
    pub(super) y: Pieces<'a, f32>,
    pub(super) y_grid: Grid,
}

impl Sweep<'_> {
    pub(super) fn run(&self, cpu: &Cpu) {
        let pixels = self.n * self.positions[0] * self.positions[1];
        let panels = Panels::new(self.cols).count();
        let leaves = self.may_leave();
        let most = self.tiles() * ROWS;
        let blocks = pixels.div_ceil(most);
        if blocks == 0 || panels == 0 {
            return;
        }
        let cuts = panels.div_ceil(PANELS).max(TASKS.div_ceil(blocks * self.group)).min(panels);
        let groups: Few<_> = even_runs(panels, panels.div_ceil(cuts)).collect();
        let images = (0..self.n).step_by(IMAGES).map(|first| first..self.n.min(first + IMAGES));
        let order = &leaves.then(|| Order::new(images, self.positions));
        cpu.run(blocks * self.group * groups.len(), |task| {
            let (block, rest) = (task % blocks, task / blocks);
            let panels = groups[rest % groups.len()].clone();
            let part = |block: usize| pixels.min(block * most)..pixels.min((block + 1) * most);
            let group = rest / groups.len();
            let next = if self.is_pointwise() { part(block + 1) } else { 0..0 };
            let order = order.as_ref();
            cpu.enter(Block { of: self, group, pixels: part(block), panels, order, next });
        });
    }

    /// Whether a pixel has one run only, inside the image.
    fn is_pointwise(&self) -> bool {
        self.taps.len() == 1 && !self.may_leave()
    }

    /// Tiles of a task.
    fn tiles(&self) -> usize {
        if self.is_pointwise() { (POINT_FLOATS / (ROWS * self.len)).clamp(4, TILES) } else { TILES }
    }

    /// Terms of an output.
    fn depth(&self) -> usize {
        self.taps.len() * self.len
    }

    /// Floats from a pixel to the pixel of a tap; backwards wraps around.
    #[inline(always)]
    fn tap_at(&self, [down, right]: [isize; 2]) -> usize {
        let pixels = down.wrapping_mul(self.x_grid.size[1].cast_signed()).wrapping_add(right);
        pixels.wrapping_mul(self.x_grid.stride.cast_signed()).cast_unsigned()
    }

    /// Whether some position's tap lies outside the image.
    fn may_leave(&self) -> bool {
        let grid = &self.x_grid;
        let outside = |axis: usize, tap: isize| {
            let first = grid.origin[axis];
            let last = first + self.positions[axis].saturating_sub(1) * grid.step[axis];
            let inside = |place: usize| place.wrapping_add_signed(tap) < grid.size[axis];
            !inside(first) || !inside(last)
        };
        self.taps.iter().any(|tap| outside(0, tap[0]) || outside(1, tap[1]))
    }

    /// Blocks of the reduction: which taps, and which floats of each run.
    fn visits(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let depth = if self.is_pointwise() { POINT_DEPTH } else { DEPTH };
        let taps_most = (DEPTH / self.len.max(1)).clamp(1, RUNS);
        // Whole rows of taps, if they fit: their runs may lie one after another.
        let row = self.taps.iter().take_while(|tap| tap[0] == self.taps[0][0]).count();
        let unit = if row <= taps_most && self.taps.len().is_multiple_of(row) { row } else { 1 };
        even_runs(self.taps.len() / unit, taps_most / unit)
            .map(move |rows| rows.start * unit..rows.end * unit)
            .flat_map(move |taps| even_runs(self.len, depth).map(move |part| (taps.clone(), part)))
    }
}
