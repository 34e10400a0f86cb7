//! The emulated clusters, and what is tried on each: data only.

use crate::bench::cluster_run::ClusterNet;

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
    pub(super) images_per_s: f64,
    pub(super) hosts: usize,
    /// Of the emulated network.
    pub(super) gbits: f64,
    /// How many times slower time passes: hosts times Gbit/s over 4, or more.
    pub(super) dilation: u32,
    pub(super) rows: &'static [Technique],
}

/// One row of a table.
pub(super) struct Technique {
    pub(super) name: &'static str,
    /// Of `train`, besides those that every row has.
    pub(super) flags: &'static [&'static str],
    /// Bytes on the busiest link, in those of a dense f32 ring; for predictions.
    pub(super) volume: f64,
}

impl EmulatedCluster {
    /// Computation of one iteration.
    pub(super) fn compute_s(&self) -> f64 {
        self.batch as f64 / self.images_per_s
    }

    /// The least time in which a link carries a dense f32 sum.
    pub(super) fn ring_s(&self) -> f64 {
        let p = self.hosts as f64;
        2.0 * (p - 1.0) / p * self.gradients_mb * 8e-3 / self.gbits
    }
}

const ALEXNET: ClusterNet = ClusterNet {
    file: "alexnet_b32",
    written: "dim: 32 dim: 3 dim: 227 dim: 227 } shape { dim: 32 }",
    shapes: "dim: {} dim: 3 dim: 227 dim: 227 } shape { dim: {} }",
};
const RESNET50: ClusterNet = ClusterNet {
    file: "resnet50_b8",
    written: "dim: 8 dim: 3 dim: 224 dim: 224 } shape { dim: 8 }",
    shapes: "dim: {} dim: 3 dim: 224 dim: 224 } shape { dim: {} }",
};

/// Wire formats and compressions, with lazy allreduce and overlap. The first row is the fastest
/// dense one.
const COMPRESSIONS: &[Technique] = &[
    Technique { name: "f32", flags: &["--allreduce", "ring"], volume: 1.0 },
    Technique { name: "f16", flags: &["--allreduce", "ring", "--wire", "f16"], volume: 0.5 },
    Technique { name: "bf16", flags: &["--allreduce", "ring", "--wire", "bf16"], volume: 0.5 },
    Technique {
        name: "sparse-chunks 15 %",
        flags: &[
            "--allreduce",
            "ring",
            "--compression",
            "sparse-chunks:share=0.15,chunk=32768,warmup=0",
        ],
        volume: 0.15,
    },
    Technique { name: "one-bit", flags: &["--compression", "one-bit"], volume: 0.04 },
    Technique { name: "threshold", flags: &["--compression", "threshold:tau=10"], volume: 0.2 },
    Technique { name: "top-k 1 %", flags: &["--compression", "top-k:share=0.01"], volume: 0.05 },
    Technique { name: "power-sgd 2", flags: &["--compression", "power-sgd:rank=2"], volume: 0.02 },
    Technique {
        name: "sparse-chunks 15 %, f16",
        flags: &[
            "--allreduce",
            "ring",
            "--wire",
            "f16",
            "--compression",
            "sparse-chunks:share=0.15,chunk=32768,warmup=0",
        ],
        volume: 0.08,
    },
];

/// GradientFlow's tables 1 and 2. Its MPI sums by a butterfly, whose busiest link carries log2 p
/// buffers each way; so does the reduction tree's. The library's own all-reduce would keep the
/// cores busy while it waits.
const LADDER: &[Technique] = &[
    Technique {
        name: "MPI (reduction-tree), per layer, after backward",
        flags: &["--allreduce", "reduction-tree", "--bucket-mb", "0", "--overlap", "off"],
        volume: 5.2,
    },
    Technique {
        name: "ring",
        flags: &["--allreduce", "ring", "--bucket-mb", "0", "--overlap", "off"],
        volume: 1.0,
    },
    Technique {
        name: "+ f16",
        flags: &["--allreduce", "ring", "--bucket-mb", "0", "--overlap", "off", "--wire", "f16"],
        volume: 0.5,
    },
    Technique {
        name: "+ overlap",
        flags: &["--allreduce", "ring", "--bucket-mb", "0", "--wire", "f16"],
        volume: 0.5,
    },
    Technique { name: "+ lazy", flags: &["--allreduce", "ring", "--wire", "f16"], volume: 0.5 },
    Technique {
        name: "+ sparse chunks",
        flags: &[
            "--allreduce",
            "ring",
            "--wire",
            "f16",
            "--compression",
            "sparse-chunks:share=0.15,chunk=32768,warmup=0",
        ],
        volume: 0.08,
    },
];

/// All of them.
pub(super) const CLUSTERS: &[EmulatedCluster] = &[
    EmulatedCluster {
        name: "alexnet-1g",
        net: ALEXNET,
        gradients_mb: 243.9,
        batch: 128,
        profile: "alexnet_p100",
        images_per_s: 1664.5,
        hosts: 8,
        gbits: 1.0,
        dilation: 4,
        rows: COMPRESSIONS,
    },
    EmulatedCluster {
        name: "resnet50-25g",
        net: RESNET50,
        gradients_mb: 102.2,
        batch: 64,
        profile: "resnet50_p100",
        images_per_s: 142.2,
        hosts: 8,
        gbits: 25.0,
        dilation: 50,
        rows: COMPRESSIONS,
    },
    EmulatedCluster {
        name: "alexnet-56g",
        net: ALEXNET,
        gradients_mb: 243.9,
        batch: 128,
        profile: "alexnet_p100",
        images_per_s: 1664.5,
        hosts: 32,
        gbits: 56.0,
        dilation: 448,
        rows: LADDER,
    },
    EmulatedCluster {
        name: "resnet50-56g",
        net: RESNET50,
        gradients_mb: 102.2,
        batch: 64,
        profile: "resnet50_p100",
        images_per_s: 142.2,
        hosts: 32,
        gbits: 56.0,
        dilation: 448,
        rows: LADDER,
    },
];
