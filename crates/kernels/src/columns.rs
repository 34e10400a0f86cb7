//! Sums over rows, one a column: bias gradients and batch statistics.
//!
//! Rows are cut into parts by shape; a part adds 32 rows at a time in f32 and those sums in f64, and
//! the parts are added in order. So the result has f32's full precision over a million rows, at
//! the speed of reading them.

use std::ops::Range;

use crate::{
    cpu::{Cpu, Pieces},
    view::{Rows, Write},
};

/// Rows added in f32 before the sum is carried to f64.
const CARRY: usize = 32;
/// Most parts.
const PARTS: usize = 64;
/// Values of a part, at least.
const PART_LEN: usize = 1 << 13;
/// Totals that a thread adds up at a time.
const TOTALS: usize = 1 << 9;

/// Calls `take(column, sum)` for the sum of each column of `x`.
///
/// * `x`: `rows` rows of `cols`
pub(crate) fn sums(
    cpu: &Cpu,
    rows: usize,
    cols: usize,
    x: Rows<'_>,
    mut take: impl FnMut(usize, f64),
) {
    x.check(rows, cols);
    fold(
        cpu,
        rows,
        [cols, 1],
        #[inline(always)]
        |r, sums| sums.iter_mut().zip(x.row(r, cols)).for_each(|(sum, x)| *sum += x),
        |sums| sums.iter().enumerate().for_each(|(column, &sum)| take(column, sum)),
    );
}

/// Sums of columns, written to or added to `into`.
///
/// * `x`: `rows` rows of `cols`
/// * `into`: (cols)
pub(crate) fn sums_into(
    cpu: &Cpu,
    rows: usize,
    cols: usize,
    x: Rows<'_>,
    write: Write,
    into: &mut [f32],
) {
    assert_eq!(into.len(), cols, "one sum a column");
    sums(cpu, rows, cols, x, |column, sum| put(write, sum, &mut into[column]));
}

/// Writes or adds a sum, rounded to f32.
pub(crate) fn put(write: Write, sum: f64, into: &mut f32) {
    match write {
        Write::Set => *into = round(sum),
        Write::Add => *into += round(sum),
    }
}

/// Rounds to f32.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "rounding is the intent")]
pub(crate) fn round(value: f64) -> f32 {
    value as f32
}

/// Calls `add(row, sums)` for every row of `cols`, which adds the row's terms to `kinds` sums a
/// column (all of the first kind, then all of the second), and `take` with the totals.
///
/// How rows are cut depends on `rows` and `cols` alone, so that a sum has the same bits whatever is
/// added up beside it. `add` must be `#[inline(always)]`, or is compiled for any machine.
pub(crate) fn fold(
    cpu: &Cpu,
    rows: usize,
    [cols, kinds]: [usize; 2],
    add: impl Fn(usize, &mut [f32]) + Sync,
    take: impl FnOnce(&[f64]),
) {
    let width = cols * kinds;
    let parts = (rows * cols).div_ceil(PART_LEN).clamp(1, PARTS);
    cpu.with_shared_f64((parts + 1) * width, |scratch| {
        let (totals, partial) = scratch.split_at_mut(width);
        if width > 0 {
            let pieces = Pieces::new(partial, width);
            cpu.run_scratch(parts, width, |part, carry| {
                // SAFETY: each part is one task's.
                let partial = unsafe { pieces.get(part) };
                let rows = rows * part / parts..rows * (part + 1) / parts;
                vectorize!(cpu, add_part(rows, &add, carry, partial));
            });
            cpu.run_chunks(totals, TOTALS, |index, totals| {
                vectorize!(cpu, add_parts(&partial[index * TOTALS..], width, totals));
            });
        }
        take(totals);
    });
}

/// Adds the terms of `rows` to zeroed `sums`.
#[inline(always)]
fn add_part(
    rows: Range<usize>,
    add: &impl Fn(usize, &mut [f32]),
    carry: &mut [f32],
    sums: &mut [f64],
) {
    sums.fill(0.0);
    for first in rows.clone().step_by(CARRY) {
        carry.fill(0.0);
        for r in first..rows.end.min(first + CARRY) {
            add(r, carry);
        }
        for (sum, &carry) in sums.iter_mut().zip(&*carry) {
            *sum += f64::from(carry);
        }
    }
}

/// Adds columns of all parts, which begin `width` apart, to zeroed `totals`, in order.
#[inline(always)]
fn add_parts(partial: &[f64], width: usize, totals: &mut [f64]) {
    totals.fill(0.0);
    for partial in partial.chunks(width) {
        for (total, partial) in totals.iter_mut().zip(partial) {
            *total += partial;
        }
    }
}

/// Sum in f32 through eight sums, value `i` to sum `i % 8`: faster and more precise than one.
#[inline(always)]
pub(crate) fn lanes_sum(values: impl Iterator<Item = f32>) -> f32 {
    let mut sums = [0.0; 8];
    for (i, value) in values.enumerate() {
        sums[i % 8] += value;
    }
    sums.iter().sum()
}
