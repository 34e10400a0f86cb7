//! The gradient of weights, with the R×R taps as outputs and M×M of `dy` in the filter's part.
//!
//! `dw[k, c] = gather(Σ_tile spread(dy[tile, k]) · inputs(x[tile, c]))`: N² matrix products whose reduction
//! runs over tiles. A task owns some output and some input channels; it walks its tiles in blocks, turns
//! `dy` into (N², tiles, k) and, one panel of 16 channels after another, `x` into (N², tiles, 16), both small
//! enough for L2, and adds into sums kept register tile by register tile in scratch.
//! Partial sums over tiles are added in order when the sums are turned into taps.

mod collect;
mod cut;

use std::ops::Range;

use crate::{
    conv::{
        Conv,
        backward_weights::each_outputs,
        shares::Share,
        winograd::{
            gradient::{
                collect::Collect,
                cut::{BLOCK, Cut},
            },
            inputs::{self, Channels},
            planes::Planes,
            points::{At, Points},
            transform,
        },
    },
    cpu::{Cpu, Pieces},
    simd::{Kernel, LANES, Lanes},
    tile::{self, COLS, ROWS, Run, Start, Target},
    view::{StridedRows, Write},
};

/// As [`backward_weights`](crate::conv::backward_weights), with tiles of M×M outputs and N×N inputs.
pub(super) fn run<const M: usize, const R: usize, const N: usize>(
    cpu: &Cpu,
    conv: &Conv,
    x: &[f32],
    dy: StridedRows<'_>,
    write: Write,
    dw: &mut [f32],
) where
    At<N>: Points<N>,
{
    let cut = Cut::<M, N>::of(conv);
    cpu.with_shared(cut.shares.splits() * cut.sums_len, |sums| {
        let (x, sums_of) = (StridedRows::dense(x, conv.c), Pieces::new(&mut *sums, 1));
        let work = Work { conv, cut: &cut, x, dy, sums: sums_of };
        cpu.run_scratch(cut.shares.tasks(), cut.scratch_len(), |task, scratch| {
            let (turned_dy, turned_x) = scratch.split_at_mut(N * N * cut.dy.plane);
            cpu.enter(Part { of: &work, share: cut.shares.share(task), turned_dy, turned_x });
        });
        let row = conv.group_c() * conv.taps();
        each_outputs(cpu, conv, ROWS, dw, |group, first, dw| {
            let tile = first / ROWS;
            cpu.enter(Collect::<M, R, N> { cut: &cut, sums, group, tile, write, row, dw });
        });
    });
}

/// What all tasks share.
struct Work<'a, const M: usize, const N: usize> {
    conv: &'a Conv,
    cut: &'a Cut<M, N>,
    x: StridedRows<'a>,
    dy: StridedRows<'a>,
    sums: Pieces<'a, f32>,
}

/// One task.
struct Part<'a, const M: usize, const N: usize> {
    of: &'a Work<'a, M, N>,
    share: Share,
    /// (N², 48, k and some)
    turned_dy: &'a mut [f32],
    /// (N², 48, 24)
    turned_x: &'a mut [f32],
}

impl<const M: usize, const N: usize> Kernel for Part<'_, M, N>
where
    At<N>: Points<N>,
{
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(mut self, s: S) {
        let cut = self.of.cut;
        let tiles = cut.grid.tiles();
        let mine = self.share.blocks.clone();
        for block in mine.clone() {
            let tiles = block * BLOCK..tiles.min((block + 1) * BLOCK);
            self.turn_dy(s, tiles.clone());
            for panel in self.share.panels.clone() {
                self.turn_x(s, tiles.clone(), panel);
                for point in 0..N * N {
                    self.multiply(s, (point, panel), tiles.len(), block == mine.start);
                }
            }
        }
    }
}

