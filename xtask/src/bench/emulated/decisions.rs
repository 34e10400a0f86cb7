//! How often the decision where to compress was the faster one, bucket by bucket.

use std::fmt;

use super::outcome::EmulatedOutcome;

/// Buckets whose times with and without compression differ by less are not counted.
const DIFFERENCE: f64 = 0.05;

/// Buckets that differ, and in how many of them the faster way was chosen.
#[derive(Debug, Default, PartialEq)]
pub(super) struct DecisionCount {
    differing: usize,
    right: usize,
}

impl DecisionCount {
    /// Counts the buckets of one compression; a step that is decided at once counts as one.
    pub(super) fn count(
        &mut self,
        decided: &EmulatedOutcome,
        dense: &EmulatedOutcome,
        always: &EmulatedOutcome,
    ) {
        let whole_step = always.bucket_s.len() != dense.bucket_s.len()
            || decided.compressed.windows(2).all(|pair| pair[0] == pair[1]);
        if whole_step {
            let [dense, always] = [dense, always].map(|outcome| outcome.iteration_s);
            let compresses = decided.compressed.first() == Some(&true);
            return self.count_one(compresses, dense, always);
        }
        let times = dense.bucket_s.iter().zip(&always.bucket_s);
        for (&compresses, (&dense, &always)) in decided.compressed.iter().zip(times) {
            self.count_one(compresses, dense, always);
        }
    }

    fn count_one(&mut self, compresses: bool, dense_s: f64, compressed_s: f64) {
        if (dense_s - compressed_s).abs() > DIFFERENCE * dense_s.min(compressed_s) {
            self.differing += 1;
            self.right += usize::from(compresses == (compressed_s < dense_s));
        }
    }

    /// Of those that differ; 1 if none does.
    pub(super) fn share(&self) -> f64 {
        if self.differing == 0 { 1.0 } else { self.right as f64 / self.differing as f64 }
    }
}

impl fmt::Display for DecisionCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { differing, right } = self;
        write!(
            f,
            "The decision was the faster one in {right} of {differing} buckets (or steps) whose \
             times differ by more than {:.0} %.",
            100.0 * DIFFERENCE
        )
    }
}

#[cfg(test)]
mod tests {
    use super::DecisionCount;

    #[test]
    fn only_differing_buckets_count() {
        let mut count = DecisionCount::default();
        count.count_one(true, 1.0, 0.5);
        count.count_one(true, 1.0, 2.0);
        count.count_one(false, 1.0, 2.0);
        count.count_one(true, 1.0, 1.04);
        assert_eq!(count, DecisionCount { differing: 3, right: 2 });
        assert!((count.share() - 2.0 / 3.0).abs() < 1e-12);
    }
}
