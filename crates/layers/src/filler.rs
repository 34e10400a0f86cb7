//! Fillers: the initial values of a blob. Draws the same random numbers as Caffe's `filler.hpp`.
//!
//! | type | values |
//! |---|---|
//! | `constant` | `value` |
//! | `uniform` | from `min` to `max` |
//! | `gaussian` | `mean`, `std`; with `sparse: s`, each is kept with probability `s / outputs` |
//! | `positive_unitball` | uniform from 0 to 1, then each output's values are divided by their sum |
//! | `xavier` | uniform within `±sqrt(3 / n)` |
//! | `msra` | gaussian with `std = sqrt(2 / n)` |
//! | `bilinear` | the interpolation kernel of a square Deconvolution; draws nothing |
//!
//! `n` is the fan-in (values per output), the fan-out or their mean, as `variance_norm` says. To
//! get Caffe's values for Caffe's seed, the arithmetic is Caffe's too: f32, values in memory order,
//! sums from the left.

use base::{Shape, random::Mt19937};
use caffe_format::{FillerParameter, FillerParameterVarianceNorm};

/// All types, for the error that lists them.
const TYPES: [&str; 7] =
    ["bilinear", "constant", "gaussian", "msra", "positive_unitball", "uniform", "xavier"];

/// Why a blob cannot be filled as written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FillerError {
    /// The type is unknown.
    #[error("unknown filler type `{name}` (known types: {})", TYPES.join(", "))]
    UnknownType {
        /// The type as written.
        name: String,
    },
    /// The blob has no values.
    #[error("filler `{filler}` on an empty blob of shape {shape}")]
    EmptyBlob {
        /// Its type.
        filler: &'static str,
        /// Shape of the blob to fill.
        shape: Shape,
    },
    /// The filler needs a number of outputs, but the blob is a scalar.
    #[error("filler `{filler}` needs a blob with axes, not a scalar")]
    NoAxes {
        /// Its type.
        filler: &'static str,
    },
    /// Only `gaussian` can be sparse.
    #[error("filler `{filler}` cannot be sparse; `sparse` goes with `gaussian`")]
    Sparse {
        /// Its type.
        filler: &'static str,
    },
    /// `sparse` is negative, or larger than the number of outputs.
    #[error("filler `gaussian` with `sparse: {sparse}` on a blob with {outputs} outputs")]
    SparseRange {
        /// The value as written.
        sparse: i32,
        /// Size of the first axis.
        outputs: usize,
    },
    /// `min <= max` does not hold, or one of them is not finite.
    #[error("filler `uniform` from {min} to {max}")]
    Bounds {
        /// The lower bound as written.
        min: f32,
        /// The upper bound as written.
        max: f32,
    },
    /// The standard deviation must be positive.
    #[error("filler `gaussian` with `std: {std}`, which must be above 0")]
    Std {
        /// The value as written.
        std: f32,
    },
    /// Bilinear kernels are four-dimensional and square.
    #[error("filler `bilinear` needs a (n, c, k, k) blob, not {shape}")]
    NotSquare {
        /// Shape of the blob to fill.
        shape: Shape,
    },
}

/// Whether a blob of `shape` can be filled as written; the filler's type.
pub fn check_filler(filler: &FillerParameter, shape: &Shape) -> Result<&'static str, FillerError> {
    let name = find(filler.type_())?;
    if name != "gaussian" && filler.sparse() != -1 {
        return Err(FillerError::Sparse { filler: name });
    }
    if shape.count() == 0 {
        return Err(FillerError::EmptyBlob { filler: name, shape: shape.clone() });
    }
    match name {
        "uniform" => check_bounds(filler.min(), filler.max())?,
        "gaussian" => check_gaussian(filler, shape)?,
        "positive_unitball" | "xavier" | "msra" => {
            outputs(name, shape)?;
        }
        "bilinear" => {
            kernel_side(shape)?;
        }
        _ => {}
    }
    Ok(name)
}

