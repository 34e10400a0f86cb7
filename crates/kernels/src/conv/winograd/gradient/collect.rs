//! Adds the partial sums and turns them into gradients, in Caffe's order.

use crate::{
    conv::winograd::{
        gradient::cut::Cut,
        points::{At, Points},
        transform,
    },
    simd::{Kernel, LANES, Lanes},
    tile::COLS,
    view::Write,
};

/// Turns the sums of six output channels into gradients: `dw` is (k, c, taps).
pub(super) struct Collect<'a, const M: usize, const R: usize, const N: usize> {
    pub(super) cut: &'a Cut<M, N>,
    pub(super) sums: &'a [f32],
    pub(super) group: usize,
    pub(super) tile: usize,
    pub(super) write: Write,
    /// Floats of an output channel.
    pub(super) row: usize,
    pub(super) dw: &'a mut [f32],
}

impl<const M: usize, const R: usize, const N: usize> Kernel for Collect<'_, M, R, N>
where
    At<N>: Points<N>,
{
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let channels = self.row / (R * R);
        for channel in (0..channels).step_by(LANES) {
            let live = LANES.min(channels - channel);
            for k in 0..self.dw.len() / self.row {
                let mut sums = [[[0.0_f32; LANES]; N]; N];
                for (point, sum) in sums.as_flattened_mut().iter_mut().enumerate() {
                    // SAFETY: `sum` is eight floats.
                    unsafe { s.store(sum.as_mut_ptr(), self.sum(s, point, k, channel)) };
                }
                let sums = sums.as_flattened().as_flattened().as_ptr();
                // SAFETY: `sums` is N² times eight floats.
                let taps: [[S::F; R]; R] = unsafe { transform::gather(s, sums, LANES) };
                let dw = &mut self.dw[k * self.row + channel * R * R..][..live * R * R];
                for (tap, &value) in taps.as_flattened().iter().enumerate() {
                    put(s, self.write, value, dw[tap..].iter_mut().step_by(R * R));
                }
            }
        }
    }
}

impl<const M: usize, const R: usize, const N: usize> Collect<'_, M, R, N> {
    /// Eight channels' sum of products number `point`, over all partial sums.
    #[inline(always)]
    fn sum<S: Lanes>(&self, s: S, point: usize, k: usize, channel: usize) -> S::F {
        let cut = self.cut;
        let panel = (channel / COLS).min(cut.panels.count() - 1);
        let at = cut.sums_at(0, self.group, point, panel, self.tile)
            + k * cut.panels.width(panel)
            + (channel - panel * COLS);
        let mut sum = s.splat(0.0);
        for split in 0..cut.shares.splits() {
            let from = &self.sums[at + split * cut.sums_len..][..LANES];
            // SAFETY: `from` is eight floats.
            sum = s.add(sum, unsafe { s.load(from.as_ptr()) });
        }
        sum
    }
}

/// Writes or adds the lanes that have a place.
#[inline(always)]
fn put<'a, S: Lanes>(s: S, write: Write, value: S::F, into: impl Iterator<Item = &'a mut f32>) {
    let mut lanes = [0.0; LANES];
    // SAFETY: `lanes` is eight floats.
    unsafe { s.store(lanes.as_mut_ptr(), value) };
    for (into, lane) in into.zip(lanes) {
        match write {
            Write::Set => *into = lane,
            Write::Add => *into += lane,
        }
    }
}
