//! The commands, one file each.
//!
//! To add one: write `commands/<name>.rs` with `Args` and `run`, add a variant in `cli.rs` and a line below.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod data;
pub(crate) mod model;
pub(crate) mod test;
pub(crate) mod time;
pub(crate) mod train;

mod columns;
mod table;

use anyhow::Result;

use crate::cli::Command;

/// Runs a command to its end.
pub(crate) fn run(command: Command) -> Result<()> {
    match command {
        Command::Train(args) => train::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Time(args) => time::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Data(command) => data::run(&command),
        Command::Model(command) => model::run(&command),
        Command::Bench(command) => bench::run(&command),
    }
}
