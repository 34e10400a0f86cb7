//! Questions that one asks before a cluster is bought, each with a figure and an answer in words.
//! The words are made from the figure's own points, so they cannot disagree with it.

mod budget;

use anyhow::Result;
use cluster_sim::{BucketRule, ClusterDescription, NetModel, SimulationConfig, Simulator};
use collective::AlgorithmChoice;

use super::{nets::PaperNets, read_cluster};
use crate::bench::figure::FigureLine;

/// A question, the figure's axes and lines, and what they say.
pub(super) struct WhatIfFigure {
    pub(super) file: &'static str,
    pub(super) title: &'static str,
    pub(super) question: &'static str,
    pub(super) axes: (&'static str, &'static str),
    pub(super) lines: Vec<FigureLine>,
    pub(super) answer: String,
}

impl WhatIfFigure {
    /// Question and job, as the page shows them.
    pub(super) fn heading(&self) -> String {
        format!("**{}** {}.", self.question, self.title)
    }
}

const RANKS: [usize; 6] = [2, 4, 8, 16, 32, 64];
const GBITS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

fn config(ranks: usize, batch: usize) -> SimulationConfig {
    SimulationConfig {
        allreduce: AlgorithmChoice::AutoAny,
        ..SimulationConfig::new(ranks, batch, BucketRule::Bytes(4_000_000))
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

/// Links of `gbit` Gbit/s, as fast for short messages as for long ones.
fn with_links(cluster: &ClusterDescription, gbit: f64) -> ClusterDescription {
    let mut changed = cluster.clone();
    changed.nic.bandwidth_gbs = gbit / 8.0;
    changed.nic.bandwidth_by_size.clear();
    changed
}

/// All questions.
pub(super) fn figures(nets: &PaperNets) -> Result<Vec<WhatIfFigure>> {
    Ok(vec![
        server_or_tree(nets)?,
        batch(nets)?,
        sparse(nets)?,
        architecture(nets)?,
        budget::figure(nets)?,
    ])
}

/// The line of this name.
///
/// # Panics
///
/// If nobody drew it.
fn line<'l>(lines: &'l [FigureLine], name: &str) -> &'l FigureLine {
    lines.iter().find(|line| line.name == name).expect("it was drawn")
}

/// The height of a line's last point.
fn last(line: &FigureLine) -> f64 {
    line.points.last().map_or(0.0, |point| point.1)
}

/// Where the second line is above the first by 2 % for the first time.
fn overtaken(first: &FigureLine, second: &FigureLine) -> Option<f64> {
    let pairs = first.points.iter().zip(&second.points);
    pairs.into_iter().find(|(first, second)| second.1 > 1.02 * first.1).map(|(first, _)| first.0)
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
    let [server, tree] = ["parameter-server", "reduction-tree"].map(|name| line(&lines, name));
    let from = match overtaken(server, tree) {
        Some(ranks) => format!("The tree is ahead from {ranks} ranks on"),
        None => "The tree is never ahead".to_owned(),
    };
    let answer = format!(
        "{from}: the server's time grows with the ranks, the tree's with their logarithm. On 64 ranks \
         the server \
         reaches {:.0}x, the tree {:.0}x, and halving-doubling, which sends fewer bytes, \
         {:.0}x.",
        last(server),
        last(tree),
        last(line(&lines, "halving-doubling"))
    );
    Ok(WhatIfFigure {
        file: "server-or-tree",
        title: "GoogLeNet on cloud instances, batch 32 each",
        question: "Parameter server or reduction tree?",
        axes: ("ranks", "speed-up"),
        lines,
        answer,
    })
}

