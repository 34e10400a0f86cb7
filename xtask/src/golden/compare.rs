//! How close is close enough.

use anyhow::{Result, bail};

/// The largest difference seen, relative to the larger value or 1.
#[derive(Default)]
pub(crate) struct Closeness {
    pub(crate) worst: f64,
}

impl Closeness {
    /// Compares values one by one; the difference may be `tolerance` times the larger of both or of
    /// 1.
    pub(crate) fn check(
        &mut self,
        what: &str,
        got: &[f32],
        want: &[f32],
        tolerance: f64,
    ) -> Result<()> {
        if got.len() != want.len() {
            bail!("{what}: {} values, recorded {}", got.len(), want.len());
        }
        for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
            let scale = f64::from(got.abs().max(want.abs())).max(1.0);
            let error = f64::from((got - want).abs()) / scale;
            self.worst = self.worst.max(error);
            if got.is_nan() != want.is_nan() || error > tolerance {
                bail!("{what}[{i}] is {got}, recorded {want}");
            }
        }
        Ok(())
    }
}

/// Compares bit for bit.
pub(crate) fn equal_bits(what: &str, got: &[f32], want: &[f32]) -> Result<()> {
    if got.len() != want.len() {
        bail!("{what}: {} values, recorded {}", got.len(), want.len());
    }
    let differs = |(got, want): (&f32, &f32)| got.to_bits() != want.to_bits();
    if let Some(i) = got.iter().zip(want).position(differs) {
        bail!("{what}[{i}] is {:e}, recorded {:e}, and must be equal to the bit", got[i], want[i]);
    }
    Ok(())
}

/// Compares two numbers relatively.
pub(crate) fn relative(what: &str, got: f64, want: f64, tolerance: f64) -> Result<f64> {
    let error = (got - want).abs() / want.abs().max(1e-12);
    if got != want && (error.is_nan() || error > tolerance) {
        bail!("{what} is {got}, recorded {want}");
    }
    Ok(error)
}
