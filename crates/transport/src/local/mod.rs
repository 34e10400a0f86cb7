//! Workers as threads of one process. A message is a pointer: the receiver reads the sender's
//! memory.
//!
//! ```text
//!   worker 0                        worker 1
//!   post ──▶ channel (0 → 1, lane) ──▶ take: reader(bytes)      no copy, no lock
//!        ◀── taken count ◀──────────────┘
//!                     wake-up: signals that something changed; waiting spins a little, then parks
//! ```
//!
//! A worker that panics poisons its group; one that leaves is missed by those who wait for it. Both
//! are named in the others' errors.

mod channel;
mod group;
mod lent;
mod link;
mod wake_up;

pub use link::{LocalLink, mesh};

#[cfg(test)]
mod tests;
