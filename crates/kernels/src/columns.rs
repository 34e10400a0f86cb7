//! Sums over rows, one a column: bias gradients and batch statistics.
//!
//! Rows are cut into parts and columns into strips, by shape; a part adds 32 rows at a time in f32 and
//! those sums in f64, and the parts are added in order. So the result has f32's full precision over a
//! million rows, at the speed of reading them: a strip's sums stay in the first-level cache, and a part
//! has enough rows for its sums to be few beside them.

use std::ops::Range;

use crate::{
    cpu::{Cpu, Pieces},
    view::{StridedRows, Write},
};

/// Rows added in f32 before the sum is carried to f64.
const CARRY: usize = 32;
/// Most parts.
const PARTS: usize = 64;
/// Values of a part, at least.
const PART_LEN: usize = 1 << 13;
/// Columns of a strip, at most.
const STRIP: usize = 1 << 9;
/// Totals that a thread adds up at a time.
const TOTALS: usize = 1 << 9;

/// Sums of columns, written to or added to `into`.
///
/// * `x`: `rows` rows of `cols`
/// * `into`: (cols)
pub(crate) fn sums_into(
    cpu: &Cpu,
    rows: usize,
    cols: usize,
    x: StridedRows<'_>,
    write: Write,
    into: &mut [f32],
) {
    x.check(rows, cols);
    assert_eq!(into.len(), cols, "one sum a column");
    fold_strips(
        cpu,
        rows,
        [cols, 1],
        #[inline(always)]
        |rows, at, sums| {
            for r in rows {
                let x = &x.row(r, cols)[at.clone()];
                sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
            }
        },
        |sums| into.iter_mut().zip(sums).for_each(|(into, &sum)| put(write, sum, into)),
    );
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

/// Calls `add(rows, columns, sums)` for a few rows of a strip at a time, which adds their terms, row after
/// row, to `kinds` sums a column (all of the first kind, then all of the second), and `take` with the
/// totals, (kinds, cols).
///
/// How rows are cut depends on `rows` and `cols` alone, so that a sum has the same bits whatever is
/// added up beside it. `add` must be `#[inline(always)]`, or is compiled for any machine.
pub(crate) fn fold_strips(
    cpu: &Cpu,
    rows: usize,
    [cols, kinds]: [usize; 2],
    add: impl Fn(Range<usize>, Range<usize>, &mut [f32]) + Sync,
    take: impl FnOnce(&[f64]),
) {
    let parts = rows.div_ceil(CARRY).min((rows * cols).div_ceil(PART_LEN)).clamp(1, PARTS);
    let strips = cols.div_ceil(STRIP);
    let fill = |partial: &mut [f64]| {
        let pieces = Pieces::new(partial, 1);
        cpu.run_scratch(parts * strips, kinds * STRIP.min(cols), |task, carry| {
            let (part, strip) = (task / strips, task % strips);
            let at = strip * STRIP..cols.min((strip + 1) * STRIP);
            let carry = &mut carry[..kinds * at.len()];
            let sums = |kind: usize| {
                let first = (part * kinds + kind) * cols + at.start;
                // SAFETY: tasks differ in their part or in their columns, and a task holds one at a time.
                unsafe { pieces.range(first, at.len()) }
            };
            (0..kinds).for_each(|kind| sums(kind).fill(0.0));
            let rows = rows * part / parts..rows * (part + 1) / parts;
            vectorize!(
                cpu,
                add_part(
                    rows,
                    carry,
                    #[inline(always)]
                    |rows, carry| add(rows, at.clone(), carry),
                    #[inline(always)]
                    |carry| {
                        for (kind, carry) in carry.chunks_exact(at.len()).enumerate() {
                            add_carry(carry, sums(kind));
                        }
                    },
                )
            );
        });
    };
    add_up(cpu, [parts, kinds * cols], fill, take);
}

/// As [`fold_strips`] for rows that are much work each and are not cut: calls `add(row, sums)` with
/// `width` sums.
pub(crate) fn fold(
    cpu: &Cpu,
    rows: usize,
    width: usize,
    add: impl Fn(usize, &mut [f32]) + Sync,
    take: impl FnOnce(&[f64]),
) {
    let parts = (rows * width).div_ceil(PART_LEN).clamp(1, PARTS);
    let fill = |partial: &mut [f64]| {
        let pieces = Pieces::new(partial, width.max(1));
        cpu.run_scratch(pieces.count(), width, |part, carry| {
            // SAFETY: each part is one task's.
            let sums = unsafe { pieces.get(part) };
            sums.fill(0.0);
            let rows = rows * part / parts..rows * (part + 1) / parts;
            vectorize!(
                cpu,
                add_part(
                    rows,
                    carry,
                    #[inline(always)]
                    |rows, carry| {
                        for r in rows {
                            add(r, carry);
                        }
                    },
                    #[inline(always)]
                    |carry| add_carry(carry, &mut *sums),
                )
            );
        });
    };
    add_up(cpu, [parts, width], fill, take);
}

/// Lets `fill` make the sums of all parts, (parts, width), and calls `take` with their totals.
fn add_up(
    cpu: &Cpu,
    [parts, width]: [usize; 2],
    fill: impl FnOnce(&mut [f64]),
    take: impl FnOnce(&[f64]),
) {
    cpu.with_shared_f64((parts + 1) * width, |scratch| {
        let (totals, partial) = scratch.split_at_mut(width);
        fill(partial);
        cpu.run_chunks(totals, TOTALS, |index, totals| {
            vectorize!(cpu, add_parts(&partial[index * TOTALS..], width, totals));
        });
        take(totals);
    });
}

/// Adds the terms of `rows`, and calls `take` with the sums of every [`CARRY`] of them.
#[inline(always)]
fn add_part(
    rows: Range<usize>,
    carry: &mut [f32],
    add: impl Fn(Range<usize>, &mut [f32]),
    mut take: impl FnMut(&[f32]),
) {
    for first in rows.clone().step_by(CARRY) {
        carry.fill(0.0);
        add(first..rows.end.min(first + CARRY), carry);
        take(carry);
    }
}

/// Carries sums to f64.
#[inline(always)]
fn add_carry(carry: &[f32], sums: &mut [f64]) {
    for (sum, &carry) in sums.iter_mut().zip(carry) {
        *sum += f64::from(carry);
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
