//! GradientFlow's tables 1 and 2, and its end-to-end times.

use anyhow::Result;
use cluster_sim::{
    BucketRule, ClusterDescription, NetModel, SimulationConfig, Simulator, TrainingLength,
};
use exchange::ByteSegmentation;
use exchange::wire::{F32, WireFormat};

use super::row::{PublishedRow, RowKind};
use super::{IMAGENET, nets::PaperNets, read_cluster};

/// GradientFlow does not publish the threshold of lazy allreduce.
const LAZY_BYTES: usize = 32_000_000;

/// NCCL's ring passes over a buffer once.
const ONE_PASS: ByteSegmentation = ByteSegmentation { segment_bytes: usize::MAX, lanes: 1 };

/// How gradients are exchanged in one column of the tables.
#[derive(Clone, Copy)]
pub(super) struct Method {
    name: &'static str,
    /// Mixed precision: `f16` travels.
    mixed: bool,
    fusion: FusionMethod,
    overlap: bool,
}

/// What one collective sums.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FusionMethod {
    PerTensor,
    /// Lazy allreduce.
    Lazy,
    /// Lazy allreduce of important chunks.
    SparseChunks,
}

pub(super) const NCCL: Method =
    Method { name: "NCCL", mixed: false, fusion: FusionMethod::PerTensor, overlap: false };
const MP: Method = Method { name: "NCCL+MP", mixed: true, ..NCCL };
const OVERLAP: Method = Method { name: "NCCL+MP+Overlap", overlap: true, ..MP };
const LAZY: Method = Method { name: "NCCL+MP+LA", fusion: FusionMethod::Lazy, ..MP };
const LAZY_OVERLAP: Method = Method { name: "NCCL+MP+LA+Overlap", overlap: true, ..LAZY };
const SPARSE: Method =
    Method { name: "NCCL+MP+LA+CSC+Overlap", fusion: FusionMethod::SparseChunks, ..LAZY_OVERLAP };

/// What one net reaches on one cluster, in thousands of images per second.
struct Published {
    method: Method,
    batch: usize,
    images: f64,
    kind: RowKind,
}

fn row(method: Method, batch: usize, images: f64, kind: RowKind) -> Published {
    Published { method, batch, images, kind }
}

/// All rows of the tables, clusters and nets.
pub(super) fn tables(nets: &PaperNets) -> Result<Vec<PublishedRow>> {
    use RowKind::{Fitted, Predicted, Reported};
    let p = read_cluster("gradientflow-p")?;
    let v = read_cluster("gradientflow-v")?;
    let mpi = read_cluster("gradientflow-p-mpi")?;
    let mut rows = Vec::new();
    let alexnet_p = [
        row(NCCL, 128, 75.7, Predicted(20)),
        row(MP, 128, 110.3, Predicted(20)),
        row(OVERLAP, 128, 119.5, Predicted(20)),
        row(LAZY, 128, 132.3, Predicted(20)),
        row(LAZY_OVERLAP, 128, 172.8, Fitted),
        row(SPARSE, 128, 245.4, Predicted(20)),
    ];
    let resnet_p = [
        row(NCCL, 64, 15.5, Predicted(20)),
        row(MP, 64, 17.8, Predicted(20)),
        row(OVERLAP, 128, 26.9, Predicted(20)),
        row(LAZY, 128, 28.2, Predicted(20)),
        row(LAZY_OVERLAP, 128, 29.6, Predicted(20)),
        row(SPARSE, 128, 29.6, Predicted(20)),
    ];
    let alexnet_v = [
        row(NCCL, 128, 240.0, Predicted(15)),
        row(MP, 128, 326.7, Fitted),
        row(OVERLAP, 128, 349.1, Predicted(20)),
        row(LAZY, 128, 701.1, Predicted(15)),
        row(LAZY_OVERLAP, 128, 780.3, Predicted(20)),
        row(SPARSE, 128, 1514.3, Predicted(20)),
    ];
    let resnet_v = [
        row(NCCL, 128, 56.8, Predicted(15)),
        row(MP, 128, 71.8, Fitted),
        row(OVERLAP, 128, 80.0, Predicted(20)),
        row(LAZY, 128, 260.0, Predicted(15)),
        row(LAZY_OVERLAP, 128, 269.5, Fitted),
        row(SPARSE, 128, 273.2, Predicted(20)),
    ];
    add(&mut rows, &p, 128, &nets.alexnet, "ring", &alexnet_p)?;
    add(&mut rows, &p, 128, &nets.resnet, "ring", &resnet_p)?;
    add(&mut rows, &v, 512, &nets.alexnet, "ring", &alexnet_v)?;
    add(&mut rows, &v, 512, &nets.resnet, "ring", &resnet_v)?;
    let butterfly = Method { name: "MPI", ..NCCL };
    let alexnet = [row(butterfly, 128, 22.3, Predicted(20))];
    add(&mut rows, &mpi, 128, &nets.alexnet, "halving-doubling", &alexnet)?;
    let resnet = [row(butterfly, 64, 13.9, Predicted(20))];
    add(&mut rows, &mpi, 128, &nets.resnet, "halving-doubling", &resnet)?;
    let name = "GradientFlow V, Open MPI".to_owned();
    let wide = ClusterDescription { name, nodes: 64, device: v.device.clone(), ..mpi };
    for (net, images) in [(&nets.alexnet, 56.2), (&nets.resnet, 30.2)] {
        let reported = [row(butterfly, 128, images, Reported)];
        add(&mut rows, &wide, 512, net, "halving-doubling", &reported)?;
    }
    Ok(rows)
}

