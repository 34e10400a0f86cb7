//! Ranks as MPI processes: non-blocking point-to-point, several segments in flight.
//!
//! The library is loaded at run time, so one binary serves Open MPI, MPICH and the standard ABI of
//! MPI 5, and building it needs none of them: [`LibrarySearch`] finds a library, its symbols tell
//! its row of the table in `abi.rs`, and `calls.rs` calls it as its own `mpi.h` would.
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

mod abi;
mod abort;
mod calls;
mod comm;
mod fragments;
mod heartbeat;
mod job;
mod link;
mod object;
mod search;

pub use abi::MpiAbi;
pub use heartbeat::MpiHeartbeats;
pub use job::{MpiJob, MpiLibrary, StartError};
pub use link::MpiLink;
pub use search::{LibrarySearch, LoadError, ProcessManagement};
