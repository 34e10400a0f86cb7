//! From a finished gradient to new weights: learning rates, preparation, update rules.
//!
//! [`Solver`] is lowered once from Caffe's `SolverParameter`. An iteration is three calls:
//!
//! 1. [`block_sums`] for every [`ParamRange`] if [`Solver::needs_norms`], else [`all_finite`]: each
//!    worker looks at its chunk. If a gradient is not finite, the iteration ends here;
//! 2. [`Solver::step`]: the scalars of the iteration (rate, clipping, factors of each parameter);
//! 3. [`Solver::update`]: one pass over parameters, gradients and history.
//!
//! Workers update disjoint chunks of one slab. [`ParamSlots`] says where each parameter and its
//! gradient lie and ends chunks at block borders, so that the result has the same bits for any
//! number of workers. The solver knows neither files nor ranks.

mod error;
mod finite;
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
pub use finite::{all_finite, block_is_finite};
pub use norms::{BlockSums, block_sums};
pub use rates::LearningRates;
pub use rules::{HISTORIES_MAX, RULES, UpdateRule};
pub use slots::{BLOCK, ParamRange, ParamSlot, ParamSlots};
pub use solver::Solver;
pub use step::{Clipped, UpdateStep};
pub use update::{UpdateGradient, UpdateSlice};
