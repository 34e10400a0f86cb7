//! From a finished gradient to new weights: learning rates, preparation, update rules.
//!
//! [`Solver`] is lowered once from Caffe's `SolverParameter`. An iteration is three calls:
//!
//! 1. [`block_sums`] for every run of blocks, if [`Solver::needs_norms`]: workers each sum their share;
//! 2. [`Solver::step`]: everything scalar about the iteration (rate, clipping, factors of each parameter);
//! 3. [`Solver::update`]: one pass over parameters, gradients and history.
//!
//! Workers update disjoint shares of one slab. [`Slots`] says where each parameter and its gradient
//! lie and cuts shares at block borders, so that the same bits come out for any number of workers.
//! No file and no rank is known here.

mod error;
mod norms;
mod prepare;
mod rates;
#[cfg(test)]
mod reference;
mod rules;
mod slots;
mod solver;
mod step;
mod update;

pub use error::SolverError;
pub use norms::{BlockSums, block_sums};
pub use rates::{Rates, Warmup};
pub use rules::{HISTORIES_MAX, RULES, Rule};
pub use slots::{BLOCK, ParamSlot, Run, Slots};
pub use solver::{Extensions, Solver};
pub use step::{Clipped, Step};
pub use update::{NotFinite, Piece, pieces};
