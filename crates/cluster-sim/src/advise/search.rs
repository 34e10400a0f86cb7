//! The search itself, on a cluster whose devices are never late.

use super::{AdviceOptions, AdvisedConfig, look, sort};
use crate::cluster::ClusterDescription;
use crate::config::{BucketRule, SimulationConfig};
use crate::error::SimulationError;
use crate::model::NetModel;
use crate::simulate::Simulator;
use collective::{AlgorithmChoice, all_with_plans};
use exchange::compression::CompressionConfig;

/// Bucket sizes that are tried, in bytes, and the whole pool.
const BUCKETS: &[usize] = &[1_000_000, 4_000_000, 16_000_000, 64_000_000];

/// How many algorithms, each on its division of the devices, go on to the second round.
const KEPT: usize = 3;

/// What the search needs everywhere.
pub(super) struct Search<'a> {
    cluster: &'a ClusterDescription,
    net: &'a NetModel,
    simulator: Simulator<'a>,
    /// Sizes of buckets that differ on this net.
    buckets: Vec<BucketRule>,
}

impl<'a> Search<'a> {
    pub(super) fn new(cluster: &'a ClusterDescription, net: &'a NetModel) -> Self {
        // In whole megabytes, as flags are written.
        let pool = (4 * net.values()).div_ceil(1_000_000).max(1) * 1_000_000;
        let smaller = BUCKETS.iter().copied().filter(|&bytes| bytes < pool);
        let buckets = smaller.chain([pool]).map(BucketRule::Bytes).collect();
        Self { cluster, net, simulator: Simulator::new(cluster), buckets }
    }

    /// Everything that sends all gradients of `base`'s batch, the best first.
    pub(super) fn dense(
        &mut self,
        base: &SimulationConfig,
        options: &AdviceOptions,
    ) -> Result<Vec<AdvisedConfig>, SimulationError> {
        let whole = self.buckets.last().copied().unwrap_or(base.buckets);
        // Never more than the pool: such a size would only look different.
        let usual = self.buckets.iter().copied().find(|size| *size == base.buckets);
        let mut found = Vec::new();
        for (ranks, workers) in divisions(self.cluster, base.devices()) {
            for allreduce in candidates(self.cluster, ranks, workers) {
                // Some algorithms want short buckets that overlap, others one long one.
                for buckets in [usual.unwrap_or(whole), whole] {
                    let allreduce = allreduce.clone();
                    let config =
                        SimulationConfig { ranks, workers, allreduce, buckets, ..base.clone() };
                    self.add(&mut found, &config)?;
                }
            }
        }
        sort(&mut found);
        for kept in kept(&found) {
            for config in self.variations(&kept, options) {
                self.add(&mut found, &config)?;
            }
        }
        sort(&mut found);
        Ok(found)
    }

    /// The best of `kept` with this compression.
    pub(super) fn compressed(
        &mut self,
        kept: &[SimulationConfig],
        compression: &CompressionConfig,
    ) -> Result<AdvisedConfig, SimulationError> {
        let configs = kept.iter().flat_map(|config| {
            self.buckets.iter().map(|&buckets| SimulationConfig {
                compression: Some(compression.clone()),
                buckets,
                ..config.clone()
            })
        });
        let configs: Vec<_> = configs.collect();
        self.best_of(&configs)
    }

    /// The best of `kept` with this batch per device.
    pub(super) fn with_batch(
        &mut self,
        kept: &[SimulationConfig],
        batch: usize,
        options: &AdviceOptions,
    ) -> Result<AdvisedConfig, SimulationError> {
        let with = |config: &SimulationConfig| SimulationConfig { batch, ..config.clone() };
        let configs: Vec<_> =
            kept.iter().flat_map(|config| self.variations(&with(config), options)).collect();
        self.best_of(&configs)
    }

