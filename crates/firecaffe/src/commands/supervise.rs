//! `firecaffe supervise --restarts N -- COMMAND…`: runs a command again when it lost a rank.
//!
//! A cluster loses machines; a job that resumes from its last snapshot only needs somebody to start
//! it again. What counts as a loss, and when to give up, is decided in `policy`; signals go to the
//! command through `child`. Costs twenty wake-ups per second.

mod child;
mod policy;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::log::Log;
use crate::options::seconds;
use child::Requests;
use policy::{CommandEnding, RestartDecision, RestartHistory};

const EXAMPLES: &str = "\
Example:
  firecaffe supervise --restarts 5 -- mpirun -n 8 firecaffe train --solver solver.prototxt --snapshot auto

Runs COMMAND, and again when it ended because a rank was lost: with exit code 75 (a rank was silent or
diverged; the line before says which), killed by a signal, or with 128 and a signal's number, which is what
mpirun and shells make of that. An end with 0, 1 (an error that would come again), 2 (a wrong command
line), 126, 127 (no such program) or 130 (Ctrl-C) is final; `--restart-on` adds codes.

Between runs it waits: `--wait` seconds, twice as long after each quick failure, at most a minute. Three
failures in a row within `--quick` seconds of their start are no lost ranks, and it gives up.

SIGINT, SIGTERM and SIGUSR1 are passed on to the command, which is then not started again. The exit code
is that of the last run. With `--snapshot auto` every run continues after the last complete snapshot, so
write some (`snapshot: 1000` in the solver). The command reads nothing from the terminal.";

/// Options of `supervise`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SuperviseArgs {
    /// Most restarts
    #[arg(long, value_name = "N", default_value_t = 3)]
    restarts: u32,
    /// Seconds before the first restart
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    wait: f64,
    /// A run shorter than this made no progress
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    quick: f64,
    /// Further exit codes that mean a lost rank, separated by commas
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    restart_on: Vec<i32>,
    /// The command and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    command: Vec<OsString>,
}

/// Runs the command until it ends well, for good, or too often.
pub(crate) fn run(args: &SuperviseArgs) -> Result<u8> {
    let log = Log::new();
    let requests = Requests::install().context("cannot handle signals")?;
    let [wait, quick] = [args.wait, args.quick].map(Duration::from_secs_f64);
    let mut history = RestartHistory::new(args.restarts, wait, quick);
    loop {
        let begin = Instant::now();
        let ending = CommandEnding::of(child::run(&args.command, &requests)?);
        let stopped = requests.any();
        if stopped || !ending.is_loss(&args.restart_on) {
            return Ok(ending.exit_code());
        }
        match history.after(begin.elapsed()) {
            RestartDecision::Restart { count, wait } => {
                let (of, seconds) = (args.restarts, wait.as_secs_f64());
                log.warn(format!("{ending}: restart {count} of {of} in {seconds} s"));
                if requests.wait(wait) {
                    return Ok(ending.exit_code());
                }
            }
            RestartDecision::GiveUp(why) => {
                log.warn(format!("{ending}: given up, {why}"));
                return Ok(ending.exit_code());
            }
        }
    }
}
