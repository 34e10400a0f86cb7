//! `cargo xtask bench cluster --types f32,f16`: what 16-bit elements save between hosts.
//!
//! 25 million elements by ring between 4 hosts of 1 Gbit/s, in each wire format. A format of half
//! the bytes should take half the time; the target allows for conversion and latency. The first
//! format is what the others are compared with.

use anyhow::{Context, Result, ensure};
use exchange::wire::WireFormat;

use super::cluster_run::{FOREGROUND, NamespaceCluster, SCRIPT, up};
use super::measured::measure;
use super::ours::with_mpi;
use super::{flag, verdict};
use crate::shell::command;

const ELEMENTS: usize = 25_000_000;
const HOSTS: usize = 4;
const ALGORITHM: &str = "ring";
/// How many times faster a format of half the bytes must be.
const TARGET: f64 = 1.8;

/// Measures and prints the table.
pub(super) fn run(args: &[String]) -> Result<()> {
    let (iterations, types) = (flag(args, "--iterations", "5"), flag(args, "--types", ""));
    let gbits: f64 = flag(args, "--gbits", "1").parse().context("--gbits takes a number")?;
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    let formats: Vec<&WireFormat> = types.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let _cluster = NamespaceCluster;
    up(HOSTS, gbits * 1e3, true)?;
    println!(
        "| {ELEMENTS} elements, {HOSTS} hosts, {gbits} Gbit/s, {ALGORITHM} | ms | times faster |"
    );
    println!("|---|--:|--:|");
    let mut first = None;
    let mut missed = 0;
    for format in formats {
        let bytes = (ELEMENTS * format.element_bytes).to_string();
        let hosts = HOSTS.to_string();
        let mut mpirun = command(SCRIPT, &["mpirun", &hosts, "sh", "-c", FOREGROUND, &program]);
        let more = ["--type", format.name];
        let results = measure(&mut mpirun, &bytes, ALGORITHM, &iterations, &more)?;
        let time_ms = results.first().context("one measurement")?.time_ms;
        let (first_ms, first_bytes) = *first.get_or_insert((time_ms, format.element_bytes));
        let ratio = first_ms / time_ms;
        print!("| {format} | {time_ms:.0} | {ratio:.2}");
        if 2 * format.element_bytes == first_bytes {
            print!(" (target {TARGET}: {})", verdict(ratio, TARGET));
            missed += usize::from(ratio < TARGET);
        }
        println!(" |");
    }
    ensure!(missed == 0, "a format of half the bytes is not {TARGET} times faster");
    Ok(())
}
