//! A cluster as the engine sees it: ports, paths and rates in seconds and bytes.

use super::fabric::{SharedLinks, UplinkPair};
use crate::cluster::{ClusterDescription, FabricDescription, LinkDescription};
use crate::program::TimedAction;
use std::collections::VecDeque;

/// One kind of link.
#[derive(Debug, Clone)]
pub(crate) struct LinkModel {
    described: LinkDescription,
    pub(super) latency_s: f64,
    pub(super) overhead_s: f64,
}

impl LinkModel {
    fn new(described: &LinkDescription) -> Self {
        Self {
            latency_s: 1e-6 * described.latency_us,
            overhead_s: 1e-6 * described.message_overhead_us,
            described: described.clone(),
        }
    }

    pub(super) fn bytes_per_s(&self, bytes: u64) -> f64 {
        self.described.bytes_per_s(bytes)
    }

    /// Seconds by which a link at `bytes_per_s` that has rested may be ahead of its rate.
    pub(super) fn burst_s(&self, bytes_per_s: f64) -> f64 {
        self.described.burst_bytes / bytes_per_s
    }
}

/// What a message passes.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessagePath {
    pub(super) egress: u32,
    pub(super) ingress: u32,
    is_local: bool,
    /// Uplinks that it shares with others.
    pub(super) uplinks: Option<UplinkPair>,
}

/// One direction of a port, or both if it cannot send while it receives.
#[derive(Debug, Clone)]
pub(super) struct PortState {
    pub(super) is_sending: bool,
    /// When it will have passed all bytes so far at its rate. After a rest it may be ahead of that
    /// by a burst, if the link grants one.
    pub(super) free_at: f64,
    /// Transfers that wait to leave.
    pub(super) waiting: VecDeque<u32>,
}

impl PortState {
    /// One that has rested for long.
    const RESTED: Self =
        Self { is_sending: false, free_at: f64::NEG_INFINITY, waiting: VecDeque::new() };
}

/// The part of a cluster that one world uses.
#[derive(Debug, Clone)]
pub(crate) struct NetworkModel {
    ranks: usize,
    nodes: usize,
    ranks_per_node: usize,
    nic: LinkModel,
    intra_node: LinkModel,
    reduce_s_per_byte: f64,
    reduce_half_s_per_byte: f64,
    copy_s_per_byte: f64,
    convert_s_per_byte: f64,
    /// Nodes per leaf switch and bytes per second of its uplinks, if those are too few.
    narrow: Option<(usize, f64)>,
}

impl NetworkModel {
    /// The first `ranks` ranks of `cluster`, of `workers` devices each.
    pub(crate) fn new(cluster: &ClusterDescription, ranks: usize, workers: usize) -> Self {
        let ranks_per_node = (cluster.devices_per_node / workers).max(1);
        let device = &cluster.device;
        let seconds = |rate: Option<f64>| rate.map_or(0.0, |gbs| 1e-9 / gbs);
        let narrow = match cluster.fabric {
            FabricDescription::FatTree { nodes_per_switch, oversubscription, .. }
                if oversubscription > 1.0 =>
            {
                let machines = nodes_per_switch as f64 * cluster.nic.bandwidth_gbs * 1e9;
                Some((nodes_per_switch, machines / oversubscription))
            }
            _ => None,
        };
        Self {
            ranks,
            nodes: ranks.div_ceil(ranks_per_node),
            ranks_per_node,
            nic: LinkModel::new(&cluster.nic),
            intra_node: LinkModel::new(&cluster.intra_node),
            reduce_s_per_byte: seconds(device.reduce_gbs),
            reduce_half_s_per_byte: seconds(device.reduce_half_gbs.or(device.reduce_gbs)),
            copy_s_per_byte: seconds(device.copy_gbs),
            convert_s_per_byte: seconds(device.convert_gbs),
            narrow,
        }
    }

    /// Every rank has a port inside its node, and every node one outside; two each, for the two
    /// directions.
    pub(super) fn ports(&self) -> Vec<PortState> {
        vec![PortState::RESTED; 2 * (self.ranks + self.nodes)]
    }

    pub(super) fn shared_links(&self) -> SharedLinks {
        match self.narrow {
            None => SharedLinks::default(),
            Some((per_switch, capacity)) => {
                SharedLinks::new(2 * self.nodes.div_ceil(per_switch), capacity)
            }
        }
    }

    pub(super) fn link(&self, path: MessagePath) -> &LinkModel {
        if path.is_local { &self.intra_node } else { &self.nic }
    }

    /// What a message between two ranks passes.
    pub(super) fn path(&self, from: usize, to: usize) -> MessagePath {
        let [source, destination] = [from, to].map(|rank| rank / self.ranks_per_node);
        let is_local = source == destination;
        let (link, ends) = match is_local {
            true => (&self.intra_node, [from, to]),
            false => (&self.nic, [self.ranks + source, self.ranks + destination]),
        };
        let receiving = usize::from(link.described.full_duplex);
        let uplinks = self.narrow.and_then(|(per_switch, _)| {
            let [up, down] = [source, destination].map(|node| node / per_switch);
            (up != down).then(|| UplinkPair::between(up, down))
        });
        MessagePath {
            egress: super::index(2 * ends[0]),
            ingress: super::index(2 * ends[1] + receiving),
            is_local,
            uplinks,
        }
    }

    /// How long the work of a step takes; `is_half`: on 16-bit elements.
    pub(super) fn work_s(&self, action: TimedAction, bytes: u64, is_half: bool) -> f64 {
        let rate = match action {
            TimedAction::Add | TimedAction::ReceiveAdd if is_half => self.reduce_half_s_per_byte,
            TimedAction::Add | TimedAction::ReceiveAdd => self.reduce_s_per_byte,
            TimedAction::Receive => self.copy_s_per_byte,
            TimedAction::Convert => self.convert_s_per_byte,
            TimedAction::Send => 0.0,
        };
        bytes as f64 * rate
    }
}
