//! An exchange between the processes of an MPI job, with its watch.

use crate::watch::{FailureWatch, ReportLine};
use crate::{Exchange, ExchangeConfig};
use base::Clock;
use std::sync::Arc;
use std::time::Duration;
use transport::mpi::{MpiJob, StartError};
use transport::{LinkError, RankProgress};

/// Why there is no exchange over MPI.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MpiError {
    /// MPI did not start.
    #[error("cannot start MPI")]
    Start(#[from] StartError),
    /// Its communicators could not be made.
    #[error("cannot set up MPI")]
    Setup(#[from] LinkError),
}

/// Initialises MPI and starts watching. Drop the exchange first, then the watch: MPI ends with the
/// last. When the exchange returns an error, hand it to [`FailureWatch::abort`], which ends the
/// other ranks too.
pub fn start(
    config: ExchangeConfig,
    clock: Arc<dyn Clock>,
    silence_max: Duration,
    report: ReportLine,
) -> Result<(Exchange, FailureWatch), MpiError> {
    let job = MpiJob::start()?;
    let progress = Arc::new(RankProgress::default());
    let link = job.link(Arc::clone(&progress))?;
    let heartbeats = job.heartbeats()?;
    let watch = FailureWatch::start(Box::new(heartbeats), progress, clock, silence_max, report);
    Ok((Exchange::new(Box::new(link), config), watch))
}
