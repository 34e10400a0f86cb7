//! Adds partial sums in order and puts them into Caffe's order, (k, c, taps).

use crate::{
    conv::{
        Conv,
        backward_weights::{each_outputs, in_place::Cut},
    },
    cpu::Cpu,
    simd::{Kernel, LANES, Lanes},
    tile::{COLS, ROWS},
    view::Write,
};

impl Cut {
    /// Collects the sums of all tasks: eight output channels at a time.
    pub(super) fn collect(
        &self,
        cpu: &Cpu,
        conv: &Conv,
        sums: &[f32],
        write: Write,
        dw: &mut [f32],
    ) {
        each_outputs(cpu, conv, LANES, dw, |group, first, dw| {
            cpu.enter(Eight { cut: self, conv, sums, group, first, write, dw });
        });
    }
}

/// Eight output channels, `first` on: `dw` is (k, c, taps).
struct Eight<'a> {
    cut: &'a Cut,
    conv: &'a Conv,
    sums: &'a [f32],
    group: usize,
    first: usize,
    write: Write,
    dw: &'a mut [f32],
}

impl Kernel for Eight<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let Self { cut, conv, sums, group, first, write, dw } = self;
        let (c, taps) = (conv.group_c(), conv.taps());
        let panel = (first / COLS).min(cut.panels.count() - 1);
        let (lane, width) = (first - panel * COLS, cut.panels.width(panel));
        let (mut tap, mut channel) = (0, 0);
        for row in 0..c * taps {
            let (section, row) = (row / cut.section, row % cut.section);
            let tile = section * cut.section_tiles + row / ROWS;
            let at = cut.tile_at((0, group), tile, panel) + row % ROWS * width + lane;
            let mut sum = s.splat(0.0);
            for split in 0..cut.shares.splits() {
                let from = &sums[at + split * cut.sums_len..][..LANES];
                // SAFETY: `from` is eight floats.
                sum = s.add(sum, unsafe { s.load(from.as_ptr()) });
            }
            let mut lanes = [0.0; LANES];
            // SAFETY: `lanes` is eight floats.
            unsafe { s.store(lanes.as_mut_ptr(), sum) };
            for (dw, sum) in dw.chunks_exact_mut(c * taps).zip(lanes) {
                let into = &mut dw[channel * taps + tap];
                match write {
                    Write::Set => *into = sum,
                    Write::Add => *into += sum,
                }
            }
            channel += 1;
            if channel == c {
                (tap, channel) = (tap + 1, 0);
            }
        }
    }
}
