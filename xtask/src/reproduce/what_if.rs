//! Questions that one asks before a cluster is bought, each with a figure.

use anyhow::Result;
use cluster_sim::{BucketRule, ClusterDescription, NetModel, SimulationConfig, Simulator};
use collective::AlgorithmChoice;
use exchange::ExchangeConfig;

use super::{nets::PaperNets, read_cluster};
use crate::bench::figure::FigureLine;

/// A question, the figure's axes, and the answer's lines.
pub(super) struct WhatIfFigure {
    pub(super) file: &'static str,
    pub(super) question: &'static str,
    pub(super) axes: (&'static str, &'static str),
    pub(super) lines: Vec<FigureLine>,
}

const RANKS: [usize; 6] = [2, 4, 8, 16, 32, 64];

fn config(ranks: usize, batch: usize) -> SimulationConfig {
    SimulationConfig {
        ranks,
        workers: 1,
        batch,
        precision: "f32".to_owned(),
        allreduce: AlgorithmChoice::AutoAny,
        wire: ExchangeConfig::MPI.wire,
        segmentation: ExchangeConfig::MPI.segmentation,
        compression: None,
        buckets: BucketRule::Bytes(4_000_000),
        overlap: true,
        record_bytes: 0,
        step_summary: true,
        iterations: 1,
    }
}

/// Speed-up over one device with the same batch.
fn speed_up(
    cluster: &ClusterDescription,
    net: &NetModel,
    config: &SimulationConfig,
) -> Result<f64> {
    let mut simulator = Simulator::new(cluster);
    let alone = SimulationConfig { ranks: 1, compression: None, ..config.clone() };
    let alone = simulator.iteration(net, &alone)?.time.total();
    Ok(config.ranks as f64 * alone / simulator.iteration(net, config)?.time.total())
}

/// All questions.
pub(super) fn figures(nets: &PaperNets) -> Result<Vec<WhatIfFigure>> {
    Ok(vec![server_or_tree(nets)?, batch(nets)?, sparse(nets)?, network(nets)?])
}

fn server_or_tree(nets: &PaperNets) -> Result<WhatIfFigure> {
    let cluster = read_cluster("cloud-25g")?;
    let mut lines = Vec::new();
    for name in ["parameter-server", "reduction-tree", "ring", "halving-doubling"] {
        let mut points = Vec::new();
        for ranks in RANKS {
            let config = SimulationConfig { allreduce: name.parse()?, ..config(ranks, 32) };
            points.push((ranks as f64, speed_up(&cluster, &nets.googlenet, &config)?));
        }
        lines.push(FigureLine { name: name.to_owned(), points });
    }
    Ok(WhatIfFigure {
        file: "server-or-tree",
        question: "Parameter server or reduction tree? GoogLeNet on cloud instances, batch 32 each",
        axes: ("ranks", "speed-up"),
        lines,
    })
}

fn batch(nets: &PaperNets) -> Result<WhatIfFigure> {
    let cluster = read_cluster("gigabit-32")?;
    let mut lines = Vec::new();
    for images in [8, 32, 128, 512] {
        let mut points = Vec::new();
        for ranks in &RANKS[..5] {
            points.push((*ranks as f64, speed_up(&cluster, &nets.nin, &config(*ranks, images))?));
        }
        lines.push(FigureLine { name: format!("batch {images}"), points });
    }
    Ok(WhatIfFigure {
        file: "batch",
        question: "How does the batch move the knee? NiN on 1 Gbit/s, batch per rank",
        axes: ("ranks", "speed-up"),
        lines,
    })
}

fn sparse(nets: &PaperNets) -> Result<WhatIfFigure> {
    let mut cluster = read_cluster("cloud-25g")?;
    let mut lines = Vec::new();
    for share in ["", "0.5", "0.15", "0.01"] {
        let mut points = Vec::new();
        for gbit in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0] {
            cluster.nic.bandwidth_gbs = gbit / 8.0;
            cluster.nic.bandwidth_by_size.clear();
            let text = format!("sparse-chunks:share={share}");
            let compression = (!share.is_empty()).then(|| text.parse()).transpose()?;
            let config = SimulationConfig { compression, ..config(32, 64) };
            points.push((gbit, speed_up(&cluster, &nets.alexnet, &config)?));
        }
        let name = if share.is_empty() { "dense".to_owned() } else { format!("share {share}") };
        lines.push(FigureLine { name, points });
    }
    Ok(WhatIfFigure {
        file: "sparse",
        question: "When do sparse chunks stop paying? AlexNet on 32 instances, batch 64 each",
        axes: ("Gbit/s", "speed-up"),
        lines,
    })
}

fn network(nets: &PaperNets) -> Result<WhatIfFigure> {
    let mut cluster = read_cluster("cloud-25g")?;
    let mut lines = Vec::new();
    for (net, name) in [
        (&nets.nin, "NiN"),
        (&nets.googlenet, "GoogLeNet"),
        (&nets.resnet, "ResNet-50"),
        (&nets.alexnet, "AlexNet"),
    ] {
        let mut points = Vec::new();
        for gbit in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0] {
            cluster.nic.bandwidth_gbs = gbit / 8.0;
            cluster.nic.bandwidth_by_size.clear();
            points.push((gbit, speed_up(&cluster, net, &config(32, 32))?));
        }
        lines.push(FigureLine { name: name.to_owned(), points });
    }
    Ok(WhatIfFigure {
        file: "network",
        question: "Which network should 32 machines have? 32 cores each, batch 32 each",
        axes: ("Gbit/s", "speed-up"),
        lines,
    })
}
