//! Why there is no compression, or why a saved one cannot go on.

use super::{CompressionKind, KeyRange, known};

/// Why there is no compression, or why a saved one cannot go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompressionError {
    /// A name that is not in the table.
    #[error("unknown compression `{name}` (known: {})", known())]
    UnknownName {
        /// What was written.
        name: String,
    },
    /// An option without `=`.
    #[error("compression `{}`: `{written}` is not KEY=VALUE", kind.name)]
    NotAPair {
        /// Whose option.
        kind: &'static CompressionKind,
        /// What was written.
        written: String,
    },
    /// An option that the row does not have.
    #[error("compression `{}` has no key `{key}` ({})", kind.name, keys(kind))]
    UnknownKey {
        /// Whose option.
        kind: &'static CompressionKind,
        /// What was written.
        key: String,
    },
    /// An option that is given more than once.
    #[error("compression `{}`: `{key}` is given twice", kind.name)]
    KeyTwice {
        /// Whose option.
        kind: &'static CompressionKind,
        /// Which.
        key: &'static str,
    },
    /// A value that is not valid.
    #[error("compression `{}`: `{key}={written}`: `{key}` must be {range}", kind.name)]
    Value {
        /// Whose option.
        kind: &'static CompressionKind,
        /// Which.
        key: &'static str,
        /// What was written.
        written: String,
        /// What is valid.
        range: KeyRange,
    },
    /// A momentum with which a correction does not converge.
    #[error(
        "compression `{}` corrects momentum, which must be at least 0 and below 1, not {momentum}",
        kind.name
    )]
    Momentum {
        /// The row.
        kind: &'static CompressionKind,
        /// The solver's momentum.
        momentum: f32,
    },
    /// A bucket whose values cannot be numbered.
    #[error(
        "compression `{}` numbers the values of a bucket in 31 bits, but bucket {bucket} has \
         {values}; use smaller buckets",
        kind.name
    )]
    BucketTooLong {
        /// The row.
        kind: &'static CompressionKind,
        /// Which bucket.
        bucket: usize,
        /// Its length.
        values: usize,
    },
    /// Residuals of another compression.
    #[error("residuals of compression `{found}` do not fit `{expected}`")]
    OtherCompression {
        /// What runs.
        expected: String,
        /// What was saved.
        found: String,
    },
    /// Residuals of another rank or world.
    #[error(
        "residuals of rank {} of {} do not fit rank {} of {}",
        found[0], found[1], expected[0], expected[1]
    )]
    OtherRank {
        /// This rank and world.
        expected: [u64; 2],
        /// Those that were saved.
        found: [u64; 2],
    },
    /// Residuals that lack a vector.
    #[error("residuals of `{compression}` have no {numbers} vector `{name}`")]
    MissingVector {
        /// Whose residuals.
        compression: String,
        /// Which vector.
        name: String,
        /// `f32` or `u64`.
        numbers: &'static str,
    },
    /// A vector of residuals for other params or buckets.
    #[error("residuals of `{compression}`: `{name}` has {found} values, not {expected}")]
    VectorLength {
        /// Whose residuals.
        compression: String,
        /// Which vector.
        name: String,
        /// Values that it should have.
        expected: usize,
        /// Values that it has.
        found: usize,
    },
    /// A vector of residuals with a number that cannot be.
    #[error("residuals of `{compression}`: `{name}` holds {found}, which is not below {limit}")]
    VectorValue {
        /// Whose residuals.
        compression: String,
        /// Which vector.
        name: String,
        /// The number.
        found: u64,
        /// What is valid.
        limit: u64,
    },
}

fn keys(kind: &CompressionKind) -> String {
    if kind.keys.is_empty() {
        return "it has none".to_owned();
    }
    let names: Vec<_> = kind.keys.iter().map(|key| key.name).collect();
    format!("keys: {}", names.join(", "))
}
