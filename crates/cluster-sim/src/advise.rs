//! Which configuration to run: a search over algorithm, ranks × workers, bucket, wire format,
//! precision, compression and batch, with the reasons.
//!
//! The search is greedy, since a ring of 512 ranks takes a tenth of a second per length: all
//! algorithms with one bucket size and every division of the devices among ranks first; then bucket
//! sizes, formats and precisions of the best three; then, of the best, compressions and batches,
//! which change what is learned and are listed apart.

use crate::cluster::ClusterDescription;
use crate::config::{BucketRule, SimulationConfig};
use crate::error::SimulationError;
use crate::model::{LayerModel, NetModel, ParamModel};
use crate::simulate::{IterationTime, Simulator};
use collective::{AlgorithmChoice, all_with_plans};
use exchange::compression::CompressionConfig;
use exchange::wire::WireFormat;

/// Bucket sizes that are tried, in bytes; the last is the whole pool.
const BUCKETS: &[usize] = &[1_000_000, 4_000_000, 16_000_000, 64_000_000, usize::MAX];

/// How many algorithms go on to the second round.
const KEPT: usize = 3;

/// What the search may change besides algorithm and bucket size.
#[derive(Debug, Clone, Default)]
pub struct AdviceOptions {
    /// Wire formats.
    pub wires: Vec<&'static WireFormat>,
    /// Precisions, as the cluster file names them; those without a speed are left out.
    pub precisions: Vec<String>,
    /// Compressions; they change what is learned, so they are listed apart.
    pub compressions: Vec<CompressionConfig>,
    /// Batches per device; listed apart like compressions.
    pub batches: Vec<usize>,
}

/// One configuration and what it reaches.
#[derive(Debug, Clone)]
pub struct AdvisedConfig {
    /// What to run.
    pub config: SimulationConfig,
    /// Where an iteration's time goes.
    pub time: IterationTime,
    /// Number of buckets.
    pub buckets: usize,
    /// Images per second on all ranks.
    pub images_per_s: f64,
    /// Fraction of its collectives' time that latency and overheads take.
    pub latency_fraction: f64,
}

impl AdvisedConfig {
    /// Whether both run the same collectives: buckets that are larger than the pool do.
    fn is_same(&self, other: &Self) -> bool {
        let key = |found: &Self| {
            let SimulationConfig { workers, allreduce, wire, precision, .. } = found.config.clone();
            (workers, allreduce, wire, precision, found.buckets)
        };
        key(self) == key(other)
    }
}

/// A change that money or tuning could buy, and what it gains.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The change.
    pub change: &'static str,
    /// Images per second over those without it.
    pub gain: f64,
}

/// The answer.
#[derive(Debug, Clone)]
pub struct Advice {
    /// Configurations that compute the same, the best first.
    pub configs: Vec<AdvisedConfig>,
    /// The best with compressions, the best first.
    pub compressed: Vec<AdvisedConfig>,
    /// The best with other batches, in the order that was asked for.
    pub batches: Vec<AdvisedConfig>,
    /// What would help the best configuration, the most first.
    pub what_if: Vec<WhatIf>,
}

/// Searches around `base`, whose number of devices stays.
pub fn advise(
    cluster: &ClusterDescription,
    net: &NetModel,
    base: &SimulationConfig,
    options: &AdviceOptions,
) -> Result<Advice, SimulationError> {
    let mut search = Search { cluster, net, simulator: Simulator::new(cluster) };
    let mut first = Vec::new();
    for (ranks, workers) in divisions(cluster, base.devices()) {
        for allreduce in candidates(cluster, ranks, workers) {
            first.push(search.look(&SimulationConfig {
                ranks,
                workers,
                allreduce,
                ..base.clone()
            })?);
        }
    }
    sort(&mut first);
    let mut configs = first.clone();
    for kept in first.iter().take(KEPT) {
        for config in search.variations(&kept.config, options) {
            let found = search.look(&config)?;
            if configs.iter().all(|known| !known.is_same(&found)) {
                configs.push(found);
            }
        }
    }
    sort(&mut configs);
    let best = configs[0].clone();
    let mut compressed = Vec::new();
    for compression in &options.compressions {
        let compression = Some(compression.clone());
        compressed.push(search.look(&SimulationConfig { compression, ..best.config.clone() })?);
    }
    sort(&mut compressed);
    let mut batches = Vec::new();
    for &batch in &options.batches {
        batches.push(search.look(&SimulationConfig { batch, ..best.config.clone() })?);
    }
    let what_if = search.what_if(&best)?;
    Ok(Advice { configs, compressed, batches, what_if })
}

