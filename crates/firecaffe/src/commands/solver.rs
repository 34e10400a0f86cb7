//! `firecaffe solver …`: adapting solvers.

mod scale;

use anyhow::Result;

/// One variant per file in `solver/`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum SolverCommand {
    /// Write a solver and its net for another global batch, at the same number of epochs
    Scale(scale::ScaleArgs),
}

pub(crate) fn run(command: &SolverCommand) -> Result<()> {
    match command {
        SolverCommand::Scale(args) => scale::run(args),
    }
}
