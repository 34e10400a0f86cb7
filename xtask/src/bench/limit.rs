//! `cargo xtask bench limit`: our all-reduces beside bare TCP streams with the same bytes per link.
//!
//! An all-reduce of B bytes between p hosts moves at least 2(p-1)/p B over every link, each way.
//! The bare streams move just that: every host sends to the next and receives from the one before,
//! in one connection each, and nothing is added. Both run in turns on hosts made of network
//! namespaces, so what disturbs one disturbs the other.

mod streams;

use anyhow::{Context, Result, ensure};
use base::median;

use super::cluster_run::{FOREGROUND, NamespaceCluster, SCRIPT, up};
use super::measured::measure;
use super::ours::with_mpi;
use super::{flag, save, verdict};
use crate::shell::command;

pub(super) use streams::run as run_stream;

pub(super) const FLAGS: &[&str] = &[
    "--rounds",
    "--iterations",
    "--gbits",
    "--hosts",
    "--sizes",
    "--algorithms",
    "--markdown",
    "--firecaffe",
];

/// What the best algorithm must reach of the streams' speed.
const TARGET: f64 = 0.95;

pub(super) fn run(args: &[String]) -> Result<()> {
    let rounds: usize = flag(args, "--rounds", "3").parse().context("--rounds takes a number")?;
    let gbits: f64 = flag(args, "--gbits", "1").parse().context("--gbits takes a number")?;
    let iterations = flag(args, "--iterations", "5");
    let algorithms = flag(args, "--algorithms", "ring,halving-doubling,multi-color:4,direct");
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    let mut table = format!(
        "| hosts | MB | bare TCP ms | of the link | best | ms | of bare TCP | at least {TARGET} |\n\
         |--:|--:|--:|--:|---|--:|--:|---|\n"
    );
    let mut missed = 0;
    for hosts in numbers(&flag(args, "--hosts", "4,8"))? {
        let cluster = NamespaceCluster;
        up(hosts, gbits * 1e3, true)?;
        for megabytes in numbers(&flag(args, "--sizes", "30,100"))? {
            let bytes = 1_000_000 * megabytes;
            let per_link = 2 * (hosts - 1) * bytes / hosts;
            let (mut bare, mut ours) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                bare.push(streams::measure(hosts, per_link, &iterations)?);
                let host_count = hosts.to_string();
                let words = ["mpirun", &host_count, "sh", "-c", FOREGROUND, &program];
                let mut mpirun = command(SCRIPT, &words);
                let size = format!("{megabytes}M");
                ours.push(measure(&mut mpirun, &size, &algorithms, &iterations, &[])?);
            }
            let bare_ms = median(bare.clone());
            let limit_ms = 8.0 * per_link as f64 / (gbits * 1e6);
            let ratios = ours[0].iter().enumerate().map(|(row, result)| {
                let ratio = |(bare, ours): (&f64, &Vec<_>)| bare / times(ours)[row];
                let ratio = median(bare.iter().zip(&ours).map(ratio).collect());
                (
                    result.algorithm.clone(),
                    median(ours.iter().map(|all| times(all)[row]).collect()),
                    ratio,
                )
            });
            let best = ratios.max_by(|one, other| one.2.total_cmp(&other.2));
            let (name, ms, ratio) = best.context("an algorithm was measured")?;
            let row = format!(
                "| {hosts} | {megabytes} | {bare_ms:.0} | {:.0} % | {name} | {ms:.0} | {ratio:.2} | {} |\n",
                100.0 * limit_ms / bare_ms,
                verdict(ratio, TARGET)
            );
            print!("{row}"); // an interrupted run shows what it has
            table += &row;
            missed += usize::from(ratio < TARGET);
        }
        drop(cluster);
    }
    print!("\n{table}");
    save(args, "--markdown", &table)?;
    ensure!(missed == 0, "{missed} rows miss {TARGET}");
    Ok(())
}

fn times(results: &[super::measured::AllreduceTime]) -> Vec<f64> {
    results.iter().map(|result| result.time_ms).collect()
}

/// `4,8`.
fn numbers(list: &str) -> Result<Vec<usize>> {
    list.split(',')
        .map(|word| word.parse().with_context(|| format!("`{word}` is no number")))
        .collect()
}
