//! The program: argv, environment, log, progress, signals and exit codes around the libraries.
//!
//! Exit codes: 0 done, 1 an error (one line that begins with `firecaffe: ` on stderr), 2 a wrong
//! command line, 75 a rank was lost, 130 ended by a second Ctrl-C, 143 by SIGTERM under `mpirun`;
//! `supervise` ends with the code of its command, and `doctor` with 1 if it found something.

mod args;
mod cli;
mod clock;
mod commands;
mod cores;
mod gpu;
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

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::normalise(std::env::args_os());
    let cli = match cli::Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(usage) => return output::usage(&usage),
    };
    match commands::run(cli.command) {
        Ok(code) => code,
        Err(error) => output::failure(&error),
    }
}
