//! Who runs what: replicas dealt to workers, and whether the result is exact.
//!
//! R replicas make the global batch; W workers run a contiguous run of them each. The sum of all
//! gradients is `T(0, R)`: `T(a, b)` is one replica's when `b = a + 1`, else `T(a, m) + T(m, b)` with
//! `m = a +` the largest power of two below `b - a`. A worker that holds an aligned power of two of
//! replicas computes a subtree of it, whatever the number of workers; so does one worker alone.

use std::ops::Range;

use crate::TrainError;

/// How the replicas of a job are dealt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dealing {
    /// Logical copies of the training step.
    pub replicas: usize,
    /// Thread groups that run them.
    pub workers: usize,
}

/// What `batch_size` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchMeaning {
    /// Each replica's, as in Caffe.
    PerReplica,
    /// That of all replicas together: each takes its part.
    Global,
}

/// Which BatchNorm statistics test, snapshot and hash use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchNormState {
    /// The mean over replicas.
    Averaged,
    /// Those of replica 0.
    Replica0,
}

/// When gradients are summed, relative to backward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// As each bucket is delivered by all workers.
    DuringBackward,
    /// After the last layer.
    AfterBackward,
}

impl Dealing {
    /// Deals `replicas` to `workers`; refuses what would not be exact, unless asked to go on.
    pub fn new(replicas: usize, workers: usize, inexact: bool) -> Result<Self, TrainError> {
        let wrong = |reason: String| Err(TrainError::Dealing(reason));
        if replicas == 0 || workers == 0 {
            return wrong("at least one replica and one worker are needed".into());
        }
        if replicas < workers {
            return wrong(format!(
                "{workers} workers for {replicas} replicas: give at least as many replicas as workers"
            ));
        }
        let dealing = Self { replicas, workers };
        if dealing.is_exact() || (inexact && replicas.is_multiple_of(workers)) {
            return Ok(dealing);
        }
        let nearest = dealing.nearest_exact();
        let hint = if replicas.is_multiple_of(workers) { ", or --inexact" } else { "" };
        wrong(format!(
            "{replicas} replicas on {workers} workers would not give the bits of one worker: \
             each must run a power of two of them; nearest is --replicas {nearest}{hint}"
        ))
    }

    /// Whether the weights will be those of one worker, bit for bit.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self.workers == 1
            || (self.replicas.is_multiple_of(self.workers)
                && (self.replicas / self.workers).is_power_of_two())
    }

    /// The replicas that worker `worker` runs, one after another.
    #[must_use]
    pub fn of_worker(self, worker: usize) -> Range<usize> {
        base::chunk(self.replicas, self.workers, worker)
    }

    fn nearest_exact(self) -> usize {
        let exact = (0..usize::BITS / 2).map(|power| self.workers << power);
        exact.min_by_key(|r| r.abs_diff(self.replicas)).unwrap_or(self.workers)
    }
}

#[cfg(test)]
mod tests {
    use super::Dealing;

    #[test]
    fn exact_dealings_are_admitted_and_others_name_the_nearest() {
        for (replicas, workers) in [(1, 1), (5, 1), (4, 1), (4, 2), (4, 4), (6, 3), (12, 3), (3, 3)]
        {
            assert!(Dealing::new(replicas, workers, false).is_ok(), "{replicas} on {workers}");
        }
        let refused = Dealing::new(6, 2, false).unwrap_err().to_string();
        assert!(refused.contains("--replicas 4") && refused.contains("--inexact"), "{refused}");
        assert!(Dealing::new(6, 2, true).is_ok());
        let refused = Dealing::new(5, 2, true).unwrap_err().to_string();
        assert!(refused.contains("--replicas 4"), "{refused}");
        assert!(Dealing::new(1, 2, true).is_err());
    }
}
