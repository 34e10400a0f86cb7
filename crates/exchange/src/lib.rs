//! Runs plans over transports: what training calls to sum gradients between workers and ranks.
//!
//! ```text
//!   values ──▶ Exchange ── which algorithm, which plan ──▶ execute ──▶ Session ──▶ Transport
//!                 └── stamps every collective, so that ranks that disagree are named
//! ```
//!
//! Start at [`Exchange`]. [`wire`] says how elements travel, [`compression`] how to send fewer of
//! them, [`canonical`] is the arithmetic of every sum within a process, [`local_sum`] what workers
//! do with it, [`watch`] detects failed ranks and [`mod@bench`] measures.

mod config;
mod error;
mod exchange;
mod execute;
mod prepared;
mod ranks;
mod stamp;

pub mod bench;
pub mod canonical;
pub mod compression;
pub mod local_sum;
pub mod mpi;
pub mod watch;
pub mod wire;

pub use config::{ByteSegmentation, ExchangeConfig};
pub use error::ExchangeError;
pub use exchange::Exchange;
pub use ranks::spawn_ranks;
