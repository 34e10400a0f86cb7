//! Adds the partial sums and turns them into gradients, in Caffe's order.

use crate::{
    conv::winograd::{POINTS, TAPS, gradient::cut::Cut, transform},
    simd::{Kernel, LANES, Lanes},
    tile::COLS,
    view::Write,
};

/// Turns the sums of six output channels into gradients: `dw` is (k, c, taps).
pub(super) struct Collect<'a> {
    pub(super) cut: &'a Cut,
    pub(super) sums: &'a [f32],
    pub(super) group: usize,
    pub(super) tile: usize,
    pub(super) write: Write,
    /// Floats of an output channel.
    pub(super) row: usize,
    pub(super) dw: &'a mut [f32],
}

impl Kernel for Collect<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let Self { cut, sums, group, tile, write, row, dw } = self;
        for channel in (0..row / TAPS).step_by(LANES) {
            let live = LANES.min(row / TAPS - channel);
            for (k, dw) in dw.chunks_exact_mut(row).enumerate() {
                let mut points = [s.splat(0.0); POINTS];
                for (point, sum) in points.iter_mut().enumerate() {
                    let at = cut.sums_at(0, group, point, channel / COLS, tile);
                    let at = at + k * COLS + channel % COLS;
                    for split in 0..cut.shares.splits() {
                        let from = &sums[at + split * cut.sums_len..][..LANES];
                        // SAFETY: `from` is eight floats.
                        *sum = s.add(*sum, unsafe { s.load(from.as_ptr()) });
                    }
                }
                for (tap, value) in transform::taps(s, &points).into_iter().enumerate() {
                    let mut lanes = [0.0; LANES];
                    // SAFETY: `lanes` is eight floats.
                    unsafe { s.store(lanes.as_mut_ptr(), value) };
                    let into = dw[channel * TAPS + tap..].iter_mut().step_by(TAPS);
                    for (into, lane) in into.zip(lanes).take(live) {
                        match write {
                            Write::Set => *into = lane,
                            Write::Add => *into += lane,
                        }
                    }
                }
            }
        }
    }
}
