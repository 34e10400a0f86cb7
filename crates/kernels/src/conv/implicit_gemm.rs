//! Implicit GEMM: the loop of forward and of backward to data.
//!
//! Output pixels of all images are numbered consecutively and taken six at a time, so a tile may
//! span rows and images and a 7×7 image wastes no lanes. Where taps may be padding, the six are
//! mostly the same position in six images (see `pixel_order`), so that taps in the padding are
//! skipped. A task takes `TILES` tiles and a group of column panels. It processes the reduction in
//! blocks of about `DEPTH` floats (several taps of few channels, or some channels of one tap): each
//! panel (16 KiB, in L1) is multiplied by all its pixels (in L2). Without padding all pixels have
//! the same tap offsets; with padding the taps of each tile are looked up first.
//!
//! Pointwise convolutions (1×1) read each pixel once per panel, so memory latency matters. A task
//! prefetches the pixels of the next one (`prefetch`). It takes all channels in one block of the
//! reduction, although a panel is then larger than L1: it streams from L2 fast enough, whereas some
//! channels of pixels that lie 4 KiB apart map to a quarter of the cache sets of L1 and L2. The
//! working set in L2 is kept small by taking fewer pixels.

mod pixel_offsets;
mod prefetch;
mod taps;
mod task;

use std::ops::Range;

use crate::{
    conv::{
        StackVec,
        implicit_gemm::task::ImplicitGemmTask,
        pixel_order::{PixelOrder, PixelPosition},
    },
    cpu::{Cpu, DisjointMut},
    pack::even_ranges,
    tile::{Panels, ROWS},
};

/// Upper bound of the tiles of a task.
const TILES: usize = 16;
/// Floats of the reduction in a block.
const DEPTH: usize = 256;
/// The same for pointwise convolutions.
const POINT_DEPTH: usize = 2048;
/// Input floats of a pointwise task: 192 KiB.
const POINT_FLOATS: usize = 48 << 10;
/// Upper bound of the slices (taps) in a block of the reduction.
const MAX_SLICES: usize = 16;
/// Upper bound of the column panels of a task: more would evict its outputs from L2.
const PANELS: usize = 32;
/// Images of a group in the pixel order, if there is padding: two tiles.
const IMAGES: usize = 2 * ROWS;
/// Lower bound of the number of tasks, for load balance.
const TASKS: usize = 32;

/// The pixels of one image, and how positions map to them: position `p` is pixel
/// `origin + p · step`.
#[derive(Clone, Copy)]
pub(super) struct PixelGrid {
    /// Height and width.
    pub(super) size: [usize; 2],
    /// Floats from a pixel to the next, all groups included.
    pub(super) stride: usize,
    /// Where the first pixel's channels begin.
    pub(super) offset: usize,
    /// Pixel of position 0.
    pub(super) origin: [usize; 2],
    /// Pixels between neighbouring positions.
    pub(super) step: [usize; 2],
}

impl PixelGrid {
    /// Row and column of a position.
    #[inline(always)]
    fn pixel(&self, position: PixelPosition) -> [usize; 2] {
        let PixelPosition { row, column, .. } = position;
        [row * self.step[0] + self.origin[0], column * self.step[1] + self.origin[1]]
    }
}

/// `y[p] = bias + Σ_tap x[p · step + tap] · packed[tap]` for all positions `p`.
pub(super) struct ImplicitGemm<'a> {
    /// Images.
    pub(super) n: usize,
    /// Positions of one image.
    pub(super) positions: [usize; 2],
    /// Groups; group `g` reads channels from `g · len` and writes from `g · cols`.
    pub(super) group: usize,
    /// The image read.
    pub(super) x: &'a [f32],
    pub(super) x_grid: PixelGrid,
    /// Offset of each tap in pixels: row by row, left to right.
    pub(super) taps: &'a [[isize; 2]],
    /// Contiguous floats of a tap.
    pub(super) len: usize,
    /// (group, panels, taps · len, 16); see [`Panels`].
    pub(super) packed: &'a [f32],
    /// Output channels of a group.
    pub(super) cols: usize,
    /// One per channel, all groups.
    pub(super) bias: Option<&'a [f32]>,
    /// Slope of a ReLU in the epilogue.
    pub(super) relu: Option<f32>,
    pub(super) y: DisjointMut<'a, f32>,
    pub(super) y_grid: PixelGrid,
}

