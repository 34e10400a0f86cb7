//! Adds the partial sums of packed tiles and puts them into Caffe's order, (k, c, taps).

use crate::{
    conv::{
        ConvShape,
        backward_weights::blocking::GradientBlocking,
        split_k::{PartialSums, put_eight, scatter},
    },
    simd::{Kernel, LANES, SimdLanes},
    tile::COLS,
    view::Write,
};

/// Collects six output channels: `dw` is (k, c, taps). The sums of a panel for the six are
/// adjacent, so the loop over output channels is the inner one.
pub(super) struct CollectTile<'a> {
    pub(super) blocking: &'a GradientBlocking,
    pub(super) conv: &'a ConvShape,
    pub(super) sums: PartialSums<'a>,
    pub(super) group: usize,
    pub(super) tile: usize,
    pub(super) write: Write,
    pub(super) dw: &'a mut [f32],
}

impl Kernel for CollectTile<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(mut self, s: S) {
        let (c, taps) = (self.conv.group_c(), self.conv.taps());
        let ks = self.dw.len() / (c * taps);
        if taps == 1 {
            for panel in 0..self.blocking.panels {
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
                    self.put_panel(s, k, block * taps + tap, channel * taps + tap);
                }
            }
        }
    }
}

impl CollectTile<'_> {
    /// Where the sums of output channel `k` in a panel begin.
    #[inline(always)]
    fn at(&self, k: usize, panel: usize) -> usize {
        self.blocking.tile_at(0, self.group, panel, self.tile) + k * COLS
    }

    /// The gradients of output channel `k` from `first` on.
    #[inline(always)]
    fn row(&mut self, k: usize, first: usize) -> &mut [f32] {
        let row = self.conv.group_c() * self.conv.taps();
        &mut self.dw[k * row + first..(k + 1) * row]
    }

    /// Writes a panel of the only tap: its channels are contiguous in the gradient.
    #[inline(always)]
    fn put_row<S: SimdLanes>(&mut self, s: S, k: usize, panel: usize) {
        let (at, sums, write) = (self.at(k, panel), self.sums, self.write);
        for (half, into) in self.row(k, panel * COLS)[..COLS].chunks_exact_mut(LANES).enumerate() {
            put_eight(s, write, sums.eight(s, at + half * LANES), into);
        }
    }

    /// Writes eight input channels by eight taps.
    #[inline(always)]
    fn put_eights<S: SimdLanes>(&mut self, s: S, k: usize, channel: usize, tap: usize) {
        let taps = self.conv.taps();
        let mut rows = [s.splat(0.0); LANES];
        for (i, row) in rows.iter_mut().enumerate() {
            let at = self.at(k, channel / COLS * taps + tap + i) + channel % COLS;
            *row = self.sums.eight(s, at);
        }
        let write = self.write;
        for (i, row) in s.transpose(rows).into_iter().enumerate() {
            put_eight(s, write, row, self.row(k, (channel + i) * taps + tap));
        }
    }

    /// Writes the sums of a panel of one tap to the gradients from `first` on, one per input
    /// channel.
    #[inline(always)]
    fn put_panel<S: SimdLanes>(&mut self, s: S, k: usize, panel: usize, first: usize) {
        let (at, sums, write, taps) = (self.at(k, panel), self.sums, self.write, self.conv.taps());
        for half in [0, LANES] {
            let into = self.row(k, first + half * taps).iter_mut().step_by(taps);
            scatter(s, write, sums.eight(s, at + half), into);
        }
    }
}
