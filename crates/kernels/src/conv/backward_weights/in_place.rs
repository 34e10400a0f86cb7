//! The weights' gradient of few or odd channels: the input is read where it lies.
//!
//! `dwᵀ[(tap, c), k] = Σ_pixel x[pixel · stride + tap, c] · dy[pixel, k]`. A tile's rows are six (tap, c),
//! each a pointer into the image that goes a pixel further with every step, and its columns are output
//! channels; so `dy` is packed, once a block of pixels, and `x` not at all. Packing `x`, as for many output
//! channels, costs about as much as two tiles, and there are only `k / 6` to share it.
//!
//! Along a row of outputs the pixels of `x` lie a fixed step apart: a stretch. Where there is padding,
//! tiles keep to one tap and its stretches leave the padding out.
//!
//! Tasks and partial sums: see `shares`.

mod collect;
mod stretch;
mod work;

use std::ops::Range;

use crate::{
    conv::{
        Conv,
        runs::Runs,
        shares::{Share, Shares, falling_runs},
    },
    cpu::{Cpu, Pieces},
    pack,
    simd::{Kernel, Lanes},
    tile::{self, COLS, Panels, ROWS, Run, Start, Target},
    view::{Mat, StridedRows, Write},
};
use stretch::{Stretch, Stretches};
use work::Work;

/// Most output channels of a group for which this pays.
const CHANNELS: usize = 128;
/// Unless neighbouring pixels are so many floats apart: a block of them would compete for few places in L1.
const FAR: usize = 512;
/// Pixels in a block.
const PIXELS: usize = 128;
/// Tiles that share a packed block of `dy`, on average at least, if there are so many.
const TILES: usize = 64;
/// Enough tasks to keep several threads busy to the end.
const TASKS: usize = 16;

/// Whether the input should be read in place: for few output channels of an input of not too many, and where
/// input channels do not fill panels.
pub(super) fn applies(conv: &Conv) -> bool {
    let near = conv.c * conv.stride[1] < FAR;
    conv.group_k() <= CHANNELS && near || !conv.group_c().is_multiple_of(COLS)
}

/// The gradient, as [`backward_weights`](super::backward_weights).
pub(super) fn backward_weights(
    cpu: &Cpu,
    conv: &Conv,
    x: &[f32],
    dy: StridedRows<'_>,
    write: Write,
    dw: &mut [f32],
) {
    let runs = Runs::of(conv);
    let cut = Cut::of(conv, &runs);
    let sums_len = cut.shares.splits() * cut.sums_len;
    cpu.with_shared(sums_len + runs.copy_len(conv), |scratch| {
        let (sums, copy) = scratch.split_at_mut(sums_len);
        let x = runs.image(cpu, conv, x, copy);
        let work = Work { conv, runs: &runs, cut: &cut, x, dy, sums: Pieces::new(sums, 1) };
        let packed_len = PIXELS * cut.panels.packed_cols();
        cpu.run_scratch(cut.shares.tasks(), packed_len, |task, packed| {
            cpu.enter(Part { of: &work, share: cut.shares.share(task), packed });
        });
        cut.collect(cpu, conv, sums, write, dw);
    });
}

/// How the work is cut.
struct Cut {
    /// Whether taps may lie in the padding; then each is a section of its own.
    padded: bool,
    /// Rows (tap, c) that have the same stretches: all, or those of a tap.
    section: usize,
    /// Tiles of a section.
    section_tiles: usize,
    /// Tiles of a group.
    tiles: usize,
    /// Panels of output channels: a task has all of them.
    panels: Panels,
    shares: Shares,
    /// Floats of one partial sum: (group, tiles, panels, 6, 16).
    sums_len: usize,
}

impl Cut {
    fn of(conv: &Conv, runs: &Runs) -> Self {
        let padded = conv.pad != [0, 0] && runs.border == [0, 0];
        let sections = if padded { runs.taps.len() } else { 1 };
        let section = runs.taps.len() * runs.len / sections;
        let section_tiles = section.div_ceil(ROWS);
        let tiles = sections * section_tiles;
        let wanted = TASKS.div_ceil(conv.group);
        let tile_runs = falling_runs(tiles, wanted.min(tiles / TILES).max(1)).collect();
        let blocks = conv.out_pixels().div_ceil(PIXELS);
        let panels = Panels::new(conv.group_k());
        let panel_runs = falling_runs(panels.count(), 1).collect();
        let shares = Shares::new(conv.group, tile_runs, panel_runs, blocks, TASKS);
        let sums_len = conv.group * tiles * ROWS * panels.packed_cols();
        Self { padded, section, section_tiles, tiles, panels, shares, sums_len }
    }

