//! Who sums what in a gradient of weights.
//!
//! A task owns some register tiles and some panels of the sums. Where the weights are too few to give all
//! threads a part, the pixels are cut as well, into partial sums that are added in order at the end. All of it
//! follows from the shape, so the bits do not depend on the threads.
//!
//! Threads are not equally fast, so at the end one waits for the other's last task. Hence the runs that are cut
//! for the sake of threads fall in length, from about three halves of the mean to a half of it. They are dealt
//! so that the two halves of the tasks, with which two threads begin, are about as long and both fall: to have one
//! begin with the long ones and then be helped left 7 % of the time to waiting.

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

    /// A task; later ones of each half are shorter.
    pub(super) fn share(&self, task: usize) -> Share {
        let task = dealt(task, self.tasks());
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

/// Which of `0..tasks`, longest first, a task is: 0, 3, 4, 7.. in the first half, 1, 2, 5, 6.. in the second.
fn dealt(task: usize, tasks: usize) -> usize {
    let half = tasks / 2;
    let (place, side) = if task < half { (task, 0) } else { (task - half, 1) };
    (2 * place + (side ^ (place & 1))).min(tasks - 1)
}

/// Cuts `0..whole` into runs, each shorter than the one before; two are alike, for two threads.
pub(super) fn falling_runs(whole: usize, parts: usize) -> impl Iterator<Item = Range<usize>> {
    let end = move |i: usize| match parts {
        ..=2 => whole * i / parts,
        // The integral of a density that falls from 3/2 to 1/2.
        _ => whole * i * (3 * parts - i) / (2 * parts * parts),
    };
    (0..parts).map(move |i| end(i)..end(i + 1))
}

#[cfg(test)]
mod tests {
    use super::{Shares, dealt, falling_runs};

    #[test]
    fn runs_fall_and_cover_everything() {
        for (whole, parts, want) in [
            (10, 1, vec![10]),
            (10, 2, vec![5, 5]),
            (24, 4, vec![8, 7, 5, 4]),
            (64, 8, vec![11, 11, 9, 9, 7, 7, 5, 5]),
        ] {
            let runs: Vec<_> = falling_runs(whole, parts).collect();
            let lens: Vec<_> = runs.iter().map(ExactSizeIterator::len).collect();
            assert_eq!(lens, want, "{whole} in {parts}");
            assert!(runs.windows(2).all(|pair| pair[0].end == pair[1].start), "{runs:?}");
            assert_eq!((runs[0].start, runs[parts - 1].end), (0, whole));
        }
    }

    #[test]
    fn halves_are_about_as_long_and_fall() {
        for tasks in 2..30 {
            let lens: Vec<_> = falling_runs(1000 * tasks, tasks).map(|run| run.len()).collect();
            let order: Vec<_> = (0..tasks).map(|task| dealt(task, tasks)).collect();
            let (first, second) = order.split_at(tasks / 2);
            assert!([first, second].iter().all(|half| half.is_sorted()), "{order:?}");
            let [one, two] =
                [first, second].map(|half| half.iter().map(|&i| lens[i]).sum::<usize>());
            let most = lens[tasks - 1] + lens[0] - lens[1];
            assert!(one.abs_diff(two) <= most, "{tasks}: {one} and {two}");
            assert_eq!(order.iter().sum::<usize>(), (0..tasks).sum(), "{order:?}");
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
