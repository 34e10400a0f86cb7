//! The gradient of weights, with the 3×3 taps as outputs and 2×2 of `dy` in the filter's part.
//!
//! `dw[k, c] = taps(Σ_tile gradients(dy[tile, k]) · inputs(x[tile, c]))`: 16 matrix products whose reduction
//! runs over tiles. A task owns some output and some input channels; it walks its tiles in blocks, turns
//! `dy` into (16, tiles, k) and, one panel of 16 channels after another, `x` into (16, tiles, 16), both small
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
            POINTS, SIDE, TAPS,
            gradient::{
                collect::Collect,
                cut::{BLOCK, Cut},
            },
            inputs::{self, Channels, Room},
            transform,
        },
    },
    cpu::{Cpu, Pieces},
    simd::{Kernel, LANES, Lanes},
    tile::{self, COLS, ROWS, Run, Start, Target},
    view::{Rows, Write},
};

/// As [`backward_weights`](crate::conv::backward_weights), for what Winograd's way applies to.
pub(crate) fn backward_weights(
    cpu: &Cpu,
    conv: &Conv,
    x: &[f32],
    dy: Rows<'_>,
    write: Write,
    dw: &mut [f32],
) {
    let cut = Cut::of(conv);
    cpu.with_shared(cut.shares.splits() * cut.sums_len, |sums| {
        let work =
            Work { conv, cut: &cut, x: Rows::dense(x, conv.c), dy, sums: Pieces::new(sums, 1) };
        cpu.run_scratch(cut.shares.tasks(), cut.scratch_len(), |task, scratch| {
            let (turned_dy, turned_x) = scratch.split_at_mut(POINTS * BLOCK * cut.dy_row);
            cpu.enter(Part { of: &work, share: cut.shares.share(task), turned_dy, turned_x });
        });
        let row = conv.group_c() * TAPS;
        each_outputs(cpu, conv, ROWS, dw, |group, first, dw| {
            cpu.enter(Collect { cut: &cut, sums, group, tile: first / ROWS, write, row, dw });
        });
    });
}

/// What all tasks share.
struct Work<'a> {
    conv: &'a Conv,
    cut: &'a Cut,
    x: Rows<'a>,
    dy: Rows<'a>,
    sums: Pieces<'a, f32>,
}

/// One task.
struct Part<'a> {
    of: &'a Work<'a>,
    share: Share,
    /// (16, 48, k and some)
    turned_dy: &'a mut [f32],
    /// (16, 48, 16)
    turned_x: &'a mut [f32],
}

impl Kernel for Part<'_> {
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
                for point in 0..POINTS {
                    self.multiply(s, (point, panel), tiles.len(), block == mine.start);
                }
            }
        }
    }
}

impl Part<'_> {
    /// Turns a panel of input channels of some tiles.
    #[inline(always)]
    fn turn_x<S: Lanes>(&mut self, s: S, tiles: Range<usize>, panel: usize) {
        let Work { conv, cut, x, .. } = *self.of;
        let first = self.share.group * conv.group_c() + panel * COLS;
        let channels = Channels { x, first, count: cut.panels.cols(panel) };
        for (row, tile) in self.turned_x[..BLOCK * COLS].chunks_exact_mut(COLS).zip(tiles) {
            let room = Room { to: row.as_mut_ptr(), point: BLOCK * COLS, panel: COLS };
            // SAFETY: this row of each of the 16 matrices has 16 floats, as many as a panel has channels.
            unsafe { inputs::turn(s, channels, &cut.grid.inputs(cut.grid.place(tile)), room) };
        }
    }

    /// Turns the outputs' gradients of some tiles.
    #[inline(always)]
    fn turn_dy<S: Lanes>(&mut self, s: S, tiles: Range<usize>) {
        let Work { conv, cut, dy, .. } = *self.of;
        let k = self.share.tiles.start * ROWS;
        let count = (self.share.tiles.len() * ROWS).min(conv.group_k() - k);
        let first = self.share.group * conv.group_k() + k;
        let rows = self.turned_dy[..BLOCK * cut.dy_row].chunks_exact_mut(cut.dy_row);
        for (row, tile) in rows.zip(tiles) {
            let mut pixels = [None; SIDE * SIDE];
            for (from, pixel) in pixels.iter_mut().zip(cut.grid.outputs(cut.grid.place(tile))) {
                *from = pixel.map(|pixel| dy.row(pixel, first + count)[first..].as_ptr());
            }
            for channel in (0..count).step_by(LANES) {
                let live = LANES.min(count - channel);
                let mut four = [s.splat(0.0); SIDE * SIDE];
                for (value, pixel) in four.iter_mut().zip(&pixels) {
                    if let Some(pixel) = pixel {
                        // SAFETY: the pixel has these channels.
                        *value = unsafe { s.load_first(pixel.wrapping_add(channel), live) };
                    }
                }
                for (point, value) in transform::gradients(s, &four).into_iter().enumerate() {
                    let to = row.as_mut_ptr().wrapping_add(point * BLOCK * cut.dy_row + channel);
                    // SAFETY: this row of each of the 16 matrices has whole vectors for all channels.
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
        let dy = &self.turned_dy[point * BLOCK * cut.dy_row..][..BLOCK * cut.dy_row];
        let b = self.turned_x[point * BLOCK * COLS..][..BLOCK * COLS].as_ptr();
        for (index, tile) in tiles.clone().enumerate() {
            let rows = std::array::from_fn(|i| dy[index * ROWS + i..].as_ptr());
            let to = self.of.sums.pointer(cut.sums_at(*split, *group, point, panel, tile));
            let to: [_; ROWS] = std::array::from_fn(|i| to.wrapping_add(i * COLS));
            let target = Target { rows: &to, valid: ROWS, cols: COLS, step: 1 };
            let run = Run { rows, at: 0, len };
            // SAFETY: a row of `dy` has six channels from each register tile's first on, the panel is
            // (48, 16), and the sums are this task's alone.
            unsafe { tile::sum_panel(s, COLS, &[run], cut.dy_row, b, (start, None), &target) };
        }
    }
}
