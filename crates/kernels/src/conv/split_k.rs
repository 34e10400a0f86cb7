//! Split-K partition of a gradient of weights, and the sum of its partial results.
//!
//! A task owns some register tiles and some panels of the gradient. Where the weights are too few
//! to occupy all threads, the reduction (over pixels) is split too, into partial sums that are
//! added in order at the end. All of it follows from the shape, so the bits do not depend on the
//! number of threads.
//!
//! Threads do not run at equal speed, so at the end one waits for the other's last task. Therefore
//! ranges that are split for the sake of threads decrease in length, from about 3/2 of the mean to
//! 1/2: the last tasks, which balance the load, are short. They decrease within each half, so that
//! two threads have equal work, each with its own half of the pixels, which it finds in its cache.

use std::ops::Range;

use crate::{
    conv::StackVec,
    simd::{LANES, SimdLanes},
    view::Write,
};

/// Lower bound of the mean number of blocks of pixels per partial sum: each sum costs a pass over
/// all weights.
const MIN_BLOCKS: usize = 4;

/// How a gradient is divided into tasks.
pub(super) struct SplitKPartition {
    group: usize,
    tile_ranges: StackVec<Range<usize>>,
    panel_ranges: StackVec<Range<usize>>,
    /// Blocks of pixels of each split.
    block_ranges: StackVec<Range<usize>>,
}

/// The extent of one task.
pub(super) struct SplitKTask {
    /// The partial sum it contributes to.
    pub(super) split: usize,
    pub(super) group: usize,
    pub(super) tiles: Range<usize>,
    pub(super) panels: Range<usize>,
    pub(super) blocks: Range<usize>,
}

impl SplitKPartition {
    /// Tiles in `tile_ranges` by panels in `panel_ranges` for each group, and `blocks` split so
    /// that there are about `tasks` tasks.
    pub(super) fn new(
        group: usize,
        tile_ranges: StackVec<Range<usize>>,
        panel_ranges: StackVec<Range<usize>>,
        blocks: usize,
        tasks: usize,
    ) -> Self {
        let splits = tasks.div_ceil(group * tile_ranges.len() * panel_ranges.len());
        let splits = splits.min(blocks / MIN_BLOCKS).max(1);
        let block_ranges = tapered_ranges(blocks, splits).collect();
        Self { group, tile_ranges, panel_ranges, block_ranges }
    }

    /// Number of partial sums.
    pub(super) fn splits(&self) -> usize {
        self.block_ranges.len()
    }

    /// Number of tasks.
    pub(super) fn tasks(&self) -> usize {
        self.splits() * self.group * self.tile_ranges.len() * self.panel_ranges.len()
    }

    /// The largest number of tiles of a task.
    pub(super) fn max_tiles(&self) -> usize {
        self.tile_ranges.iter().map(Range::len).max().unwrap_or(0)
    }

    /// Task `task`; neighbours read the same pixels.
    pub(super) fn task(&self, task: usize) -> SplitKTask {
        let (rest, group) = (task / self.group, task % self.group);
        let (rest, tiles) = (rest / self.tile_ranges.len(), rest % self.tile_ranges.len());
        let (split, panels) = (rest / self.panel_ranges.len(), rest % self.panel_ranges.len());
        SplitKTask {
            split,
            group,
            tiles: self.tile_ranges[tiles].clone(),
            panels: self.panel_ranges[panels].clone(),
            blocks: self.block_ranges[split].clone(),
        }
    }
}

/// The partial sums of a gradient: `splits` copies of `len` floats.
#[derive(Clone, Copy)]
pub(super) struct PartialSums<'a> {
    pub(super) sums: &'a [f32],
    pub(super) splits: usize,
    pub(super) len: usize,
}

impl PartialSums<'_> {
    /// Adds eight floats from `at` on over all splits, in order.
    #[inline(always)]
    pub(super) fn eight<S: SimdLanes>(&self, s: S, at: usize) -> S::F {
        let mut sum = s.splat(0.0);
        for split in 0..self.splits {
            let from = &self.sums[at + split * self.len..][..LANES];
            // SAFETY: `from` is eight floats.
            sum = s.add(sum, unsafe { s.load(from.as_ptr()) });
        }
        sum
    }
}

/// Writes or adds eight sums to contiguous gradients.
#[inline(always)]
pub(super) fn put_eight<S: SimdLanes>(s: S, write: Write, mut sums: S::F, into: &mut [f32]) {
    let into = &mut into[..LANES];
    if write == Write::Add {
        // SAFETY: `into` is eight floats.
        sums = s.add(unsafe { s.load(into.as_ptr()) }, sums);
    }
    // SAFETY: as above.
    unsafe { s.store(into.as_mut_ptr(), sums) };
}

/// Writes or adds the lanes of `sums` to as many gradients as `into` yields.
#[inline(always)]
pub(super) fn scatter<'a, S: SimdLanes>(
    s: S,
    write: Write,
    sums: S::F,
    into: impl Iterator<Item = &'a mut f32>,
) {
    let mut lanes = [0.0; LANES];
    // SAFETY: `lanes` is eight floats.
    unsafe { s.store(lanes.as_mut_ptr(), sums) };
    for (into, lane) in into.zip(lanes) {
        write.put(lane, into);
    }
}

/// Divides `0..len` into `count` ranges that decrease in length within each half; an odd count, or
/// one below four, gives near-equal lengths.
pub(super) fn tapered_ranges(len: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    let end = move |i: usize| {
        let half = count / 2;
        if half < 2 || count % 2 == 1 {
            return len * i / count;
        }
        let (side, i) = (i / half, i % half);
        let start = len * side / 2;
        let half_len = len * (side + 1) / 2 - start;
        // The integral of a density that decreases from 3/2 to 1/2.
        start + half_len * i * (3 * half - i) / (2 * half * half)
    };
    (0..count).map(move |i| end(i)..end(i + 1))
}

#[cfg(test)]
mod tests {
    use super::{SplitKPartition, tapered_ranges};

    #[test]
    fn ranges_decrease_and_cover_everything() {
        for (len, count, want) in [
            (10, 1, vec![10]),
            (10, 2, vec![5, 5]),
            (10, 3, vec![3, 3, 4]),
            (24, 4, vec![7, 5, 7, 5]),
            (64, 8, vec![11, 9, 7, 5, 11, 9, 7, 5]),
        ] {
            let ranges: Vec<_> = tapered_ranges(len, count).collect();
            let lens: Vec<_> = ranges.iter().map(ExactSizeIterator::len).collect();
            assert_eq!(lens, want, "{len} in {count}");
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start), "{ranges:?}");
            assert_eq!((ranges[0].start, ranges[count - 1].end), (0, len));
        }
    }

    #[test]
    fn tasks_cover_all_sums_of_all_blocks_once() {
        let (group, tiles, panels, blocks) = (2, 7, 9, 30);
        let ranges = |len, count| tapered_ranges(len, count).collect();
        let partition =
            SplitKPartition::new(group, ranges(tiles, 2), ranges(panels, 3), blocks, 40);
        assert_eq!((partition.splits(), partition.tasks(), partition.max_tiles()), (4, 48, 4));
        let mut seen = vec![0; group * tiles * panels * blocks];
        for task in (0..partition.tasks()).map(|task| partition.task(task)) {
            for tile in task.tiles {
                for panel in task.panels.clone() {
                    for block in task.blocks.clone() {
                        let at = (task.group * tiles + tile) * panels + panel;
                        seen[at * blocks + block] += 1;
                    }
                }
            }
        }
        assert!(seen.iter().all(|&times| times == 1), "{seen:?}");
    }
}
