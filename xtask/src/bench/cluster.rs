//! `cargo xtask bench cluster`: FireCaffe's figure 4 on hosts of 1 Gbit/s.
//!
//! NiN's gradients (30 MB) between 2, 4 and 8 hosts made of network namespaces, a real `mpirun`,
//! one rank each. The table shows time, the share of what the link allows and the ratio to
//! `MPI_Allreduce`; the figure shows updates per second over hosts.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::cluster_run::{FOREGROUND, NamespaceCluster, SCRIPT, up};
use super::figure::{FigureLine, draw};
use super::flag;
use super::measured::{AllreduceTime, measure};
use super::ours::with_mpi;
use crate::shell::{command, target_dir};

const BYTES: f64 = 30e6;
const HOSTS: &[&str] = &["2", "4", "8"];
const ALGORITHMS: &[&str] = &[
    "parameter-server",
    "reduction-tree",
    "ring",
    "halving-doubling",
    "multi-color:4",
    "direct",
    "mpi",
];

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] =
    &["--train", "--types", "--iterations", "--gbits", "--svg", "--firecaffe"];

/// Measures, prints the table and draws the figure.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if args.iter().any(|arg| arg == "--train") {
        return super::cluster_train::run(args);
    }
    if args.iter().any(|arg| arg == "--types") {
        return super::cluster_types::run(args);
    }
    let iterations = flag(args, "--iterations", "5");
    let gbits: f64 = flag(args, "--gbits", "1").parse().context("--gbits takes a number")?;
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    let cluster = NamespaceCluster;
    up(8, gbits * 1e3, true)?;
    println!("| hosts | algorithm | ms | % of the link's limit | times `MPI_Allreduce` |");
    println!("|--:|---|--:|--:|--:|");
    let mut all = Vec::new();
    for hosts in HOSTS {
        let mut mpirun = command(SCRIPT, &["mpirun", hosts, "sh", "-c", FOREGROUND, &program]);
        let results = measure(&mut mpirun, "30M", &ALGORITHMS.join(","), &iterations, &[])?;
        let library = results.last().context("`mpi` was measured")?.time_ms;
        results.iter().for_each(|result| print(result, library, gbits));
        all.extend(results);
    }
    drop(cluster);
    let file = flag(args, "--svg", "");
    let file = if file.is_empty() { target_dir().join("bench/cluster.svg") } else { file.into() };
    fs::create_dir_all(file.parent().context("a folder for the figure")?)?;
    fs::write(&file, figure(&all))?;
    println!("\nfigure: {}", file.display());
    ordering(&all)
}

/// Time that the busiest link needs at least, in milliseconds.
fn limit_ms(workers: usize, gbits: f64) -> f64 {
    let p = workers as f64;
    2.0 * (p - 1.0) / p * BYTES * 8.0 / (gbits * 1e6)
}

fn print(m: &AllreduceTime, library: f64, gbits: f64) {
    let share = 100.0 * limit_ms(m.workers, gbits) / m.time_ms;
    let AllreduceTime { algorithm, workers, time_ms, .. } = m;
    let times = library / time_ms;
    println!("| {workers} | {algorithm} | {time_ms:.0} | {share:.0} % | {times:.2} |");
}

fn figure(all: &[AllreduceTime]) -> String {
    let lines = ALGORITHMS.iter().map(|&name| {
        let points = all.iter().filter(|m| m.algorithm == name);
        let points = points.map(|m| (m.workers as f64, 1e3 / m.time_ms)).collect();
        FigureLine { name: name.to_owned(), points }
    });
    draw(
        "Gradient updates per second, 30 MB (NiN), 1 rank per host",
        "hosts",
        "updates / s",
        &lines.collect::<Vec<_>>(),
    )
}

/// The papers' ordering from four hosts on: server slowest and worse with every doubling, tree
/// better, the rest best.
fn ordering(all: &[AllreduceTime]) -> Result<()> {
    let time = |name: &str, workers: usize| {
        let found = all.iter().find(|m| m.algorithm == name && m.workers == workers);
        found.map(|m| m.time_ms).with_context(|| format!("{name} on {workers} hosts"))
    };
    for workers in [4, 8] {
        let (server, tree) = (time("parameter-server", workers)?, time("reduction-tree", workers)?);
        let best = time("ring", workers)?
            .min(time("halving-doubling", workers)?)
            .min(time("multi-color:4", workers)?);
        ensure!(
            server > tree && tree > best,
            "{workers} hosts: the papers' ordering does not hold"
        );
        ensure!(server > time("parameter-server", workers / 2)?, "the server does not get worse");
    }
    println!(
        "The papers' ordering holds: server, tree, then ring, halving-doubling, multi-colour."
    );
    Ok(())
}
