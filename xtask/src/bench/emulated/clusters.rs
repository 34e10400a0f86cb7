//! The emulated clusters, and what is tried on each: data only.

use exchange::compression::CompressionConfig;
use exchange::wire::{F32, WireFormat};

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
    /// Layers that are summed by themselves with `--bucket-mb 0`.
    pub(super) layers: usize,
    /// Plain sums in f32, which nothing is asked of: the fastest is the baseline. Without any, the
    /// first of `rows` is.
    pub(super) dense: &'static [Technique],
    pub(super) rows: &'static [Technique],
    pub(super) bar: ClusterBar,
}

/// What the rows of a cluster must reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClusterBar {
    /// [`Technique::least`].
    PerRow,
    /// Nearly the speed of the baseline, since compressing is decided where it pays; rows that
    /// compress run without the decision too.
    Decision,
    /// [`Technique::least`], of the speed of the row before.
    EachStep,
}

/// One row of a table.
pub(super) struct Technique {
    pub(super) name: &'static str,
    /// Of `train`, besides those that every row has.
    pub(super) flags: &'static [&'static str],
    /// Bytes on the busiest link, in those of a dense f32 ring; for predictions.
    pub(super) volume: f64,
    /// Least speed, in that of the baseline or of the row before; 0 if nothing is asked.
    pub(super) least: f64,
}

impl Technique {
    fn flag(&self, name: &str) -> Option<&'static str> {
        let at = self.flags.iter().position(|&flag| flag == name)?;
        self.flags.get(at + 1).copied()
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.flag("--compression").is_some()
    }

    pub(super) fn compression(&self) -> Option<CompressionConfig> {
        let written = self.flag("--compression")?;
        Some(written.parse().expect("a test parses all of them"))
    }

    pub(super) fn wire(&self) -> &'static WireFormat {
        self.flag("--wire").map_or(F32, |name| name.parse().expect("a test parses all of them"))
    }
}

impl EmulatedCluster {
    /// Everything that can run, in order.
    pub(super) fn techniques(&self) -> Vec<&'static Technique> {
        self.dense.iter().chain(self.rows).collect()
    }

    /// The row of the table above this one.
    pub(super) fn before(&self, row: &Technique) -> Option<&'static Technique> {
        let at = self.rows.iter().position(|other| other.name == row.name)?;
        self.rows.get(at.checked_sub(1)?)
    }

    /// The row that differs from a compressed one in nothing but the compression.
    pub(super) fn dense_of(&self, row: &Technique) -> Option<&'static Technique> {
        let is_dense =
            |other: &&Technique| !other.is_compressed() && other.wire().name == row.wire().name;
        self.techniques().into_iter().find(is_dense).filter(|_| row.is_compressed())
    }

    /// The rows that `asked` names and those that they are compared with, in order.
    pub(super) fn with_compared(&self, asked: &[&Technique]) -> Vec<&'static Technique> {
        let compared = |row: &&Technique| match self.bar {
            ClusterBar::PerRow => None,
            ClusterBar::Decision => self.dense_of(row),
            ClusterBar::EachStep => self.before(row),
        };
        let mut names: Vec<&str> = self.dense.iter().map(|row| row.name).collect();
        names.extend(asked.iter().map(|row| row.name));
        names.extend(asked.iter().filter_map(compared).map(|row| row.name));
        let mut rows = self.techniques();
        rows.retain(|row| names.contains(&row.name));
        rows
    }

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

/// Sums of f32 by the algorithms that may be the fastest.
const DENSE: &[Technique] = &[
    row("f32", &["--allreduce", "ring"], 1.0, 0.0),
    row("f32 by halving-doubling", &["--allreduce", "halving-doubling"], 1.0, 0.0),
    row("f32 by multi-color:4", &["--allreduce", "multi-color:4"], 1.0, 0.0),
    row("f32 by direct", &["--allreduce", "direct"], 1.0, 0.0),
];

