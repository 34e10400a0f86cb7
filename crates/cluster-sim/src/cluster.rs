//! A cluster as a file describes it: nodes, devices, links, fabric, software, faults.
//!
//! ```text
//!   device ─┐ intra-node links                 ┌─ device
//!   device ─┼── node ── NIC ── leaf switch ─── NIC ── node ─┼─ device
//!   device ─┘                  uplinks, shared fairly       └─ device
//! ```
//!
//! Rank r is device `r mod d` of node `r / d` on nodes of d devices. `clusters/README.md` explains
//! every key; the files beside it name the source of every number.

mod problem;
mod read;
mod reader;
mod write;

#[cfg(test)]
mod tests;

pub use problem::{ClusterFileError, ClusterProblem};

use crate::model::ComputeTimes;
use collective::Network;

/// A described cluster. Every number is valid: [`parse`](Self::parse) has looked.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterDescription {
    /// What it is called.
    pub name: String,
    /// Machines.
    pub nodes: usize,
    /// Ranks that one machine can run.
    pub devices_per_node: usize,
    /// What runs one rank.
    pub device: DeviceDescription,
    /// Between machines.
    pub nic: LinkDescription,
    /// Between devices of one machine.
    pub intra_node: LinkDescription,
    /// What connects the machines.
    pub fabric: FabricDescription,
    /// What the programs on it cost.
    pub software: SoftwareCosts,
    /// Devices that are late, if any.
    pub stragglers: Option<StragglerDescription>,
    /// Machines that fail, if any.
    pub failures: Option<FailureDescription>,
}

/// What runs one rank: an accelerator, or some cores of a host.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceDescription {
    /// What it is called.
    pub name: String,
    /// Measured speeds of whole networks.
    pub speeds: Vec<DeviceSpeed>,
    /// Networks of which every layer was measured.
    pub profiles: Vec<ProfiledNetwork>,
    /// Operations that it sustains on networks that have no speed, in 10^9 per second, `f32`.
    pub gflops: Option<f64>,
    /// Bytes of gradients that it adds, in 10^9 per second; `None`: adding takes no time.
    pub reduce_gbs: Option<f64>,
    /// The same of 16-bit elements; `None`: as fast as others.
    pub reduce_half_gbs: Option<f64>,
    /// Bytes that it copies out of received messages, in 10^9 per second; `None`: copying takes no
    /// time.
    pub copy_gbs: Option<f64>,
    /// Bytes of a 16-bit wire format that it encodes or decodes, in 10^9 per second, and of
    /// gradients that it does for a compression without rates of its own; `None`: converting takes
    /// no time.
    pub convert_gbs: Option<f64>,
    /// What compressions cost.
    pub codecs: Vec<CodecRate>,
    /// Bytes of parameters that it updates, in 10^9 per second; `None`: the update is part of the
    /// speeds.
    pub update_gbs: Option<f64>,
}

/// Training speed of one network on one device, alone: forward, backward and update.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceSpeed {
    /// The network's name.
    pub network: String,
    /// `f32` or `mixed`.
    pub precision: String,
    /// The batch that it was measured with; `None`: any.
    pub batch: Option<usize>,
    /// Images per second.
    pub images_per_s: f64,
}

/// A network of which every layer was measured on one device.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfiledNetwork {
    /// The network's name.
    pub network: String,
    /// `f32` or `mixed`.
    pub precision: String,
    /// The profile, as `firecaffe time --save-profile` writes it; beside the cluster file.
    pub file: String,
    /// What it says, once somebody has read the file: a batch and its times.
    pub times: Option<(usize, ComputeTimes)>,
}

/// How fast a device compresses gradients, in 10^9 bytes of gradients per second.
#[derive(Debug, Clone, PartialEq)]
pub struct CodecRate {
    /// Name of the compression, without its options.
    pub compression: String,
    /// Before what is sent is known.
    pub encode_gbs: f64,
    /// After the last message.
    pub decode_gbs: f64,
}

/// A link in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkDescription {
    /// Time of an empty message, one way.
    pub latency_us: f64,
    /// Bytes of long messages, in 10^9 per second.
    pub bandwidth_gbs: f64,
    /// Time for which every message keeps the sender's port busy, besides its bytes.
    pub message_overhead_us: f64,
    /// Bandwidth of shorter messages: bytes and 10^9 bytes per second, sizes rising.
    pub bandwidth_by_size: Vec<(f64, f64)>,
    /// Bytes that pass at once after a rest: clouds and traffic shapers grant such a credit.
    pub burst_bytes: f64,
    /// Whether both directions run at full speed at once.
    pub full_duplex: bool,
}

