//! Where each learned parameter and its gradient lie, and how workers divide them.
//!
//! A parameter is divided into blocks of [`BLOCK`] values from its start; the last may be shorter.
//! Norms are sums over blocks and chunks end at block borders, so neither depends on who does the
//! work.
//!
//! ```text
//! pool      |  conv2.w: block 0 | block 1 | bl. 2 | conv2.b | conv1.w: block 0 | ...
//! bucket    |<---------------------------------------------------------------->|
//! 2 chunks  |<-- worker 0 ------>|<-- worker 1 ------------------------------->|
//! ```

use std::ops::Range;

use base::chunk;

/// Values in a block: 16 KiB of `f32`, which a first-level cache holds together with their
/// gradients.
pub const BLOCK: usize = 4096;

/// One learned parameter: where it is and its learning-rate and decay multipliers.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamSlot {
    /// Its values in the parameter slab; its history has the same range in each history slab.
    pub values: Range<usize>,
    /// Its gradient in the pool.
    pub gradient: Range<usize>,
    /// Factor of the learning rate.
    pub lr_mult: f32,
    /// Factor of the weight decay.
    pub decay_mult: f32,
}

/// Consecutive whole blocks of one parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamRange {
    /// Index of the parameter.
    pub slot: usize,
    /// Values counted from the parameter's start: begins at a block border, ends at one or at the
    /// parameter's end.
    pub values: Range<usize>,
}

/// All learned parameters, in Caffe's order (that of the net), each once however often it is
/// shared.
#[derive(Debug, Clone)]
pub struct ParamSlots {
    slots: Vec<ParamSlot>,
    /// Index of the first block of each slot, followed by the total number of blocks.
    first_block: Vec<usize>,
    /// Indices of the slots that are not empty, in the order of their gradients in the pool.
    by_pool: Vec<usize>,
    /// Where blocks begin in the pool, ascending.
    borders: Vec<usize>,
}

impl ParamSlots {
    /// Counts blocks and orders gradients.
    ///
    /// # Panics
    ///
    /// If a gradient is not as long as its parameter, or gradients overlap: both come from one
    /// layout.
    #[must_use]
    pub fn new(slots: Vec<ParamSlot>) -> Self {
        let mut first_block = vec![0];
        let mut by_pool: Vec<usize> = (0..slots.len()).collect();
        for (index, slot) in slots.iter().enumerate() {
            assert_eq!(slot.values.len(), slot.gradient.len(), "gradient of parameter {index}");
            first_block.push(first_block[index] + slot.values.len().div_ceil(BLOCK));
        }
        by_pool.retain(|&index| !slots[index].gradient.is_empty());
        by_pool.sort_by_key(|&index| slots[index].gradient.start);
        let disjoint =
            |pair: &[usize]| slots[pair[0]].gradient.end <= slots[pair[1]].gradient.start;
        assert!(by_pool.windows(2).all(disjoint), "gradients overlap in the pool");
        let borders = by_pool
            .iter()
            .flat_map(|&index| slots[index].gradient.clone().step_by(BLOCK))
            .collect();
        Self { slots, first_block, by_pool, borders }
    }

    /// One slot per parameter, in Caffe's order.
    #[must_use]
    pub fn as_slice(&self) -> &[ParamSlot] {
        &self.slots
    }

    /// Number of blocks of all parameters: the length of the list of
    /// [`BlockSums`](crate::BlockSums).
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.first_block[self.slots.len()]
    }

    /// The blocks of parameter `slot`, as indices into the list of all blocks.
    #[must_use]
    pub fn blocks_of(&self, slot: usize) -> Range<usize> {
        self.first_block[slot]..self.first_block[slot + 1]
    }

    /// The blocks of `range`, as indices into the list of all blocks.
    #[must_use]
    pub fn blocks_in(&self, range: &ParamRange) -> Range<usize> {
        let first = self.first_block[range.slot] + range.values.start / BLOCK;
        first..first + range.values.len().div_ceil(BLOCK)
    }

    /// Where `range` lies in the parameter slab and in each history slab.
    #[must_use]
    pub fn in_slab(&self, range: &ParamRange) -> Range<usize> {
        let start = self.slots[range.slot].values.start;
        start + range.values.start..start + range.values.end
    }

    /// Where the gradient of `range` lies in the pool.
    #[must_use]
    pub fn in_pool(&self, range: &ParamRange) -> Range<usize> {
        let start = self.slots[range.slot].gradient.start;
        start + range.values.start..start + range.values.end
    }

    /// Chunk `index` of `bucket` (a range of the pool) divided into `count`: near-equal lengths,
    /// moved to the nearest block border. The chunks tile the bucket; some may be empty.
    #[must_use]
    pub fn chunk(&self, bucket: Range<usize>, count: usize, index: usize) -> Range<usize> {
        let border = |index: usize| match index {
            0 => bucket.start,
            _ if index == count => bucket.end,
            _ => self.nearest(&bucket, bucket.start + chunk(bucket.len(), count, index).start),
        };
        border(index)..border(index + 1)
    }

    /// The block border in `bucket` that is nearest to `wanted`; the ends of the bucket count as
    /// borders.
    fn nearest(&self, bucket: &Range<usize>, wanted: usize) -> usize {
        let next = self.borders.partition_point(|&border| border < wanted);
        let above = self.borders.get(next).map_or(bucket.end, |&border| border.min(bucket.end));
        let below = next.checked_sub(1).map_or(bucket.start, |i| self.borders[i].max(bucket.start));
        if above - wanted < wanted - below { above } else { below }
    }

    /// The ranges of parameters whose gradients lie in `pool`, in the pool's order.
    ///
    /// # Panics
    ///
    /// If `pool` begins or ends inside a block: it was not made by [`ParamSlots::chunk`].
    #[must_use]
    pub fn param_ranges(&self, pool: Range<usize>) -> Vec<ParamRange> {
        let first =
            self.by_pool.partition_point(|&index| self.slots[index].gradient.end <= pool.start);
        let mut ranges = Vec::new();
        for &slot in &self.by_pool[first..] {
            let gradient = &self.slots[slot].gradient;
            if gradient.start >= pool.end {
                break;
            }
            let start = pool.start.saturating_sub(gradient.start);
            let end = gradient.len().min(pool.end - gradient.start);
            let ends_at_border = end.is_multiple_of(BLOCK) || end == gradient.len();
            assert!(start.is_multiple_of(BLOCK) && ends_at_border, "{pool:?} divides a block");
            ranges.push(ParamRange { slot, values: start..end });
        }
        ranges
    }

    /// The parts of `ranges` whose gradients lie in `applied`, ranges of the pool in ascending
    /// order.
    ///
    /// # Panics
    ///
    /// If a range of the pool begins or ends inside a block.
    #[must_use]
    pub fn within(&self, ranges: &[ParamRange], applied: &[Range<usize>]) -> Vec<ParamRange> {
        let mut parts = Vec::new();
        for range in ranges {
            let pool = self.in_pool(range);
            let first = applied.partition_point(|applied| applied.end <= pool.start);
            let overlapping = applied[first..].iter().take_while(|part| part.start < pool.end);
            for part in overlapping {
                let part = part.start.max(pool.start)..part.end.min(pool.end);
                parts.extend(self.param_ranges(part));
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests;
