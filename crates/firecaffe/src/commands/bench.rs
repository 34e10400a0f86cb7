//! `firecaffe bench …`: the collectives, measured between threads or, under `mpirun`, between
//! ranks; and how fast a database becomes batches.

mod allreduce;
mod compression;
mod data;
mod machine;
mod network;

use std::time::Duration;

use anyhow::Result;
use clap::Subcommand;
use exchange::watch::SILENCE_MAX;

use crate::launch::MpiArgs;
use crate::options::silence_max;

/// What to measure.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Time every all-reduce algorithm and check every sum
    Allreduce(allreduce::AllReduceArgs),
    /// Measure every compression on the gradients of nets
    Compression(compression::CompressionArgs),
    /// Measure how fast a database becomes batches, and name the bottleneck
    Data(data::DataBenchArgs),
    /// Fit the latency and bandwidth that `auto` computes with
    Network(network::NetworkArgs),
}

/// Which workers or ranks are measured.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchRankArgs {
    /// Workers: threads of this process. Under `mpirun`, the ranks are measured instead
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=1024))]
    workers: u64,
    /// Under `mpirun`: a rank that is silent for longer is reported as lost, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = SILENCE_MAX.as_secs_f64(), value_parser = silence_max)]
    silence_max: f64,
    #[command(flatten)]
    mpi: MpiArgs,
}

impl BenchRankArgs {
    fn workers(&self) -> usize {
        usize::try_from(self.workers).unwrap_or(1)
    }

    fn silence_max(&self) -> Duration {
        Duration::from_secs_f64(self.silence_max)
    }
}

pub(crate) fn run(command: &BenchCommand) -> Result<()> {
    match command {
        BenchCommand::Allreduce(args) => allreduce::run(args),
        BenchCommand::Compression(args) => compression::run(args),
        BenchCommand::Data(args) => data::run(args),
        BenchCommand::Network(args) => network::run(args),
    }
}
