//! Ranks as MPI processes: non-blocking point-to-point, several segments in flight.
//!
//! Feature `mpi`, with Open MPI or MPICH (Debian: `libopenmpi-dev openmpi-bin libclang-dev`).
//!
//! ```text
//!   post ──▶ MPI_Isend ───── lane and stamp in the tag ─────▶ MPI_Irecv ◀── expect
//!                                                               └─ staging ──▶ take: reader(bytes)
//! ```
//!
//! The tag carries the lane and a hash of the stamp, so messages of different collectives never
//! meet: ranks that disagree wait, and failure detection compares their stamps and names the one
//! that differs. Everything here runs under `MPI_THREAD_MULTIPLE`, because failure detection has a
//! thread of its own.
//!
//! **Why this is sound.** Memory given to `MPI_Isend` follows the crate's rule; receives land in
//! staging buffers that this module owns and neither moves nor frees before the request completes.

mod abort;
mod calls;
mod fragments;
mod heartbeat;
mod job;
mod link;

pub use heartbeat::MpiHeartbeats;
pub use job::{MpiJob, StartError};
pub use link::MpiLink;
