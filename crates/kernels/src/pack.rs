//! Copies blocks of matrices into the order in which [`tile`](crate::tile) reads them.
//!
//! Costs a read and a write of the block; a task packs once and uses the copy for all its tiles.

use std::ops::Range;

use crate::{
    tile::{COLS, Panels, ROWS},
    view::Mat,
};

/// Packs rows `from..from + depth` and columns `col..col + cols` of `b` into panels.
///
/// Panel `p` is (depth, 16) at `into[p * 16 * depth]` (8 wide if a last one needs no more), missing
/// columns zero.
#[inline(always)]
pub(crate) fn panels(
    b: Mat<'_>,
    (from, depth): (usize, usize),
    (col, cols): (usize, usize),
    into: &mut [f32],
) {
    let panels = Panels::new(cols);
    for panel in 0..panels.count() {
        let (width, live) = (panels.width(panel), panels.cols(panel));
        let into = &mut into[panel * COLS * depth..][..width * depth];
        let first = from * b.row_stride + (col + panel * COLS) * b.col_stride;
        if b.col_stride == 1 {
            for (r, into) in into.chunks_exact_mut(width).enumerate() {
                let source = &b.data[first + r * b.row_stride..][..live];
                into[..live].copy_from_slice(source);
                into[live..].fill(0.0);
            }
        } else {
            for (r, into) in into.chunks_exact_mut(width).enumerate() {
                let source = &b.data[first + r * b.row_stride..];
                for (j, value) in into.iter_mut().enumerate() {
                    *value = if j < live { source[j * b.col_stride] } else { 0.0 };
                }
            }
        }
    }
}

/// Packs rows `row..row + rows` of `a`, columns `from..from + depth`, into tiles of six rows.
///
/// Tile `t` is (depth, 6) at `into[t * 6 * depth]`, missing rows zero.
#[inline(always)]
pub(crate) fn tiles(
    a: Mat<'_>,
    (row, rows): (usize, usize),
    (from, depth): (usize, usize),
    into: &mut [f32],
) {
    for first in (0..rows).step_by(ROWS) {
        let live = ROWS.min(rows - first);
        let into = &mut into[first * depth..][..ROWS * depth];
        let at = (row + first) * a.row_stride + from * a.col_stride;
        for (r, into) in into.chunks_exact_mut(ROWS).enumerate() {
            let source = &a.data[at + r * a.col_stride..];
            if a.row_stride == 1 && live == ROWS {
                into.copy_from_slice(&source[..ROWS]);
            } else {
                for (i, value) in into.iter_mut().enumerate() {
                    *value = if i < live { source[i * a.row_stride] } else { 0.0 };
                }
            }
        }
    }
}

/// Lengths `whole` cut into runs of at most `most` that differ by at most one.
pub(crate) fn even_runs(whole: usize, most: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let parts = whole.div_ceil(most);
    (0..parts).map(move |i| whole * i / parts..whole * (i + 1) / parts)
}