impl<const M: usize, const N: usize> Part<'_, M, N>
where
    At<N>: Points<N>,
{
    /// Turns a panel of input channels of some tiles.
    #[inline(always)]
    fn turn_x<S: Lanes>(&mut self, s: S, tiles: Range<usize>, panel: usize) {
        let Work { conv, cut, x, .. } = *self.of;
        let first = self.share.group * conv.group_c() + panel * COLS;
        let channels = Channels { x, first, count: cut.panels.cols(panel) };
        let Planes { row, plane } = cut.x(panel);
        assert!(self.turned_x.len() >= N * N * plane, "all matrices");
        for (row, tile) in self.turned_x[..BLOCK * row].chunks_exact_mut(row).zip(tiles) {
            let (to, place) = (row.as_mut_ptr(), cut.grid.place(tile));
            // SAFETY: `x` has all pixels, and this row of each of the N² matrices has a panel's width.
            unsafe { inputs::turn(s, channels, (&cut.grid, place), to, plane) };
        }
    }

    /// Turns the outputs' gradients of some tiles.
    #[inline(always)]
    fn turn_dy<S: Lanes>(&mut self, s: S, tiles: Range<usize>) {
        let Work { conv, cut, dy, .. } = *self.of;
        let k = self.share.tiles.start * ROWS;
        let count = (self.share.tiles.len() * ROWS).min(conv.group_k() - k);
        let first = self.share.group * conv.group_k() + k;
        let Planes { row, plane } = cut.dy;
        assert!(self.turned_dy.len() >= N * N * plane, "all matrices");
        for (row, tile) in self.turned_dy[..BLOCK * row].chunks_exact_mut(row).zip(tiles) {
            let pixels = cut.grid.output_pixels(cut.grid.place(tile), dy, first);
            for channel in (0..count).step_by(LANES) {
                let live = LANES.min(count - channel);
                let mut values = [[s.splat(0.0); M]; M];
                let each = values.as_flattened_mut().iter_mut();
                for (value, pixel) in each.zip(pixels.as_flattened()) {
                    let from = pixel.wrapping_add(channel);
                    *value = if live == LANES {
                        // SAFETY: the pixel, or zeros, have these channels.
                        unsafe { s.load(from) }
                    } else {
                        // SAFETY: as above.
                        unsafe { s.load_first(from, live) }
                    };
                }
                let points: [[S::F; N]; N] = transform::spread(s, &values);
                for (point, &value) in points.as_flattened().iter().enumerate() {
                    let to = row.as_mut_ptr().wrapping_add(point * plane + channel);
                    // SAFETY: this row of each of the N² matrices has whole vectors for all channels.
                    unsafe { s.store(to, value) };
                }
            }
        }
    }

    /// Adds a block's product number `point` to the sums of a panel.
    #[inline(always)]
    fn multiply<S: Lanes>(&self, s: S, (point, panel): (usize, usize), len: usize, first: bool) {
        let cut = self.of.cut;
        let Share { split, group, tiles, .. } = &self.share;
        let start = if first { Start::Zero } else { Start::Output };
        let dy = &self.turned_dy[point * cut.dy.plane..][..cut.dy.plane];
        let Planes { row: width, plane } = cut.x(panel);
        let b = self.turned_x[point * plane..][..plane].as_ptr();
        for (index, tile) in tiles.clone().enumerate() {
            let rows = std::array::from_fn(|i| dy[index * ROWS + i..].as_ptr());
            let to = self.of.sums.pointer(cut.sums_at(*split, *group, point, panel, tile));
            let to: [_; ROWS] = std::array::from_fn(|i| to.wrapping_add(i * width));
            let target = Target { rows: &to, valid: ROWS, cols: width, step: 1 };
            let run = Run { rows, at: 0, len };
            // SAFETY: a row of `dy` has six channels from each register tile's first on, the panel is
            // (48, width), and the sums are this task's alone.
            unsafe { tile::sum_panel(s, width, &[run], cut.dy.row, b, (start, None), &target) };
        }
    }
}
