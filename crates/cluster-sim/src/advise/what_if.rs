//! What money or tuning could buy, and what it gains.

use super::AdvisedConfig;
use crate::cluster::{ClusterDescription, FabricDescription};
use crate::config::SimulationConfig;
use crate::error::SimulationError;
use crate::model::{LayerModel, NetModel, ParamModel};
use crate::simulate::Simulator;

/// A change, and what it gains.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The change.
    pub change: &'static str,
    /// Images per second over those without it.
    pub gain: f64,
}

/// What would help `best`, the most first.
pub(super) fn what_if(
    cluster: &ClusterDescription,
    net: &NetModel,
    best: &AdvisedConfig,
) -> Result<Vec<WhatIf>, SimulationError> {
    let mut all = Vec::new();
    let mut ask = |change, cluster: &ClusterDescription, net: &NetModel, batch: usize| {
        let config = SimulationConfig { batch, ..best.config.clone() };
        let time = Simulator::new(cluster).iteration(net, &config)?.time.total();
        let images_per_s = config.global_batch() as f64 / time;
        all.push(WhatIf { change, gain: images_per_s / best.images_per_s });
        Ok::<_, SimulationError>(())
    };
    let batch = best.config.batch;
    ask("links of twice the bandwidth", &wider(cluster), net, batch)?;
    ask("links of half the latency", &nearer(cluster), net, batch)?;
    ask("devices of twice the speed", &faster(cluster), net, batch)?;
    if matches!(cluster.fabric, FabricDescription::FatTree { oversubscription, .. } if oversubscription > 1.0)
    {
        let full = ClusterDescription { fabric: FabricDescription::Switch, ..cluster.clone() };
        ask("switches without oversubscription", &full, net, batch)?;
    }
    if cluster.stragglers.is_some() {
        let even = ClusterDescription { stragglers: None, ..cluster.clone() };
        ask("devices that are never late", &even, net, batch)?;
    }
    ask("twice the batch per device", cluster, net, 2 * batch)?;
    let small = with_half_the_params(net);
    ask("a net with half the parameters and the same operations", cluster, &small, batch)?;
    all.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    Ok(all)
}

fn wider(cluster: &ClusterDescription) -> ClusterDescription {
    let mut wide = cluster.clone();
    for link in [&mut wide.nic, &mut wide.intra_node] {
        link.bandwidth_gbs *= 2.0;
        link.bandwidth_by_size.iter_mut().for_each(|(_, gbs)| *gbs *= 2.0);
    }
    wide
}

fn nearer(cluster: &ClusterDescription) -> ClusterDescription {
    let mut near = cluster.clone();
    for link in [&mut near.nic, &mut near.intra_node] {
        link.latency_us /= 2.0;
        link.message_overhead_us /= 2.0;
    }
    near
}

/// Twice the speed of computing and updating; links and additions stay.
fn faster(cluster: &ClusterDescription) -> ClusterDescription {
    let mut fast = cluster.clone();
    let device = &mut fast.device;
    device.speeds.iter_mut().for_each(|speed| speed.images_per_s *= 2.0);
    for rate in [&mut device.gflops, &mut device.update_gbs] {
        *rate = rate.map(|rate| 2.0 * rate);
    }
    for (_, times) in device.profiles.iter_mut().filter_map(|profile| profile.times.as_mut()) {
        *times = times.scaled(0.5);
        times.update *= 0.5;
    }
    fast
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
