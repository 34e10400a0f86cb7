//! One iteration of a job on a cluster, and what follows from it.

mod delays;

use crate::cluster::ClusterDescription;
use crate::collectives::CollectiveTimes;
use crate::config::SimulationConfig;
use crate::error::SimulationError;
use crate::model::{ComputeTimes, NetModel};
use crate::rank_clock::{RankClock, RankTimes, SimulatedActivity, SimulatedSpan};
use crate::schedule::{ScheduledBucket, schedule};
use delays::Delays;
use exchange::compression::PlannedCollective;
use serde::Serialize;

/// Simulates jobs on one cluster. Collectives that were simulated are remembered.
pub struct Simulator<'a> {
    cluster: &'a ClusterDescription,
    times: CollectiveTimes<'a>,
}

/// Where an iteration's time goes, in seconds. With stragglers: means over iterations; computing is
/// that of the mean rank, and waiting for the last one is exposed communication.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IterationTime {
    /// Forward and backward.
    pub compute: f64,
    /// Waiting for collectives, after backward or because another rank is late.
    pub exposed: f64,
    /// The update.
    pub update: f64,
    /// Collectives under way, hidden or not.
    pub communication: f64,
}

impl IterationTime {
    /// The whole iteration.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.compute + self.exposed + self.update
    }
}

/// A simulated iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedIteration {
    /// Where its time goes.
    pub time: IterationTime,
    /// Number of buckets.
    pub buckets: usize,
    /// What each rank does; without stragglers one line stands for all.
    pub ranks: Vec<Vec<SimulatedSpan>>,
}

impl<'a> Simulator<'a> {
    /// A simulator of `cluster`.
    #[must_use]
    pub fn new(cluster: &'a ClusterDescription) -> Self {
        Self { cluster, times: CollectiveTimes::new(cluster) }
    }

    /// One iteration of `net`.
    pub fn iteration(
        &mut self,
        net: &NetModel,
        config: &SimulationConfig,
    ) -> Result<SimulatedIteration, SimulationError> {
        let compute = net.compute_times(&self.cluster.device, &config.precision, config.batch)?;
        self.iteration_with(net, &compute, config)
    }

    /// As [`iteration`](Self::iteration), with computing times that were measured per layer.
    pub fn iteration_with(
        &mut self,
        net: &NetModel,
        compute: &ComputeTimes,
        config: &SimulationConfig,
    ) -> Result<SimulatedIteration, SimulationError> {
        self.check(config)?;
        // Alone nothing is exchanged.
        let mut buckets = match config.devices() {
            1 => Vec::new(),
            _ => schedule(net, config)?,
        };
        let count = buckets.len();
        if config.record_bytes > 0 && config.ranks > 1 {
            add_records(&mut buckets, config);
        }
        if config.step_summary && config.ranks > 1 {
            buckets.push(ScheduledBucket::summary(net.layers.len(), config.ranks));
        }
        let mut runs = Vec::new();
        match &self.cluster.stragglers {
            Some(stragglers) if config.ranks > 1 => {
                let mut delays = Delays::new(stragglers);
                for _ in 0..config.iterations.max(1) {
                    // A rank is as late as the last of its workers.
                    let last = |_| (0..config.workers).map(|_| delays.factor()).fold(1.0, f64::max);
                    let factors: Vec<f64> = (0..config.ranks).map(last).collect();
                    runs.push(self.straggling(&buckets, compute, &factors, config)?);
                }
            }
            _ => runs.push(vec![self.uniform(&buckets, compute, config)?]),
        }
        let mut ranks: Vec<_> = runs[0].iter().map(|times| times.spans.clone()).collect();
        let time = mean(&runs, compute.update);
        let end = runs[0].iter().map(|times| times.end).fold(0.0, f64::max);
        for spans in &mut ranks {
            add_update(spans, end, compute.update);
            let summary = spans.iter_mut();
            let summary = summary.filter(|span| span.activity == SimulatedActivity::Bucket(count));
            summary.for_each(|span| span.activity = SimulatedActivity::Summary);
        }
        Ok(SimulatedIteration { time, buckets: count, ranks })
    }

    /// Seconds of one all-reduce of `values` elements that all ranks begin together.
    pub fn all_reduce(
        &mut self,
        values: usize,
        config: &SimulationConfig,
    ) -> Result<f64, SimulationError> {
        self.check(config)?;
        self.times.seconds(&PlannedCollective::AllReduce { values }, config)
    }

    fn check(&self, config: &SimulationConfig) -> Result<(), SimulationError> {
        let (ranks, devices) = (config.devices(), self.cluster.devices());
        let counts =
            [(config.ranks, "ranks"), (config.workers, "workers"), (config.batch, "the batch")];
        for (count, what) in counts {
            if count == 0 {
                return Err(SimulationError::Zero { what });
            }
        }
        if ranks > devices {
            let cluster = self.cluster.name.clone();
            return Err(SimulationError::TooManyRanks { ranks, devices, cluster });
        }
        let (workers, per_node) = (config.workers, self.cluster.devices_per_node);
        if !per_node.is_multiple_of(workers) {
            return Err(SimulationError::DividedNode { workers, per_node });
        }
        Ok(())
    }

