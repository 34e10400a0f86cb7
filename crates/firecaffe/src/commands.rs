//! The commands, one file each.
//!
//! To add one: write `commands/<name>.rs` with `Args` and `run`, add a variant in `cli.rs` and a line below.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod data;
pub(crate) mod model;
pub(crate) mod supervise;
pub(crate) mod test;
pub(crate) mod time;
pub(crate) mod train;

mod columns;
mod table;

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::Command;

/// Runs a command to its end. `supervise` ends with the code of what it ran, all others with 0.
pub(crate) fn run(command: Command) -> Result<ExitCode> {
    let done = match command {
        Command::Supervise(args) => return supervise::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Time(args) => time::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Data(command) => data::run(&command),
        Command::Model(command) => model::run(&command),
        Command::Bench(command) => bench::run(&command),
    };
    done.map(|()| ExitCode::SUCCESS)
}
