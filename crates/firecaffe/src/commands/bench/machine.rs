//! Who takes part in a bench: threads of this process, or the ranks of an MPI job.

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::Result;
use base::{Clock, line_to_stderr};
use exchange::{Exchange, ExchangeConfig, watch};

use super::BenchRankArgs;
use crate::clock::RealClock;
use crate::launch::JoinedRanks;
use train::WorkStretch;

/// What is measured on every rank; the last argument is where rank 0's table goes.
pub(super) type Measure<'a, T> =
    &'a dyn Fn(&mut Exchange, &ExchangeConfig, &dyn Clock, &mut dyn Write) -> Result<T>;

/// Runs `measure` on this rank of an MPI job; its result on rank 0, nothing on others. Rank 0's
/// table goes to `table`. With a `dilation` above 1 time passes so many times slower, and ranks
/// wait as those of an emulated run do.
pub(super) fn on_ranks<T>(
    args: &BenchRankArgs,
    dilation: u32,
    table: Box<dyn Write + Send>,
    measure: Measure<'_, T>,
) -> Result<Option<T>> {
    let real = Arc::new(RealClock::start());
    let report = Box::new(line_to_stderr);
    let joined = args.mpi.join(real, args.silence_max() * dilation, report)?;
    let JoinedRanks { mut exchange, watch, .. } = joined;
    let clock = Arc::new(RealClock::dilated(dilation));
    if dilation > 1 {
        exchange = exchange.stretched(Arc::new(WorkStretch::new(clock.clone(), dilation)));
    }
    let first = exchange.rank().is_first();
    let mut table = if first { table } else { Box::new(io::sink()) };
    let done = measure(&mut exchange, &ExchangeConfig::MPI, &*clock, &mut table);
    drop(exchange);
    done.map(|result| first.then_some(result)).inspect_err(|error| {
        watch.abort(&format!("{error:#}"), watch::EXIT_CODE);
    })
}
