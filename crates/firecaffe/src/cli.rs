//! The command line, as clap reads it. Each command's options are in the command's own file.

use clap::{Parser, Subcommand};

use crate::commands::{
    advise, bench, check, data, doctor, model, report, simulate, solver, supervise, test, time,
    train,
};

/// Trains Caffe networks on CPUs.
#[derive(Debug, Parser)]
#[command(
    version,
    about = "Trains Caffe networks on CPUs: same prototxt, LMDB, caffemodel and log as Caffe.",
    after_help = "Options may be written as Caffe writes them: `-solver x`, `--sigint_effect=stop`.\n\
                  `firecaffe help COMMAND` shows a command's options with examples.",
    arg_required_else_help = true,
    disable_help_subcommand = false
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// One variant per file in `commands/`.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Train a network from a solver, or resume or fine-tune one
    Train(Box<train::TrainArgs>),
    /// Score a trained model
    Test(test::TestArgs),
    /// Measure how long each layer takes
    Time(time::TimeArgs),
    /// Restart a command that lost a rank
    Supervise(supervise::SuperviseArgs),
    /// Find what would keep a machine or cluster from training
    Doctor(doctor::DoctorArgs),
    /// Find every error in a net or solver; show shapes and memory
    Check(check::CheckArgs),
    /// Create and inspect databases
    #[command(subcommand)]
    Data(data::DataCommand),
    /// Inspect and convert models
    #[command(subcommand)]
    Model(model::ModelCommand),
    /// Adapt solvers
    #[command(subcommand)]
    Solver(solver::SolverCommand),
    /// Explain a run, or compare several, in one HTML file
    Report(report::ReportArgs),
    /// Predict the speed of a net on a cluster that a file describes
    Simulate(simulate::SimulateArgs),
    /// Find the best configuration for a net on a described cluster
    Advise(advise::AdviseArgs),
    /// Measure the collectives
    #[command(subcommand)]
    Bench(bench::BenchCommand),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn definitions_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
