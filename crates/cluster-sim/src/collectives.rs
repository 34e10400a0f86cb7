//! How long collectives take on a cluster. Of those that all ranks begin together, each length is
//! simulated once.

use crate::cluster::ClusterDescription;
use crate::config::SimulationConfig;
use crate::engine::{self, NetworkModel};
use crate::error::SimulationError;
use crate::program::{CollectiveProgram, ElementCost};
use collective::{Algorithm, AlgorithmChoice, Network};
use exchange::ByteSegmentation;
use exchange::compression::PlannedCollective;
use exchange::wire::{self, WireFormat};
use std::collections::BTreeMap;

/// What decides how long a collective takes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CollectiveKey {
    ranks: usize,
    what: CollectiveShape,
    segment_bytes: usize,
    lanes: usize,
}

/// What a collective moves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CollectiveShape {
    AllReduce { algorithm: String, values: usize, element_bytes: usize, converts: bool },
    AllGatherV(Vec<usize>),
    AllToAllV(Vec<usize>),
}

/// Times of the collectives of one cluster.
pub(crate) struct CollectiveTimes<'a> {
    cluster: &'a ClusterDescription,
    /// Seconds until the last rank has ended.
    known: BTreeMap<CollectiveKey, f64>,
}

impl<'a> CollectiveTimes<'a> {
    pub(crate) fn new(cluster: &'a ClusterDescription) -> Self {
        Self { cluster, known: BTreeMap::new() }
    }

    /// Seconds of a collective that all ranks begin together.
    pub(crate) fn seconds(
        &mut self,
        collective: &PlannedCollective,
        config: &SimulationConfig,
    ) -> Result<f64, SimulationError> {
        if config.ranks == 1 {
            return Ok(0.0);
        }
        let ByteSegmentation { segment_bytes, lanes } = config.segmentation;
        let what = shape(collective, config, self.cluster);
        let key = CollectiveKey { ranks: config.ranks, what, segment_bytes, lanes };
        if let Some(&seconds) = self.known.get(&key) {
            return Ok(seconds);
        }
        let ends = self.ends(collective, config, &vec![0.0; config.ranks])?;
        let seconds = ends.into_iter().fold(0.0, f64::max);
        self.known.insert(key, seconds);
        Ok(seconds)
    }

    /// When each rank has ended a collective that it begins at `begins[rank]`.
    pub(crate) fn ends(
        &self,
        collective: &PlannedCollective,
        config: &SimulationConfig,
        begins: &[f64],
    ) -> Result<Vec<f64>, SimulationError> {
        let network = NetworkModel::new(self.cluster, config.ranks);
        let program = program(collective, config, self.cluster)?;
        Ok(engine::run(&network, &program, begins))
    }
}

/// What the choice of an algorithm is computed from, as `bench network` would measure it.
#[must_use]
pub(crate) fn measured_network(cluster: &ClusterDescription) -> Network {
    let ClusterDescription { nic, device, .. } = cluster;
    Network {
        latency_us: (nic.latency_us + nic.message_overhead_us).max(1e-3),
        bandwidth_gbs: nic.bandwidth_gbs,
        // Faster than any link: then additions decide nothing.
        reduce_gbs: device.reduce_gbs.unwrap_or(1e6),
    }
}

/// The algorithm and format of a sum.
fn sum_of<'c>(
    collective: &PlannedCollective,
    config: &'c SimulationConfig,
    cluster: &ClusterDescription,
) -> (Algorithm, &'c WireFormat) {
    match collective {
        PlannedCollective::AllReduce { values } => {
            let bytes = values * config.wire.element_bytes;
            let choice: &AlgorithmChoice = &config.allreduce;
            (choice.algorithm(config.ranks, bytes, &measured_network(cluster)), config.wire)
        }
        _ => (Algorithm::reduction_tree(), wire::F32),
    }
}

fn shape(
    collective: &PlannedCollective,
    config: &SimulationConfig,
    cluster: &ClusterDescription,
) -> CollectiveShape {
    match collective {
        PlannedCollective::AllReduce { values } | PlannedCollective::Sum { values } => {
            let (algorithm, format) = sum_of(collective, config, cluster);
            CollectiveShape::AllReduce {
                algorithm: algorithm.name().to_owned(),
                values: *values,
                element_bytes: format.element_bytes,
                converts: format.conversion.is_some(),
            }
        }
        PlannedCollective::AllGatherV { lens } => CollectiveShape::AllGatherV(lens.clone()),
        PlannedCollective::AllToAllV { outgoing } => CollectiveShape::AllToAllV(outgoing.clone()),
    }
}

fn program(
    collective: &PlannedCollective,
    config: &SimulationConfig,
    cluster: &ClusterDescription,
) -> Result<CollectiveProgram, SimulationError> {
    let segmentation = config.segmentation;
    match collective {
        PlannedCollective::AllReduce { values } | PlannedCollective::Sum { values } => {
            let (algorithm, format) = sum_of(collective, config, cluster);
            let element =
                ElementCost { bytes: format.element_bytes, converts: format.conversion.is_some() };
            let segmentation = segmentation.in_elements(format.element_bytes);
            let program = CollectiveProgram::all_reduce(
                &algorithm,
                config.ranks,
                *values,
                segmentation,
                element,
            );
            program.ok_or(SimulationError::NoPlan { algorithm })
        }
        PlannedCollective::AllGatherV { lens } => {
            Ok(CollectiveProgram::all_gather_v(lens, segmentation.in_elements(1)))
        }
        PlannedCollective::AllToAllV { outgoing } => {
            Ok(CollectiveProgram::all_to_all_v(outgoing, segmentation.in_elements(1)))
        }
    }
}
