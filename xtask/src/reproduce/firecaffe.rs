//! FireCaffe's speed-ups and figure 4, and IBM's 48 minutes.

use anyhow::Result;
use cluster_sim::{BucketRule, NetModel, SimulationConfig, Simulator, TrainingLength};
use exchange::ByteSegmentation;

use super::row::{PublishedRow, RowKind};
use super::{IMAGENET, nets::PaperNets, read_cluster};
use crate::bench::figure::FigureLine;

/// One row of FireCaffe's tables: a global batch on some GPUs, and the time of a single one.
struct Training<'a> {
    net: &'a NetModel,
    ranks: usize,
    global_batch: usize,
    epochs: f64,
    /// Of one GPU, with as many epochs as the paper gave it.
    alone_hours: f64,
    speed_up: f64,
    hours: f64,
    certainty: &'static str,
    kind: RowKind,
}

/// Short segments, so that the tree of a single layer is pipelined too; Cray's library is not
/// described further.
const SEGMENTS: ByteSegmentation = ByteSegmentation { segment_bytes: 32 << 10, lanes: 8 };

/// One exchange per layer after backward, along a reduction tree.
fn config(ranks: usize, batch: usize, allreduce: &str) -> Result<SimulationConfig> {
    Ok(SimulationConfig {
        allreduce: allreduce.parse()?,
        segmentation: SEGMENTS,
        overlap: false,
        step_summary: false,
        ..SimulationConfig::new(ranks, batch, BucketRule::Bytes(0))
    })
}

/// Tables 2 and 3: hours, from which the paper's speed-ups follow.
pub(super) fn speed_ups(nets: &PaperNets) -> Result<Vec<PublishedRow>> {
    use RowKind::{Fitted, Predicted, Reported};
    let googlenet = |ranks, speed_up, hours, kind| Training {
        net: &nets.googlenet,
        ranks,
        global_batch: 1024,
        epochs: 72.0,
        alone_hours: 21.0 * 24.0,
        speed_up,
        hours,
        certainty: "[P]",
        kind,
    };
    let nin = |ranks, global_batch, speed_up, hours, kind| Training {
        net: &nets.nin,
        ranks,
        global_batch,
        epochs: 47.0,
        alone_hours: 5.8 * 24.0,
        speed_up,
        hours,
        certainty: "[M-hi]",
        kind,
    };
    let trainings = [
        googlenet(32, 20.0, 23.4, Fitted),
        googlenet(128, 47.0, 10.5, Predicted(10)),
        nin(32, 256, 13.0, 11.0, Predicted(10)),
        nin(32, 1024, 23.0, 6.0, Predicted(10)),
        nin(128, 1024, 39.0, 3.6, Reported),
    ];
    let cluster = read_cluster("titan-k20")?;
    let mut simulator = Simulator::new(&cluster);
    let mut rows = Vec::new();
    for training in trainings {
        let Training { net, ranks, global_batch, .. } = training;
        let config = config(ranks, global_batch / ranks, "reduction-tree")?;
        let time = simulator.iteration(net, &config)?.time.total();
        let length = TrainingLength { epochs: training.epochs, images: IMAGENET };
        let hours = length.seconds(global_batch, time) / 3600.0;
        let row = |unit, published, simulated, kind| PublishedRow {
            what: format!("{}, batch {global_batch}, {ranks} K20", net.name),
            unit,
            published,
            simulated,
            certainty: training.certainty,
            kind,
        };
        // The residual is fitted on hours, which were measured; speed-ups, which the paper rounds,
        // are predicted.
        let (of_hours, of_ratio) = match training.kind {
            Fitted => (Fitted, Reported),
            kind => (Reported, kind),
        };
        rows.push(row("h", training.hours, hours, of_hours));
        rows.push(row("x", training.speed_up, training.alone_hours / hours, of_ratio));
    }
    Ok(rows)
}

/// Figure 4: exchanges of NiN's gradients per second, without computing.
const FIGURE_4: [(usize, f64, f64); 7] = [
    (2, 95.2, 67.7),
    (4, 15.3, 42.1),
    (8, 5.7, 35.6),
    (16, 2.5, 22.8),
    (32, 1.0, 16.3),
    (64, 0.4, 14.1),
    (128, 0.2, 14.3),
];

/// Figure 4: rows of the tree, and lines of both.
pub(super) fn figure_4(nets: &PaperNets) -> Result<(Vec<PublishedRow>, Vec<FigureLine>)> {
    let mut cluster = read_cluster("titan-k20")?;
    cluster.software.collective_overhead_us = 0.0; // the micro-benchmark has no GPU
    let mut simulator = Simulator::new(&cluster);
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for (name, algorithm) in
        [("parameter server", "parameter-server"), ("reduction tree", "reduction-tree")]
    {
        let (mut published, mut simulated) = (Vec::new(), Vec::new());
        for (ranks, server, tree) in FIGURE_4 {
            let seconds = simulator.all_reduce(nets.nin.values(), &config(ranks, 1, algorithm)?)?;
            let is_tree = algorithm == "reduction-tree";
            let measured = if is_tree { tree } else { server };
            published.push((ranks as f64, measured));
            simulated.push((ranks as f64, 1.0 / seconds));
            rows.push(PublishedRow {
                what: format!("{name}, {ranks} nodes"),
                unit: "updates/s",
                published: measured,
                simulated: 1.0 / seconds,
                certainty: "[D]",
                kind: if is_tree { RowKind::Predicted(25) } else { RowKind::Reported },
            });
        }
        lines.push(FigureLine { name: format!("{name}, published"), points: published });
        lines.push(FigureLine { name: format!("{name}, simulated"), points: simulated });
    }
    Ok((rows, lines))
}

/// IBM: 90 epochs of ResNet-50 on 256 P100.
pub(super) fn ibm(nets: &PaperNets) -> Result<PublishedRow> {
    let cluster = read_cluster("minsky")?;
    let config = SimulationConfig {
        buckets: BucketRule::Bytes(usize::MAX),
        ..config(256, 32, "hierarchical:4:direct+multi-color:4")?
    };
    let time = Simulator::new(&cluster).iteration(&nets.resnet, &config)?.time.total();
    let length = TrainingLength { epochs: 90.0, images: IMAGENET };
    Ok(PublishedRow {
        what: "ResNet-50, 90 epochs, 256 P100".to_owned(),
        unit: "min",
        published: 48.0,
        simulated: length.seconds(256 * 32, time) / 60.0,
        certainty: "[P]",
        kind: RowKind::Reported,
    })
}