    /// Simulates `config`, unless something that runs the same collectives is known.
    fn add(
        &mut self,
        found: &mut Vec<AdvisedConfig>,
        config: &SimulationConfig,
    ) -> Result<(), SimulationError> {
        let one = look(&mut self.simulator, self.net, config)?;
        if !found.iter().any(|known| is_same(known, &one)) {
            found.push(one);
        }
        Ok(())
    }

    /// # Panics
    ///
    /// Without configurations, which would be a mistake of the search.
    fn best_of(&mut self, configs: &[SimulationConfig]) -> Result<AdvisedConfig, SimulationError> {
        let mut found = Vec::new();
        for config in configs {
            found.push(look(&mut self.simulator, self.net, config)?);
        }
        sort(&mut found);
        Ok(found.into_iter().next().expect("something is searched"))
    }

    /// Bucket sizes, wire formats and precisions around `config`.
    fn variations(
        &self,
        config: &SimulationConfig,
        options: &AdviceOptions,
    ) -> Vec<SimulationConfig> {
        let has_speed = |precision: &&String| {
            self.net.compute_times(&self.cluster.device, precision, config.batch).is_ok()
        };
        let mut precisions: Vec<&String> = options.precisions.iter().filter(has_speed).collect();
        if precisions.is_empty() {
            precisions.push(&config.precision);
        }
        let own = [config.wire];
        let wires = if options.wires.is_empty() { &own[..] } else { &options.wires };
        let mut all = Vec::new();
        for &buckets in &self.buckets {
            for wire in wires {
                for &precision in &precisions {
                    let precision = precision.clone();
                    all.push(SimulationConfig { buckets, wire, precision, ..config.clone() });
                }
            }
        }
        all
    }
}

/// The best algorithms, each on its division of the devices; of sorted configurations.
pub(super) fn kept(found: &[AdvisedConfig]) -> Vec<SimulationConfig> {
    let mut kept: Vec<SimulationConfig> = Vec::new();
    for AdvisedConfig { config, .. } in found {
        let is_known = |known: &SimulationConfig| {
            (known.ranks, &known.allreduce) == (config.ranks, &config.allreduce)
        };
        if kept.len() < KEPT && !kept.iter().any(is_known) {
            kept.push(config.clone());
        }
    }
    kept
}

/// Whether both run the same collectives: buckets that are larger than the pool do.
fn is_same(one: &AdvisedConfig, other: &AdvisedConfig) -> bool {
    let key = |found: &AdvisedConfig| {
        let SimulationConfig { workers, allreduce, wire, precision, .. } = found.config.clone();
        (workers, allreduce, wire, precision, found.buckets)
    };
    key(one) == key(other)
}

/// Ranks and workers per rank that make `devices` devices: a rank per device, or fewer of several
/// workers each. Several ranks need a power of two of workers each, or the weights depend on it.
fn divisions(cluster: &ClusterDescription, devices: usize) -> Vec<(usize, usize)> {
    let per_node = cluster.devices_per_node;
    let divides = |&workers: &usize| {
        let is_exact = workers.is_power_of_two() || workers == devices;
        is_exact && per_node.is_multiple_of(workers) && devices.is_multiple_of(workers)
    };
    (1..=per_node).filter(divides).map(|workers| (devices / workers, workers)).collect()
}

/// Every row of the table, and a hierarchy where nodes have several ranks. A single rank sends
/// nothing.
fn candidates(cluster: &ClusterDescription, ranks: usize, workers: usize) -> Vec<AlgorithmChoice> {
    if ranks == 1 {
        return vec![AlgorithmChoice::Auto];
    }
    let mut all: Vec<_> = all_with_plans().into_iter().map(AlgorithmChoice::Named).collect();
    let per_node = cluster.devices_per_node / workers;
    if per_node > 1 && ranks > per_node {
        let written = format!("hierarchical:{per_node}:direct+ring");
        all.extend(written.parse::<AlgorithmChoice>().ok());
    }
    all
}
