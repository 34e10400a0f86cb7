//! The register tile: 6 rows by 16 (or 8) columns of a matrix product, the heart of every kernel
//! that multiplies.
//!
//! ```text
//!            b: len × 16, packed        per step: 2 loads of b, 6 broadcasts of a, 12 FMAs;
//!          ┌────────┬────────┐          12 accumulators + 2 of b + 1 of a fill the 16 registers
//!  a[0] ─▶ │ acc    │        │
//!   ..     │  6 × 2 vectors  │          a[i] is a pointer of its own, so rows may lie anywhere:
//!  a[5] ─▶ │        │        │          pixels of an image, of two images, or zeros (padding)
//!          └────────┴────────┘
//! ```
//!
//! Two FMAs a cycle make 6 cycles a step, in which 8 loads and the packed operand's 64 bytes come
//! easily from L1; so the tile runs at the FMA peak when `b`'s block stays in L1 and `a` in L2.

use crate::simd::{LANES, Lanes};

/// Rows of a tile.
pub(crate) const ROWS: usize = 6;
/// Columns of a full tile, and of a packed panel.
pub(crate) const COLS: usize = 16;

/// A tile's sums: `V` vectors of columns for each row.
pub(crate) type Acc<F, const V: usize> = [[F; V]; ROWS];

/// Adds `a[i][r * step] * b[r][j]` over `r` in `0..len` to `acc[i][j]`.
///
/// * `b`: (len, 8 · V), packed
///
/// # Safety
///
/// `a[i] + r * step` must be readable for every row and `r < len`, and `b` for `len * 8 * V` floats.
#[inline(always)]
pub(crate) unsafe fn accumulate_plain<S: Lanes, const V: usize>(
    s: S,
    mut acc: Acc<S::F, V>,
    a: &[*const f32; ROWS],
    step: usize,
    b: *const f32,
    len: usize,
) -> Acc<S::F, V> {
    let a = *a;
    for r in 0..len {
        let mut columns = [s.splat(0.0); V];
        for (v, column) in columns.iter_mut().enumerate() {
            // SAFETY: inside the `len * 8 * V` floats the caller vouches for.
            *column = unsafe { s.load(b.wrapping_add((r * V + v) * LANES)) };
        }
        for (acc, a) in acc.iter_mut().zip(a) {
            // SAFETY: the caller vouches for every row and `r`.
            let row = unsafe { s.splat_at(a.wrapping_add(r * step)) };
            for (acc, column) in acc.iter_mut().zip(columns) {
                *acc = s.fma(row, column, *acc);
            }
        }
    }
    acc
}

/// How many vectors wide a tile is: the type-level `V` of a tile, with the fastest loop for it.
pub(crate) trait Width<S: Lanes, const V: usize> {
    /// As [`accumulate_plain`].
    ///
    /// # Safety
    ///
    /// As [`accumulate_plain`].
    unsafe fn accumulate(
        s: S,
        acc: Acc<S::F, V>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, V>;
}

/// A full tile.
pub(crate) struct Two;
/// A tile at the right edge.
pub(crate) struct One;

impl<S: Lanes> Width<S, 2> for Two {
    #[inline(always)]
    unsafe fn accumulate(
        s: S,
        acc: Acc<S::F, 2>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, 2> {
        if step == 1 {
            // SAFETY: passed on to the caller.
            unsafe { s.rows_times_panel(acc, a, b, len) }
        } else {
            // SAFETY: passed on to the caller.
            unsafe { accumulate_plain(s, acc, a, step, b, len) }
        }
    }
}

impl<S: Lanes> Width<S, 1> for One {
    #[inline(always)]
    unsafe fn accumulate(
        s: S,
        acc: Acc<S::F, 1>,
        a: &[*const f32; ROWS],
        step: usize,
        b: *const f32,
        len: usize,
    ) -> Acc<S::F, 1> {
        // SAFETY: passed on to the caller.
        unsafe { accumulate_plain(s, acc, a, step, b, len) }
    }
}

/// What a tile's sums start from.
#[derive(Clone, Copy)]
pub(crate) enum Start {
    /// Zero.
    Zero,
    /// One value a column, the same in each row: a bias. Readable for the tile's columns.
    Columns(*const f32),
    /// What the output holds.
    Output,
}

/// Where a tile's sums go: row `i`, column `j` to `rows[i] + j * step`.
pub(crate) struct Target<'a> {
    /// The first `valid` rows are writable for `cols` columns; the others are not touched.
    pub(crate) rows: &'a [*mut f32; ROWS],
    /// Rows that exist.
    pub(crate) valid: usize,
    /// Columns that exist, at most `8 · V`.
    pub(crate) cols: usize,
    /// Floats between neighbouring columns.
    pub(crate) step: usize,
}

impl Target<'_> {
    /// Whether every row is there and takes whole vectors.
    #[inline(always)]
    fn is_whole(&self, lanes: usize) -> bool {
        self.valid == ROWS && self.cols == lanes && self.step == 1
    }
}

