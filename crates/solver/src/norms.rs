//! Sums of squares for clipping and LARS, the same bits for any number of workers.
//!
//! A block is summed in f64 in sixteen lanes (value `i` goes to lane `i mod 16`); the lanes are
//! then added in order. The compiler can vectorise this, and the result does not depend on the SIMD
//! level. Blocks are added in the order of the net. The cost is one read of gradients and
//! parameters, paid only by solvers that clip or use LARS.

use std::ops::Range;

use crate::slots::BLOCK;

/// Independent partial sums of a block: enough to hide an addition's latency.
const LANES: usize = 16;

/// Sums of squares over one block.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BlockSums {
    /// Of the parameter's values.
    pub values: f64,
    /// Of the gradient times the scale.
    pub gradient: f64,
}

impl BlockSums {
    /// Whether every gradient of the block is finite: the square of an `f32` is, as `f64`.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.gradient.is_finite()
    }
}

/// Fills `sums`, one entry per block, for one range of blocks. `scale` as in
/// [`Solver::step`](crate::Solver::step).
///
/// # Panics
///
/// If the lengths do not belong to one range.
pub fn block_sums(scale: f32, values: &[f32], gradient: &[f32], sums: &mut [BlockSums]) {
    assert_eq!(values.len(), gradient.len(), "a gradient for every value");
    assert_eq!(values.len().div_ceil(BLOCK), sums.len(), "a sum for every block");
    let blocks = values.chunks(BLOCK).zip(gradient.chunks(BLOCK));
    for (sums, (values, gradient)) in sums.iter_mut().zip(blocks) {
        *sums = BlockSums { values: squares(values, 1.0), gradient: squares(gradient, scale) };
    }
}

/// Adds the blocks of `range`, in order.
pub(crate) fn total(sums: &[BlockSums], range: Range<usize>) -> BlockSums {
    sums[range].iter().fold(BlockSums::default(), |total, block| BlockSums {
        values: total.values + block.values,
        gradient: total.gradient + block.gradient,
    })
}

fn squares(x: &[f32], scale: f32) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (rows, rest) = x.as_chunks::<LANES>();
    for row in rows {
        for (lane, &x) in lanes.iter_mut().zip(row) {
            let x = f64::from(x * scale); // rounded to f32 first: the update uses this value
            *lane += x * x;
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        let x = f64::from(x * scale);
        *lane += x * x;
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests;
