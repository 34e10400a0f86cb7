//! The life of MPI in this process: from `MPI_Init_thread` to `MPI_Finalize`.

use super::abi::MpiAbi;
use super::calls::{MpiCalls, bind};
use super::comm::{Comm, failed};
use super::fragments::{FRAGMENT, FRAGMENT_MAX};
use super::search::{LibrarySearch, LoadError};
use super::{MpiHeartbeats, MpiLink};
use crate::{LinkError, RankProgress};
use base::Rank;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A library that is loaded and not yet initialised.
pub struct MpiLibrary {
    calls: &'static dyn MpiCalls,
    file: PathBuf,
}

/// MPI, initialised; finalised when the last link and heartbeat channel are gone too.
pub struct MpiJob {
    running: Arc<RunningMpi>,
    rank: Rank,
}

/// Finalises MPI when it goes.
pub(super) struct RunningMpi {
    pub(super) calls: &'static dyn MpiCalls,
}

impl Drop for RunningMpi {
    fn drop(&mut self) {
        self.calls.finalize();
    }
}

/// Why MPI could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// It was initialised before: MPI can be used once per process.
    #[error("MPI was already initialised in this process")]
    Twice,
    /// `MPI_Init_thread` failed.
    #[error("MPI_Init_thread failed: {what}")]
    Init {
        /// The library's words.
        what: String,
    },
    /// The library does not let several threads call it.
    #[error(
        "{} grants thread level {granted}, but MPI_THREAD_MULTIPLE ({wanted}) is needed: use an MPI \
         that was built with it, by `--mpi PATH`", file.display()
    )]
    Threads {
        /// The library.
        file: PathBuf,
        /// What it grants.
        granted: i32,
        /// What `MPI_THREAD_MULTIPLE` is there.
        wanted: i32,
    },
    /// The world is not one.
    #[error("MPI says rank {rank} of {world}")]
    World {
        /// Reported rank.
        rank: i32,
        /// Reported number of ranks.
        world: i32,
    },
}

impl MpiLibrary {
    /// Loads the library that `search` leads to.
    pub fn load(search: &LibrarySearch) -> Result<Self, LoadError> {
        let (object, abi) = search.open()?;
        object.make_global();
        Ok(Self { calls: bind(&object, abi)?, file: object.file() })
    }

    /// Its row of the table.
    #[must_use]
    pub fn abi(&self) -> &'static MpiAbi {
        self.calls.abi()
    }

    /// The file that was loaded.
    #[must_use]
    pub fn file(&self) -> &PathBuf {
        &self.file
    }

    /// The first line of what it says about itself.
    #[must_use]
    pub fn version(&self) -> String {
        self.calls.version().lines().next().unwrap_or_default().trim().to_owned()
    }

    /// Initialises MPI, once per process.
    pub fn start(&self) -> Result<MpiJob, StartError> {
        static STARTED: AtomicBool = AtomicBool::new(false);
        if STARTED.swap(true, Ordering::Relaxed) {
            return Err(StartError::Twice);
        }
        let calls = self.calls;
        let fail = |code| StartError::Init { what: calls.error_text(code) };
        let granted = calls.init().map_err(fail)?;
        let running = Arc::new(RunningMpi { calls });
        let wanted = calls.abi().thread_multiple;
        if granted != wanted {
            return Err(StartError::Threads { file: self.file.clone(), granted, wanted });
        }
        let (index, count) = calls.world().map_err(fail)?;
        let rank = usize::try_from(index).ok().zip(usize::try_from(count).ok());
        let rank = rank.and_then(|(index, count)| Rank::new(index, count));
        let rank = rank.ok_or(StartError::World { rank: index, world: count })?;
        Ok(MpiJob { running, rank })
    }
}

impl MpiJob {
    /// Who we are.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// A transport of its own; all ranks call this together, in the same order as
    /// [`heartbeats`](Self::heartbeats). `progress` is what failure detection reads.
    pub fn link(&self, progress: Arc<RankProgress>) -> Result<MpiLink, LinkError> {
        let (calls, index) = (self.running.calls, self.rank.index());
        let comm = Comm::duplicate(calls, index)?;
        let here = calls.ranks_on_host().map_err(failed(calls, index, "MPI_Comm_split_type"))?;
        let one_host = usize::try_from(here).is_ok_and(|here| here == self.rank.world());
        let fragment = if one_host { FRAGMENT_MAX } else { FRAGMENT };
        Ok(MpiLink::new(Arc::clone(&self.running), self.rank, comm, fragment, progress))
    }

    /// The side channel of failure detection; all ranks call this together.
    pub fn heartbeats(&self) -> Result<MpiHeartbeats, LinkError> {
        let comm = Comm::duplicate(self.running.calls, self.rank.index())?;
        Ok(MpiHeartbeats::new(Arc::clone(&self.running), self.rank, comm))
    }
}
