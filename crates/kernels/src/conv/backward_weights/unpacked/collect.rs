//! Adds the partial sums of unpacked tiles and puts them into Caffe's order, (k, c, taps).

use crate::{
    conv::{
        ConvShape,
        backward_weights::{for_output_channels, unpacked::UnpackedBlocking},
        split_k::{PartialSums, scatter},
    },
    cpu::Cpu,
    simd::{Kernel, LANES, SimdLanes},
    tile::{COLS, ROWS},
    view::Write,
};

impl UnpackedBlocking {
    /// Collects the sums of all tasks: eight output channels at a time.
    pub(super) fn collect(
        &self,
        cpu: &Cpu,
        conv: &ConvShape,
        sums: &[f32],
        write: Write,
        dw: &mut [f32],
    ) {
        let sums = PartialSums { sums, splits: self.partition.splits(), len: self.sums_len };
        for_output_channels(cpu, conv, LANES, dw, |group, first, dw| {
            cpu.enter(CollectEight { blocking: self, conv, sums, group, first, write, dw });
        });
    }
}

/// Eight output channels from `first` on: `dw` is (k, c, taps).
struct CollectEight<'a> {
    blocking: &'a UnpackedBlocking,
    conv: &'a ConvShape,
    sums: PartialSums<'a>,
    group: usize,
    first: usize,
    write: Write,
    dw: &'a mut [f32],
}

impl Kernel for CollectEight<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let Self { blocking, conv, sums, group, first, write, dw } = self;
        let (c, taps) = (conv.group_c(), conv.taps());
        let panel = (first / COLS).min(blocking.panels.count() - 1);
        let (lane, width) = (first - panel * COLS, blocking.panels.width(panel));
        let (mut tap, mut channel) = (0, 0);
        for row in 0..c * taps {
            let (section, row) = (row / blocking.section, row % blocking.section);
            let tile = section * blocking.section_tiles + row / ROWS;
            let at = blocking.tile_at((0, group), tile, panel) + row % ROWS * width + lane;
            let into = dw.chunks_exact_mut(c * taps).map(|dw| &mut dw[channel * taps + tap]);
            scatter(s, write, sums.eight(s, at), into);
            channel += 1;
            if channel == c {
                (tap, channel) = (tap + 1, 0);
            }
        }
    }
}
