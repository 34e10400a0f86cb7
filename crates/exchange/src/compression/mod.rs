//! Compression: sums gradients over ranks with fewer bytes than their wire format needs.
//!
//! A [`Compressor`] stands between the pool and the [`Exchange`](crate::Exchange). It is told of
//! buckets that are ready and of the end of backward, and runs whatever collectives its row needs:
//!
//! ```text
//!   backward: bucket i is ready ─▶ bucket_ready(i) ─▶ row: encode ─▶ collectives ─▶ decode ─▶ pool
//!                                        └─ compressing does not pay: all-reduce in place
//!   backward has ended ──────────▶ finish() ─▶ row: what is left ─▶ CompressedStep
//!                                                what was applied, bytes sent, entries, times
//!   the update is applied ───────▶ nothing: the next bucket_ready makes the step final
//!   the update is skipped ───────▶ step_skipped(): what was sent counts as unsent
//!   snapshot ────────────────────▶ save(), load(); resume in another world: residual_into()
//! ```
//!
//! What one step does to the values of a rank, with error feedback (all rows but sparse chunks,
//! whose residual decays, and top-k, which accumulates velocity):
//!
//! ```text
//!   gradient g ──(+)──▶ v = g + e ──▶ encode ──▶ c ──▶ sum over ranks of decode(c) ──▶ pool
//!                 ▲                              │
//!                 └── e' = v - decode(c) ◀───────┘        e: the residual, kept by the rank
//! ```
//!
//! | row | sends per bucket of n values | collectives |
//! |---|---|---|
//! | `one-bit` | n bits and 2 values per column, twice | all-to-all-v, all-gather-v |
//! | `power-sgd` | rank · (rows + columns) values per matrix | two all-reduces |
//! | `sparse-chunks` | share · n values | all-reduces that cross buckets |
//! | `threshold` | entries of 4 bytes, of all ranks | all-gather-v |
//! | `top-k` | at most 8/3 · share · n entries, whatever the world | all-to-all-v, all-gather-v |
//!
//! # Promises
//!
//! Every row of [`COMPRESSIONS`] keeps these; the tests loop over the table.
//!
//! - After [`Compressor::finish`] the pool holds the same bits on all ranks: what was summed, and
//!   zeros where nothing was applied.
//! - The same gradients in the same world give the same bits.
//! - A value that is not finite on any rank is not lost: the pool of every rank holds one that is
//!   not, or [`CompressedStep::not_finite`] says so on every rank, or both. If the step is then
//!   skipped, residuals restart from zero where they are not finite.
//! - Lengths and sets are computed from what all ranks know, so all run the same collectives.

mod arithmetic;
mod blocks;
mod compressor;
mod config;
mod decide;
mod error;
mod kind;
mod planned;
mod pool;
mod record;
mod row;
mod setup;
mod state;

mod one_bit;
mod power_sgd;
mod sparse_chunks;
mod threshold;
mod top_k;

#[cfg(test)]
mod tests;

pub use compressor::Compressor;
pub use config::CompressionConfig;
pub use decide::decide;
pub use error::CompressionError;
pub use kind::{CompressionKey, CompressionKind, DecisionUnit, KeyRange, MomentumUse, SentVolume};
pub use planned::{PlannedCollective, StepCall};
pub use pool::{OwnedPool, PoolAccess};
pub use record::{Applied, CompressedStep};
pub use setup::{CompressionSetup, MomentumSetup, PoolLayout, PoolParam};
pub use state::{ResidualState, ResidualValues, ResidualVector};

/// Every compression, by name.
///
/// To add one: write `compression/<name>.rs` with a `KIND`, add a `mod` line above and a row below.
/// The tests then hold it to the promises above.
pub const COMPRESSIONS: &[CompressionKind] =
    &[one_bit::KIND, power_sgd::KIND, sparse_chunks::KIND, threshold::KIND, top_k::KIND];

/// The compression of this name.
pub fn find(name: &str) -> Result<&'static CompressionKind, CompressionError> {
    let found = COMPRESSIONS.iter().find(|kind| kind.name == name);
    found.ok_or_else(|| CompressionError::UnknownName { name: name.to_owned() })
}

/// All names, for messages.
fn known() -> String {
    let names: Vec<_> = COMPRESSIONS.iter().map(|kind| kind.name).collect();
    names.join(", ")
}