/// By the algorithm of the other rows: where communication is hidden, others gain nothing.
const DENSE_RING: &[Technique] = &[row("f32", &["--allreduce", "ring"], 1.0, 0.0)];

/// Wire formats and compressions, with lazy allreduce and overlap, all by one algorithm: a decision
/// is between a compression and that.
const COMPRESSIONS: &[Technique] = &[
    row("f16", &["--allreduce", "ring", "--wire", "f16"], 0.5, 1.85),
    row("bf16", &["--allreduce", "ring", "--wire", "bf16"], 0.5, 1.85),
    row("sparse-chunks 15 %", &["--allreduce", "ring", "--compression", SPARSE_CHUNKS], 0.15, 4.5),
    row("one-bit", &["--allreduce", "ring", "--compression", "one-bit"], 0.04, 0.0),
    row("threshold", &["--allreduce", "ring", "--compression", "threshold:tau=10"], 0.2, 0.0),
    row("top-k 1 %", &["--allreduce", "ring", "--compression", "top-k:share=0.01"], 0.05, 8.0),
    row("power-sgd 2", &["--allreduce", "ring", "--compression", "power-sgd:rank=2"], 0.02, 8.0),
    row(
        "f16 sparse-chunks 15 %",
        &["--allreduce", "ring", "--wire", "f16", "--compression", SPARSE_CHUNKS],
        0.08,
        0.0,
    ),
];

/// No step of the ladder may lose more.
const STEP: f64 = 0.98;
/// What a step of the ladder must gain where GradientFlow's tables 1 and 2 show a gain: lazy
/// allreduce 1.45 and 2.2 times on AlexNet, 1.10 and 3.4 on ResNet-50; sparse chunks 1.42 and 1.94
/// on AlexNet, on 128 Pascal and 512 Volta GPUs. The least of them.
const GAIN: f64 = 1.1;

/// GradientFlow's tables 1 and 2. Its MPI sums by a butterfly, whose busiest link carries log2 p
/// buffers each way; so does the reduction tree's. The library's own all-reduce would keep the
/// cores busy while it waits.
const fn ladder(sparse_least: f64) -> [Technique; 6] {
    [
        row(
            "MPI (reduction-tree) per layer after backward",
            &["--allreduce", "reduction-tree", "--bucket-mb", "0", "--overlap", "off"],
            5.2,
            0.0,
        ),
        row("ring", &["--allreduce", "ring", "--bucket-mb", "0", "--overlap", "off"], 1.0, STEP),
        row(
            "+ f16",
            &["--allreduce", "ring", "--bucket-mb", "0", "--overlap", "off", "--wire", "f16"],
            0.5,
            STEP,
        ),
        row("+ overlap", &["--allreduce", "ring", "--bucket-mb", "0", "--wire", "f16"], 0.5, STEP),
        row("+ lazy", &["--allreduce", "ring", "--wire", "f16"], 0.5, GAIN),
        row(
            "+ sparse chunks",
            &["--allreduce", "ring", "--wire", "f16", "--compression", SPARSE_CHUNKS],
            0.08,
            sparse_least,
        ),
    ]
}

const LADDER_ALEXNET: &[Technique] = &ladder(GAIN);
/// Its communication is hidden before: sparse chunks gained nothing in table 2 either.
const LADDER_RESNET: &[Technique] = &ladder(STEP);

