//! Adds the partial sums and transforms them into gradients, in Caffe's order.

use crate::{
    conv::{
        split_k::{PartialSums, scatter},
        winograd::{
            gradient::blocking::WinogradBlocking,
            points::{PointSet, WinogradPoints},
            transform,
        },
    },
    simd::{Kernel, LANES, SimdLanes},
    tile::COLS,
    view::Write,
};

/// Transforms the sums of six output channels into gradients: `dw` is (k, c, taps).
pub(super) struct WinogradCollect<'a, const M: usize, const R: usize, const N: usize> {
    pub(super) blocking: &'a WinogradBlocking<M, N>,
    pub(super) sums: PartialSums<'a>,
    pub(super) group: usize,
    pub(super) tile: usize,
    pub(super) write: Write,
    /// Gradients of an output channel.
    pub(super) row: usize,
    pub(super) dw: &'a mut [f32],
}

impl<const M: usize, const R: usize, const N: usize> Kernel for WinogradCollect<'_, M, R, N>
where
    PointSet<N>: WinogradPoints<N>,
{
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
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
                let taps: [[S::F; R]; R] = unsafe { transform::output(s, sums, LANES) };
                let dw = &mut self.dw[k * self.row + channel * R * R..][..live * R * R];
                for (tap, &value) in taps.as_flattened().iter().enumerate() {
                    scatter(s, self.write, value, dw[tap..].iter_mut().step_by(R * R));
                }
            }
        }
    }
}

impl<const M: usize, const R: usize, const N: usize> WinogradCollect<'_, M, R, N> {
    /// The sums of eight input channels for product `point`, over all partial sums.
    #[inline(always)]
    fn sum<S: SimdLanes>(&self, s: S, point: usize, k: usize, channel: usize) -> S::F {
        let blocking = self.blocking;
        let panel = (channel / COLS).min(blocking.panels.count() - 1);
        let at = blocking.sums_at(0, self.group, point, panel, self.tile)
            + k * blocking.panels.width(panel)
            + (channel - panel * COLS);
        self.sums.eight(s, at)
    }
}
