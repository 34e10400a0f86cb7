//! Numbers of a cluster file, and which of them are allowed.

use super::ProblemList;
use toml::Spanned;
use toml::de::DeValue;

/// What a number may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cluster) enum NumberRange {
    /// Above 0.
    Positive,
    /// 0 or more.
    NotNegative,
    /// 1 or more.
    AtLeastOne,
}

impl NumberRange {
    fn allows(self, value: f64) -> bool {
        match self {
            Self::Positive => value > 0.0,
            Self::NotNegative => value >= 0.0,
            Self::AtLeastOne => value >= 1.0,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Positive => "a number above 0",
            Self::NotNegative => "0 or more",
            Self::AtLeastOne => "1 or more",
        }
    }
}

/// The number that `value` is, if `range` allows it.
pub(super) fn number_of(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    range: NumberRange,
    list: &mut ProblemList<'_>,
) -> f64 {
    let want = range.words();
    match plain(value.get_ref()) {
        Some(number) if number.is_finite() && range.allows(number) => number,
        Some(number) => {
            list.add(&value.span(), format!("`{key}` is {number}"), format!("write {want}"));
            1.0
        }
        None => {
            list.add(&value.span(), format!("`{key}` is not a number"), format!("write {want}"));
            1.0
        }
    }
}

/// The number that a value is.
pub(super) fn plain(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(written) => {
            let number = i64::from_str_radix(written.as_str(), written.radix()).ok()?;
            Some(number as f64)
        }
        DeValue::Float(written) => written.as_str().parse().ok(),
        _ => None,
    }
}
