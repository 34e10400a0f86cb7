//! Which worker runs which replicas, and whether the result is exact.
//!
//! R replicas form the global batch. Each of the N·W workers (N ranks of W workers) runs a
//! contiguous range of them. The sum of all gradients is defined as the canonical tree `T(0, R)`:
//! `T(a, b)` is replica a's gradient if `b = a + 1`, else `T(a, m) + T(m, b)` with `m = a +` the
//! largest power of two below `b - a`. A worker or rank whose replicas are an aligned power of two
//! computes a subtree of it, so the sum does not depend on the number of workers and ranks; one
//! worker alone computes all of it.

use std::ops::Range;

use base::Rank;

use crate::{PlacementProblem, WorkerCount};

/// How the replicas of a job are placed on ranks and workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplicaPlacement {
    /// R, over all ranks.
    pub replicas: usize,
    /// W, per rank.
    pub workers: usize,
    /// N.
    pub ranks: usize,
}

/// Which BatchNorm statistics test, snapshot and hash use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchNormState {
    /// The mean over replicas.
    Averaged,
    /// Those of replica 0.
    Replica0,
}

base::names!(pub BatchNormState { Averaged = "averaged", Replica0 = "replica0" });

/// When gradients are summed, relative to backward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// As each bucket becomes ready in all pools.
    DuringBackward,
    /// After the last layer.
    AfterBackward,
}

base::names!(pub Overlap { DuringBackward = "on", AfterBackward = "off" });

impl ReplicaPlacement {
    /// Places `replicas` on `ranks` of `workers` each. What would not be exact is refused, unless
    /// `inexact`.
    pub fn new(
        replicas: usize,
        workers: usize,
        ranks: usize,
        inexact: bool,
    ) -> Result<Self, PlacementProblem> {
        let all = workers * ranks;
        if replicas == 0 || all == 0 {
            return Err(PlacementProblem::NoReplicas);
        }
        let placement = Self { replicas, workers, ranks };
        let workers = WorkerCount { ranks, workers };
        if replicas < all {
            return Err(PlacementProblem::TooFewReplicas { replicas, workers });
        }
        if placement.is_exact() || (inexact && replicas.is_multiple_of(all)) {
            return Ok(placement);
        }
        let divides = replicas.is_multiple_of(all);
        Err(match placement.nearest_exact() {
            Some(nearest) => PlacementProblem::Inexact { replicas, workers, nearest, divides },
            None => PlacementProblem::InexactWorkers { workers, divides },
        })
    }

    /// Whether the weights will be those of one worker, bit for bit.
    #[must_use]
    pub fn is_exact(self) -> bool {
        let subtrees = |parts: usize| {
            self.replicas.is_multiple_of(parts) && (self.replicas / parts).is_power_of_two()
        };
        let all = self.all_workers();
        all == 1 || (subtrees(all) && (self.ranks == 1 || subtrees(self.ranks)))
    }

    /// Workers of all ranks.
    #[must_use]
    pub fn all_workers(self) -> usize {
        self.workers * self.ranks
    }

    /// The replicas that worker `worker` of `rank` runs, one after another.
    #[must_use]
    pub fn of_worker(self, rank: Rank, worker: usize) -> Range<usize> {
        base::chunk(self.replicas, self.all_workers(), rank.index() * self.workers + worker)
    }

    /// The replicas of all workers of `rank`.
    #[must_use]
    pub fn of_rank(self, rank: Rank) -> Range<usize> {
        let last = self.of_worker(rank, self.workers - 1);
        self.of_worker(rank, 0).start..last.end
    }

    fn nearest_exact(self) -> Option<usize> {
        let exact = (0..usize::BITS / 4).map(|power| self.all_workers() << power);
        let exact = exact.filter(|&replicas| Self { replicas, ..self }.is_exact());
        exact.min_by_key(|r| r.abs_diff(self.replicas))
    }
}

#[cfg(test)]
mod tests {
    use super::ReplicaPlacement;
    use base::Rank;

    #[test]
    fn exact_placements_are_accepted_and_others_name_the_nearest() {
        for (replicas, workers) in [(1, 1), (5, 1), (4, 1), (4, 2), (4, 4), (6, 3), (12, 3), (3, 3)]
        {
            assert!(
                ReplicaPlacement::new(replicas, workers, 1, false).is_ok(),
                "{replicas} on {workers}"
            );
        }
        let refused = ReplicaPlacement::new(6, 2, 1, false).unwrap_err().to_string();
        assert!(refused.contains("--replicas 4") && refused.contains("--inexact"), "{refused}");
        assert!(ReplicaPlacement::new(6, 2, 1, true).is_ok());
        let refused = ReplicaPlacement::new(5, 2, 1, true).unwrap_err().to_string();
        assert!(refused.contains("--replicas 4"), "{refused}");
        assert!(ReplicaPlacement::new(1, 2, 1, true).is_err());
    }

    #[test]
    fn ranks_run_contiguous_replicas_and_must_hold_subtrees() {
        for (replicas, workers, ranks) in [(4, 1, 2), (4, 2, 2), (8, 2, 2), (3, 1, 3), (12, 2, 3)] {
            let placement = ReplicaPlacement::new(replicas, workers, ranks, false).unwrap();
            let rank = |index| Rank::new(index, ranks).unwrap();
            let placed: Vec<usize> = (0..ranks)
                .flat_map(|index| {
                    (0..workers).flat_map(move |w| placement.of_worker(rank(index), w))
                })
                .collect();
            assert_eq!(placed, (0..replicas).collect::<Vec<_>>());
            assert_eq!(placement.of_rank(rank(ranks - 1)).end, replicas);
        }
        let refused = ReplicaPlacement::new(6, 1, 2, false).unwrap_err().to_string();
        assert!(refused.contains("2 ranks of 1 worker ") && refused.contains("--replicas 4"));
        let refused = ReplicaPlacement::new(6, 3, 2, false).unwrap_err().to_string();
        assert!(
            refused.contains("the number of workers per rank must be a power of two"),
            "{refused}"
        );
        assert!(ReplicaPlacement::new(6, 3, 2, true).is_ok());
    }
}
