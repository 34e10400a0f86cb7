//! What each technique of the papers gains on emulated clusters: `cargo xtask bench compression
//! --emulated` and `cargo xtask bench ladder`.
//!
//! Devices are those of the papers (`bench/profiles`), networks as fast as theirs: on K times
//! slower clocks, since one machine carries 4 Gbit/s. `alexnet-1g` and `resnet50-25g` compare wire
//! formats and compressions; `alexnet-56g` and `resnet50-56g` are GradientFlow's ladder, where
//! every row adds a technique to the one before. All figures are emulated, and are those of the
//! iterations after the first: sparse chunks are chosen one iteration ahead.
//!
//! Lazy allreduce saves latencies. Namespaces have hardly any on a slower clock, so the ladder
//! takes `--latency-us` where the kernel has netem.
//!
//! A row that fails is refused and counts as missed; the next one follows. `--rows` runs some, with
//! those that they are compared with. The file of `--markdown` is written after every row.

mod bytes;
mod clusters;
mod decisions;
mod outcome;
mod predict;
mod runs;
mod table;

use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::ours::with_mpi;
use super::{asked, flag, none_missed, save};
use clusters::{CLUSTERS, EmulatedCluster, Technique};
use predict::{EmulatedLength, prediction, row_seconds};
use runs::EmulatedRuns;
use table::ClusterTable;

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] = &[
    "--emulated",
    "--clusters",
    "--rows",
    "--iterations",
    "--latency-us",
    "--predict",
    "--markdown",
    "--firecaffe",
];

/// `bench compression --emulated`.
pub(super) fn compression(args: &[String]) -> Result<()> {
    ensure!(
        args.iter().any(|arg| arg == "--emulated"),
        "give `--emulated`; `firecaffe bench compression` measures one machine"
    );
    run(args, "alexnet-1g,resnet50-25g")
}

/// `bench ladder`.
pub(super) fn ladder(args: &[String]) -> Result<()> {
    run(args, "alexnet-56g,resnet50-56g")
}

/// A cluster and the rows to run there.
type AskedRows = (&'static EmulatedCluster, Vec<&'static Technique>);

/// Predicts, measures and prints a table per cluster; fails if a bar was missed.
fn run(args: &[String], clusters: &str) -> Result<()> {
    let number = |name: &str, default: &str| -> Result<f64> {
        flag(args, name, default).parse().with_context(|| format!("{name} takes a number"))
    };
    let iterations: usize = flag(args, "--iterations", "3").parse().context("--iterations")?;
    ensure!(iterations > 1, "--iterations is at least 2: the first is not counted");
    let length = EmulatedLength { iterations, latency_us: number("--latency-us", "0")? };
    let asked = asked_rows(args, &flag(args, "--clusters", clusters))?;
    let seconds = |(cluster, rows): &AskedRows| -> f64 {
        rows.iter().map(|row| row_seconds(cluster, row, length)).sum()
    };
    let minutes = asked.iter().map(seconds).sum::<f64>() / 60.0;
    println!("{minutes:.0} minutes predicted in all, {iterations} iterations per row");
    for (cluster, rows) in &asked {
        print!("{}", prediction(cluster, rows, length));
    }
    if args.iter().any(|arg| arg == "--predict") {
        return Ok(());
    }
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    let (mut tables, mut missed) = (String::new(), Vec::new());
    for (cluster, rows) in asked {
        let planned = rows.clone();
        let mut table = ClusterTable { cluster, length, planned, rows: Vec::new(), minutes: 0.0 };
        print!("{}", table.head());
        let begin = Instant::now();
        let runs = EmulatedRuns::start(cluster, &program, length)?;
        for technique in rows {
            table.rows.push(runs.row(technique));
            table.minutes = begin.elapsed().as_secs_f64() / 60.0;
            table.rows.last().into_iter().for_each(|row| print!("{}", table.lines(row)));
            save(args, "--markdown", &(tables.clone() + &table.render()))?;
        }
        print!("{}", table.notes());
        tables += &table.render();
        missed.extend(table.misses());
    }
    print!("\n{tables}"); // ratios to the fastest dense row are known by now
    none_missed(&missed)?;
    println!("All rows reach what they must.");
    Ok(())
}

/// The clusters of a list, each with the rows of `--rows` and those that they are compared with.
fn asked_rows(args: &[String], clusters: &str) -> Result<Vec<AskedRows>> {
    let find = |name: &str| match CLUSTERS.iter().find(|cluster| cluster.name == name) {
        Some(cluster) => Ok(cluster),
        None => bail!("`{name}` is no emulated cluster; there are {}", names()),
    };
    let with_rows = |name: &str| -> Result<AskedRows> {
        let cluster = find(name)?;
        let techniques = cluster.techniques();
        let asked = asked(args, "--rows", &techniques, |row| row.name)?;
        let asked: Vec<&Technique> = asked.into_iter().copied().collect();
        Ok((cluster, cluster.with_compared(&asked)))
    };
    clusters.split(',').map(with_rows).collect()
}

fn names() -> String {
    CLUSTERS.iter().map(|cluster| cluster.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::asked_rows;

    #[test]
    fn a_row_of_a_cluster_can_be_asked_for() {
        let rows = |row: &str, clusters: &str| {
            let asked = asked_rows(&["--rows".to_owned(), row.to_owned()], clusters)?;
            let names = asked.iter().flat_map(|(_, rows)| rows.iter().map(|row| row.name));
            anyhow::Ok(names.collect::<Vec<_>>())
        };
        let ladder = rows("+ sparse", "alexnet-56g,resnet50-56g").unwrap();
        assert_eq!(ladder, ["+ lazy", "+ sparse chunks"].repeat(2));
        let unknown = rows("lazy", "alexnet-56g").unwrap_err().to_string();
        assert!(unknown.contains("`lazy`") && unknown.contains("+ lazy"), "{unknown}");
        assert!(rows("f16", "alexnet").unwrap_err().to_string().contains("alexnet-1g"));
        assert_eq!(asked_rows(&[], "alexnet-56g").unwrap()[0].1.len(), 6);
    }
}
