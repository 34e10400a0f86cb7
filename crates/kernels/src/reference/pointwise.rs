//! Functions of one value.

/// `x` where `x > 0`, else `slope · x`.
#[must_use]
pub fn relu(x: f64, slope: f64) -> f64 {
    if x > 0.0 { x } else { slope * x }
}

/// `1 / (1 + e^-x)`.
#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