/// Fills `values`, a blob of `shape`, drawing from `rng` what Caffe draws.
///
/// # Panics
///
/// If `values` does not have `shape.count()` values: both come from the same layer.
pub fn fill(
    filler: &FillerParameter,
    shape: &Shape,
    rng: &mut Mt19937,
    values: &mut [f32],
) -> Result<(), FillerError> {
    assert_eq!(values.len(), shape.count(), "values and shape belong to one blob");
    match check_filler(filler, shape)? {
        "constant" => values.fill(filler.value()),
        "uniform" => rng.fill_uniform(filler.min(), filler.max(), values),
        "gaussian" => gaussian(filler, outputs("gaussian", shape).unwrap_or(1), rng, values),
        name @ "positive_unitball" => positive_unitball(outputs(name, shape)?, rng, values),
        name @ "xavier" => {
            let bound = (3.0 / fan(name, filler, shape)?).sqrt();
            rng.fill_uniform(-bound, bound, values);
        }
        name @ "msra" => rng.fill_gaussian(0.0, (2.0 / fan(name, filler, shape)?).sqrt(), values),
        _ => bilinear(kernel_side(shape)?, values),
    }
    Ok(())
}

/// The type of that name, or an error that lists all types.
fn find(name: &str) -> Result<&'static str, FillerError> {
    TYPES
        .into_iter()
        .find(|known| *known == name)
        .ok_or_else(|| FillerError::UnknownType { name: name.to_owned() })
}

fn check_bounds(min: f32, max: f32) -> Result<(), FillerError> {
    let valid = min.is_finite() && max.is_finite() && min <= max;
    if valid { Ok(()) } else { Err(FillerError::Bounds { min, max }) }
}

fn check_gaussian(filler: &FillerParameter, shape: &Shape) -> Result<(), FillerError> {
    let (std, sparse) = (filler.std(), filler.sparse());
    if std.is_nan() || std <= 0.0 {
        return Err(FillerError::Std { std });
    }
    if sparse == -1 {
        return Ok(());
    }
    let outputs = outputs("gaussian", shape)?;
    match usize::try_from(sparse) {
        Ok(sparse) if sparse <= outputs => Ok(()),
        _ => Err(FillerError::SparseRange { sparse, outputs }),
    }
}

/// `outputs` matters only where the filler is sparse.
fn gaussian(filler: &FillerParameter, outputs: usize, rng: &mut Mt19937, values: &mut [f32]) {
    rng.fill_gaussian(filler.mean(), filler.std(), values);
    if filler.sparse() == -1 {
        return;
    }
    let keep = filler.sparse() as f32 / outputs as f32;
    for value in values {
        // A product, as in Caffe: a dropped value becomes a zero of the same sign.
        *value *= if rng.bernoulli_f32(keep) { 1.0 } else { 0.0 };
    }
}

fn positive_unitball(outputs: usize, rng: &mut Mt19937, values: &mut [f32]) {
    rng.fill_uniform(0.0, 1.0, values);
    for row in values.chunks_exact_mut(values.len() / outputs) {
        let mut sum = 0.0;
        for value in row.iter() {
            sum += value;
        }
        for value in row {
            *value /= sum;
        }
    }
}

/// Size of the first axis; at least 1, since the blob is not empty.
fn outputs(filler: &'static str, shape: &Shape) -> Result<usize, FillerError> {
    shape.dims().first().copied().ok_or(FillerError::NoAxes { filler })
}

/// The `n` that `variance_norm` asks for.
fn fan(name: &'static str, filler: &FillerParameter, shape: &Shape) -> Result<f32, FillerError> {
    let count = shape.count();
    let fan_in = count / outputs(name, shape)?;
    let fan_out = shape.dims().get(1).map_or(count, |inputs| count / inputs);
    Ok(match filler.variance_norm() {
        FillerParameterVarianceNorm::FanIn => fan_in as f32,
        FillerParameterVarianceNorm::FanOut => fan_out as f32,
        FillerParameterVarianceNorm::Average => (fan_in + fan_out) as f32 / 2.0,
    })
}

/// The `k` of a (n, c, k, k) blob.
fn kernel_side(shape: &Shape) -> Result<usize, FillerError> {
    match shape.nchw() {
        Some([_, _, h, w]) if h == w => Ok(w),
        _ => Err(FillerError::NotSquare { shape: shape.clone() }),
    }
}

/// `(1 - |x / f - c|) (1 - |y / f - c|)` over a `k` by `k` kernel, `f = ceil(k / 2)`.
fn bilinear(side: usize, values: &mut [f32]) {
    let half = side.div_ceil(2) as f32;
    #[expect(clippy::cast_possible_truncation, reason = "Caffe divides in double, stores a float")]
    let centre = ((side - 1) as f64 / (2.0 * f64::from(half))) as f32;
    let weight = |i: usize| 1.0 - (i as f32 / half - centre).abs();
    for (i, value) in values.iter_mut().enumerate() {
        *value = weight(i % side) * weight(i / side % side);
    }
}

#[cfg(test)]
mod tests;
