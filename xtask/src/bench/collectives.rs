//! `cargo xtask bench collectives`: threads against Open MPI's `MPI_Allreduce` on the same cores.
//!
//! 100 MB between 2, 4 and 8 workers; the table shows bus bandwidth and how many times the
//! library's it is, measured in the same run.

use anyhow::Result;

use super::flag;
use super::measured::{AllreduceTime, measure};
use super::ours::with_mpi;
use crate::shell::command;

const BYTES: &str = "100M";
const LOCAL: &str = "direct,halving-doubling,multi-color:2,reduction-tree,ring";
const MPI: &str = "mpi,direct,halving-doubling,ring";

/// Measures and prints the table.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let iterations = flag(args, "--iterations", "7");
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    println!(
        "| {BYTES}B, workers | transport | algorithm | ms | busbw GB/s | times `MPI_Allreduce` |"
    );
    println!("|--:|---|---|--:|--:|--:|");
    for workers in ["2", "4", "8"] {
        let launch = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"];
        let mut mpirun = command("mpirun", &launch);
        mpirun.args(["--mca", "mpi_yield_when_idle", "1", "-n", workers, &program]);
        let mut results = measure(&mut mpirun, BYTES, MPI, &iterations, &[])?;
        let library = results[0].busbw_gbs;
        let mut alone = command(&program, &[]);
        results.extend(measure(&mut alone, BYTES, LOCAL, &iterations, &["--workers", workers])?);
        results.iter().for_each(|result| print(result, library));
    }
    Ok(())
}

fn print(m: &AllreduceTime, library: f64) {
    let AllreduceTime { algorithm, transport, workers, time_ms, busbw_gbs } = m;
    let times = busbw_gbs / library;
    println!(
        "| {workers} | {transport} | {algorithm} | {time_ms:.1} | {busbw_gbs:.2} | {times:.1} |"
    );
}
