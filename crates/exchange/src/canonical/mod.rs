//! The arithmetic of the canonical tree, in one implementation. Workers that read each other's
//! memory use it through [`local_sum`](crate::local_sum); two loops over blocks remain there, since
//! buffers that receive the sum are borrowed mutably, and those that are only read are not.
//!
//! `T(a, b)` is replica `a`'s gradient if `b = a + 1`, else `T(a, m) + T(m, b)`; where it splits is
//! [`collective::tree_split`]. Two forms give the same bits:
//!
//! ```text
//!   tree_sum       all inputs are there: T(0, n) of equally long slices, block by block
//!   Accumulator    one input after another, in one buffer: a binary counter of partial sums
//! ```
//!
//! In a 16-bit [`WireFormat`] every node is rounded, leaves and root included: what a plan over the
//! encoded values would give. For `f32` nothing is rounded, and up to four inputs are added in one
//! loop that reads each value once.

mod accumulator;

pub use accumulator::{Accumulator, sum_of_one};

use crate::wire::WireFormat;
use collective::tree_split;

/// Elements of a block: with partial sums well within the first-level cache.
pub(crate) const BLOCK: usize = 2048;

/// Adds `values` to `sums`. A plain loop: the compiler vectorises it, memory bounds it (9 to 10 GB
/// of sums per second on one core of the reference machine).
///
/// # Panics
///
/// If the lengths differ: both come from one plan.
pub(crate) fn add_assign(sums: &mut [f32], values: &[f32]) {
    assert_eq!(sums.len(), values.len(), "both sides of a sum have one length");
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Multiplies `values` by `scale`, which is 1 for all formats but the narrow ones.
pub(crate) fn multiply(values: &mut [f32], scale: f32) {
    if scale != 1.0 {
        values.iter_mut().for_each(|value| *value *= scale);
    }
}

/// Leaves `T(0, inputs.len())` of the values from `start` on in `sums`, for as many as it holds.
///
/// # Panics
///
/// If there is no input, or one ends before `start + sums.len()`.
pub fn tree_sum<S: AsRef<[f32]>>(
    format: &WireFormat,
    inputs: &[S],
    start: usize,
    sums: &mut [f32],
) {
    let mut at = start;
    for block in sums.chunks_mut(BLOCK) {
        match &format.conversion {
            None => sum_block(inputs, at, block),
            Some(conversion) => rounded_block(conversion.round, inputs, at, block),
        }
        at += block.len();
    }
}

/// `sums = T(inputs)`, without rounding.
fn sum_block<S: AsRef<[f32]>>(inputs: &[S], at: usize, sums: &mut [f32]) {
    let len = sums.len();
    let leaf = |index: usize| &inputs[index].as_ref()[at..at + len];
    match inputs.len() {
        1 => sums.copy_from_slice(leaf(0)),
        2 => combine(sums, [leaf(0), leaf(1)], |_, [a, b]| a + b),
        3 => combine(sums, [leaf(0), leaf(1), leaf(2)], |_, [a, b, c]| (a + b) + c),
        4 => {
            combine(sums, [leaf(0), leaf(1), leaf(2), leaf(3)], |_, [a, b, c, d]| (a + b) + (c + d))
        }
        count => {
            let (left, right) = inputs.split_at(tree_split(count));
            sum_block(left, at, sums);
            add_block(right, at, sums);
        }
    }
}

/// `sums += T(inputs)`, without rounding.
fn add_block<S: AsRef<[f32]>>(inputs: &[S], at: usize, sums: &mut [f32]) {
    let len = sums.len();
    let leaf = |index: usize| &inputs[index].as_ref()[at..at + len];
    match inputs.len() {
        1 => add_assign(sums, leaf(0)),
        2 => combine(sums, [leaf(0), leaf(1)], |sum, [a, b]| sum + (a + b)),
        3 => combine(sums, [leaf(0), leaf(1), leaf(2)], |sum, [a, b, c]| sum + ((a + b) + c)),
        4 => combine(sums, [leaf(0), leaf(1), leaf(2), leaf(3)], |sum, [a, b, c, d]| {
            sum + ((a + b) + (c + d))
        }),
        _ => {
            let mut right = [0.0; BLOCK];
            sum_block(inputs, at, &mut right[..len]);
            add_assign(sums, &right[..len]);
        }
    }
}

/// One loop over several inputs; `sum` is given what `sums` holds and a value of each.
#[inline(always)]
fn combine<const N: usize>(
    sums: &mut [f32],
    inputs: [&[f32]; N],
    sum: impl Fn(f32, [f32; N]) -> f32,
) {
    let inputs = inputs.map(|input| &input[..sums.len()]);
    for (index, total) in sums.iter_mut().enumerate() {
        *total = sum(*total, inputs.map(|input| input[index]));
    }
}

/// `sums = T(inputs)` with every node rounded.
fn rounded_block<S: AsRef<[f32]>>(
    round: fn(&mut [f32]),
    inputs: &[S],
    at: usize,
    sums: &mut [f32],
) {
    if let [only] = inputs {
        sums.copy_from_slice(&only.as_ref()[at..at + sums.len()]);
    } else {
        let (left, right) = inputs.split_at(tree_split(inputs.len()));
        rounded_block(round, left, at, sums);
        let mut other = [0.0; BLOCK];
        let other = &mut other[..sums.len()];
        rounded_block(round, right, at, other);
        add_assign(sums, other);
    }
    round(sums);
}

#[cfg(test)]
mod tests;
