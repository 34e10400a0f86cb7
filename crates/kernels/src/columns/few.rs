//! Sums of few columns.

use crate::{
    columns::{STRIP, fold_strips, put, sums_into},
    cpu::Cpu,
    simd::LANES,
    view::{Rows, Write},
};

/// As [`sums_into`], faster for few columns that are no whole vectors (LeNet's 20): eight rows are taken as one
/// long row, which is whole vectors, and its sums are added at the end. The bits differ from those of
/// [`sums_into`], but do not depend on whether the rows lie one after another.
pub(crate) fn sums_of_few_into(
    cpu: &Cpu,
    rows: usize,
    cols: usize,
    x: Rows<'_>,
    write: Write,
    into: &mut [f32],
) {
    if cols * LANES > STRIP || cols.is_multiple_of(LANES) {
        return sums_into(cpu, rows, cols, x, write, into);
    }
    x.check(rows, cols);
    assert_eq!(into.len(), cols, "one sum a column");
    let long = Rows { stride: x.stride * LANES, ..x };
    let rest = rows / LANES * LANES..rows;
    fold_strips(
        cpu,
        rows / LANES,
        [LANES * cols, 1],
        #[inline(always)]
        |rows, _, sums| {
            for r in rows {
                if x.stride == cols {
                    sums.iter_mut().zip(long.row(r, LANES * cols)).for_each(|(sum, x)| *sum += x);
                    continue;
                }
                for (i, sums) in sums.chunks_exact_mut(cols).enumerate() {
                    let x = x.row(r * LANES + i, cols);
                    sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
                }
            }
        },
        |sums| {
            for (column, into) in into.iter_mut().enumerate() {
                let sum: f64 = sums[column..].iter().step_by(cols).sum();
                let last = rest.clone().map(|r| f64::from(x.row(r, cols)[column]));
                put(write, sum + last.sum::<f64>(), into);
            }
        },
    );
}
