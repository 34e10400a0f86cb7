//! `train` as one of the ranks of an MPI job.
//!
//! A rank that fails while others wait for it says why and ends the job, so that nobody hangs.
//! Errors that all ranks find alike are rank 0's to say: the others hold back until it has ended
//! them.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use base::{Rank, line_to_stderr};
use exchange::Exchange;
use exchange::watch::{self, FailureWatch};
use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;
use train::{Ranks, StepError, TrainError, WorkStretch};
use transport::Waiting;

use super::emulate::BusyCores;
use super::{TrainArgs, TrainHost};
use crate::clock::RealClock;
use crate::cores::Neighbours;
use crate::launch::{self, JoinedRanks};
use crate::log::Log;

/// How long other ranks wait for rank 0 to report an error that all ranks may have found.
const HOLD_BACK: Duration = Duration::from_secs(1);
/// The same for an error that another rank is certain to report; a loaded machine needs longer.
const HOLD_BACK_LONG: Duration = Duration::from_secs(5);
/// Exit code of a program ended by SIGTERM: 128 and the signal's number.
const TERMINATED: i32 = 143;

/// Starts MPI and trains; ends the job if that fails.
pub(super) fn run(args: &TrainArgs, host: TrainHost<'_>) -> Result<()> {
    let clock = Arc::new(RealClock::start());
    let report: watch::ReportLine = Box::new(|text| line_to_stderr(&format!("firecaffe: {text}")));
    let dilation = args.emulation.dilation();
    let silence_max = silence_max(args);
    let JoinedRanks { mut exchange, watch, library } = args.mpi.join(clock, silence_max, report)?;
    let stretch = args
        .emulation
        .is_given()
        .then(|| Arc::new(WorkStretch::new(Arc::new(RealClock::dilated(dilation)), dilation)));
    if let Some(stretch) = &stretch {
        exchange = exchange.stretched(Arc::clone(stretch));
    }
    if exchange.rank().is_first() {
        let (version, file) = (library.version(), library.file().display());
        Log::of_rank(exchange.rank()).note(format!("MPI library: {version} ({file})"));
    }
    let ending = RankEnding { rank: exchange.rank(), watch: Arc::new(Mutex::new(Some(watch))) };
    ending.on_panic();
    ending.on_sigterm()?;
    let neighbours = Neighbours::meet(&mut exchange);
    let ranks = ending.ranks(exchange);
    let ranks = match stretch {
        Some(stretch) => ranks.stretching(stretch),
        None => ranks,
    };
    let result = neighbours.and_then(|neighbours| super::train(args, ranks, neighbours, host));
    match &result {
        Ok(()) => drop(ending.take()),
        Err(error) if error.is::<BusyCores>() => drop(ending.take()),
        Err(error) => {
            let cause = error.downcast_ref::<TrainError>();
            let lost = matches!(
                cause,
                Some(TrainError::Exchange(_) | TrainError::Step(StepError::Exchange(_)))
            );
            thread::sleep(ending.hold_back(cause));
            ending.end(&format!("{error:#}"), if lost { watch::EXIT_CODE } else { 1 });
        }
    }
    result
}

/// How long a rank may be silent, in real time: what was asked for is on the clock of the run.
fn silence_max(args: &TrainArgs) -> Duration {
    args.parallel.silence_max() * args.emulation.dilation()
}

/// How this rank ends the job.
#[derive(Clone)]
struct RankEnding {
    rank: Rank,
    watch: Arc<Mutex<Option<FailureWatch>>>,
}

impl RankEnding {
    /// How long to leave it to others to say what went wrong.
    fn hold_back(&self, cause: Option<&TrainError>) -> Duration {
        match cause {
            Some(TrainError::Step(StepError::LossElsewhere { .. })) => HOLD_BACK_LONG,
            Some(TrainError::Step(StepError::Loss { .. })) => Duration::ZERO, // nobody else has it
            _ if self.rank.is_first() => Duration::ZERO,
            Some(
                TrainError::Differs { .. }
                | TrainError::OtherProgram { .. }
                | TrainError::Step(StepError::Gradient { .. } | StepError::CompressedGradient { .. }),
            ) => HOLD_BACK_LONG,
            _ => HOLD_BACK,
        }
    }

    fn take(&self) -> Option<FailureWatch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends all ranks with these words, unless somebody here already does.
    fn end(&self, words: &str, code: i32) {
        if let Some(watch) = self.take() {
            watch.abort(words, code);
        }
    }

    fn ranks(&self, exchange: Exchange) -> Ranks {
        let watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        let progress = watch.as_ref().map(FailureWatch::progress).unwrap_or_default();
        drop(watch);
        let ending = self.clone();
        let alarm =
            move |error: &(dyn std::error::Error + 'static)| ending.end(&train::chain(error), 1);
        Ranks::joined(exchange, launch::host(), progress, Box::new(alarm))
    }

    /// A panic anywhere in this process ends the job after its message.
    fn on_panic(&self) {
        let (ending, usual) = (self.clone(), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |panic| {
            usual(panic);
            ending.end("this rank panicked", watch::EXIT_CODE);
        }));
    }

    /// `mpirun` sends SIGTERM to the survivors: each logs which rank it waits for, and exits.
    fn on_sigterm(&self) -> Result<()> {
        let mut signals = Signals::new([SIGTERM]).context("cannot handle signals")?;
        let watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        let progress = watch.as_ref().map(FailureWatch::progress).unwrap_or_default();
        let rank = self.rank.index();
        thread::spawn(move || {
            if signals.forever().next().is_some() {
                let at = progress.begun().last().map_or_else(String::new, |entry| {
                    format!(" in collective {}, {}", entry.sequence, entry.label)
                });
                let doing = match progress.waiting() {
                    Waiting::For(other) => format!("waits for rank {other}{at}"),
                    Waiting::Everyone => format!("waits for all others{at}"),
                    Waiting::Nobody => "waits for no rank".to_owned(),
                };
                line_to_stderr(&format!("firecaffe: rank {rank}: SIGTERM: it {doing}"));
                std::process::exit(TERMINATED);
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;

    use super::silence_max;
    use crate::cli::{Cli, CliCommand};

    #[test]
    fn silence_is_on_the_clock_of_the_run() {
        for (flags, seconds) in [
            ("--silence-max 7", 7),
            ("--silence-max 7 --emulate p.json", 7),
            ("--silence-max 7 --emulate p.json --dilate 300", 2100),
        ] {
            let words = ["firecaffe train --solver s.prototxt ", flags].concat();
            let CliCommand::Train(args) = Cli::parse_from(words.split(' ')).command else {
                unreachable!("the second word says `train`");
            };
            assert_eq!(silence_max(&args), Duration::from_secs(seconds), "{flags}");
        }
    }
}
