//! From the time of an iteration to the time of a training run, with machines that fail.

use crate::cluster::FailureDescription;

/// A whole training run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingLength {
    /// Passes over the data.
    pub epochs: f64,
    /// Images of one pass.
    pub images: f64,
}

impl TrainingLength {
    /// Seconds without failures, if an iteration of `global_batch` images takes `iteration_s`.
    #[must_use]
    pub fn seconds(self, global_batch: usize, iteration_s: f64) -> f64 {
        self.epochs * self.images / global_batch as f64 * iteration_s
    }
}

impl FailureDescription {
    /// Expected seconds of a run that takes `work_s` if nothing fails, on `nodes` machines: the job
    /// writes snapshots, loses what it did since the last one, and restarts.
    ///
    /// Failures are independent, with rate λ = nodes / MTBF. A segment of s seconds of work and its
    /// snapshot take `(e^(λ s) - 1) (1/λ + restart)` seconds on average (Daly 2006).
    #[must_use]
    pub fn expected_s(&self, work_s: f64, nodes: usize) -> f64 {
        let rate = nodes as f64 / (3600.0 * self.node_mtbf_hours);
        let segments = (work_s / self.snapshot_interval_s).ceil().max(1.0);
        let segment = work_s / segments + self.snapshot_s;
        segments * (rate * segment).exp_m1() * (1.0 / rate + self.restart_s)
    }
}

#[cfg(test)]
mod tests {
    use super::TrainingLength;
    use crate::cluster::FailureDescription;
    use base::random::Mt19937;

    #[test]
    fn rare_failures_cost_little_and_frequent_ones_much() {
        let failures = |node_mtbf_hours| FailureDescription {
            node_mtbf_hours,
            restart_s: 100.0,
            snapshot_s: 0.0,
            snapshot_interval_s: 3600.0,
        };
        let day = 86_400.0;
        let rare = failures(1e9).expected_s(day, 64);
        assert!((rare / day - 1.0).abs() < 1e-4, "{rare}");
        let [ten, hundred] = [10.0, 100.0].map(|hours| failures(hours).expected_s(day, 64));
        assert!(hundred > 1.2 * day && ten > 10.0 * hundred, "{ten} {hundred}");
        let (one, many) = (failures(100.0).expected_s(day, 1), failures(100.0).expected_s(day, 64));
        assert!(many > one);
    }

    /// The formula against 20,000 runs whose failures are drawn.
    #[test]
    fn the_expectation_is_the_mean_of_many_runs() {
        let failures = FailureDescription {
            node_mtbf_hours: 20.0,
            restart_s: 120.0,
            snapshot_s: 30.0,
            snapshot_interval_s: 1800.0,
        };
        let (work, nodes, runs) = (7200.0, 8, 20_000);
        let mean_s = 3600.0 * failures.node_mtbf_hours / f64::from(nodes);
        let mut random = Mt19937::new(1);
        let mut total = 0.0;
        for _ in 0..runs {
            for _ in 0..4 {
                let segment = 1800.0 + failures.snapshot_s;
                loop {
                    let place = f64::from(random.uniform(0.0, 1.0));
                    let until_failure = -mean_s * (1.0 - place).max(1e-9).ln();
                    if until_failure >= segment {
                        total += segment;
                        break;
                    }
                    total += until_failure + failures.restart_s;
                }
            }
        }
        let (mean, expected) = (total / f64::from(runs), failures.expected_s(work, 8));
        assert!((expected / mean - 1.0).abs() < 0.01, "{expected} s, {mean} s");
    }

    #[test]
    fn a_run_is_its_iterations() {
        let length = TrainingLength { epochs: 90.0, images: 1_281_167.0 };
        let seconds = length.seconds(65_536, 0.243);
        assert!((seconds - 427.5).abs() < 1.0, "{seconds}");
    }
}
