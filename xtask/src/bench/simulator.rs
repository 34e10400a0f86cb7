//! `cargo xtask bench simulator`: how long the simulator itself takes, and how much memory.
//!
//! One iteration of ResNet-50 on 512 ranks with every algorithm, and on 4,096 ranks with those
//! whose messages grow at most like p log p, each in a process of its own.

use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cluster_sim::ClusterDescription;
use collective::all_with_plans;

use super::ours::Firecaffe;
use super::{flag, save};
use crate::shell::{command, root};

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] = &["--markdown", "--firecaffe"];

const NET: &str = "bench/models/resnet50_b8.prototxt";
/// Ranks, seconds at most, 10^9 bytes at most.
const MANY: (usize, f64, f64) = (512, 5.0, 2.0);
const MOST: (usize, f64, f64) = (4096, 60.0, f64::INFINITY);
/// Algorithms with at most O(p log p) messages.
const FEW_MESSAGES: &[&str] =
    &["halving-doubling", "multi-color:4", "parameter-server", "reduction-tree"];
/// Between two looks at the memory of a process.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Measures, prints the table; an error if a row takes too long or too much.
pub(super) fn run(args: &[String]) -> Result<()> {
    let program = Firecaffe::find(&flag(args, "--firecaffe", ""))?;
    let program = program.path().to_string_lossy().into_owned();
    let all: Vec<String> = all_with_plans().iter().map(ToString::to_string).collect();
    let few: Vec<String> = FEW_MESSAGES.iter().map(|&name| name.to_owned()).collect();
    let mut table = "| ranks | algorithm | s | peak memory, MB | at most |\n\
                     |--:|---|--:|--:|---|\n"
        .to_owned();
    print!("{table}");
    let mut missed = Vec::new();
    for ((ranks, seconds_max, gb_max), algorithms) in [(MANY, all), (MOST, few)] {
        let cluster = write_cluster(ranks)?;
        for algorithm in algorithms {
            let (seconds, bytes) = simulate(&program, &cluster, ranks, &algorithm)?;
            let memory = if gb_max.is_finite() { format!(", {gb_max} GB") } else { String::new() };
            let row = format!(
                "| {ranks} | {algorithm} | {seconds:.2} | {:.0} | {seconds_max} s{memory} |\n",
                bytes / 1e6
            );
            print!("{row}");
            table += &row;
            if seconds > seconds_max || bytes > 1e9 * gb_max {
                missed.push(format!("{algorithm} on {ranks} ranks"));
            }
        }
    }
    save(args, "--markdown", &table)?;
    ensure!(missed.is_empty(), "too slow or too large: {}", missed.join(", "));
    Ok(())
}

/// GradientFlow's cluster P with as many nodes of eight GPUs as are needed; its file.
fn write_cluster(ranks: usize) -> Result<String> {
    let text = fs::read_to_string(root().join("clusters/gradientflow-p.toml"))?;
    let mut cluster = ClusterDescription::parse(&text, None)?;
    cluster.nodes = ranks.div_ceil(cluster.devices_per_node);
    fs::create_dir_all(root().join("work/simulator"))?;
    let path = format!("work/simulator/p-{ranks}.toml");
    fs::write(root().join(&path), cluster.to_string())?;
    Ok(path)
}

/// Seconds and peak bytes of one `firecaffe simulate`.
fn simulate(program: &str, cluster: &str, ranks: usize, algorithm: &str) -> Result<(f64, f64)> {
    let ranks = ranks.to_string();
    let job = ["simulate", "--model", NET, "--cluster", cluster, "--ranks", &ranks];
    let mut simulate = command(program, &job);
    simulate.args(["--allreduce", algorithm]).stdout(Stdio::null());
    let begin = Instant::now();
    let mut child = simulate.spawn().context("cannot start firecaffe")?;
    let mut peak = 0.0;
    let status = loop {
        peak = peak_bytes(&child).map_or(peak, |bytes: f64| bytes.max(peak));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        thread::sleep(LOOK_EVERY);
    };
    ensure!(status.success(), "{algorithm} on {ranks} ranks failed");
    Ok((begin.elapsed().as_secs_f64(), peak))
}

/// The most memory that a process has had, as Linux counts it.
fn peak_bytes(child: &Child) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(1024.0 * kilobytes)
}
