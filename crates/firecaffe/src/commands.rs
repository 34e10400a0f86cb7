//! The commands, one file each.
//!
//! To add one: write `commands/<name>.rs` with `<Name>Args` and `run`, add a variant in `cli.rs`
//! and a line below.

pub(crate) mod advise;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod data;
pub(crate) mod doctor;
pub(crate) mod model;
pub(crate) mod report;
pub(crate) mod simulate;
pub(crate) mod solver;
pub(crate) mod supervise;
pub(crate) mod test;
pub(crate) mod time;
pub(crate) mod train;

mod columns;
mod table;

use ::train::AddedLayers;
use anyhow::Result;

use crate::cli::CliCommand;
use crate::output::SUCCESS;

/// Runs a command to its end. `supervise` ends with the code of what it ran, `doctor` with 1 if it
/// found something, all others with 0. `added` are layer types of the program around us.
pub(crate) fn run(command: CliCommand, added: AddedLayers) -> Result<u8> {
    let done = match command {
        CliCommand::Supervise(args) => return supervise::run(&args),
        CliCommand::Doctor(args) => return doctor::run(&args),
        CliCommand::Train(args) => train::run(&args, added),
        CliCommand::Test(args) => test::run(&args, added),
        CliCommand::Time(args) => time::run(&args, added),
        CliCommand::Check(args) => check::run(&args, added),
        CliCommand::Data(command) => data::run(&command),
        CliCommand::Model(command) => model::run(&command, added),
        CliCommand::Solver(command) => solver::run(&command),
        CliCommand::Report(args) => report::run(&args),
        CliCommand::Simulate(args) => simulate::run(&args),
        CliCommand::Advise(args) => advise::run(&args),
        CliCommand::Bench(command) => bench::run(&command),
    };
    done.map(|()| SUCCESS)
}
