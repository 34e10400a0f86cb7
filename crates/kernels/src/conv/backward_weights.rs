//! Gradients of a convolution with respect to weights and bias.
//!
//! `dw[k, (tap, c)] = Σ_pixel dy[pixel, k] · x[pixel · stride + tap, c]`: a product whose reduction
//! runs over all output pixels. A task owns some `k` and some panels of (tap, c); it walks its
//! pixels in blocks, packs `dy`'s block into tiles of six `k` (L2), one panel of `x` at a time into
//! (pixels, 16) (L1), and adds into its sums, kept tile by tile in scratch, or in `dw` if it has the same order.
//! Few output channels cannot share the cost of a packed panel: see `in_place`.
//!
//! Partial sums over pixels, if there are several, are added in order at the end, when the sums are put into
//! Caffe's order.

mod columns;
mod cut;
mod in_place;
mod live;
mod places;

use std::ops::Range;

use crate::{
    columns as column_sums,
    conv::{
        Conv,
        backward_weights::cut::{BLOCK_TILES, Cut},
        depthwise,
        order::Order,
        runs::Runs,
        shares::Share,
        winograd,
    },
    cpu::{Cpu, Pieces},
    pack,
    simd::{Kernel, Lanes},
    tile::{self, COLS, ROWS, Run, Start, Target},
    view::{Mat, StridedRows, Write},
};

/// Pixels packed at a time.
const PIXELS: usize = 128;
/// With so many tiles a panel, there is time to fetch the next panel's pixels meanwhile.
const ASK_TILES: usize = 16;

/// `dw = Σ dy · x`, or `dw += ..`.
///
/// * `x`: (n, h, w, c)
/// * `dy`: n · out height · out width rows of k
/// * `dw`: (k, c / group, kernel height, kernel width)
///
/// # Panics
///
/// If an operand does not fit `conv`.
pub fn backward_weights(
    cpu: &Cpu,
    conv: &Conv,
    x: &[f32],
    dy: StridedRows<'_>,
    write: Write,
    dw: &mut [f32],
) {
    conv.check();
    assert_eq!(x.len(), conv.x_len(), "x of {conv:?}");
    dy.check(conv.out_pixels(), conv.k);
    assert_eq!(dw.len(), conv.weights_len(), "dw of {conv:?}");
    if conv.out_pixels() == 0 {
        if write == Write::Set {
            dw.fill(0.0);
        }
        return;
    }
    if depthwise::applies(conv) {
        return depthwise::backward_weights(cpu, conv, x, dy, write, dw);
    }
    if let Some(form) = winograd::Form::of(conv, conv.out()) {
        return winograd::backward_weights(cpu, (form, conv), x, dy, write, dw);
    }
    if in_place::applies(conv) {
        return in_place::backward_weights(cpu, conv, x, dy, write, dw);
    }
    let runs = Runs::of(conv);
    let cut = Cut::of(conv, PIXELS);
    let order = places::order(conv);
    let multiply = |sums: Pieces<'_, f32>, write: Write, in_order: bool| {
        let order = order.as_ref();
        let work = Work { conv, runs: &runs, cut: &cut, order, x, dy, sums, write, in_order };
        let scratch_len = pack::tile_len(PIXELS) * cut.tiles.min(BLOCK_TILES) + PIXELS * COLS;
        cpu.run_scratch(cut.shares.tasks(), scratch_len, |task, scratch| {
            cpu.enter(Part { of: &work, share: cut.shares.share(task), scratch });
        });
    };
    if cut.shares.splits() == 1 && conv.taps() == 1 {
        return multiply(Pieces::new(dw, 1), write, true);
    }
    cpu.with_shared(cut.all_sums_len(), |sums| {
        multiply(Pieces::new(sums, 1), Write::Set, false);
        cut.collect(cpu, conv, sums, write, dw);
    });
}

/// `db[k] = Σ_pixel dy[pixel, k]`, or `db += ..`.
///
/// * `dy`: `rows` rows of k
/// * `db`: (k)
///
/// # Panics
///
/// If an operand is shorter than its shape says.
pub fn backward_bias(
    cpu: &Cpu,
    rows: usize,
    k: usize,
    dy: StridedRows<'_>,
    write: Write,
    db: &mut [f32],
) {
    column_sums::sums_into(cpu, rows, k, dy, write, db);
}

