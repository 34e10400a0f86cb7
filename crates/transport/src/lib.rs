//! Bytes between workers: `local` (threads of one process, zero-copy), `mpi` (feature `mpi`).
//!
//! A [`Transport`] posts messages, offers arrived ones to be read where they lie, and waits. A
//! [`Session`] wraps one for the length of a collective and is safe to use:
//!
//! ```text
//!   exchange ── send / recv_reduce / recv_copy / add ──▶ Session ──▶ Transport
//!                                                         │ knows which memory is being sent
//! ```
//!
//! **The rule that makes this crate sound.** Memory handed to [`Transport::post`] is only read, by
//! anyone, until [`Transport::is_taken`] says so for that message or [`Transport::withdraw`] has
//! returned; receivers read it only inside [`Transport::take`]. `Session` holds the buffers for as
//! long as messages are out, refuses every write that would touch a posted range, and withdraws
//! what is left when it ends, by return or by panic. Nothing outside this crate is unsafe.

#![expect(
    unsafe_code,
    reason = "zero-copy reads of other workers' memory, and MPI; the rule is above"
)]

mod add;
mod aligned;
mod error;
mod progress;
mod pulse;
mod session;
mod transport;

pub mod conformance;
pub mod local;
#[cfg(feature = "mpi")]
pub mod mpi;

pub use add::add_assign;
pub use aligned::AlignedBytes;
pub use error::LinkError;
pub use progress::{Busy, Entry, Progress, Waiting};
pub use pulse::Pulse;
pub use session::{Session, session};
pub use transport::{Posted, Stamp, Transport};