/// All of them. The ladder's devices are the fastest that GradientFlow names, since its gains are
/// those of communication that a slower device would hide.
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
        layers: 8,
        dense: DENSE,
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
        layers: 107,
        dense: DENSE_RING,
        rows: COMPRESSIONS,
        bar: ClusterBar::Decision,
    },
    EmulatedCluster {
        name: "alexnet-56g",
        net: ALEXNET,
        gradients_mb: 243.9,
        batch: 128,
        profile: "alexnet_v100_tensor",
        device_images_per_s: 3636.4,
        hosts: 32,
        gbits: 56.0,
        dilation: 448,
        layers: 8,
        dense: &[],
        rows: LADDER_ALEXNET,
        bar: ClusterBar::EachStep,
    },
    EmulatedCluster {
        name: "resnet50-56g",
        net: RESNET50,
        gradients_mb: 102.2,
        batch: 64,
        profile: "resnet50_v100_tensor",
        device_images_per_s: 492.3,
        hosts: 32,
        gbits: 56.0,
        dilation: 448,
        layers: 107,
        dense: &[],
        rows: LADDER_RESNET,
        bar: ClusterBar::EachStep,
    },
];

#[cfg(test)]
mod tests {
    use super::{CLUSTERS, EmulatedCluster, Technique};

    fn cluster(name: &str) -> &'static EmulatedCluster {
        CLUSTERS.iter().find(|cluster| cluster.name == name).unwrap()
    }

    fn named(cluster: &EmulatedCluster, name: &str) -> &'static Technique {
        cluster.techniques().into_iter().find(|row| row.name == name).unwrap()
    }

    #[test]
    fn flags_are_valid_and_names_are_unique() {
        for cluster in CLUSTERS {
            let mut names: Vec<&str> = cluster.techniques().iter().map(|row| row.name).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
            assert!(names.iter().all(|name| !name.contains(',')), "`--rows` is divided at commas");
            for row in cluster.techniques() {
                assert_eq!(row.compression().is_some(), row.is_compressed());
                assert!(row.wire().element_bytes >= 2);
            }
        }
    }

    /// A decision is between a compression and the same all-reduce without it.
    #[test]
    fn compressed_rows_sum_as_their_dense_row_does() {
        for cluster in CLUSTERS {
            for row in cluster.techniques().into_iter().filter(|row| row.is_compressed()) {
                let dense = cluster.dense_of(row).unwrap();
                assert_eq!(row.flag("--allreduce"), Some("ring"), "{}", row.name);
                assert_eq!(dense.flag("--allreduce"), Some("ring"), "{}", row.name);
            }
        }
        let resnet = cluster("resnet50-25g");
        let dense = |name: &str| resnet.dense_of(named(resnet, name)).map(|row| row.name);
        assert_eq!(dense("f16 sparse-chunks 15 %"), Some("f16"));
        assert_eq!(dense("top-k 1 %"), Some("f32"));
        assert_eq!(dense("f16"), None);
    }

    #[test]
    fn a_row_runs_with_those_that_it_is_compared_with() {
        let with = |cluster: &'static EmulatedCluster, name: &str| -> Vec<&str> {
            cluster.with_compared(&[named(cluster, name)]).iter().map(|row| row.name).collect()
        };
        assert_eq!(with(cluster("alexnet-56g"), "+ lazy"), ["+ overlap", "+ lazy"]);
        assert_eq!(
            with(cluster("resnet50-25g"), "f16 sparse-chunks 15 %"),
            ["f32", "f16", "f16 sparse-chunks 15 %"]
        );
        let dense = cluster("alexnet-1g").dense.iter().map(|row| row.name);
        let want: Vec<&str> = dense.chain(["one-bit"]).collect();
        assert_eq!(with(cluster("alexnet-1g"), "one-bit"), want);
    }

    /// GradientFlow's tables gain by lazy allreduce on both nets, by sparse chunks on AlexNet.
    #[test]
    fn the_larger_gains_of_the_ladder_are_asked_for() {
        let leasts =
            |name: &str| cluster(name).rows.iter().map(|row| row.least).collect::<Vec<_>>();
        assert_eq!(leasts("alexnet-56g"), [0.0, 0.98, 0.98, 0.98, 1.1, 1.1]);
        assert_eq!(leasts("resnet50-56g"), [0.0, 0.98, 0.98, 0.98, 1.1, 0.98]);
    }
}
