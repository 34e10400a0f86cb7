//! `firecaffe model …`: looking into models.

mod summary;

use anyhow::Result;

/// One variant a file in `model/`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Show layers, shapes, parameters, multiply-adds and memory of a net
    Summary(summary::Args),
}

pub(crate) fn run(command: &Command) -> Result<()> {
    match command {
        Command::Summary(args) => summary::run(args),
    }
}
