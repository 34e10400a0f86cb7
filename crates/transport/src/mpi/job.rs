//! The life of MPI in this process: from `MPI_Init_thread` to `MPI_Finalize`.

use super::calls::Comm;
use super::fragments::{FRAGMENT, FRAGMENT_MAX};
use super::{MpiHeartbeats, MpiLink};
use crate::{LinkError, RankProgress};
use base::Rank;
use mpi::Threading;
use mpi::environment::Universe;
use mpi::traits::Communicator;
use std::sync::Arc;

/// MPI, initialised; finalised when the last link and heartbeat channel are gone too.
pub struct MpiJob {
    universe: Arc<Universe>,
    rank: Rank,
}

/// Why MPI could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// `MPI_Init_thread` failed or had been called.
    #[error("MPI could not be initialised, or already was")]
    Init,
    /// The library does not let several threads call it.
    #[error("the MPI library grants {granted:?}; THREAD_MULTIPLE is needed for failure detection")]
    Threads {
        /// What it grants.
        granted: Threading,
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

impl MpiJob {
    /// Initialises MPI, once per process.
    pub fn start() -> Result<Self, StartError> {
        let (universe, granted) =
            mpi::initialize_with_threading(Threading::Multiple).ok_or(StartError::Init)?;
        if granted != Threading::Multiple {
            return Err(StartError::Threads { granted });
        }
        let world = universe.world();
        let (index, count) = (world.rank(), world.size());
        let rank = usize::try_from(index).ok().zip(usize::try_from(count).ok());
        let rank = rank.and_then(|(index, count)| Rank::new(index, count));
        let rank = rank.ok_or(StartError::World { rank: index, world: count })?;
        Ok(Self { universe: Arc::new(universe), rank })
    }

    /// Who we are.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// A transport of its own; all ranks call this together, in the same order as
    /// [`heartbeats`](Self::heartbeats). `progress` is what failure detection reads.
    pub fn link(&self, progress: Arc<RankProgress>) -> Result<MpiLink, LinkError> {
        let comm = Comm::duplicate(self.rank.index())?;
        let here = self.universe.world().split_shared(0).size();
        let one_host = usize::try_from(here).is_ok_and(|here| here == self.rank.world());
        let fragment = if one_host { FRAGMENT_MAX } else { FRAGMENT };
        Ok(MpiLink::new(Arc::clone(&self.universe), self.rank, comm, fragment, progress))
    }

    /// The side channel of failure detection; all ranks call this together.
    pub fn heartbeats(&self) -> Result<MpiHeartbeats, LinkError> {
        let comm = Comm::duplicate(self.rank.index())?;
        Ok(MpiHeartbeats::new(Arc::clone(&self.universe), self.rank, comm))
    }
}
