//! Why a job cannot compress its gradients.

use exchange::bench::compression::CompressionBenchError;
use exchange::compression::{COMPRESSIONS, CompressionError, MomentumUse};

/// Why a job cannot compress its gradients as asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompressionProblem {
    /// Nothing is sent.
    #[error(
        "`--compression` needs messages: start several ranks (`mpirun`), or several `--workers` \
         with a named `--allreduce` such as `ring`"
    )]
    Nowhere,

    /// An update rule whose momentum cannot be corrected.
    #[error(
        "compression `{compression}` changes what momentum means and works with `type: {}` only, \
         not with {rule}",
        known.join(", ")
    )]
    Rule {
        /// Its name.
        compression: &'static str,
        /// The solver's rule.
        rule: &'static str,
        /// Rules that it works with.
        known: &'static [&'static str],
    },

    /// Momentum that the solver would correct for another rate is not in its history alone.
    #[error(
        "compression `{compression}` changes what momentum means and does not work with \
         `momentum_correction`: remove that from the solver, or use a compression that leaves \
         momentum to the rule ({})",
        leave_momentum_to_the_rule()
    )]
    MomentumCorrection {
        /// Its name.
        compression: &'static str,
    },

    /// The compression does not fit the net or the solver.
    #[error(transparent)]
    Unfit(#[from] CompressionError),

    /// Where compressing pays could not be measured.
    #[error("cannot measure where compressing pays (`--compression-always` does without)")]
    Measure(#[from] CompressionBenchError),
}

fn leave_momentum_to_the_rule() -> String {
    let rows = COMPRESSIONS.iter().filter(|kind| kind.momentum == MomentumUse::Rule);
    rows.map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}