fn sort(configs: &mut [AdvisedConfig]) {
    configs.sort_by(|a, b| b.images_per_s.total_cmp(&a.images_per_s));
}

/// Ranks and workers per rank that make `devices` devices: a rank per device, or fewer of several
/// workers each.
fn divisions(cluster: &ClusterDescription, devices: usize) -> Vec<(usize, usize)> {
    let per_node = cluster.devices_per_node;
    let divides =
        |&workers: &usize| per_node.is_multiple_of(workers) && devices.is_multiple_of(workers);
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

/// What the search needs everywhere.
struct Search<'a> {
    cluster: &'a ClusterDescription,
    net: &'a NetModel,
    simulator: Simulator<'a>,
}

impl Search<'_> {
    fn look(&mut self, config: &SimulationConfig) -> Result<AdvisedConfig, SimulationError> {
        let found = self.simulator.iteration(self.net, config)?;
        let time = found.time;
        let mut swift = self.cluster.clone();
        swift.software.collective_overhead_us = 0.0;
        for link in [&mut swift.nic, &mut swift.intra_node] {
            (link.latency_us, link.message_overhead_us) = (0.0, 0.0);
        }
        let swift = Simulator::new(&swift).iteration(self.net, config)?.time;
        let lost = 1.0 - swift.communication / time.communication;
        Ok(AdvisedConfig {
            config: config.clone(),
            time,
            buckets: found.buckets,
            images_per_s: config.global_batch() as f64 / time.total(),
            latency_fraction: if lost.is_finite() { lost.max(0.0) } else { 0.0 },
        })
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
        for &bytes in BUCKETS {
            for wire in wires {
                for precision in &precisions {
                    all.push(SimulationConfig {
                        buckets: BucketRule::Bytes(bytes),
                        wire,
                        precision: (*precision).clone(),
                        ..config.clone()
                    });
                }
            }
        }
        all
    }

    /// What would help.
    fn what_if(&self, best: &AdvisedConfig) -> Result<Vec<WhatIf>, SimulationError> {
        let mut all = Vec::new();
        let mut ask = |change, cluster: &ClusterDescription, net: &NetModel, batch: usize| {
            let config = SimulationConfig { batch, ..best.config.clone() };
            let time = Simulator::new(cluster).iteration(net, &config)?.time.total();
            let images_per_s = config.global_batch() as f64 / time;
            all.push(WhatIf { change, gain: images_per_s / best.images_per_s });
            Ok::<_, SimulationError>(())
        };
        let batch = best.config.batch;
        let mut wide = self.cluster.clone();
        for link in [&mut wide.nic, &mut wide.intra_node] {
            link.bandwidth_gbs *= 2.0;
            link.bandwidth_by_size.iter_mut().for_each(|(_, gbs)| *gbs *= 2.0);
        }
        ask("links of twice the bandwidth", &wide, self.net, batch)?;
        let mut near = self.cluster.clone();
        for link in [&mut near.nic, &mut near.intra_node] {
            link.latency_us /= 2.0;
            link.message_overhead_us /= 2.0;
        }
        ask("links of half the latency", &near, self.net, batch)?;
        ask("twice the batch per device", self.cluster, self.net, 2 * batch)?;
        let small = with_half_the_params(self.net);
        ask("a net with half the parameters and the same operations", self.cluster, &small, batch)?;
        all.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        Ok(all)
    }
}

/// FireCaffe's advice on choosing architectures: what is exchanged is the parameters.
fn with_half_the_params(net: &NetModel) -> NetModel {
    let half = |param: &ParamModel| ParamModel { rows: param.rows.div_ceil(2), ..*param };
    let layer = |layer: &LayerModel| LayerModel {
        params: layer.params.iter().map(half).collect(),
        ..layer.clone()
    };
    NetModel { name: net.name.clone(), layers: net.layers.iter().map(layer).collect() }
}