fn add(
    rows: &mut Vec<PublishedRow>,
    cluster: &ClusterDescription,
    ranks: usize,
    net: &NetModel,
    allreduce: &str,
    published: &[Published],
) -> Result<()> {
    let mut simulator = Simulator::new(cluster);
    for &Published { method, batch, images, kind } in published {
        let config = config(ranks, batch, allreduce, method)?;
        let time = simulator.iteration(net, &config)?.time.total();
        rows.push(PublishedRow {
            what: format!("{}, {ranks} GPUs of {}, {}", net.name, short(cluster), method.name),
            unit: "10^3 images/s",
            published: images,
            simulated: (ranks * batch) as f64 / time / 1e3,
            certainty: "[P]",
            kind,
        });
    }
    Ok(())
}

/// `P` or `V`.
fn short(cluster: &ClusterDescription) -> &str {
    let words = cluster.name.strip_prefix("GradientFlow ").unwrap_or(&cluster.name);
    words.split(',').next().unwrap_or(words)
}

pub(super) fn config(
    ranks: usize,
    batch: usize,
    allreduce: &str,
    method: Method,
) -> Result<SimulationConfig> {
    let half: &'static WireFormat = "f16".parse()?;
    let sparse = (method.fusion == FusionMethod::SparseChunks)
        .then(|| "sparse-chunks:share=0.15,chunk=32768".parse());
    let buckets = match method.fusion {
        FusionMethod::PerTensor => BucketRule::PerParam,
        FusionMethod::Lazy | FusionMethod::SparseChunks => BucketRule::Bytes(LAZY_BYTES),
    };
    Ok(SimulationConfig {
        precision: if method.mixed { "mixed" } else { "f32" }.to_owned(),
        allreduce: allreduce.parse()?,
        wire: if method.mixed { half } else { F32 },
        segmentation: ONE_PASS,
        compression: sparse.transpose()?,
        overlap: method.overlap,
        step_summary: false,
        ..SimulationConfig::new(ranks, batch, buckets)
    })
}

/// The abstract's two speed-ups and the two end-to-end times.
pub(super) fn headlines(nets: &PaperNets) -> Result<Vec<PublishedRow>> {
    let cluster = read_cluster("gradientflow-v")?;
    let mut simulator = Simulator::new(&cluster);
    let mut rows = Vec::new();
    let cases = [
        (&nets.alexnet, SPARSE, 3700.0, (410.2, RowKind::Predicted(10)), 95.0, 1.5),
        (&nets.resnet, LAZY_OVERLAP, 621.0, (434.1, RowKind::Fitted), 90.0, 7.3),
    ];
    for (net, method, alone, (speed_up, kind), epochs, minutes) in cases {
        let time = simulator.iteration(net, &config(512, 128, "ring", method)?)?.time.total();
        let length = TrainingLength { epochs, images: IMAGENET };
        let of = |what: &str| format!("{}, 512 GPUs of V, {what}", net.name);
        let row = |what, unit, published, simulated, kind| PublishedRow {
            what,
            unit,
            published,
            simulated,
            certainty: "[P]",
            kind,
        };
        let reached = 65_536.0 / time / alone;
        rows.push(row(of("speed-up over one GPU"), "x", speed_up, reached, kind));
        let trained = length.seconds(65_536, time) / 60.0;
        rows.push(row(
            of(&format!("{epochs} epochs")),
            "min",
            minutes,
            trained,
            RowKind::Predicted(15),
        ));
    }
    Ok(rows)
}
