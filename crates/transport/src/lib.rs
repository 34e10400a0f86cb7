//! Bytes between workers: `local` (threads of one process, zero-copy), `mpi` (ranks).
//!
//! A [`Transport`] posts messages, offers arrived ones to be read where they lie, and waits. It
//! knows neither element types nor algorithms. A [`Session`] wraps one for the length of a
//! collective and is safe to use:
//!
//! ```text
//!   exchange ── send / recv_reduce / recv_copy / add ──▶ Session ──▶ Transport
//!                                                         │ knows which memory is being sent
//! ```
//!
//! What a transport can do beyond messages is a capability that it may have: [`SharedMemory`]
//! between threads, [`LibrarySum`] over MPI. Who uses it, and for which algorithm, is `exchange`'s
//! decision.
//!
//! **The rule that makes this crate sound.** Memory handed to [`Transport::post`] is only read, by
//! anyone, until [`Transport::is_taken`] says so for that message or [`Transport::withdraw`] has
//! returned; receivers read it only inside [`Transport::take`]. `Session` holds the buffers for as
//! long as messages are out, refuses every write that would touch a posted range, and withdraws
//! what is left when it ends, by return or by panic. Lent buffers ([`SharedMemory`]) are touched
//! only between two barriers, each chunk by one rank. Users of `Session` need no `unsafe`.

#![expect(
    unsafe_code,
    reason = "zero-copy reads of other workers' memory, and MPI; the rule is above"
)]

mod aligned;
mod error;
mod heartbeat;
mod progress;
mod session;
mod stretch;
mod transport;

pub mod conformance;
pub mod local;
pub mod mpi;

pub use aligned::AlignedBytes;
pub use error::LinkError;
pub use heartbeat::HeartbeatChannel;
pub use progress::{BegunCollective, Busy, RankProgress, Waiting};
pub use session::{AddBytes, Session, session};
pub use stretch::{StretchedLink, StretchedWork, WorkStretch};
pub use transport::{LibraryDatatype, LibrarySum, Posted, SharedMemory, Stamp, Transport};

/// Lanes of every transport, from 0 on.
pub const LANES_MAX: usize = 64;
