//! Blocks of pixels taken place by place (see `order`), so that a tap's padding is left out.
//!
//! A block of 128 pixels is then some places in several images each. For one tap a place is padding or
//! is not: what is not becomes the runs of the product, and the rest is neither packed nor multiplied.
//! On an 8×8 image with a 5×5 kernel that is 28 % of the work, on 7×7 with 3×3 18 %.

use std::ops::Range;

use crate::{
    conv::{
        Conv,
        backward_weights::{
            Work,
            columns::{Run, copy_rows},
            live::Live,
        },
        order::Order,
    },
    pack::{self, even_runs},
    simd::Lanes,
    tile::COLS,
};

/// Most images of a group, and fewest images for which the order pays: a block has at most 18 places.
const IMAGES: [usize; 2] = [16, 8];

/// The order of pixels, if there is padding to leave out.
pub(super) fn order(conv: &Conv) -> Option<Order> {
    let [most, least] = IMAGES;
    let suits = conv.pad != [0, 0] && conv.n >= least;
    suits.then(|| Order::new(even_runs(conv.n, most), conv.out()))
}

/// Packs `dy` of the block into tiles: channels `first..first + live`.
#[inline(always)]
pub(super) fn pack_dy<S: Lanes>(
    s: S,
    of: &Work<'_>,
    order: &Order,
    (first, live): (usize, usize),
    pixels: &Range<usize>,
    into: &mut [f32],
) {
    let [height, width] = of.conv.out();
    let mut spot = order.spot(pixels.start);
    for step in 0..pixels.len() {
        let pixel = (spot.image * height + spot.row) * width + spot.column;
        let row = &of.dy.row(pixel, of.conv.k)[first..];
        pack::tile_step(s, row, 1, live, (step, pixels.len()), into);
        spot = order.skip(spot, 1);
    }
}

/// Packs a panel of one run into (pixels, 16), and tells which pixels it has.
#[inline(always)]
pub(super) fn pack<S: Lanes>(
    s: S,
    of: &Work<'_>,
    order: &Order,
    run: Run,
    pixels: &Range<usize>,
    into: &mut [f32],
) -> Live {
    let mut live = Live::none();
    let step = of.conv.h * of.conv.w * of.conv.c;
    stretches(of, order, run, pixels, |at, count, first| {
        let from = &of.x[first..first + (count - 1) * step + COLS];
        copy_rows(s, Some(from), step, &mut into[at * COLS..][..count * COLS]);
        live.add(at..at + count);
    });
    live
}

/// Asks for the cache lines that [`pack`] will read.
#[inline(always)]
pub(super) fn ask<S: Lanes>(s: S, of: &Work<'_>, order: &Order, run: Run, pixels: &Range<usize>) {
    let step = of.conv.h * of.conv.w * of.conv.c;
    stretches(of, order, run, pixels, |_, count, first| {
        for image in 0..count {
            s.prefetch(of.x[first + image * step..].as_ptr());
        }
    });
}

/// Calls `take(at, count, first)` for pixels `at..at + count` of the block that are one place, not
/// padding, in as many images: the run of the first begins at `x[first]`.
#[inline(always)]
fn stretches(
    of: &Work<'_>,
    order: &Order,
    run: Run,
    pixels: &Range<usize>,
    mut take: impl FnMut(usize, usize, usize),
) {
    let conv = of.conv;
    let mut spot = order.spot(pixels.start);
    let mut at = 0;
    while at < pixels.len() {
        let count = order.stretch(spot).min(pixels.len() - at);
        // A negative place wraps around to a huge one, outside as well.
        let i = (spot.row * conv.stride[0]).wrapping_add_signed(run.tap[0]);
        let j = (spot.column * conv.stride[1]).wrapping_add_signed(run.tap[1]);
        if i < conv.h && j < conv.w {
            take(at, count, ((spot.image * conv.h + i) * conv.w + j) * conv.c + run.offset);
        }
        at += count;
        spot = order.skip(spot, count);
    }
}