impl LinkDescription {
    /// Bytes per second of a message: interpolated between the sizes of the table, over the
    /// logarithm of the size; beyond the last it is the long messages' bandwidth.
    #[must_use]
    pub fn bytes_per_s(&self, bytes: u64) -> f64 {
        let table = &self.bandwidth_by_size;
        if table.is_empty() {
            return 1e9 * self.bandwidth_gbs;
        }
        let size = bytes as f64;
        let next = table.partition_point(|&(limit, _)| limit < size);
        let gbs = match (next.checked_sub(1).map(|before| table[before]), table.get(next)) {
            (None, Some(&(_, first))) => first,
            (Some((low, from)), Some(&(high, to))) => {
                from + (to - from) * (size / low).ln() / (high / low).ln()
            }
            (_, None) => self.bandwidth_gbs,
        };
        1e9 * gbs
    }
}

/// What connects the machines.
#[derive(Debug, Clone, PartialEq)]
pub enum FabricDescription {
    /// Every pairing of machines at full speed.
    Switch,
    /// Leaf switches whose uplinks carry less than their machines can send.
    FatTree {
        /// Leaf switches.
        switches: usize,
        /// Machines on each.
        nodes_per_switch: usize,
        /// Bandwidth of a leaf's machines over that of its uplinks; 1 is full speed.
        oversubscription: f64,
    },
}

/// What the programs on a cluster cost, besides links and devices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftwareCosts {
    /// Time that every collective takes before it starts: launching, copies to the host.
    pub collective_overhead_us: f64,
    /// Fraction by which computing takes longer while a collective runs.
    pub compute_slowdown: f64,
    /// Fraction by which a collective takes longer while its device computes.
    pub communication_slowdown: f64,
}

/// How late devices are: every iteration each takes longer by a random fraction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StragglerDescription {
    /// How the fractions are distributed.
    pub distribution: StragglerDistribution,
    /// Their mean.
    pub mean: f64,
    /// Of the random numbers.
    pub seed: u32,
}

/// How the delays of stragglers are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StragglerDistribution {
    /// Many are a little late, few are very late.
    Exponential,
    /// From none to twice the mean.
    Uniform,
}

/// How often machines fail, and what that costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FailureDescription {
    /// Mean time between failures of one machine.
    pub node_mtbf_hours: f64,
    /// From the failure to the first iteration after the restart.
    pub restart_s: f64,
    /// Time to write a snapshot.
    pub snapshot_s: f64,
    /// Time between snapshots.
    pub snapshot_interval_s: f64,
}

impl DeviceDescription {
    /// Seconds that a compression takes to encode and decode `bytes` of gradients.
    #[must_use]
    pub fn codec_s(&self, compression: &str, bytes: f64) -> f64 {
        match self.codecs.iter().find(|codec| codec.compression == compression) {
            Some(codec) => bytes * 1e-9 * (1.0 / codec.encode_gbs + 1.0 / codec.decode_gbs),
            None => self.convert_gbs.map_or(0.0, |gbs| 2.0 * bytes / (1e9 * gbs)),
        }
    }
}

impl ClusterDescription {
    /// The same cluster as one whose time passes `dilation` times slower sees it: links are so many
    /// times faster, and programs cost what they cost.
    #[must_use]
    pub fn dilated(&self, dilation: f64) -> Self {
        let faster = |link: &LinkDescription| LinkDescription {
            latency_us: link.latency_us / dilation,
            message_overhead_us: link.message_overhead_us / dilation,
            bandwidth_gbs: link.bandwidth_gbs * dilation,
            bandwidth_by_size: (link.bandwidth_by_size.iter())
                .map(|&(bytes, gbs)| (bytes, gbs * dilation))
                .collect(),
            ..link.clone()
        };
        Self { nic: faster(&self.nic), intra_node: faster(&self.intra_node), ..self.clone() }
    }

    /// What `auto` chooses an algorithm by.
    #[must_use]
    pub fn network(&self) -> Network {
        let Self { nic, device, .. } = self;
        Network {
            latency_us: (nic.latency_us + nic.message_overhead_us).max(1e-3),
            bandwidth_gbs: nic.bandwidth_gbs,
            // Faster than any link: then additions decide nothing.
            reduce_gbs: device.reduce_gbs.unwrap_or(1e6),
        }
    }

    /// Reads a cluster file. With `ranks`, a cluster with fewer devices is one of its mistakes.
    pub fn parse(text: &str, ranks: Option<usize>) -> Result<Self, ClusterFileError> {
        read::read(text, ranks)
    }

    /// Most ranks.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.nodes.saturating_mul(self.devices_per_node)
    }
}