/// The sums a tile begins with.
///
/// # Safety
///
/// `target` and `start` must be readable as their documentation says.
#[inline(always)]
pub(crate) unsafe fn begin<S: Lanes, const V: usize>(
    s: S,
    start: Start,
    target: &Target<'_>,
) -> Acc<S::F, V> {
    let mut acc = [[s.splat(0.0); V]; ROWS];
    match start {
        Start::Zero => {}
        Start::Output if target.is_whole(V * LANES) => {
            for (acc, row) in acc.iter_mut().zip(target.rows) {
                for (v, vector) in acc.iter_mut().enumerate() {
                    // SAFETY: the row has `8 · V` readable columns, one after another.
                    *vector = unsafe { s.load(row.wrapping_add(v * LANES)) };
                }
            }
        }
        Start::Columns(columns) if target.cols == V * LANES => {
            for v in 0..V {
                // SAFETY: there are `8 · V` readable columns.
                let column = unsafe { s.load(columns.wrapping_add(v * LANES)) };
                acc.iter_mut().for_each(|acc| acc[v] = column);
            }
        }
        Start::Columns(_) | Start::Output => {
            let mut edge = [[[0.0_f32; LANES]; V]; ROWS];
            // Out of line: edges are few, and the tile's code must stay small.
            // SAFETY: the caller vouches for `start` and `target`.
            unsafe { read_edge(start, target, edge.as_flattened_mut().as_flattened_mut()) };
            for (acc, edge) in acc.iter_mut().zip(&edge) {
                for (vector, edge) in acc.iter_mut().zip(edge) {
                    // SAFETY: `edge` is eight floats.
                    *vector = unsafe { s.load(edge.as_ptr()) };
                }
            }
        }
    }
    acc
}

/// Reads what exists of a tile; `into` is (6, 8 · V).
///
/// # Safety
///
/// As [`begin`].
unsafe fn read_edge(start: Start, target: &Target<'_>, into: &mut [f32]) {
    let width = into.len() / ROWS;
    for (i, into) in into.chunks_exact_mut(width).enumerate().take(target.valid) {
        let (from, step) = match start {
            Start::Zero => return,
            Start::Columns(bias) => (bias, 1),
            Start::Output => (target.rows[i].cast_const(), target.step),
        };
        for (j, value) in into.iter_mut().enumerate().take(target.cols) {
            // SAFETY: row `i` and column `j` exist.
            *value = unsafe { *from.wrapping_add(j * step) };
        }
    }
}

