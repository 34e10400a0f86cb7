//! Why a job cannot compress its gradients.

use exchange::bench::compression::CompressionBenchError;
use exchange::compression::CompressionError;

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

    /// The compression does not fit the net or the solver.
    #[error(transparent)]
    Unfit(#[from] CompressionError),

    /// Where compressing pays could not be measured.
    #[error("cannot measure where compressing pays (`--compression-always` does without)")]
    Measure(#[from] CompressionBenchError),
}
