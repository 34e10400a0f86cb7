//! Caffe's random numbers, to the bit: the generator and distributions of boost 1.74.
//!
//! Whoever draws in Caffe's order from [`Mt19937::new`] with Caffe's seed gets Caffe's weights,
//! crops and dropout masks. Each distribution lives in a file of its own as methods of the
//! generator; none keeps anything between calls, as Caffe makes them anew for every blob. All
//! arithmetic is in the type that Caffe's template has (f32 unless stated), since rounding decides
//! which draws are rejected.
//!
//! Cost: one word per uniform value, about 1.03 per normal value. There is no bulk path; set-up
//! draws millions of values in well under a second.

mod bernoulli;
mod exponential;
mod gaussian;
mod integer;
mod mt19937;
mod tables;
mod uniform;

#[cfg(test)]
mod tests;

pub use mt19937::{Mt19937, STATE_BYTES, StateError};
