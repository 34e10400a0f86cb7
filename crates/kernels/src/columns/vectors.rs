//! Sums of columns whose terms are made a vector at a time, out of constants of the columns.
//!
//! Cut, carried and added in the order of [`fold_strips`](super::fold_strips), so a sum has the same bits.
//! Short rows are added one after another, as memory is read fastest. For long ones sums and constants
//! fill the first-level cache, so they are read once for four rows; the next four are asked for meanwhile, since
//! no machine foresees that pattern. All sums of eight columns lie together, and so do their constants:
//! as arrays of a power of two of values they would all want the same places of the cache.

use std::ops::Range;

use crate::{
    columns::{add_carry, add_part, add_up, part_count},
    cpu::{Cpu, Pieces},
    simd::{Kernel, LANES, Lanes, each_vector, interleave, load_all, load_some},
};

/// Columns of a strip, at most.
const STRIP: usize = 1 << 11;
/// Columns from which on four rows are added at once.
const LONG: usize = 1 << 9;
/// Floats of a cache line.
const LINE: usize = 16;

/// What is added to `K` sums a column: terms of the values of `V` matrices and of `C` constants a column.
pub(crate) trait Terms<const V: usize, const C: usize, const K: usize>: Copy + Sync {
    /// (rows, cols) each.
    fn values(&self) -> [&[f32]; V];

    /// (cols) each.
    fn constants(&self) -> [&[f32]; C];

    /// Adds the terms of eight columns of a row. Must be `#[inline(always)]`.
    fn add<S: Lanes>(
        self,
        s: S,
        values: [S::F; V],
        constants: &[S::F; C],
        sums: [S::F; K],
    ) -> [S::F; K];
}

/// Calls `take` with the totals of `terms` over all rows, (K, cols).
///
/// # Panics
///
/// If an operand does not fit.
pub(crate) fn fold_vectors<const V: usize, const C: usize, const K: usize>(
    cpu: &Cpu,
    [rows, cols]: [usize; 2],
    terms: impl Terms<V, C, K>,
    take: impl FnOnce(&Totals<'_, K>),
) {
    assert!(terms.values().iter().all(|v| v.len() == rows * cols), "values are (rows, cols)");
    let (parts, strips) = (part_count(rows, cols), cols.div_ceil(STRIP));
    let width = cols.next_multiple_of(LANES);
    let fill = |partial: &mut [f64]| {
        let pieces = Pieces::new(partial, 1);
        cpu.run_scratch(parts * strips, (C + K) * STRIP.min(width), |task, scratch| {
            let (part, strip) = (task / strips, task % strips);
            let at = strip * STRIP..cols.min((strip + 1) * STRIP);
            let len = at.len().next_multiple_of(LANES);
            let (constants, carry) = scratch.split_at_mut(C * len);
            interleave(terms.constants().map(|of| &of[at.clone()]), constants);
            // SAFETY: tasks differ in their part or in their columns.
            let sums = unsafe { pieces.range(K * (part * width + at.start), K * len) };
            sums.fill(0.0);
            let rows = rows * part / parts..rows * (part + 1) / parts;
            let (constants, carry) = (&*constants, &mut carry[..K * len]);
            add_part(
                rows,
                carry,
                |rows, carry| {
                    cpu.enter(Strip { terms, rows, cols, at: at.clone(), constants, carry });
                },
                |carry| vectorize!(cpu, add_carry(carry, &mut *sums)),
            );
        });
    };
    add_up(cpu, [parts, K * width], fill, |sums| take(&Totals { sums }));
}

/// `K` sums a column.
pub(crate) struct Totals<'a, const K: usize> {
    /// (cols / 8, K, 8)
    sums: &'a [f64],
}

impl<const K: usize> Totals<'_, K> {
    /// Sum `kind` of a column.
    pub(crate) fn get(&self, kind: usize, column: usize) -> f64 {
        self.sums[(column / LANES * K + kind) * LANES + column % LANES]
    }
}

/// A few rows of a strip, and what they are added to.
struct Strip<'a, T, const V: usize, const C: usize, const K: usize> {
    terms: T,
    rows: Range<usize>,
    cols: usize,
    at: Range<usize>,
    /// (columns / 8, C, 8)
    constants: &'a [f32],
    /// (columns / 8, K, 8)
    carry: &'a mut [f32],
}

impl<T, const V: usize, const C: usize, const K: usize> Kernel for Strip<'_, T, V, C, K>
where
    T: Terms<V, C, K>,
{
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(mut self, s: S) {
        let len = self.at.len().next_multiple_of(LANES);
        assert_eq!([self.constants.len(), self.carry.len()], [C * len, K * len], "whole vectors");
        let values = self.terms.values();
        let inside =
            self.at.end <= self.cols && values.iter().all(|v| v.len() >= self.rows.end * self.cols);
        assert!(inside, "rows and columns that there are");
        let values = values.map(<[f32]>::as_ptr);
        let Range { start: mut r, end } = self.rows;
        if self.at.len() >= LONG {
            while r + 4 <= end {
                // SAFETY: just checked.
                unsafe { self.add::<S, 4>(s, &values, r) };
                r += 4;
            }
        }
        while r < end {
            // SAFETY: just checked.
            unsafe { self.add::<S, 1>(s, &values, r) };
            r += 1;
        }
    }
}

impl<T, const V: usize, const C: usize, const K: usize> Strip<'_, T, V, C, K>
where
    T: Terms<V, C, K>,
{
    /// Adds `N` rows from `r` on.
    ///
    /// # Safety
    ///
    /// The rows and columns must be in `values`, and whole vectors in the constants and sums.
    #[inline(always)]
    unsafe fn add<S: Lanes, const N: usize>(&mut self, s: S, values: &[*const f32; V], r: usize) {
        let first = r * self.cols + self.at.start;
        let mut ahead = first + N * self.cols;
        let (terms, cols) = (self.terms, self.cols);
        let (constants, carry) = (self.constants.as_ptr(), self.carry.as_mut_ptr());
        each_vector(
            self.at.len(),
            #[inline(always)]
            |i, count| {
                // SAFETY: the caller vouches for whole vectors.
                let constants = unsafe { load_all(s, constants.wrapping_add(C * i)) };
                // SAFETY: as above.
                let mut sums = unsafe { load_all(s, carry.wrapping_add(K * i)) };
                if N > 1 && i % LINE == 0 {
                    for _ in 0..N {
                        values.iter().for_each(|v| s.prefetch(v.wrapping_add(ahead)));
                        ahead += LINE;
                    }
                }
                for row in 0..N {
                    let values = values.map(
                        #[inline(always)]
                        |v| {
                            let v = v.wrapping_add(first + row * cols + i);
                            // SAFETY: the caller vouches for the values of these columns.
                            unsafe { load_some(s, v, count) }
                        },
                    );
                    sums = terms.add(s, values, &constants, sums);
                }
                for (k, sum) in sums.into_iter().enumerate() {
                    // SAFETY: the caller vouches for whole vectors.
                    unsafe { s.store(carry.wrapping_add(K * i + k * LANES), sum) };
                }
            },
        );
    }
}