#[cfg(test)]
mod tests {
    use super::{AdviceOptions, advise};
    use crate::cluster::ClusterDescription;
    use crate::config::SimulationConfig;
    use crate::model::{LayerModel, NetModel, ParamModel};
    use crate::simulate::Simulator;
    use crate::simulate::tests::config;

    fn cluster(latency_us: f64, bandwidth_gbs: f64) -> ClusterDescription {
        let text = format!(
            "name = \"test\"\nnodes = 16\n[device]\nname = \"d\"\ngflops = 1000\n\
             [nic]\nlatency_us = {latency_us:.1}\nbandwidth_gbs = {bandwidth_gbs:.1}\n"
        );
        ClusterDescription::parse(&text, None).unwrap()
    }

    fn net(columns: usize) -> NetModel {
        let layer = |index: usize| LayerModel {
            name: index.to_string(),
            params: vec![ParamModel { rows: 1000, columns }],
            forward_ops: 1e9,
            backward_ops: 2e9,
        };
        NetModel { name: "n".into(), layers: (0..8).map(layer).collect() }
    }

    /// Where latency decides, an algorithm of few rounds wins and shorter latency helps; where
    /// bandwidth decides, one that sends least.
    #[test]
    fn the_cluster_decides() {
        let options = AdviceOptions::default();
        let short = advise(&cluster(1000.0, 10.0), &net(10), &config(16), &options).unwrap();
        let name = |advice: &super::Advice| advice.configs[0].config.allreduce.to_string();
        assert!(["parameter-server", "reduction-tree"].contains(&&*name(&short)), "{short:?}");
        assert!(short.configs[0].latency_fraction > 0.7);
        assert_eq!(short.what_if.len(), 4);
        let long = advise(&cluster(1.0, 0.1), &net(1000), &config(16), &options).unwrap();
        assert!(["halving-doubling", "ring", "direct"].contains(&&*name(&long)), "{long:?}");
        assert!(long.configs[0].latency_fraction < 0.1);
        assert!(long.what_if[0].gain > 1.5, "{:?}", long.what_if);
        assert!(long.configs.is_sorted_by(|a, b| a.images_per_s >= b.images_per_s));
    }

    /// Eight devices per node, slow links between them and fast memory: workers of one process sum
    /// in memory, so fewer ranks send less through each port.
    #[test]
    fn devices_are_divided_among_ranks() {
        let mut cluster = cluster(50.0, 0.5);
        (cluster.nodes, cluster.devices_per_node) = (4, 8);
        cluster.device.reduce_gbs = Some(100.0);
        cluster.intra_node.bandwidth_gbs = 100.0;
        cluster.intra_node.latency_us = 100.0;
        let advice = advise(&cluster, &net(100), &config(32), &AdviceOptions::default()).unwrap();
        let best = &advice.configs[0].config;
        assert!(best.workers > 1 && best.devices() == 32, "{best:?}");
        assert!(advice.configs.iter().any(|found| found.config.workers == 1));
        let refused = SimulationConfig { ranks: 8, workers: 3, ..config(8) };
        let error = Simulator::new(&cluster).iteration(&net(1), &refused).unwrap_err();
        assert!(error.to_string().contains("3 workers per rank do not divide the 8 devices"));
    }

    #[test]
    fn batches_are_listed_apart() {
        let options = AdviceOptions { batches: vec![4, 16], ..AdviceOptions::default() };
        let advice = advise(&cluster(1.0, 0.1), &net(1000), &config(16), &options).unwrap();
        let [small, large] = &advice.batches[..] else { panic!("{:?}", advice.batches) };
        assert_eq!((small.config.batch, large.config.batch), (4, 16));
        assert!(large.images_per_s > small.images_per_s, "a larger batch hides more");
    }

    #[test]
    fn compressions_are_listed_apart() {
        let compressions = vec!["power-sgd:rank=2".parse().unwrap()];
        let options = AdviceOptions { compressions, ..AdviceOptions::default() };
        let advice = advise(&cluster(1.0, 0.1), &net(1000), &config(16), &options).unwrap();
        assert!(advice.configs.iter().all(|found| found.config.compression.is_none()));
        assert!(advice.compressed[0].images_per_s > 2.0 * advice.configs[0].images_per_s);
    }
}
