//! The command line as a library: argv, environment, log, progress, signals and exit codes around
//! the libraries.
//!
//! [`run`] is the whole program; the Python package runs it too, with the layers that it can run.
//! [`train()`] is its `train` inside another program, which takes events and answers requests in
//! place of signals.
//!
//! Exit codes: 0 done, 1 an error (one line that begins with `firecaffe: ` on stderr), 2 a wrong
//! command line, 75 a rank was lost, 130 ended by a second Ctrl-C, 143 by SIGTERM under `mpirun`;
//! `supervise` ends with the code of its command, and `doctor` with 1 if it found something.

mod args;
mod cli;
mod clock;
mod commands;
mod cores;
mod embedding;
mod gpu;
mod hand_over;
mod launch;
mod log;
mod machine;
mod memory_limit;
mod observe;
mod options;
mod output;
mod page;
mod progress;
mod signals;

pub use embedding::{Embedding, TrainFailure, train};
pub use log::warnings;

use std::ffi::OsString;

use ::train::AddedLayers;
use clap::Parser;

/// Runs the command line `args`, of which the first is the program's name, on nets that may have
/// layers of the types `added`; the exit code.
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>, added: AddedLayers) -> u8 {
    let args = args::normalise(args);
    let cli = match cli::Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(usage) => return output::usage(&usage),
    };
    let handed_over = match &cli.command {
        cli::CliCommand::Train(train) => hand_over::to_python(train, added, &args),
        _ => Ok(()),
    };
    match handed_over.and_then(|()| commands::run(cli.command, added)) {
        Ok(code) => code,
        Err(error) => output::failure(&error),
    }
}