/// Writes the sums; with `relu`, through it with that slope.
///
/// # Safety
///
/// `target` must be writable as its documentation says.
#[inline(always)]
pub(crate) unsafe fn finish<S: Lanes, const V: usize>(
    s: S,
    mut acc: Acc<S::F, V>,
    relu: Option<f32>,
    target: &Target<'_>,
) {
    if let Some(slope) = relu {
        for vector in acc.as_flattened_mut() {
            *vector = s.relu(*vector, slope);
        }
    }
    if target.is_whole(V * LANES) {
        for (acc, row) in acc.iter().zip(target.rows) {
            for (v, &vector) in acc.iter().enumerate() {
                // SAFETY: the row has `8 · V` writable columns, one after another.
                unsafe { s.store(row.wrapping_add(v * LANES), vector) };
            }
        }
        return;
    }
    let mut edge = [[[0.0_f32; LANES]; V]; ROWS];
    for (acc, edge) in acc.iter().zip(&mut edge) {
        for (&vector, edge) in acc.iter().zip(edge) {
            // SAFETY: `edge` is eight floats.
            unsafe { s.store(edge.as_mut_ptr(), vector) };
        }
    }
    // SAFETY: the caller vouches for `target`.
    unsafe { write_edge(edge.as_flattened().as_flattened(), target) };
}

/// Writes what exists of a tile; `from` is (6, 8 · V).
///
/// # Safety
///
/// As [`finish`].
unsafe fn write_edge(from: &[f32], target: &Target<'_>) {
    let width = from.len() / ROWS;
    for (i, from) in from.chunks_exact(width).enumerate().take(target.valid) {
        for (j, &value) in from.iter().enumerate().take(target.cols) {
            // SAFETY: row `i` and column `j` exist.
            unsafe { *target.rows[i].wrapping_add(j * target.step) = value };
        }
    }
}

/// One tile of a product whose reduction runs over several runs of `len`: begin, add, write.
///
/// * `runs`: for each run, where the six rows begin
/// * `b`: (runs · len, 8 · V), packed
///
/// # Safety
///
/// As [`begin`], [`accumulate_plain`] for every run, and [`finish`].
#[inline(always)]
pub(crate) unsafe fn sum_runs<S: Lanes, W: Width<S, V>, const V: usize>(
    s: S,
    runs: &[[*const f32; ROWS]],
    (step, len): (usize, usize),
    b: *const f32,
    (start, relu): (Start, Option<f32>),
    target: &Target<'_>,
) {
    // SAFETY: passed on to the caller.
    let mut acc = unsafe { begin::<S, V>(s, start, target) };
    for (run, a) in runs.iter().enumerate() {
        let b = b.wrapping_add(run * len * V * LANES);
        // SAFETY: passed on to the caller.
        acc = unsafe { W::accumulate(s, acc, a, step, b, len) };
    }
    // SAFETY: passed on to the caller.
    unsafe { finish::<S, V>(s, acc, relu, target) };
}

/// [`sum_runs`] for a panel of `width` columns, 8 or 16.
///
/// # Safety
///
/// As [`sum_runs`].
#[inline(always)]
pub(crate) unsafe fn sum_panel<S: Lanes>(
    s: S,
    width: usize,
    runs: &[[*const f32; ROWS]],
    strides: (usize, usize),
    b: *const f32,
    ends: (Start, Option<f32>),
    target: &Target<'_>,
) {
    if width == COLS {
        // SAFETY: passed on to the caller.
        unsafe { sum_runs::<S, Two, 2>(s, runs, strides, b, ends, target) };
    } else {
        // SAFETY: passed on to the caller.
        unsafe { sum_runs::<S, One, 1>(s, runs, strides, b, ends, target) };
    }
}

/// Panels that hold `cols` columns: 16 wide, but 8 for a last one that needs no more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panels {
    cols: usize,
}

impl Panels {
    /// Panels for `cols` columns.
    pub(crate) fn new(cols: usize) -> Self {
        Self { cols }
    }

    /// How many.
    pub(crate) fn count(self) -> usize {
        self.cols.div_ceil(COLS)
    }

    /// Columns that exist in panel `index`.
    pub(crate) fn cols(self, index: usize) -> usize {
        COLS.min(self.cols - index * COLS)
    }

    /// Columns panel `index` is packed with: 8 or 16.
    pub(crate) fn width(self, index: usize) -> usize {
        if self.cols(index) > LANES { COLS } else { LANES }
    }

    /// Columns of all panels together, padding included.
    pub(crate) fn packed_cols(self) -> usize {
        self.cols.next_multiple_of(LANES)
    }
}
