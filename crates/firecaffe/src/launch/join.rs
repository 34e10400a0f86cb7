//! Joining the ranks that a launcher started: load the library, start MPI, compare, connect.
//!
//! Every stage can wait for ever without a word: for a rank that never starts, on a network
//! interface that leads nowhere. A thread says every [`NOTICE`] where this process waits.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use base::{Clock, line_to_stderr};
use exchange::watch::{FailureWatch, ReportLine};
use exchange::{Exchange, ExchangeConfig, mpi};
use transport::mpi::{LibrarySearch, MpiJob, MpiLibrary, ProcessManagement};

use super::{check_pmi, host, own, started_world};

/// How long a stage may take before a line says so.
const NOTICE: Duration = Duration::from_secs(20);
/// What `--mpi` takes for "none".
const OFF: &str = "off";

/// Which MPI library ranks use.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct MpiArgs {
    /// The MPI library of a rank, or `off` to run alone although a launcher started this process
    /// [default: the launcher's own]
    #[arg(long, value_name = "PATH|off")]
    mpi: Option<PathBuf>,
}

/// What a rank has once it has joined the others.
pub(crate) struct JoinedRanks {
    pub(crate) library: MpiLibrary,
    pub(crate) exchange: Exchange,
    pub(crate) watch: FailureWatch,
}

impl MpiArgs {
    /// Whether this process is a rank, or ought to be one.
    pub(crate) fn is_launched(&self) -> bool {
        match &self.mpi {
            Some(path) => path != Path::new(OFF),
            None => super::is_launched(),
        }
    }

    fn search(&self) -> LibrarySearch {
        LibrarySearch { named: self.mpi.clone(), ..LibrarySearch::of_launcher(&own) }
    }

    /// Starts MPI and connects the ranks; an error before anything is written if the library does
    /// not fit the launcher.
    pub(crate) fn join(
        &self,
        clock: Arc<dyn Clock>,
        silence_max: Duration,
        report: ReportLine,
    ) -> Result<JoinedRanks> {
        let stage = StartStage::watched(line_to_stderr);
        let (library, job) = self.start(&stage)?;
        stage.enter("in MPI_Comm_dup, which needs every rank");
        let config = ExchangeConfig::MPI;
        let (exchange, watch) = mpi::connect(&job, config, clock, silence_max, report)?;
        Ok(JoinedRanks { library, exchange, watch })
    }

    fn start(&self, stage: &StartStage) -> Result<(MpiLibrary, MpiJob)> {
        check_pmi()?;
        let search = self.search();
        stage.enter("for the MPI library to load");
        let library = MpiLibrary::load(&search)?;
        if let Some(warning) = misfit(&library, search.management) {
            line_to_stderr(&format!("firecaffe: {warning}"));
        }
        stage.enter(&format!("in MPI_Init_thread of {}", library.file().display()));
        let job = library.start().context("cannot start MPI")?;
        check_world(job.rank().world(), &library)?;
        Ok((library, job))
    }
}

/// What to say before a library starts that is not made for this launcher: Open MPI ends the
/// process in `MPI_Init_thread` if there is no PMIx.
fn misfit(library: &MpiLibrary, management: ProcessManagement) -> Option<String> {
    let abi = library.abi();
    let misfit = abi.name == "Open MPI" && management == ProcessManagement::Pmi;
    misfit.then(|| {
        format!(
            "{} is {}, which is started by {}; this launcher offers PMI, as for MPICH",
            library.file().display(),
            abi.name,
            abi.started_by
        )
    })
}

/// An error if the launcher started another number of ranks than MPI, once started, knows of.
fn check_world(world: usize, library: &MpiLibrary) -> Result<()> {
    let Some((variable, started)) = started_world(&own).filter(|(_, started)| *started != world)
    else {
        return Ok(());
    };
    bail!(
        "the launcher started {started} ranks ({variable}), but {} in {} knows of {world}: it is \
         started by {}; use that, or give the library that belongs to the launcher by `--mpi PATH`",
        library.abi().name,
        library.file().display(),
        library.abi().started_by
    )
}

/// Where starting is; a thread reads it, and ends when this is dropped.
struct StartStage {
    stage: Arc<Mutex<String>>,
    _ends_watch: Sender<()>,
}

impl StartStage {
    fn watched(report: fn(&str)) -> Self {
        let (ends_watch, ended) = channel();
        let stage = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&stage);
        let who = format!("firecaffe: process {} on {}", std::process::id(), host());
        thread::spawn(move || report_waits(&ended, &who, &seen, &report, NOTICE));
        Self { stage, _ends_watch: ends_watch }
    }

    fn enter(&self, stage: &str) {
        stage.clone_into(&mut self.stage.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Reports after every `notice` what is waited for, until the sender is gone.
fn report_waits(
    ended: &Receiver<()>,
    who: &str,
    stage: &Mutex<String>,
    report: &dyn Fn(&str),
    notice: Duration,
) {
    let mut waited = Duration::ZERO;
    while ended.recv_timeout(notice) == Err(RecvTimeoutError::Timeout) {
        waited += notice;
        let stage = stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        report(&format!(
            "{who} has waited {} s {stage}: a rank may not have started, or hosts may not reach each \
             other over the interface that MPI chose (docs/cluster.md says how to choose one)",
            waited.as_secs()
        ));
    }
}

#[cfg(test)]
mod tests;
