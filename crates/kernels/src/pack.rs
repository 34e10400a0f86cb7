//! Packing: copies blocks of matrices into the order in which [`tile`](crate::tile) reads them.
//!
//! The cost is one read and one write of the block; a task packs once and uses the copy for all its
//! tiles.

use std::ops::Range;

use crate::{
    simd::{LANES, SimdLanes},
    tile::{COLS, Panels, ROWS},
    view::MatrixView,
};

/// Packs rows `from..from + depth` and columns `col..col + cols` of `b` into panels.
///
/// Panel `p` of [`Panels::new`] is (depth, width) at `into[p * 16 * depth]`, missing columns zero.
#[inline(always)]
pub(crate) fn panels<S: SimdLanes>(
    s: S,
    b: MatrixView<'_>,
    (from, depth): (usize, usize),
    (col, cols): (usize, usize),
    into: &mut [f32],
) {
    let panels = Panels::new(cols);
    assert!(into.len() >= depth * panels.packed_cols(), "room for panels");
    if b.col_stride == 1 {
        // The last panel may have another width, or padding columns.
        let full = if cols.is_multiple_of(COLS) { panels.count() } else { panels.count() - 1 };
        // Row by row, in memory order: panel by panel would touch one page per row.
        for r in 0..depth {
            let row = &b.data[(from + r) * b.row_stride + col..][..cols];
            for panel in 0..full {
                let to = into.as_mut_ptr().wrapping_add((panel * depth + r) * COLS);
                // SAFETY: the panel is full: 16 floats of the row, and 16 of row `r` of the panel.
                unsafe { copy_sixteen(s, row.as_ptr().wrapping_add(panel * COLS), to) };
            }
            if full < panels.count() {
                let width = panels.width(full);
                let into = &mut into[full * COLS * depth + r * width..][..width];
                copy_padded(s, &row[full * COLS..], into);
            }
        }
        return;
    }
    for panel in 0..panels.count() {
        let (width, live) = (panels.width(panel), panels.cols(panel));
        let into = &mut into[panel * COLS * depth..][..width * depth];
        let first = from * b.row_stride + (col + panel * COLS) * b.col_stride;
        for half in (0..width).step_by(LANES) {
            if b.row_stride == 1 && live >= half + LANES && depth > 0 {
                let (from, to) =
                    (b.data[first + half * b.col_stride..].as_ptr(), into.as_mut_ptr());
                let put = |r: usize, columns: [S::F; LANES], n: usize| {
                    for (i, &column) in columns.iter().enumerate().take(n) {
                        // SAFETY: row `r + i` of the panel has `width` floats, and these are eight
                        // of them.
                        unsafe { s.store(to.wrapping_add((r + i) * width + half), column) };
                    }
                };
                // SAFETY: `MatrixView::check` verified that these columns have `depth` values.
                unsafe { transposed_columns(s, from, b.col_stride, depth, put) };
                continue;
            }
            for (r, into) in into.chunks_exact_mut(width).enumerate() {
                let source = &b.data[first + r * b.row_stride..];
                for (j, value) in into.iter_mut().enumerate().skip(half).take(LANES) {
                    *value = if j < live { source[j * b.col_stride] } else { 0.0 };
                }
            }
        }
    }
}

/// Copies 16 floats.
///
/// # Safety
///
/// `from` must be readable and `to` writable for as many.
#[inline(always)]
pub(crate) unsafe fn copy_sixteen<S: SimdLanes>(s: S, from: *const f32, to: *mut f32) {
    for v in [0, LANES] {
        // SAFETY: the caller guarantees 16 floats.
        let eight = unsafe { s.load(from.wrapping_add(v)) };
        // SAFETY: as above.
        unsafe { s.store(to.wrapping_add(v), eight) };
    }
}

/// Copies a row of a panel, vector by vector, and pads it with zeros.
#[inline(always)]
fn copy_padded<S: SimdLanes>(s: S, from: &[f32], into: &mut [f32]) {
    for (v, into) in into.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let from = &from[from.len().min(v * LANES)..];
        // SAFETY: no more is read than there is.
        let eight = unsafe { s.load_first(from.as_ptr(), from.len().min(LANES)) };
        // SAFETY: `into` is eight floats.
        unsafe { s.store(into.as_mut_ptr(), eight) };
    }
}