fn batch(nets: &PaperNets) -> Result<WhatIfFigure> {
    let cluster = with_links(&read_cluster("cloud-25g")?, 1.0);
    let (mut lines, mut knees) = (Vec::new(), Vec::new());
    for images in [32, 64, 128, 256, 512] {
        let mut points = Vec::new();
        for ranks in RANKS {
            let allreduce = "reduction-tree".parse()?;
            let config = SimulationConfig { allreduce, ..config(ranks, images) };
            points.push((ranks as f64, speed_up(&cluster, &nets.nin, &config)?));
        }
        let knee = points.iter().find(|(ranks, speed_up)| *speed_up < 0.5 * ranks);
        knees.push(match knee {
            Some((ranks, _)) => format!("at {ranks} ranks with batch {images}"),
            None => format!("nowhere with batch {images}"),
        });
        lines.push(FigureLine { name: format!("batch {images}"), points });
    }
    let (least, most) = (last(&lines[0]), last(&lines[4]));
    let answer = format!(
        "Efficiency falls below one half {}. On 64 ranks the smallest batch gives {least:.1}x, the \
         largest {most:.1}x: \
         the bytes of an iteration do not depend on the batch, so four times the \
         batch hides four times the bytes.",
        knees.join(", ")
    );
    Ok(WhatIfFigure {
        file: "batch",
        title: "NiN along a reduction tree, 32-core machines on 1 Gbit/s",
        question: "How does the batch move the knee?",
        axes: ("ranks", "speed-up"),
        lines,
        answer,
    })
}

fn sparse(nets: &PaperNets) -> Result<WhatIfFigure> {
    let cluster = read_cluster("cloud-25g")?;
    let mut lines = Vec::new();
    for share in ["", "0.5", "0.15", "0.01"] {
        let text = format!("sparse-chunks:share={share}");
        let compression = (!share.is_empty()).then(|| text.parse()).transpose()?;
        let config = SimulationConfig { compression, ..config(32, 64) };
        let mut points = Vec::new();
        for gbit in GBITS {
            points.push((gbit, speed_up(&with_links(&cluster, gbit), &nets.alexnet, &config)?));
        }
        let name = if share.is_empty() { "dense".to_owned() } else { format!("share {share}") };
        lines.push(FigureLine { name, points });
    }
    let dense = line(&lines, "dense");
    let ends: Vec<_> = (lines[1..].iter())
        .map(|sparse| {
            match sparse.points.iter().zip(&dense.points).find(|(s, d)| s.1 < 1.02 * d.1) {
                Some(((gbit, _), _)) => format!("{} from {gbit} Gbit/s on", sparse.name),
                None => format!("{} nowhere", sparse.name),
            }
        })
        .collect();
    let [slow, slowest] = [&lines[2], dense].map(|line| line.points[0].1);
    let answer = format!(
        "They gain less than 2 %: {}. On 1 Gbit/s a share of 0.15 gives {slow:.1}x where \
         dense sums \
         give {slowest:.1}x.",
        ends.join(", ")
    );
    Ok(WhatIfFigure {
        file: "sparse",
        title: "AlexNet on 32 instances, batch 64 each",
        question: "When do sparse chunks stop paying?",
        axes: ("Gbit/s", "speed-up"),
        lines,
        answer,
    })
}

fn architecture(nets: &PaperNets) -> Result<WhatIfFigure> {
    let cluster = read_cluster("cloud-25g")?;
    let (mut lines, mut needed) = (Vec::new(), Vec::new());
    for (net, name) in nets.named() {
        let mut points = Vec::new();
        for gbit in GBITS {
            points.push((gbit, speed_up(&with_links(&cluster, gbit), net, &config(32, 32))?));
        }
        let enough = points.iter().find(|(_, speed_up)| *speed_up >= 0.9 * 32.0);
        needed.push(match enough {
            Some((gbit, _)) => format!("{name} {gbit} Gbit/s"),
            None => format!("{name} more than these"),
        });
        lines.push(FigureLine { name: name.to_owned(), points });
    }
    let answer = format!(
        "For an efficiency of 90 % on 32 machines: {}. What counts is operations per parameter: \
         FireCaffe's advice to choose nets with few parameters.",
        needed.join(", ")
    );
    Ok(WhatIfFigure {
        file: "network",
        title: "32 machines of 32 cores, batch 32 each",
        question: "Which links does a net need?",
        axes: ("Gbit/s", "speed-up"),
        lines,
        answer,
    })
}
