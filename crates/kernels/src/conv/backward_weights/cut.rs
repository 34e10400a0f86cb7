//! How the weights' gradient is cut into tasks, and how their sums come back together.
//!
//! Panels hold 16 channels of a tap. All taps of 16 channels come one after another, so that a task's
//! panels read the same pixels again and again. Everything follows from the shape.

use crate::{
    conv::{
        Conv, Few,
        backward_weights::each_outputs,
        shares::{Shares, falling_runs},
    },
    cpu::Cpu,
    pack::even_runs,
    simd::{Kernel, LANES, Lanes},
    tile::{COLS, ROWS},
    view::Write,
};

/// Most tiles of output channels in a task: with 128 pixels, 192 KiB of packed `dy`.
pub(super) const BLOCK_TILES: usize = 64;
/// Panels that share a packed block of `dy`, on average at least, if there are so many.
const PANELS: usize = 24;
/// Enough tasks to keep several threads busy to the end.
const TASKS: usize = 16;

/// How the work is cut.
pub(super) struct Cut {
    /// Tiles of six output channels in a group.
    pub(super) tiles: usize,
    panels: usize,
    pub(super) shares: Shares,
    /// Floats of one partial sum: (group, panels, tiles, 6, 16).
    pub(super) sums_len: usize,
    taps: usize,
}

impl Cut {
    /// Cuts for blocks of `pixels`.
    pub(super) fn of(conv: &Conv, pixels: usize) -> Self {
        let tiles = conv.group_k().div_ceil(ROWS);
        let (taps, panels) = (conv.taps(), conv.taps() * conv.group_c() / COLS);
        let tile_runs: Few<_> = even_runs(tiles, BLOCK_TILES).collect();
        let wanted = TASKS.div_ceil(conv.group * tile_runs.len());
        let panel_runs = falling_runs(panels, wanted.min(panels / PANELS).max(1)).collect();
        let blocks = conv.out_pixels().div_ceil(pixels);
        Self {
            tiles,
            panels,
            shares: Shares::new(conv.group, tile_runs, panel_runs, blocks, TASKS),
            sums_len: conv.group * panels * tiles * ROWS * COLS,
            taps,
        }
    }

    /// Floats of all partial sums.
    pub(super) fn all_sums_len(&self) -> usize {
        self.shares.splits() * self.sums_len
    }

    /// Which tap a panel is of, and its first channel.
    #[inline(always)]
    pub(super) fn place(&self, panel: usize) -> (usize, usize) {
        (panel % self.taps, panel / self.taps * COLS)
    }

    /// Where the sums of a tile begin.
    pub(super) fn tile_at(&self, split: usize, group: usize, panel: usize, tile: usize) -> usize {
        let before = (group * self.panels + panel) * self.tiles + tile;
        split * self.sums_len + before * ROWS * COLS
    }

    /// Adds the partial sums in order and writes them in Caffe's order.
    pub(super) fn collect(
        &self,
        cpu: &Cpu,
        conv: &Conv,
        sums: &[f32],
        write: Write,
        dw: &mut [f32],
    ) {
        each_outputs(cpu, conv, ROWS, dw, |group, first, dw| {
            cpu.enter(Tile { cut: self, conv, sums, group, tile: first / ROWS, write, dw });
        });
    }
}

/// Collects six output channels: `dw` is (k, c, taps). A panel's sums for the six lie together, so the
/// loop over channels is the inner one.
struct Tile<'a> {
    cut: &'a Cut,
    conv: &'a Conv,
    sums: &'a [f32],
    group: usize,
    tile: usize,
    write: Write,
    dw: &'a mut [f32],
}

impl Kernel for Tile<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(mut self, s: S) {
        let (c, taps) = (self.conv.group_c(), self.conv.taps());
        let ks = self.dw.len() / (c * taps);
        if taps == 1 {
            for panel in 0..self.cut.panels {
                for k in 0..ks {
                    self.put_row(s, k, panel);
                }
            }
            return;
        }
        let eights = taps / LANES * LANES;
        for (block, channel) in (0..c).step_by(COLS).enumerate() {
            for tap in (0..eights).step_by(LANES) {
                for k in 0..ks {
                    self.put_eights(s, k, channel, tap);
                    self.put_eights(s, k, channel + LANES, tap);
                }
            }
            for tap in eights..taps {
                for k in 0..ks {
                    self.put_panel(k, block * taps + tap, (channel * taps + tap, taps));
                }
            }
        }
    }
}