    /// Where the sums of a tile begin.
    fn tile_at(&self, (split, group): (usize, usize), tile: usize, panel: usize) -> usize {
        let before = (group * self.tiles + tile) * ROWS * self.panels.packed_cols();
        split * self.sums_len + before + panel * ROWS * COLS
    }
}

/// One task.
struct Part<'a> {
    of: &'a Work<'a>,
    share: Share,
    packed: &'a mut [f32],
}

impl Kernel for Part<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(mut self, s: S) {
        let pixels = self.of.conv.out_pixels();
        let mine = self.share.blocks.clone();
        for block in mine.clone() {
            let part = |block: usize| pixels.min(block * PIXELS)..pixels.min((block + 1) * PIXELS);
            let start = if block == mine.start { Start::Zero } else { Start::Output };
            let next = if block + 1 < mine.end { part(block + 1) } else { 0..0 };
            self.add_block(s, part(block), next, start);
        }
    }
}

impl Part<'_> {
    /// Adds a block of pixels to the task's sums; asks for those of the next block meanwhile.
    #[inline(always)]
    fn add_block<S: Lanes>(
        &mut self,
        s: S,
        pixels: Range<usize>,
        next: Range<usize>,
        start: Start,
    ) {
        let Work { conv, cut, dy, .. } = *self.of;
        let k = conv.group_k();
        let dy = Mat::new(&dy.data[dy.offset..], dy.stride);
        pack::panels(s, dy, (pixels.start, pixels.len()), (self.share.group * k, k), self.packed);
        let mut stretches = Stretches::new();
        let Range { start: mut tile, end: last } = self.share.tiles;
        while tile < last {
            let section = tile / cut.section_tiles;
            let end = last.min((section + 1) * cut.section_tiles);
            stretches.find(self.of, section, &pixels);
            // Six rows of 128 pixels stay in L1 for all panels, which come from L2 as they lie.
            for tile in tile..end {
                let first = (tile - section * cut.section_tiles) * ROWS;
                let row = section * cut.section + first;
                let rows = self.of.rows(self.share.group, row, cut.section - first);
                self.of
                    .ask(s, part_of(&next, tile - self.share.tiles.start, self.share.tiles.len()));
                for panel in 0..cut.panels.count() {
                    let b = self.packed[panel * COLS * pixels.len()..].as_ptr();
                    self.tile(s, rows, (tile, panel), b, stretches.all(), start);
                }
            }
            tile = end;
        }
    }

    /// Adds the stretches to one tile.
    #[inline(always)]
    fn tile<S: Lanes>(
        &self,
        s: S,
        rows: [*const f32; ROWS],
        (tile, panel): (usize, usize),
        b: *const f32,
        stretches: &[Stretch],
        start: Start,
    ) {
        let Work { conv, cut, .. } = *self.of;
        let runs = stretches.iter().map(|stretch| Run {
            rows: rows.map(|row| row.wrapping_add(stretch.skip)),
            at: stretch.at,
            len: stretch.len,
        });
        let width = cut.panels.width(panel);
        let to =
            self.of.sums.pointer(cut.tile_at((self.share.split, self.share.group), tile, panel));
        let sums: [_; ROWS] = std::array::from_fn(|i| to.wrapping_add(i * width));
        let target = Target { rows: &sums, valid: ROWS, cols: width, step: 1 };
        let step = conv.stride[1] * conv.c;
        // SAFETY: a stretch's pixels are inside the image for every row of its section, `b` is the
        // block's packed panel, and the tile's sums are this task's alone.
        unsafe { tile::sum_each(s, width, runs, step, b, (start, None), &target) };
    }
}

/// Part `index` of `parts`.
fn part_of(whole: &Range<usize>, index: usize, parts: usize) -> Range<usize> {
    let at = |index| whole.start + whole.len() * index / parts;
    at(index)..at(index + 1)
}
