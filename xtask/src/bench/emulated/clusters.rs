//! The emulated clusters, and what is tried on each: data only.

use super::outcome::EmulatedOutcome;
use crate::bench::cluster_run::ClusterNet;
use crate::bench::nets::{ALEXNET, RESNET50};

/// A cluster of the papers, as one machine emulates it.
pub(super) struct EmulatedCluster {
    pub(super) name: &'static str,
    pub(super) net: ClusterNet,
    /// Bytes of its gradients, in 10^6.
    pub(super) gradients_mb: f64,
    /// Per host.
    pub(super) batch: usize,
    /// File in `bench/profiles`, without its ending.
    pub(super) profile: &'static str,
    /// What that profile says, for predictions.
    pub(super) device_images_per_s: f64,
    pub(super) hosts: usize,
    /// Of the emulated network.
    pub(super) gbits: f64,
    /// How many times slower time passes: hosts times Gbit/s over 4, or more.
    pub(super) dilation: u32,
    pub(super) rows: &'static [Technique],
    pub(super) bar: ClusterBar,
}

/// What the rows of a cluster must reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClusterBar {
    /// [`Technique::least`].
    PerRow,
    /// Nearly the speed of the first row, since compressing is decided where it pays; rows that
    /// compress run without the decision too.
    Decision,
    /// Nearly the speed of the row before.
    EachStep,
}

/// One row of a table.
pub(super) struct Technique {
    pub(super) name: &'static str,
    /// Of `train`, besides those that every row has.
    pub(super) flags: &'static [&'static str],
    /// Bytes on the busiest link, in those of a dense f32 ring; for predictions.
    pub(super) volume: f64,
    /// Speed in that of the first row, where the link is the limit.
    pub(super) least: f64,
}

impl Technique {
    pub(super) fn is_compressed(&self) -> bool {
        self.flags.contains(&"--compression")
    }
}

impl EmulatedCluster {
    /// Computation of one iteration.
    pub(super) fn compute_s(&self) -> f64 {
        self.batch as f64 / self.device_images_per_s
    }

    /// Of all hosts together.
    pub(super) fn images_per_s(&self, outcome: &EmulatedOutcome) -> f64 {
        (self.hosts * self.batch) as f64 / outcome.iteration_s
    }

    /// The least time in which a link carries a dense f32 sum.
    pub(super) fn ring_s(&self) -> f64 {
        let p = self.hosts as f64;
        2.0 * (p - 1.0) / p * self.gradients_mb * 8e-3 / self.gbits
    }
}

const fn row(
    name: &'static str,
    flags: &'static [&'static str],
    volume: f64,
    least: f64,
) -> Technique {
    Technique { name, flags, volume, least }
}

const SPARSE_CHUNKS: &str = "sparse-chunks:share=0.15,chunk=32768,warmup=0";

/// Wire formats and compressions, with lazy allreduce and overlap. The first row is the fastest
/// dense one.
const COMPRESSIONS: &[Technique] = &[
    row("f32", &["--allreduce", "ring"], 1.0, 1.0),
    row("f16", &["--allreduce", "ring", "--wire", "f16"], 0.5, 1.85),
    row("bf16", &["--allreduce", "ring", "--wire", "bf16"], 0.5, 1.85),
    row("sparse-chunks 15 %", &["--allreduce", "ring", "--compression", SPARSE_CHUNKS], 0.15, 4.5),
    row("one-bit", &["--compression", "one-bit"], 0.04, 0.0),
    row("threshold", &["--compression", "threshold:tau=10"], 0.2, 0.0),
    row("top-k 1 %", &["--compression", "top-k:share=0.01"], 0.05, 8.0),
    row("power-sgd 2", &["--compression", "power-sgd:rank=2"], 0.02, 8.0),
    row(
        "sparse-chunks 15 %, f16",
        &["--allreduce", "ring", "--wire", "f16", "--compression", SPARSE_CHUNKS],
        0.08,
        0.0,
    ),
];

/// GradientFlow's tables 1 and 2. Its MPI sums by a butterfly, whose busiest link carries log2 p
/// buffers each way; so does the reduction tree's. The library's own all-reduce would keep the
/// cores busy while it waits.
const LADDER: &[Technique] = &[
    row(
        "MPI (reduction-tree), per layer, after backward",
        &["--allreduce", "reduction-tree", "--bucket-mb", "0", "--overlap", "off"],
        5.2,
        0.0,
    ),
    row("ring", &["--allreduce", "ring", "--bucket-mb", "0", "--overlap", "off"], 1.0, 0.0),
    row(
        "+ f16",
        &["--allreduce", "ring", "--bucket-mb", "0", "--overlap", "off", "--wire", "f16"],
        0.5,
        0.0,
    ),
    row("+ overlap", &["--allreduce", "ring", "--bucket-mb", "0", "--wire", "f16"], 0.5, 0.0),
    row("+ lazy", &["--allreduce", "ring", "--wire", "f16"], 0.5, 0.0),
    row(
        "+ sparse chunks",
        &["--allreduce", "ring", "--wire", "f16", "--compression", SPARSE_CHUNKS],
        0.08,
        0.0,
    ),
];

/// All of them.
pub(super) const CLUSTERS: &[EmulatedCluster] = &[
    EmulatedCluster {
        name: "alexnet-1g",
        net: ALEXNET,
        gradients_mb: 243.9,
        batch: 128,
        profile: "alexnet_p100",
        device_images_per_s: 1664.5,
        hosts: 8,
        gbits: 1.0,
        dilation: 8,
        rows: COMPRESSIONS,
        bar: ClusterBar::PerRow,
    },
    EmulatedCluster {
        name: "resnet50-25g",
        net: RESNET50,
        gradients_mb: 102.2,
        batch: 64,
        profile: "resnet50_p100",
        device_images_per_s: 142.2,
        hosts: 8,
        gbits: 25.0,
        dilation: 50,
        rows: COMPRESSIONS,
        bar: ClusterBar::Decision,
    },
    EmulatedCluster {
        name: "alexnet-56g",
        net: ALEXNET,
        gradients_mb: 243.9,
        batch: 128,
        profile: "alexnet_p100",
        device_images_per_s: 1664.5,
        hosts: 32,
        gbits: 56.0,
        dilation: 448,
        rows: LADDER,
        bar: ClusterBar::EachStep,
    },
    EmulatedCluster {
        name: "resnet50-56g",
        net: RESNET50,
        gradients_mb: 102.2,
        batch: 64,
        profile: "resnet50_p100",
        device_images_per_s: 142.2,
        hosts: 32,
        gbits: 56.0,
        dilation: 448,
        rows: LADDER,
        bar: ClusterBar::EachStep,
    },
];
