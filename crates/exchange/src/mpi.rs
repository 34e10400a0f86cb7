//! An exchange between the processes of an MPI job, with its watch.

use crate::watch::{FailureWatch, ReportLine};
use crate::{Exchange, ExchangeConfig};
use base::Clock;
use std::sync::Arc;
use std::time::Duration;
use transport::mpi::MpiJob;
use transport::{LinkError, RankProgress};

/// Makes the communicators, which needs every rank, and starts watching. Drop the exchange first,
/// then the watch: MPI ends with the last. When the exchange returns an error, hand it to
/// [`FailureWatch::abort`], which ends the other ranks too.
pub fn connect(
    job: &MpiJob,
    config: ExchangeConfig,
    clock: Arc<dyn Clock>,
    silence_max: Duration,
    report: ReportLine,
) -> Result<(Exchange, FailureWatch), LinkError> {
    let progress = Arc::new(RankProgress::default());
    let link = job.link(Arc::clone(&progress))?;
    let heartbeats = job.heartbeats()?;
    let watch = FailureWatch::start(Box::new(heartbeats), progress, clock, silence_max, report);
    Ok((Exchange::new(Box::new(link), config), watch))
}
