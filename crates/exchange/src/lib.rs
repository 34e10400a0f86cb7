//! Runs plans over transports: what training calls to sum gradients between workers and ranks.
//!
//! ```text
//!   values ──▶ Exchange ── which algorithm, which plan ──▶ execute ──▶ Session ──▶ Transport
//!                 └── stamps every collective, so that ranks that disagree are named
//! ```
//!
//! Start at [`Exchange`]; [`execute()`] is the loop that walks a plan's lanes; [`mod@bench`] measures both.

mod exchange;
mod execute;
mod ranks;
mod stamp;

pub mod bench;
pub mod canonical;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod watch;
pub mod wire;

pub use exchange::{Config, Exchange, ExchangeError};
pub use execute::execute;
pub use ranks::spawn_ranks;
