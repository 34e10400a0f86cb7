//! One configuration of a case: predicted, then measured.

use anyhow::{Result, ensure};
use cluster_sim::{BucketRule, ClusterDescription, IterationTime, SimulationConfig, Simulator};
use exchange::compression::DecisionUnit;

use super::compare::MeasuredPoint;
use super::draw::{EmulatedCase, PointConfig};
use super::nets::ModelledNet;
use crate::bench::cluster_run::train;

/// Real seconds that the iterations of a run should take, about.
const RUN_S: f64 = 15.0;
/// Iterations of a run.
pub(super) const ITERATIONS: (f64, f64) = (3.0, 30.0);
/// Seconds until the ranks of a run are ready, and until they have ended, per host.
pub(super) const START_S: f64 = 0.8;

/// A configuration and what the simulator says of it. Times are those of the emulated cluster.
pub(super) struct EmulatedPoint {
    pub(super) case: EmulatedCase,
    pub(super) config: PointConfig,
    pub(super) iterations: usize,
    pub(super) predicted: IterationTime,
}

impl EmulatedPoint {
    /// Simulates a configuration of `case` on its measured links.
    pub(super) fn predict(
        case: &EmulatedCase,
        config: &PointConfig,
        net: &ModelledNet,
        cluster: &ClusterDescription,
    ) -> Result<Self> {
        let simulated = simulation(case, config)?;
        let mut simulator = Simulator::new(cluster);
        let mut time = |config: &SimulationConfig| {
            Ok::<_, anyhow::Error>(simulator.iteration_with(&net.model, &net.times, config)?.time)
        };
        let mut predicted = time(&simulated)?;
        let iterations = iterations(f64::from(case.dilation) * predicted.total());
        let is_decided_per_step = simulated
            .compression
            .as_ref()
            .is_some_and(|compression| compression.kind().decision == DecisionUnit::Step);
        if is_decided_per_step {
            // Its first iteration is dense: what matters is known one iteration ahead.
            let first = time(&SimulationConfig { compression: None, ..simulated })?;
            predicted = mean(predicted, first, 1.0 / iterations as f64);
        }
        Ok(Self { case: case.clone(), config: config.clone(), iterations, predicted })
    }

    /// Real seconds of one iteration.
    pub(super) fn iteration_s(&self) -> f64 {
        f64::from(self.case.dilation) * self.predicted.total()
    }

    /// Real seconds of the whole run.
    pub(super) fn seconds(&self) -> f64 {
        START_S * self.case.hosts as f64 + self.iterations as f64 * self.iteration_s()
    }

    /// Part of the iteration that is exposed communication.
    pub(super) fn exposed(&self) -> f64 {
        self.predicted.exposed / self.predicted.total()
    }

    /// Runs it; the hosts are up.
    pub(super) fn measure(&self, program: &str) -> Result<MeasuredPoint> {
        let EmulatedCase { net, hosts, dilation, .. } = self.case;
        let (profile, solver) =
            (net.write_profile()?, net.net.write_solver(net.batch, self.iterations)?);
        let dilate = dilation.to_string();
        let mut flags = vec!["--emulate", &*profile, "--dilate", &dilate];
        flags.extend(self.config.flags());
        let speed = train(program, hosts, &solver, &flags)?;
        ensure!(speed.images_per_s > 0.0, "no images/s");
        let iteration = (hosts * net.batch) as f64 / speed.images_per_s;
        let exposed = speed.exposed / 100.0 * iteration;
        Ok(MeasuredPoint { iteration, exposed, load: speed.load })
    }
}

/// How often an iteration of so many real seconds is run.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped")]
fn iterations(seconds: f64) -> usize {
    (RUN_S / seconds).round().clamp(ITERATIONS.0, ITERATIONS.1) as usize
}

/// Of iterations of which the fraction `part` is like `other`.
fn mean(one: IterationTime, other: IterationTime, part: f64) -> IterationTime {
    let of = |one: f64, other: f64| one + part * (other - one);
    IterationTime {
        compute: of(one.compute, other.compute),
        exposed: of(one.exposed, other.exposed),
        update: of(one.update, other.update),
        communication: of(one.communication, other.communication),
    }
}

/// As `train` runs it.
fn simulation(case: &EmulatedCase, config: &PointConfig) -> Result<SimulationConfig> {
    let compression = config.compression.map(str::parse).transpose()?;
    let buckets = BucketRule::Bytes(config.bucket_bytes());
    Ok(SimulationConfig {
        allreduce: config.algorithm.parse()?,
        wire: config.wire.parse()?,
        compression,
        overlap: config.overlap,
        ..SimulationConfig::new(case.hosts, case.net.batch, buckets)
    })
}

#[cfg(test)]
mod tests {
    use super::{iterations, mean};
    use cluster_sim::IterationTime;

    #[test]
    fn long_iterations_run_few_times() {
        assert_eq!([iterations(0.01), iterations(1.0), iterations(50.0)], [30, 15, 3]);
    }

    #[test]
    fn a_dense_first_iteration_counts_once() {
        let time =
            |exposed| IterationTime { compute: 1.0, exposed, update: 0.0, communication: 0.0 };
        let run = mean(time(1.0), time(5.0), 0.25);
        assert!((run.exposed - 2.0).abs() < 1e-12 && (run.compute - 1.0).abs() < 1e-12);
    }
}