/// Floats from a packed tile to the next: one cache line more than the tile has. Without it, the
/// lines that are written together, one per tile, would map to the same cache sets of L1.
pub(crate) fn tile_len(depth: usize) -> usize {
    depth * ROWS + COLS
}

/// Packs rows `row..row + rows` of `a`, columns `from..from + depth`, into tiles of six rows.
///
/// Tile `t` is (depth, 6) at `into[t * tile_len(depth)]`, missing rows zero.
#[inline(always)]
pub(crate) fn tiles<S: SimdLanes>(
    s: S,
    a: MatrixView<'_>,
    (row, rows): (usize, usize),
    (from, depth): (usize, usize),
    into: &mut [f32],
) {
    // Row by row of the source, in memory order; each tile is a stream of writes.
    for r in 0..depth {
        let at = row * a.row_stride + (from + r) * a.col_stride;
        tile_step(s, &a.data[at..], a.row_stride, rows, (r, depth), into);
    }
}

/// Packs step `r` of [`tiles`]: `rows` values, `stride` apart in `source`. Steps must come in
/// order.
#[inline(always)]
pub(crate) fn tile_step<S: SimdLanes>(
    s: S,
    source: &[f32],
    stride: usize,
    rows: usize,
    (r, depth): (usize, usize),
    into: &mut [f32],
) {
    let len = tile_len(depth);
    assert!(into.len() >= rows.div_ceil(ROWS) * len && r < depth, "room for tiles");
    // Six values are copied as eight where that many can be read: the two surplus values land where
    // the next step, or nothing, is stored.
    let whole = match stride {
        1 => (rows / ROWS).min((source.len() + ROWS).saturating_sub(LANES) / ROWS),
        _ => 0,
    };
    for tile in 0..whole {
        let to = into.as_mut_ptr().wrapping_add(tile * len + r * ROWS);
        // SAFETY: at least `6 * whole + 2` values can be read.
        let eight = unsafe { s.load(source.as_ptr().wrapping_add(tile * ROWS)) };
        // SAFETY: a tile is followed by a spare cache line.
        unsafe { s.store(to, eight) };
    }
    for first in (whole * ROWS..rows).step_by(ROWS) {
        let into = &mut into[first / ROWS * len + r * ROWS..][..ROWS];
        into.fill(0.0);
        let last = (rows.min(first + ROWS) - 1) * stride;
        let values = source[first * stride..=last].iter().step_by(stride);
        into.iter_mut().zip(values).for_each(|(into, value)| *into = *value);
    }
}

/// Transposes eight rows, `stride` apart, into `count` columns of eight: calls
/// `put(first, columns, n)` with columns `first..first + n`, up to eight at a time. Some columns
/// may be passed twice.
///
/// # Safety
///
/// `from` must be readable for eight rows of `count`.
#[inline(always)]
pub(crate) unsafe fn transposed_columns<S: SimdLanes>(
    s: S,
    from: *const f32,
    stride: usize,
    count: usize,
    mut put: impl FnMut(usize, [S::F; LANES], usize),
) {
    let zero = [s.splat(0.0); LANES];
    if count < LANES {
        let mut columns = zero;
        for (e, column) in columns.iter_mut().enumerate().take(count) {
            let mut lanes = [0.0; LANES];
            for (l, lane) in lanes.iter_mut().enumerate() {
                // SAFETY: row `l` has a column `e`.
                *lane = unsafe { *from.wrapping_add(l * stride + e) };
            }
            // SAFETY: `lanes` is eight floats.
            *column = unsafe { s.load(lanes.as_ptr()) };
        }
        return put(0, columns, count);
    }
    for first in (0..count).step_by(LANES) {
        let first = first.min(count - LANES); // the last step overlaps the one before
        let mut rows = zero;
        for (l, row) in rows.iter_mut().enumerate() {
            // SAFETY: row `l` has columns `first..first + 8`.
            *row = unsafe { s.load(from.wrapping_add(l * stride + first)) };
        }
        put(first, s.transpose(rows), LANES);
    }
}

/// Divides `0..len` into ranges of at most `max` whose lengths differ by at most one.
pub(crate) fn even_ranges(len: usize, max: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let count = len.div_ceil(max);
    (0..count).map(move |i| len * i / count..len * (i + 1) / count)
}
