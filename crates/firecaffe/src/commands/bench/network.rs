//! `firecaffe bench network`: latency, bandwidth and reduce rate, fitted and saved.

use std::io;
use std::path::PathBuf;

use anyhow::Result;
use exchange::bench::network::{measure, measure_local};

use super::{BenchRankArgs, machine};
use crate::clock::RealClock;
use crate::launch;
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  firecaffe bench network --workers 2
  mpirun -n 4 firecaffe bench network --save cluster.network
  firecaffe bench allreduce --algorithms auto --network cluster.network";

/// Options of `bench network`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NetworkArgs {
    #[command(flatten)]
    ranks: BenchRankArgs,
    /// Where the parameters go
    #[arg(long, value_name = "FILE", default_value = "firecaffe.network")]
    save: PathBuf,
}

pub(crate) fn run(args: &NetworkArgs) -> Result<()> {
    let network = if args.ranks.mpi.is_launched() {
        machine::on_ranks(&args.ranks, Box::new(io::stdout()), &|exchange, _, clock, _| {
            Ok(measure(exchange, clock)?)
        })?
    } else {
        let clock = RealClock::start();
        Some(measure_local(args.ranks.workers(), launch::cores(), &clock)?)
    };
    let Some(network) = network else { return Ok(()) }; // rank 0 speaks for all
    snapshot::atomic::write(&args.save, network.to_string().as_bytes())?;
    print(&format!("{network}saved to {}\n", args.save.display()))?;
    Ok(())
}