impl ImplicitGemm<'_> {
    pub(super) fn run(&self, cpu: &Cpu) {
        let pixels = self.n * self.positions[0] * self.positions[1];
        let panels = Panels::new(self.cols).count();
        let padded = self.has_padding();
        let block_pixels = self.tiles() * ROWS;
        let blocks = pixels.div_ceil(block_pixels);
        if blocks == 0 || panels == 0 {
            return;
        }
        let count = panels.div_ceil(PANELS).max(TASKS.div_ceil(blocks * self.group)).min(panels);
        let panel_groups: StackVec<_> = even_ranges(panels, panels.div_ceil(count)).collect();
        let images = (0..self.n).step_by(IMAGES).map(|first| first..self.n.min(first + IMAGES));
        let order = &padded.then(|| PixelOrder::new(images, self.positions));
        cpu.run(blocks * self.group * panel_groups.len(), |task| {
            let (block, rest) = (task % blocks, task / blocks);
            let panels = panel_groups[rest % panel_groups.len()].clone();
            let pixels_of = |block: usize| {
                pixels.min(block * block_pixels)..pixels.min((block + 1) * block_pixels)
            };
            let group = rest / panel_groups.len();
            let next = if self.is_pointwise() { pixels_of(block + 1) } else { 0..0 };
            let order = order.as_ref();
            cpu.enter(ImplicitGemmTask {
                of: self,
                group,
                pixels: pixels_of(block),
                panels,
                order,
                next,
            });
        });
    }

    /// Whether there is a single tap, without padding.
    fn is_pointwise(&self) -> bool {
        self.taps.len() == 1 && !self.has_padding()
    }

    /// Tiles of a task.
    fn tiles(&self) -> usize {
        if self.is_pointwise() { (POINT_FLOATS / (ROWS * self.len)).clamp(4, TILES) } else { TILES }
    }

    /// Length of the reduction.
    fn depth(&self) -> usize {
        self.taps.len() * self.len
    }

    /// Floats from a pixel to that of a tap; negative offsets wrap around.
    #[inline(always)]
    fn tap_at(&self, [down, right]: [isize; 2]) -> usize {
        let pixels = down.wrapping_mul(self.x_grid.size[1].cast_signed()).wrapping_add(right);
        pixels.wrapping_mul(self.x_grid.stride.cast_signed()).cast_unsigned()
    }

    /// Whether a tap of some position lies outside the image.
    fn has_padding(&self) -> bool {
        let grid = &self.x_grid;
        let outside = |axis: usize, tap: isize| {
            let first = grid.origin[axis];
            let last = first + self.positions[axis].saturating_sub(1) * grid.step[axis];
            let inside = |pixel: usize| pixel.wrapping_add_signed(tap) < grid.size[axis];
            !inside(first) || !inside(last)
        };
        self.taps.iter().any(|tap| outside(0, tap[0]) || outside(1, tap[1]))
    }

    /// Blocks of the reduction: a range of taps, and a range of the floats of each.
    fn k_blocks(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let depth = if self.is_pointwise() { POINT_DEPTH } else { DEPTH };
        let max_taps = (DEPTH / self.len.max(1)).clamp(1, MAX_SLICES);
        // Whole rows of taps, if they fit: their slices may be contiguous.
        let row = self.taps.iter().take_while(|tap| tap[0] == self.taps[0][0]).count();
        let unit = if row <= max_taps && self.taps.len().is_multiple_of(row) { row } else { 1 };
        even_ranges(self.taps.len() / unit, max_taps / unit)
            .map(move |rows| rows.start * unit..rows.end * unit)
            .flat_map(move |taps| {
                even_ranges(self.len, depth).map(move |floats| (taps.clone(), floats))
            })
    }
}