impl Tile<'_> {
    /// Where channel `k`'s sums of a panel begin.
    #[inline(always)]
    fn at(&self, k: usize, panel: usize) -> usize {
        self.cut.tile_at(0, self.group, panel, self.tile) + k * COLS
    }

    /// Channel `k`'s gradients from `first` on.
    #[inline(always)]
    fn row(&mut self, k: usize, first: usize) -> &mut [f32] {
        let row = self.conv.group_c() * self.conv.taps();
        &mut self.dw[k * row + first..(k + 1) * row]
    }

    /// Writes a panel of the only tap: its channels lie as they are.
    #[inline(always)]
    fn put_row<S: Lanes>(&mut self, s: S, k: usize, panel: usize) {
        let (at, splits, sums_len) =
            (self.at(k, panel), self.cut.shares.splits(), self.cut.sums_len);
        let (sums, write) = (self.sums, self.write);
        for (half, into) in self.row(k, panel * COLS)[..COLS].chunks_exact_mut(LANES).enumerate() {
            let mut sum = s.splat(0.0);
            for split in 0..splits {
                let from = &sums[at + half * LANES + split * sums_len..][..LANES];
                // SAFETY: `from` is eight floats.
                sum = s.add(sum, unsafe { s.load(from.as_ptr()) });
            }
            if write == Write::Add {
                // SAFETY: `into` is eight floats.
                sum = s.add(unsafe { s.load(into.as_ptr()) }, sum);
            }
            // SAFETY: as above.
            unsafe { s.store(into.as_mut_ptr(), sum) };
        }
    }

    /// Writes eight input channels by eight taps.
    #[inline(always)]
    fn put_eights<S: Lanes>(&mut self, s: S, k: usize, channel: usize, tap: usize) {
        let taps = self.conv.taps();
        let mut rows = [s.splat(0.0); LANES];
        for (i, row) in rows.iter_mut().enumerate() {
            let at = self.at(k, channel / COLS * taps + tap + i) + channel % COLS;
            for split in 0..self.cut.shares.splits() {
                let from = &self.sums[at + split * self.cut.sums_len..][..LANES];
                // SAFETY: `from` is eight floats.
                *row = s.add(*row, unsafe { s.load(from.as_ptr()) });
            }
        }
        let write = self.write;
        for (i, mut row) in s.transpose(rows).into_iter().enumerate() {
            let into = &mut self.row(k, (channel + i) * taps + tap)[..LANES];
            if write == Write::Add {
                // SAFETY: `into` is eight floats.
                row = s.add(unsafe { s.load(into.as_ptr()) }, row);
            }
            // SAFETY: as above.
            unsafe { s.store(into.as_mut_ptr(), row) };
        }
    }

    /// Adds the partial sums of channel `k` in a panel, in order.
    #[inline(always)]
    fn add_up(&self, k: usize, panel: usize) -> [f32; COLS] {
        let mut row = [0.0; COLS];
        for split in 0..self.cut.shares.splits() {
            let from = &self.sums[self.at(k, panel) + split * self.cut.sums_len..][..COLS];
            row.iter_mut().zip(from).for_each(|(row, from)| *row += from);
        }
        row
    }

    /// Writes the sums of a panel from `first` on, `step` apart.
    #[inline(always)]
    fn put_panel(&mut self, k: usize, panel: usize, (first, step): (usize, usize)) {
        let (sums, write) = (self.add_up(k, panel), self.write);
        for (into, sum) in self.row(k, first).iter_mut().step_by(step).zip(sums) {
            put(write, sum, into);
        }
    }
}

/// Writes or adds a sum.
#[inline(always)]
fn put(write: Write, sum: f32, into: &mut f32) {
    match write {
        Write::Set => *into = sum,
        Write::Add => *into += sum,
    }
}
