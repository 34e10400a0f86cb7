//! `cargo xtask bench cluster --train`: training on eight hosts of 1 Gbit/s, by algorithm and
//! schedule.
//!
//! NiN on small images (30 MB of gradients, little arithmetic) and CIFAR-10 quick (0.6 MB), one
//! rank per host. Schedules: buckets fused and overlapped with backward, fused after backward, and
//! one bucket per layer, overlapped. All hosts share this machine's cores, so images/s are low and
//! say nothing of speed-up: read the order of the algorithms and the percentage of exposed
//! communication.

use anyhow::{Context, Result, ensure};

use super::cluster_run::{ClusterNet, ClusterSpeed, NamespaceCluster, train, up};
use super::flag;
use super::nets::CIFAR10;
use super::ours::with_mpi;

const HOSTS: usize = 8;
const ALGORITHMS: &[&str] =
    &["parameter-server", "reduction-tree", "ring", "multi-color:4", "halving-doubling"];
/// Name, and flags of `train`.
const SCHEDULES: &[(&str, &[&str])] = &[
    ("fused, overlapped", &["--overlap", "on"]),
    ("fused, after backward", &["--overlap", "off"]),
    ("one bucket per layer, overlapped", &["--overlap", "on", "--bucket-mb", "0"]),
];
/// Title, net, batch per host, and how many times the iterations: small nets need more to be
/// measured.
const NETS: &[(&str, ClusterNet, usize, usize)] = &[
    (
        "NiN, 2 x 3 x 131 x 131 per host",
        ClusterNet {
            file: "nin_b32",
            written: "dim: 32 dim: 3 dim: 224 dim: 224 } shape { dim: 32 }",
            shapes: "dim: {} dim: 3 dim: 131 dim: 131 } shape { dim: {} }",
        },
        2,
        1,
    ),
    ("CIFAR-10 quick, 8 x 3 x 32 x 32 per host", CIFAR10, 8, 20),
];

/// One row of the table.
struct TrainRow {
    algorithm: &'static str,
    schedule: &'static str,
    images_per_s: f64,
    exposed: f64,
}

/// Trains every net with every algorithm and schedule, and prints the table.
pub(super) fn run(args: &[String]) -> Result<()> {
    let iterations: usize = flag(args, "--iterations", "8").parse().context("--iterations")?;
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    let _cluster = NamespaceCluster;
    up(HOSTS, 1000.0, true)?;
    for &(title, net, batch, times) in NETS {
        let iterations = times * iterations;
        let solver = net.write_solver(batch, iterations)?;
        println!("\n{title}, {HOSTS} hosts, {iterations} iterations\n");
        println!("| algorithm | schedule | images/s | exposed communication |\n|---|---|--:|--:|");
        let mut rows = Vec::new();
        for &algorithm in ALGORITHMS {
            for &(schedule, flags) in SCHEDULES {
                let flags = [&["--allreduce", algorithm], flags].concat();
                let ClusterSpeed { images_per_s, exposed, .. } =
                    train(&program, HOSTS, &solver, &flags)?;
                println!("| {algorithm} | {schedule} | {images_per_s:.2} | {exposed:.0} % |");
                rows.push(TrainRow { algorithm, schedule, images_per_s, exposed });
            }
        }
        if net.file.starts_with("nin") {
            check(&rows)?;
        }
    }
    Ok(())
}

/// The papers' ordering: the server slowest, the tree better, the rest best; overlap and fusion
/// help.
fn check(rows: &[TrainRow]) -> Result<()> {
    let found = |algorithm: &str, schedule: &str| {
        let is = |row: &&TrainRow| row.algorithm == algorithm && row.schedule == schedule;
        let row = rows.iter().find(is).context("every row was measured")?;
        Ok::<_, anyhow::Error>((row.images_per_s, row.exposed))
    };
    for (schedule, _) in SCHEDULES {
        let server = found("parameter-server", schedule)?.0;
        let tree = found("reduction-tree", schedule)?.0;
        let rest = ["ring", "multi-color:4", "halving-doubling"];
        let rest = rest.map(|name| found(name, schedule).map_or(0.0, |(speed, _)| speed));
        let best = rest.into_iter().fold(0.0, f64::max);
        ensure!(server < tree && tree < best, "{schedule}: the papers' ordering does not hold");
    }
    for algorithm in ALGORITHMS {
        let [with, without] = [SCHEDULES[0].0, SCHEDULES[1].0].map(|s| found(algorithm, s));
        let (with, without) = (with?.1, without?.1);
        println!("{algorithm}: exposed {without:.0} % after backward, {with:.0} % overlapped");
    }
    println!(
        "The papers' ordering holds: server, tree, then ring, multi-colour, halving-doubling."
    );
    Ok(())
}