    /// Seconds that a bucket's collectives take besides themselves.
    fn overhead(&self, bucket: &ScheduledBucket, config: &SimulationConfig) -> f64 {
        let launches = bucket.collectives.len() as f64;
        let coding = config.compression.as_ref().map_or(0.0, |compression| {
            self.cluster.device.codec_s(compression.kind().name, bucket.coded_bytes as f64)
        });
        let launching = 1e-6 * self.cluster.software.collective_overhead_us * launches;
        launching + coding + self.local_sum_s(bucket, config.workers)
    }

    /// Seconds in which the workers of a rank sum a bucket: each reads its chunk of all others.
    fn local_sum_s(&self, bucket: &ScheduledBucket, workers: usize) -> f64 {
        let others = (workers - 1) as f64 / workers as f64;
        let bytes = others * bucket.pool_bytes as f64;
        let adding = self.cluster.device.reduce_gbs.map_or(0.0, |gbs| bytes / (1e9 * gbs));
        adding.max(bytes / (1e9 * self.cluster.intra_node.bandwidth_gbs))
    }

    /// All ranks do the same at the same time: one stands for all.
    fn uniform(
        &mut self,
        buckets: &[ScheduledBucket],
        compute: &ComputeTimes,
        config: &SimulationConfig,
    ) -> Result<RankTimes, SimulationError> {
        let mut clock = RankClock::new(compute, self.cluster.software, 1.0);
        self.times.learn(buckets.iter().flat_map(|bucket| &bucket.collectives), config)?;
        for (index, bucket) in buckets.iter().enumerate() {
            let mut seconds = self.overhead(bucket, config);
            for collective in &bucket.collectives {
                seconds += self.times.seconds(collective, config)?;
            }
            clock.advance(bucket.ready_after);
            clock.communicate(index, seconds);
        }
        Ok(clock.finish())
    }

    /// Every rank has a time of its own.
    fn straggling(
        &mut self,
        buckets: &[ScheduledBucket],
        compute: &ComputeTimes,
        factors: &[f64],
        config: &SimulationConfig,
    ) -> Result<Vec<RankTimes>, SimulationError> {
        let clock = |&factor: &f64| RankClock::new(compute, self.cluster.software, factor);
        let mut clocks: Vec<RankClock> = factors.iter().map(clock).collect();
        for (index, bucket) in buckets.iter().enumerate() {
            let overhead = self.overhead(bucket, config);
            let begins: Vec<f64> =
                clocks.iter_mut().map(|clock| clock.advance(bucket.ready_after)).collect();
            let mut ends: Vec<f64> = begins.iter().map(|begin| begin + overhead).collect();
            for collective in &bucket.collectives {
                ends = self.times.ends(collective, config, &ends)?;
            }
            for (clock, (begin, end)) in clocks.iter_mut().zip(begins.iter().zip(&ends)) {
                clock.communicate(index, end - begin);
            }
        }
        Ok(clocks.into_iter().map(RankClock::finish).collect())
    }
}

/// Records of the next epoch follow the buckets, evenly: per iteration a rank sends as many as it
/// trains on, to all ranks alike.
fn add_records(buckets: &mut [ScheduledBucket], config: &SimulationConfig) {
    let bytes = config.workers * config.batch * config.record_bytes;
    let each = bytes.div_ceil((config.ranks * buckets.len()).max(1));
    for bucket in buckets {
        let outgoing = vec![each; config.ranks];
        bucket.collectives.push(PlannedCollective::AllToAllV { outgoing });
    }
}

/// Means over iterations; of each the last rank counts.
fn mean(runs: &[Vec<RankTimes>], update: f64) -> IterationTime {
    let mut sums = [0.0; 3];
    for run in runs {
        let ranks = run.len() as f64;
        sums[0] += run.iter().map(|rank| rank.computed).sum::<f64>() / ranks;
        sums[1] += run.iter().map(|rank| rank.end).fold(0.0, f64::max);
        sums[2] += run.iter().map(|rank| rank.communicated).sum::<f64>() / ranks;
    }
    let [compute, end, communication] = sums.map(|sum| sum / runs.len() as f64);
    IterationTime { compute, exposed: (end - compute).max(0.0), update, communication }
}

/// Waiting after the last layer, then the update.
fn add_update(spans: &mut Vec<SimulatedSpan>, end: f64, update: f64) {
    let is_layer = |span: &&SimulatedSpan| !matches!(span.activity, SimulatedActivity::Bucket(_));
    let computed = spans.iter().filter(is_layer).map(|span| span.end).fold(0.0, f64::max);
    let mut push = |activity, begin, end| spans.push(SimulatedSpan { activity, begin, end });
    if end > computed {
        push(SimulatedActivity::Wait, computed, end);
    }
    if update > 0.0 {
        push(SimulatedActivity::Update, end, end + update);
    }
}

#[cfg(test)]
pub(crate) mod tests;
