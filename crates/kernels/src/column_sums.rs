//! Sums over rows, one per column: bias gradients and batch statistics.
//!
//! Rows are divided into row blocks and columns into strips, by shape. A task adds 32 rows at a
//! time in f32 and carries those sums to f64; row blocks are then added in order. So the result has
//! the full precision of f32 over a million rows, at the speed of reading them: the sums of a strip
//! stay in L1, and a row block has enough rows that its sums are small in comparison.

use std::ops::Range;

use crate::{
    cpu::{Cpu, DisjointMut},
    view::{StridedRows, Write},
};

/// Rows added in f32 before the sum is carried to f64.
const CARRY: usize = 32;
/// Upper bound of the number of row blocks.
const ROW_BLOCKS: usize = 64;
/// Lower bound of the values of a row block.
const ROW_BLOCK_LEN: usize = 1 << 13;
/// Upper bound of the columns of a strip.
const STRIP: usize = 1 << 9;
/// Totals of a task that adds row blocks.
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
    assert_eq!(into.len(), cols, "one sum per column");
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
    write.put(round(sum), into);
}

/// Rounds to f32.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "rounding is the intent")]
pub(crate) fn round(value: f64) -> f32 {
    value as f32
}

/// Calls `add(rows, columns, sums)` for up to 32 rows of a strip at a time. `add` adds their terms,
/// row after row, to `kinds` sums per column (all of the first kind, then all of the second).
/// Finally calls `take` with the totals, (kinds, cols).
///
/// The division depends on `rows` and `cols` alone, so a sum has the same bits for any number of
/// kinds. `add` must be `#[inline(always)]`, or it is compiled for the baseline instruction set.
pub(crate) fn fold_strips(
    cpu: &Cpu,
    rows: usize,
    [cols, kinds]: [usize; 2],
    add: impl Fn(Range<usize>, Range<usize>, &mut [f32]) + Sync,
    take: impl FnOnce(&[f64]),
) {
    let blocks =
        rows.div_ceil(CARRY).min((rows * cols).div_ceil(ROW_BLOCK_LEN)).clamp(1, ROW_BLOCKS);
    let strips = cols.div_ceil(STRIP);
    let fill = |partial: &mut [f64]| {
        let partials = DisjointMut::new(partial, 1);
        cpu.run_scratch(blocks * strips, kinds * STRIP.min(cols), |task, carry| {
            let (block, strip) = (task / strips, task % strips);
            let at = strip * STRIP..cols.min((strip + 1) * STRIP);
            let carry = &mut carry[..kinds * at.len()];
            let sums = |kind: usize| {
                let first = (block * kinds + kind) * cols + at.start;
                // SAFETY: tasks differ in their row block or in their columns, and a task holds one
                // range at a time.
                unsafe { partials.range(first, at.len()) }
            };
            (0..kinds).for_each(|kind| sums(kind).fill(0.0));
            let rows = rows * block / blocks..rows * (block + 1) / blocks;
            vectorize!(
                cpu,
                add_row_block(
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
    add_up(cpu, [blocks, kinds * cols], fill, take);
}

/// As [`fold_strips`] for rows that are expensive and not divided into strips: calls
/// `add(row, sums)` with `width` sums.
pub(crate) fn fold(
    cpu: &Cpu,
    rows: usize,
    width: usize,
    add: impl Fn(usize, &mut [f32]) + Sync,
    take: impl FnOnce(&[f64]),
) {
    let blocks = (rows * width).div_ceil(ROW_BLOCK_LEN).clamp(1, ROW_BLOCKS);
    let fill = |partial: &mut [f64]| {
        let partials = DisjointMut::new(partial, width.max(1));
        cpu.run_scratch(partials.count(), width, |block, carry| {
            // SAFETY: each row block belongs to one task.
            let sums = unsafe { partials.get(block) };
            sums.fill(0.0);
            let rows = rows * block / blocks..rows * (block + 1) / blocks;
            vectorize!(
                cpu,
                add_row_block(
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
    add_up(cpu, [blocks, width], fill, take);
}

/// Lets `fill` compute the sums of all row blocks, (blocks, width), and calls `take` with their
/// totals.
fn add_up(
    cpu: &Cpu,
    [blocks, width]: [usize; 2],
    fill: impl FnOnce(&mut [f64]),
    take: impl FnOnce(&[f64]),
) {
    cpu.with_shared_f64((blocks + 1) * width, |scratch| {
        let (totals, partial) = scratch.split_at_mut(width);
        fill(partial);
        cpu.run_blocks(totals, TOTALS, |index, totals| {
            vectorize!(cpu, add_row_blocks(&partial[index * TOTALS..], width, totals));
        });
        take(totals);
    });
}

/// Adds the terms of `rows`, and calls `take` with the sums of every [`CARRY`] of them.
#[inline(always)]
fn add_row_block(
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

/// Adds f32 sums to f64 sums.
#[inline(always)]
fn add_carry(carry: &[f32], sums: &mut [f64]) {
    for (sum, &carry) in sums.iter_mut().zip(carry) {
        *sum += f64::from(carry);
    }
}

/// Adds some columns of all row blocks, which begin `width` apart, in order.
#[inline(always)]
fn add_row_blocks(partial: &[f64], width: usize, totals: &mut [f64]) {
    totals.fill(0.0);
    for partial in partial.chunks(width) {
        for (total, partial) in totals.iter_mut().zip(partial) {
            *total += partial;
        }
    }
}

/// Sum in f32 with eight accumulators, value `i` in accumulator `i % 8`: faster and more precise
/// than one.
#[inline(always)]
pub(crate) fn lanes_sum(values: impl Iterator<Item = f32>) -> f32 {
    let mut sums = [0.0; 8];
    for (i, value) in values.enumerate() {
        sums[i % 8] += value;
    }
    sums.iter().sum()
}
