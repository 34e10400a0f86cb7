//! A strip of `C = A·B` or `C += A·B` that reads `B` unpacked, row by row.
//!
//! Where `B` is multiplied by a handful of rows of `A` only, packing it would cost more than the
//! product. A tile covers up to eight rows, so that each vector of `B` is read once, and as many
//! vectors of columns as make seven to twelve accumulators, enough to keep the FMA units busy.

use crate::simd::{LANES, SimdLanes};

/// Upper bound of the rows of a strip.
pub(super) const ROWS: usize = 8;

/// Up to [`ROWS`] rows of C, some columns, and a slice of the reduction.
pub(super) struct GemmStrip {
    /// Columns of A, `a_stride` apart: element (i, r) is at `a + i + r * a_stride`.
    pub(super) a: *const f32,
    pub(super) a_stride: usize,
    /// Rows of B, `b_stride` apart.
    pub(super) b: *const f32,
    pub(super) b_stride: usize,
    /// Rows of C, `c_stride` apart.
    pub(super) c: *mut f32,
    pub(super) c_stride: usize,
    /// Whether accumulators start from the values of C.
    pub(super) add: bool,
    /// Steps of the reduction.
    pub(super) len: usize,
    pub(super) cols: usize,
}

impl GemmStrip {
    /// Computes `rows` rows.
    ///
    /// # Safety
    ///
    /// A and B must be readable and C writable for these rows, columns and steps.
    #[inline(always)]
    pub(super) unsafe fn run<S: SimdLanes>(&self, s: S, rows: usize) {
        match rows {
            // SAFETY: the caller upholds the contract.
            1 => unsafe { self.columns::<S, 1, 8>(s) },
            // SAFETY: the caller upholds the contract.
            2 => unsafe { self.columns::<S, 2, 4>(s) },
            // SAFETY: the caller upholds the contract.
            3 => unsafe { self.columns::<S, 3, 3>(s) },
            // SAFETY: the caller upholds the contract.
            4 => unsafe { self.columns::<S, 4, 2>(s) },
            // SAFETY: the caller upholds the contract.
            5 => unsafe { self.columns::<S, 5, 2>(s) },
            // SAFETY: the caller upholds the contract.
            6 => unsafe { self.columns::<S, 6, 2>(s) },
            // SAFETY: the caller upholds the contract.
            7 => unsafe { self.columns::<S, 7, 1>(s) },
            // SAFETY: the caller upholds the contract.
            _ => unsafe { self.columns::<S, ROWS, 1>(s) },
        }
    }

    /// Tiles of `V` vectors, then of one, then a partial vector.
    #[inline(always)]
    unsafe fn columns<S: SimdLanes, const R: usize, const V: usize>(&self, s: S) {
        let mut col = 0;
        while col + V * LANES <= self.cols {
            // SAFETY: these columns exist; the rest is passed on to the caller.
            unsafe { self.tile::<S, R, V>(s, col, None) };
            col += V * LANES;
        }
        while col + LANES <= self.cols {
            // SAFETY: as above.
            unsafe { self.tile::<S, R, 1>(s, col, None) };
            col += LANES;
        }
        if col < self.cols {
            // SAFETY: as above.
            unsafe { self.tile::<S, R, 1>(s, col, Some(self.cols - col)) };
        }
    }

    /// `R` rows of `V` vectors from column `col` on, of which only `live` columns may exist.
    #[inline(always)]
    unsafe fn tile<S: SimdLanes, const R: usize, const V: usize>(
        &self,
        s: S,
        col: usize,
        live: Option<usize>,
    ) {
        let c: [*mut f32; R] =
            std::array::from_fn(|i| self.c.wrapping_add(i * self.c_stride + col));
        let mut acc = [[s.splat(0.0); V]; R];
        if self.add {
            for (acc, c) in acc.iter_mut().zip(c) {
                for (v, acc) in acc.iter_mut().enumerate() {
                    // SAFETY: the caller guarantees C.
                    *acc = unsafe { load(s, c.wrapping_add(v * LANES), live) };
                }
            }
        }
        let mut b = self.b.wrapping_add(col);
        let mut a = self.a;
        for _ in 0..self.len {
            let mut columns = [s.splat(0.0); V];
            for (v, column) in columns.iter_mut().enumerate() {
                // SAFETY: the caller guarantees B.
                *column = unsafe { load(s, b.wrapping_add(v * LANES), live) };
            }
            for (i, acc) in acc.iter_mut().enumerate() {
                // SAFETY: the caller guarantees A.
                let row = unsafe { s.splat_at(a.wrapping_add(i)) };
                for (acc, column) in acc.iter_mut().zip(columns) {
                    *acc = s.fma(row, column, *acc);
                }
            }
            a = a.wrapping_add(self.a_stride);
            b = b.wrapping_add(self.b_stride);
        }
        for (acc, c) in acc.iter().zip(c) {
            for (v, &acc) in acc.iter().enumerate() {
                let to = c.wrapping_add(v * LANES);
                match live {
                    // SAFETY: whole vectors exist.
                    None => unsafe { s.store(to, acc) },
                    // SAFETY: the first `live` floats exist.
                    Some(live) => unsafe { s.store_first(to, acc, live) },
                }
            }
        }
    }
}

/// A vector, or the first `live` lanes of one and zeros.
///
/// # Safety
///
/// That many floats must be readable.
#[inline(always)]
unsafe fn load<S: SimdLanes>(s: S, from: *const f32, live: Option<usize>) -> S::F {
    match live {
        // SAFETY: the caller upholds the contract.
        None => unsafe { s.load(from) },
        // SAFETY: the caller upholds the contract.
        Some(live) => unsafe { s.load_first(from, live) },
    }
}
