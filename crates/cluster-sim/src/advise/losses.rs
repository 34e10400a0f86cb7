//! Why a configuration is not faster: how much of an iteration would be saved if one of its costs
//! vanished.

use super::{AdvisedConfig, ExplainedConfig};
use crate::cluster::{ClusterDescription, DeviceDescription, FabricDescription};
use crate::error::SimulationError;
use crate::model::NetModel;
use crate::simulate::Simulator;

/// Faster than any link: as good as no bytes at all.
const SWIFT: f64 = 1e6;

/// Fractions of an iteration. They do not add up: where one cost hides another, neither alone saves
/// anything.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TimeLosses {
    /// Latency, and what messages and collectives cost however short they are.
    pub latency: f64,
    /// Bytes on links, uplinks included.
    pub bandwidth: f64,
    /// Adding, copying, converting and compressing gradients.
    pub arithmetic: f64,
    /// Devices that are late.
    pub stragglers: f64,
}

/// Finds what each of `found` loses.
pub(super) fn explain(
    cluster: &ClusterDescription,
    net: &NetModel,
    found: Vec<AdvisedConfig>,
) -> Result<Vec<ExplainedConfig>, SimulationError> {
    let mut losses = vec![TimeLosses::default(); found.len()];
    for (change, loss) in COSTS {
        let Some(free) = change(cluster) else { continue };
        let mut simulator = Simulator::new(&free);
        for (found, losses) in found.iter().zip(&mut losses) {
            let time = simulator.iteration(net, &found.config)?.time.total();
            *loss(losses) = (1.0 - time / found.time.total()).max(0.0);
        }
    }
    let explained = found.into_iter().zip(losses);
    Ok(explained.map(|(found, losses)| ExplainedConfig { found, losses }).collect())
}

/// The cluster without one of its costs, if it has that one.
type WithoutCost = fn(&ClusterDescription) -> Option<ClusterDescription>;
/// Which loss that cost is.
type LossOf = fn(&mut TimeLosses) -> &mut f64;

const COSTS: [(WithoutCost, LossOf); 4] = [
    (without_latency, |losses| &mut losses.latency),
    (without_bytes, |losses| &mut losses.bandwidth),
    (without_arithmetic, |losses| &mut losses.arithmetic),
    (without_stragglers, |losses| &mut losses.stragglers),
];

fn without_latency(cluster: &ClusterDescription) -> Option<ClusterDescription> {
    let mut free = cluster.clone();
    free.software.collective_overhead_us = 0.0;
    for link in [&mut free.nic, &mut free.intra_node] {
        (link.latency_us, link.message_overhead_us) = (0.0, 0.0);
        // Short messages that are slower than long ones pay for being short.
        link.bandwidth_by_size.clear();
    }
    Some(free)
}

fn without_bytes(cluster: &ClusterDescription) -> Option<ClusterDescription> {
    let mut free = cluster.clone();
    for link in [&mut free.nic, &mut free.intra_node] {
        link.bandwidth_gbs *= SWIFT;
        link.bandwidth_by_size.clear();
    }
    free.fabric = FabricDescription::Switch;
    Some(free)
}

fn without_arithmetic(cluster: &ClusterDescription) -> Option<ClusterDescription> {
    let device = DeviceDescription {
        reduce_gbs: None,
        reduce_half_gbs: None,
        copy_gbs: None,
        convert_gbs: None,
        codecs: Vec::new(),
        ..cluster.device.clone()
    };
    (device != cluster.device).then(|| ClusterDescription { device, ..cluster.clone() })
}

fn without_stragglers(cluster: &ClusterDescription) -> Option<ClusterDescription> {
    let stragglers = None;
    cluster.stragglers.as_ref().map(|_| ClusterDescription { stragglers, ..cluster.clone() })
}
