//! How often the decision where to compress was the faster one, bucket by bucket.

use std::fmt;

use exchange::compression::DecisionUnit;

use super::outcome::EmulatedOutcome;

/// Times with and without compression that differ by less are not counted.
const DIFFERENCE: f64 = 0.05;

/// Least share of those that differ in which the decision must be the faster one.
const DECIDED_RIGHT: f64 = 0.9;

/// Buckets that differ, and in how many of them the faster way was chosen.
#[derive(Debug, Default, PartialEq)]
pub(super) struct DecisionCount {
    differing: usize,
    right: usize,
}

impl DecisionCount {
    /// Counts the buckets of one compression, or its step, if that is decided as a whole. `dense`
    /// and `always` are the same run without compression and without the decision.
    pub(super) fn count(
        &mut self,
        unit: DecisionUnit,
        decided: &EmulatedOutcome,
        dense: &EmulatedOutcome,
        always: &EmulatedOutcome,
    ) {
        match unit {
            DecisionUnit::Step => {
                let compresses = decided.compressed.first() == Some(&true);
                self.count_one(compresses, dense.iteration_s, always.iteration_s);
            }
            DecisionUnit::Bucket => {
                let times = dense.bucket_s.iter().zip(&always.bucket_s);
                for (&compresses, (&dense, &always)) in decided.compressed.iter().zip(times) {
                    self.count_one(compresses, dense, always);
                }
            }
        }
    }

    fn count_one(&mut self, compresses: bool, dense_s: f64, compressed_s: f64) {
        if (dense_s - compressed_s).abs() > DIFFERENCE * dense_s.min(compressed_s) {
            self.differing += 1;
            self.right += usize::from(compresses == (compressed_s < dense_s));
        }
    }

    /// Whether too many of those that differ were decided wrongly.
    pub(super) fn is_missed(&self) -> bool {
        (self.right as f64) < DECIDED_RIGHT * self.differing as f64
    }
}

impl fmt::Display for DecisionCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { differing, right } = self;
        let percent = 100.0 * DIFFERENCE;
        if *differing == 0 {
            return write!(f, "Decisions: not shown, no bucket's times differ by {percent:.0} %.");
        }
        write!(
            f,
            "The decision was the faster one in {right} of {differing} buckets (of sparse chunks \
             steps) whose times differ by more than {percent:.0} %; at least {:.0} % must be.",
            100.0 * DECIDED_RIGHT
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcome::EmulatedOutcome;
    use super::DecisionCount;
    use exchange::compression::DecisionUnit;

    fn outcome(iteration_s: f64, bucket_s: &[f64], compressed: &[bool]) -> EmulatedOutcome {
        EmulatedOutcome {
            iteration_s,
            steps: Vec::new(),
            load: None,
            bucket_s: bucket_s.to_vec(),
            bucket_values: Vec::new(),
            compressed: compressed.to_vec(),
        }
    }

    #[test]
    fn only_differing_buckets_count() {
        let mut count = DecisionCount::default();
        count.count_one(true, 1.0, 0.5);
        count.count_one(true, 1.0, 2.0);
        count.count_one(false, 1.0, 2.0);
        count.count_one(true, 1.0, 1.04);
        assert_eq!(count, DecisionCount { differing: 3, right: 2 });
        assert!(count.is_missed() && count.to_string().contains("2 of 3 buckets"));
    }

    /// All buckets compressed: two of them were right, whatever the iterations took.
    #[test]
    fn buckets_count_one_by_one_even_when_all_are_decided_alike() {
        let decided = outcome(1.0, &[], &[true; 3]);
        let dense = outcome(1.0, &[1.0, 1.0, 1.0], &[]);
        let always = outcome(1.0, &[0.5, 0.5, 3.0], &[true; 3]);
        let mut count = DecisionCount::default();
        count.count(DecisionUnit::Bucket, &decided, &dense, &always);
        assert_eq!(count, DecisionCount { differing: 3, right: 2 });
    }

    #[test]
    fn a_step_counts_once_by_its_time() {
        let decided = outcome(1.0, &[], &[false; 2]);
        let [dense, always] = [1.0, 2.0].map(|time| outcome(time, &[1.0, 1.0], &[true; 2]));
        let mut count = DecisionCount::default();
        count.count(DecisionUnit::Step, &decided, &dense, &always);
        assert_eq!(count, DecisionCount { differing: 1, right: 1 });
        assert!(!count.is_missed());
    }

    #[test]
    fn without_a_difference_nothing_is_shown() {
        let mut count = DecisionCount::default();
        count.count_one(true, 1.0, 1.0);
        assert!(count.to_string().contains("not shown") && !count.is_missed());
    }
}
