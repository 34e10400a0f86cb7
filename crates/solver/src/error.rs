//! Errors in a solver prototxt.

use crate::RULES;
use crate::rates::POLICIES;

/// Every variant names the field of the solver prototxt and what was expected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// `type` is none of [`RULES`](crate::RULES).
    #[error("`type`: unknown solver `{name}` (known: {})", rules())]
    UnknownRule {
        /// What was written.
        name: String,
    },

    /// `lr_policy` is missing or unknown.
    #[error("`lr_policy`: unknown policy `{name}` (known: {})", POLICIES.join(", "))]
    UnknownPolicy {
        /// What was written; empty when nothing was.
        name: String,
    },

    /// `regularization_type` is unknown, or the rule cannot use it.
    #[error("`regularization_type`: `{name}` does not go with solver `{rule}` (known: {known})")]
    Regularization {
        /// What was written.
        name: String,
        /// The update rule.
        rule: &'static str,
        /// What may be written with this rule.
        known: &'static str,
    },

    /// The rule's history does not contain learning rates.
    #[error(
        "`momentum_correction` does not go with solver `{rule}`, whose history contains no rates \
         (known: {})",
        corrected()
    )]
    MomentumCorrection {
        /// The update rule.
        rule: &'static str,
    },

    /// A number is outside what its field allows.
    #[error("`{field}` is {got}, expected {want}{}", of(.needed_by))]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// What was written.
        got: f64,
        /// What is allowed.
        want: &'static str,
        /// The policy or rule that needs it; empty when every solver does.
        needed_by: &'static str,
    },
}

fn rules() -> String {
    RULES.iter().map(|rule| rule.name).collect::<Vec<_>>().join(", ")
}

fn corrected() -> String {
    let rules = RULES.iter().filter(|rule| rule.history_has_rate);
    rules.map(|rule| rule.name).collect::<Vec<_>>().join(", ")
}

fn of(needed_by: &str) -> String {
    if needed_by.is_empty() { String::new() } else { format!(" by `{needed_by}`") }
}

/// `Ok` when `holds`; otherwise says what `field` should have been.
pub(crate) fn expect(
    holds: bool,
    field: &'static str,
    got: impl Into<f64>,
    want: &'static str,
    needed_by: &'static str,
) -> Result<(), SolverError> {
    let got = got.into();
    if holds { Ok(()) } else { Err(SolverError::OutOfRange { field, got, want, needed_by }) }
}