/// Hands every task the gradients of up to `most` output channels of a group: `take(group, first, dw)`, where
/// `first` is counted in the group and `dw` is (k, c / group, taps).
pub(super) fn each_outputs(
    cpu: &Cpu,
    conv: &Conv,
    most: usize,
    dw: &mut [f32],
    take: impl Fn(usize, usize, &mut [f32]) + Sync,
) {
    let (ks, row) = (conv.group_k(), conv.group_c() * conv.taps());
    let parts = ks.div_ceil(most);
    let dw = Pieces::new(dw, 1);
    cpu.run(conv.group * parts, |task| {
        let (group, first) = (task / parts, task % parts * most);
        // SAFETY: the rows of these channels are one task's.
        let dw = unsafe { dw.range((group * ks + first) * row, most.min(ks - first) * row) };
        take(group, first, dw);
    });
}

/// What all tasks share.
struct Work<'a> {
    conv: &'a Conv,
    runs: &'a Runs,
    cut: &'a Cut,
    /// In which pixels are taken, if not as they lie.
    order: Option<&'a Order>,
    x: &'a [f32],
    dy: StridedRows<'a>,
    sums: Pieces<'a, f32>,
    /// Whether sums begin with what is there.
    write: Write,
    /// Whether the sums are the gradient itself: one partial sum of one tap.
    in_order: bool,
}

impl Work<'_> {
    /// Where the six rows of a tile's sums begin, and how many exist.
    #[inline(always)]
    fn tile_sums(
        &self,
        (split, group): (usize, usize),
        panel: usize,
        tile: usize,
    ) -> ([*mut f32; ROWS], usize) {
        let (at, step, valid) = if self.in_order {
            let (k, c) = (self.conv.group_k(), self.conv.group_c());
            let row = group * k + tile * ROWS;
            (row * c + panel * COLS, c, ROWS.min(k - tile * ROWS))
        } else {
            (self.cut.tile_at(split, group, panel, tile), COLS, ROWS)
        };
        let to = self.sums.pointer(at);
        (std::array::from_fn(|i| to.wrapping_add(i * step)), valid)
    }
}

/// One task.
struct Part<'a> {
    of: &'a Work<'a>,
    share: Share,
    scratch: &'a mut [f32],
}

impl Kernel for Part<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(mut self, s: S) {
        let pixels = self.of.conv.out_pixels();
        let mine = self.share.blocks.clone();
        for block in mine.clone() {
            let pixels = block * PIXELS..pixels.min((block + 1) * PIXELS);
            self.add_block(s, pixels, block == mine.start);
        }
    }
}

impl Part<'_> {
    /// Adds a block of pixels to the task's sums.
    #[inline(always)]
    fn add_block<S: Lanes>(&mut self, s: S, pixels: Range<usize>, first: bool) {
        let Work { conv, dy, .. } = *self.of;
        let Share { split, group, tiles, panels, .. } = &self.share;
        let depth = pixels.len();
        let (dy_tiles, panel_scratch) =
            self.scratch.split_at_mut(pack::tile_len(PIXELS) * tiles.len());
        let k = tiles.start * ROWS;
        let live = (tiles.len() * ROWS).min(conv.group_k() - k);
        let channels = (group * conv.group_k() + k, live);
        if let Some(order) = self.of.order {
            places::pack_dy(s, self.of, order, channels, &pixels, dy_tiles);
        } else {
            let dy = Mat::transposed(&dy.data[dy.offset..], dy.stride);
            pack::tiles(s, dy, channels, (pixels.start, depth), dy_tiles);
        }
        let start = match self.of.write {
            Write::Set if first => Start::Zero,
            Write::Set | Write::Add => Start::Output,
        };
        for panel in panels.clone() {
            let packed = &mut panel_scratch[..depth * COLS];
            let live = columns::pack(s, self.of, (*group, panel), &pixels, packed);
            if tiles.len() >= ASK_TILES && panel + 1 < panels.end {
                columns::ask(s, self.of, (*group, panel + 1), &pixels);
            }
            for (index, tile) in tiles.clone().enumerate() {
                let a = dy_tiles[index * pack::tile_len(depth)..].as_ptr();
                let runs = live.ranges().iter().map(|&(at, end)| {
                    let rows = std::array::from_fn(|i| a.wrapping_add(at * ROWS + i));
                    Run { rows, at, len: end - at }
                });
                let (rows, valid) = self.of.tile_sums((*split, *group), panel, tile);
                let target = Target { rows: &rows, valid, cols: COLS, step: 1 };
                // SAFETY: `a` is (depth, 6) and `packed` (depth, 16), both just packed; the tile's
                // sums are this task's alone.
                unsafe {
                    tile::sum_each(s, COLS, runs, ROWS, packed.as_ptr(), (start, None), &target);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
