//! An exchange between the processes of an MPI job, with its watch.

use crate::watch::{Report, Watch};
use crate::{Config, Exchange};
use base::Clock;
use std::sync::Arc;
use std::time::Duration;
use transport::mpi::{Job, StartError};
use transport::{LinkError, Progress};

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

/// Initialises MPI and starts watching. Drop the exchange first, then the watch: MPI ends with the last.
/// When the exchange returns an error, hand it to [`Watch::abort`], which ends the other ranks too.
pub fn start(
    config: Config,
    clock: Arc<dyn Clock>,
    silence_max: Duration,
    report: Report,
) -> Result<(Exchange, Watch), MpiError> {
    let job = Job::start()?;
    let progress = Arc::new(Progress::default());
    let link = job.link(Arc::clone(&progress))?;
    let beats = job.beats()?;
    let watch = Watch::start(Box::new(beats), progress, clock, silence_max, report);
    Ok((Exchange::new(Box::new(link), config), watch))
}
