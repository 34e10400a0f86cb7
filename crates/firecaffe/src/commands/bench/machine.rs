//! Who takes part in a bench: threads of this process, or the ranks of an MPI job.

use std::io::Write;

use anyhow::Result;
use base::Clock;
use exchange::{Exchange, ExchangeConfig};

use super::BenchRankArgs;
use crate::launch;

/// What is measured on every rank; the last argument is where rank 0's table goes.
pub(super) type Measure<'a, T> =
    &'a dyn Fn(&mut Exchange, &ExchangeConfig, &dyn Clock, &mut dyn Write) -> Result<T>;

/// Runs `measure` on this rank of an MPI job; its result on rank 0, nothing on others. Rank 0's
/// table goes to `table`. With a `dilation` above 1 time passes so many times slower, and ranks
/// wait as those of an emulated run do.
#[cfg(feature = "mpi")]
pub(super) fn on_ranks<T>(
    args: &BenchRankArgs,
    dilation: u32,
    table: Box<dyn Write + Send>,
    measure: Measure<'_, T>,
) -> Result<Option<T>> {
    use std::io;
    use std::sync::Arc;

    use exchange::{mpi, watch};
    use train::WorkStretch;

    use crate::clock::RealClock;

    launch::check_pmi()?;
    let real = Arc::new(RealClock::start());
    let silence_max = args.silence_max() * dilation;
    let report = Box::new(base::line_to_stderr);
    let (mut exchange, watch) = mpi::start(ExchangeConfig::MPI, real, silence_max, report)?;
    let clock = Arc::new(RealClock::dilated(dilation));
    if dilation > 1 {
        exchange = exchange.stretched(Arc::new(WorkStretch::new(clock.clone(), dilation)));
    }
    launch::check_world(exchange.rank().world())?;
    let first = exchange.rank().is_first();
    let mut table = if first { table } else { Box::new(io::sink()) };
    let done = measure(&mut exchange, &ExchangeConfig::MPI, &*clock, &mut table);
    drop(exchange);
    done.map(|result| first.then_some(result)).inspect_err(|error| {
        watch.abort(&format!("{error:#}"), watch::EXIT_CODE);
    })
}

/// Says what to build: this binary was built without MPI.
#[cfg(not(feature = "mpi"))]
pub(super) fn on_ranks<T>(
    _: &BenchRankArgs,
    _: u32,
    _: Box<dyn Write + Send>,
    _: Measure<'_, T>,
) -> Result<Option<T>> {
    anyhow::bail!(launch::NO_MPI)
}
