//! The same job on more and more ranks: images/s, speed-up, efficiency, time to train.

use crate::cluster::ClusterDescription;
use crate::config::SimulationConfig;
use crate::duration::TrainingLength;
use crate::error::SimulationError;
use crate::model::NetModel;
use crate::simulate::{IterationTime, Simulator};
use serde::Serialize;

/// A job on one number of ranks. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimulatedScaling {
    /// Ranks that take part.
    pub ranks: usize,
    /// Images per iteration on all of them.
    pub global_batch: usize,
    /// Where an iteration's time goes.
    pub time: IterationTime,
    /// The whole iteration.
    pub iteration: f64,
    /// Images per second on all ranks.
    pub images_per_s: f64,
    /// Images per second over those of one device with the same batch.
    pub speed_up: f64,
    /// Speed-up over devices.
    pub efficiency: f64,
    /// Time to train, if a length was given.
    pub training: Option<f64>,
    /// The same with the cluster's failures, if it describes any.
    pub training_with_failures: Option<f64>,
}

/// Simulates `config` on each number of ranks.
pub fn scaling(
    cluster: &ClusterDescription,
    net: &NetModel,
    config: &SimulationConfig,
    ranks: &[usize],
    length: Option<TrainingLength>,
) -> Result<Vec<SimulatedScaling>, SimulationError> {
    let mut simulator = Simulator::new(cluster);
    let alone = SimulationConfig { ranks: 1, workers: 1, ..config.clone() };
    let alone = simulator.iteration(net, &alone)?.time.total();
    let mut rows = Vec::new();
    for &ranks in ranks {
        let config = SimulationConfig { ranks, ..config.clone() };
        let time = simulator.iteration(net, &config)?.time;
        rows.push(row(cluster, &config, time, alone, length));
    }
    Ok(rows)
}

fn row(
    cluster: &ClusterDescription,
    config: &SimulationConfig,
    time: IterationTime,
    alone: f64,
    length: Option<TrainingLength>,
) -> SimulatedScaling {
    let (ranks, iteration) = (config.ranks, time.total());
    let (global_batch, devices) = (config.global_batch(), config.devices());
    let training = length.map(|length| length.seconds(global_batch, iteration));
    let nodes = devices.div_ceil(cluster.devices_per_node);
    let failures = cluster.failures.as_ref();
    let with_failures = failures.zip(training).map(|(f, work)| f.expected_s(work, nodes));
    SimulatedScaling {
        ranks,
        global_batch,
        time,
        iteration,
        images_per_s: global_batch as f64 / iteration,
        speed_up: devices as f64 * alone / iteration,
        efficiency: alone / iteration,
        training,
        training_with_failures: with_failures,
    }
}
