//! Who sums what in a gradient of weights.
//!
//! A task owns some register tiles and some panels of the sums. Where the weights are too few to give all
//! threads a part, the pixels are cut as well, into partial sums that are added in order at the end. All of it
//! follows from the shape, so the bits do not depend on the threads.
//!
//! Threads are not equally fast, so at the end one waits for the other's last task. Hence the runs that are cut
//! for the sake of threads fall in length, from about three halves of the mean to a half of it: whoever is late is
//! helped with short ones. They fall in each half, so that two threads have as much to do, each with its own half
//! of the pixels, which it finds in its cache.

use std::ops::Range;

use crate::conv::Few;

/// Blocks of pixels in a partial sum, on average at least: each costs a pass over all sums.
const BLOCKS: usize = 4;

/// The tasks of a gradient.
pub(super) struct Shares {
    group: usize,
    tile_runs: Few<Range<usize>>,
    panel_runs: Few<Range<usize>>,
    /// Blocks of pixels of each partial sum.
    block_runs: Few<Range<usize>>,
}

/// One task.
pub(super) struct Share {
    /// Its partial sum.
    pub(super) split: usize,
    pub(super) group: usize,
    pub(super) tiles: Range<usize>,
    pub(super) panels: Range<usize>,
    pub(super) blocks: Range<usize>,
}

impl Shares {
    /// Every group's tiles in `tile_runs` by panels in `panel_runs`, and blocks cut for about `tasks` tasks.
    pub(super) fn new(
        group: usize,
        tile_runs: Few<Range<usize>>,
        panel_runs: Few<Range<usize>>,
        blocks: usize,
        tasks: usize,
    ) -> Self {
        let splits = tasks.div_ceil(group * tile_runs.len() * panel_runs.len());
        let splits = splits.min(blocks / BLOCKS).max(1);
        let block_runs = falling_runs(blocks, splits).collect();
        Self { group, tile_runs, panel_runs, block_runs }
    }

    /// Partial sums.
    pub(super) fn splits(&self) -> usize {
        self.block_runs.len()
    }

    /// Number of tasks.
    pub(super) fn tasks(&self) -> usize {
        self.splits() * self.group * self.tile_runs.len() * self.panel_runs.len()
    }

    /// Most tiles of a task.
    pub(super) fn most_tiles(&self) -> usize {
        self.tile_runs.iter().map(Range::len).max().unwrap_or(0)
    }

    /// A task; neighbours have the same pixels.
    pub(super) fn share(&self, task: usize) -> Share {
        let (rest, group) = (task / self.group, task % self.group);
        let (rest, tiles) = (rest / self.tile_runs.len(), rest % self.tile_runs.len());
        let (split, panels) = (rest / self.panel_runs.len(), rest % self.panel_runs.len());
        Share {
            split,
            group,
            tiles: self.tile_runs[tiles].clone(),
            panels: self.panel_runs[panels].clone(),
            blocks: self.block_runs[split].clone(),
        }
    }
}

/// Cuts `0..whole` into runs that fall in length in each half; an odd number, or few, are alike.
pub(super) fn falling_runs(whole: usize, parts: usize) -> impl Iterator<Item = Range<usize>> {
    let end = move |i: usize| {
        let half = parts / 2;
        if half < 2 || parts % 2 == 1 {
            return whole * i / parts;
        }
        let (side, i) = (i / half, i % half);
        let start = whole * side / 2;
        let len = whole * (side + 1) / 2 - start;
        // The integral of a density that falls from 3/2 to 1/2.
        start + len * i * (3 * half - i) / (2 * half * half)
    };
    (0..parts).map(move |i| end(i)..end(i + 1))
}

#[cfg(test)]
mod tests {
    use super::{Shares, falling_runs};

    #[test]
    fn runs_fall_and_cover_everything() {
        for (whole, parts, want) in [
            (10, 1, vec![10]),
            (10, 2, vec![5, 5]),
            (10, 3, vec![3, 3, 4]),
            (24, 4, vec![7, 5, 7, 5]),
            (64, 8, vec![11, 9, 7, 5, 11, 9, 7, 5]),
        ] {
            let runs: Vec<_> = falling_runs(whole, parts).collect();
            let lens: Vec<_> = runs.iter().map(ExactSizeIterator::len).collect();
            assert_eq!(lens, want, "{whole} in {parts}");
            assert!(runs.windows(2).all(|pair| pair[0].end == pair[1].start), "{runs:?}");
            assert_eq!((runs[0].start, runs[parts - 1].end), (0, whole));
        }
    }

    /// Every sum of every block belongs to one task.
    #[test]
    fn shares_cover_all_sums_of_all_blocks_once() {
        let (group, tiles, panels, blocks) = (2, 7, 9, 30);
        let runs = |whole, parts| falling_runs(whole, parts).collect();
        let shares = Shares::new(group, runs(tiles, 2), runs(panels, 3), blocks, 40);
        assert_eq!((shares.splits(), shares.tasks(), shares.most_tiles()), (4, 48, 4));
        let mut seen = vec![0; group * tiles * panels * blocks];
        for share in (0..shares.tasks()).map(|task| shares.share(task)) {
            for tile in share.tiles {
                for panel in share.panels.clone() {
                    for block in share.blocks.clone() {
                        let at = (share.group * tiles + tile) * panels + panel;
                        seen[at * blocks + block] += 1;
                    }
                }
            }
        }
        assert!(seen.iter().all(|&times| times == 1), "{seen:?}");
    }
}
