//! `firecaffe solver scale`: a solver and its net for another global batch, at the same number of
//! epochs.
//!
//! | field | linear rule | LARS |
//! |---|---|---|
//! | `batch_size` of the train net's data layers | times k | times k |
//! | `base_lr` | times k | 4 √(batch / 256) |
//! | `max_iter`, step sizes, `test_interval`, `snapshot`, `display` | divided by k | the same |
//! | `gamma` of `inv` and `sigmoid`; of `exp` | times k; to the power of k | policy `poly`, power 2 |
//! | `warmup_iter`, if k > 1 | 5 % of the iterations, from the old rate | the same, from 0 |
//! | `decay_mult` of biases and of normalisation layers | 0 | 0 |
//!
//! k is the new global batch over the old one. The linear rule and the warm-up follow Goyal et al.
//! (2017), LARS follows You, Gitman and Ginsburg (2017); its rate is a fit to their rates for
//! ResNet-50 (4 at batch 256, 9 at 1,024, 30 at 8,192). Files keep their order and comments.

use caffe_format::text::{Outline, TextEdits};
use caffe_format::{NetParameter, SolverParameter};

mod net;
mod solver;

#[cfg(test)]
mod tests;

/// How the learning rate follows the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalingRule {
    /// The rate grows with the batch.
    Linear,
    /// `type: "LARS"`, for batches beyond a few thousand.
    Lars,
}

base::names!(pub ScalingRule { Linear = "linear", Lars = "lars" });

/// What to scale, as written and as parsed.
#[derive(Debug, Clone, Copy)]
pub struct ScalingInput<'a> {
    /// The solver's text.
    pub solver_text: &'a str,
    /// The solver's message, upgraded.
    pub solver: &'a SolverParameter,
    /// The train net's text.
    pub net_text: &'a str,
    /// The train net's message, upgraded.
    pub net: &'a NetParameter,
}

/// A scaled solver and net, as texts.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaledSolver {
    /// The solver, naming the net as `net_name`.
    pub solver: String,
    /// The net.
    pub net: String,
    /// The global batch that the input was for.
    pub old_batch: u64,
}

/// Why a solver cannot be scaled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScalingError {
    /// No data layer of the train phase has a batch size.
    #[error("no data layer of the TRAIN phase has a `batch_size` to scale")]
    NoBatchSize,
    /// Data layers disagree.
    #[error("data layers of the TRAIN phase have different batch sizes: {first} and {other}")]
    BatchSizes {
        /// Of the first data layer.
        first: u64,
        /// Of another one.
        other: u64,
    },
    /// The batch cannot be divided into `iter_size` batches.
    #[error("batch {batch} cannot be divided into `iter_size` {iter_size} equal batches")]
    IterSize {
        /// The global batch asked for.
        batch: u64,
        /// The solver's `iter_size`.
        iter_size: u64,
    },
    /// V1 layers or inputs of an older format.
    #[error("the {what} is in an older format; run `firecaffe model upgrade` first")]
    Old {
        /// Net or solver.
        what: &'static str,
    },
    /// Only solvers of which LARS is an extension.
    #[error("rule `lars` replaces SGD; this solver's type is `{kind}`")]
    NotSgd {
        /// The solver's type.
        kind: String,
    },
    /// A net inside the solver.
    #[error("the net is inside the solver; move it to a file that `net` names")]
    InlineNet,
}

/// Scales `input` to the global batch `batch`; the written solver names its net `net_name`.
pub fn scale_solver(
    input: ScalingInput<'_>,
    batch: u64,
    rule: ScalingRule,
    net_name: &str,
) -> Result<ScaledSolver, ScalingError> {
    let iter_size = u64::try_from(input.solver.iter_size()).unwrap_or(1).max(1);
    if !batch.is_multiple_of(iter_size) {
        return Err(ScalingError::IterSize { batch, iter_size });
    }
    let net_outline = Outline::of_file(input.net_text);
    let solver_outline = Outline::of_file(input.solver_text);
    let old_batch = net::batch_size(input.net)? * iter_size;
    let mut net_edits = TextEdits::new(input.net_text);
    net::scale(input.net, &net_outline, &mut net_edits, batch / iter_size)?;
    let mut solver_edits = TextEdits::new(input.solver_text);
    let scaling = solver::SolverScaling {
        solver: input.solver,
        outline: &solver_outline,
        factor: batch as f64 / old_batch as f64,
        batch,
    };
    scaling.apply(rule, net_name, &mut solver_edits)?;
    Ok(ScaledSolver { solver: solver_edits.finish(), net: net_edits.finish(), old_batch })
}
