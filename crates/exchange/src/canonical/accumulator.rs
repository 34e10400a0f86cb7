//! The canonical tree over inputs that come one after another in the same buffer.
//!
//! A binary counter: level `k` holds `T(a, a + 2^k)` when bit `k` of the number of inputs is set. A
//! new input takes in the full levels below the first free one and is stored there. The last input
//! takes in all levels, lowest first, which is `T(0, n)` for every `n`:
//!
//! ```text
//!   inputs so far   level 0   level 1   level 2
//!   5 = 101         T(4,5)              T(0,4)       input 5: (5 + T(4,5)) + T(0,4)
//!   6 = 110                   T(4,6)    T(0,4)       input 6: (6 + T(4,6)) + T(0,4)
//! ```
//!
//! One buffer per level, allocated when first needed and kept.

use super::{BLOCK, add_assign, multiply};
use crate::wire::WireFormat;
use std::ops::Range;

/// Sums one worker's replicas as they finish. The bits are those of
/// [`tree_sum`](super::tree_sum) over all of them.
pub struct Accumulator {
    format: &'static WireFormat,
    /// What every input is multiplied by before it is rounded.
    scale: f32,
    /// Inputs taken since the last [`reset`](Self::reset).
    count: usize,
    levels: Vec<Vec<f32>>,
}

impl Accumulator {
    /// Knows no input yet.
    #[must_use]
    pub fn new(format: &'static WireFormat) -> Self {
        Self { format, scale: 1.0, count: 0, levels: Vec::new() }
    }

    /// Forgets all inputs and keeps the memory: call it before the first input of every step. All
    /// inputs of the step are multiplied by `scale`: for formats in which they would overflow or
    /// vanish.
    pub fn reset(&mut self, scale: f32) {
        (self.count, self.scale) = (0, scale);
    }

    /// Takes the next input, which is not the last. Its buffer may be used again afterwards; what
    /// it then holds is not defined.
    pub fn push(&mut self, input: &mut [f32]) {
        let full = self.count.trailing_ones() as usize;
        if self.levels.len() == full {
            self.levels.push(vec![0.0; input.len()]);
        }
        let (below, free) = self.levels.split_at_mut(full);
        for start in (0..input.len()).step_by(BLOCK) {
            let at = start..input.len().min(start + BLOCK);
            let block = &mut input[at.clone()];
            multiply(block, self.scale);
            merge(self.format, block, below.iter(), at.clone());
            free[0][at].copy_from_slice(block);
        }
        self.count += 1;
    }

    /// Turns `values`, which is `range` of the last input, into that range of the sum over all
    /// inputs. Called once for each value, in ranges as they become ready.
    ///
    /// # Panics
    ///
    /// If `values` and `range` have different lengths.
    pub fn finish_range(&self, values: &mut [f32], range: Range<usize>) {
        assert_eq!(values.len(), range.len(), "the values of the range");
        let mut at = range.start;
        for block in values.chunks_mut(BLOCK) {
            let next = at + block.len();
            multiply(block, self.scale);
            let levels = self.levels.iter().enumerate();
            let full = levels.filter(|(level, _)| self.count >> level & 1 == 1);
            merge(self.format, block, full.map(|(_, sums)| sums), at..next);
            at = next;
        }
    }
}

/// Turns `values` into what the canonical sum of a single input would be: multiplied by `scale` and
/// rounded.
pub fn sum_of_one(format: &WireFormat, scale: f32, values: &mut [f32]) {
    for block in values.chunks_mut(BLOCK) {
        multiply(block, scale);
        format.round(block);
    }
}

/// Rounds `block` and adds the range `at` of each level, rounding every sum.
fn merge<'a>(
    format: &WireFormat,
    block: &mut [f32],
    levels: impl Iterator<Item = &'a Vec<f32>>,
    at: Range<usize>,
) {
    format.round(block);
    for level in levels {
        add_assign(block, &level[at.clone()]);
        format.round(block);
    }
}
