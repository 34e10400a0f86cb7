//! Fillers: how a blob gets its first values. Caffe's `filler.hpp`, draw for draw.
//!
//! | type | values |
//! |---|---|
//! | `constant` | `value` |
//! | `uniform` | from `min` to `max` |
//! | `gaussian` | `mean`, `std`; with `sparse: s`, each is kept with probability `s / outputs` |
//! | `positive_unitball` | uniform from 0 to 1, then each output's values are divided by their sum |
//! | `xavier` | uniform within `±sqrt(3 / n)` |
//! | `msra` | gaussian with `std = sqrt(2 / n)` |
//! | `bilinear` | the interpolation kernel for a square Deconvolution, without chance |
//!
//! `n` is the fan-in (values an output), the fan-out or their mean, as `variance_norm` says. Seed
//! for seed equality needs Caffe's own arithmetic: f32, values in memory order, sums from the left.

use base::{Shape, random::Mt19937};
use caffe_format::{FillerParameter, FillerParameterVarianceNorm};

/// Types of fillers, for the error that lists them.
const TYPES: [&str; 7] =
    ["bilinear", "constant", "gaussian", "msra", "positive_unitball", "uniform", "xavier"];

/// Why a blob cannot be filled as written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FillerError {
    /// No such type.
    #[error("unknown filler type `{name}` (known types: {})", TYPES.join(", "))]
    UnknownType {
        /// What was written.
        name: String,
    },
    /// There is nothing to fill.
    #[error("filler `{filler}` on an empty blob of shape {shape}")]
    EmptyBlob {
        /// The filler.
        filler: &'static str,
        /// The blob.
        shape: Shape,
    },
    /// The blob has no outputs to count values by.
    #[error("filler `{filler}` needs a blob with axes, not a single value")]
    NoAxes {
        /// The filler.
        filler: &'static str,
    },
    /// `sparse` belongs to `gaussian`.
    #[error("filler `{filler}` cannot be sparse; `sparse` goes with `gaussian`")]
    Sparse {
        /// The filler.
        filler: &'static str,
    },
    /// `sparse` is negative, or larger than the number of outputs.
    #[error("filler `gaussian` with `sparse: {sparse}` on a blob with {outputs} outputs")]
    SparseRange {
        /// What was written.
        sparse: i32,
        /// Size of the first axis.
        outputs: usize,
    },
    /// `min <= max` does not hold, or one is not a number.
    #[error("filler `uniform` from {min} to {max}")]
    Bounds {
        /// Lower bound.
        min: f32,
        /// Upper bound.
        max: f32,
    },
    /// The standard deviation must be positive.
    #[error("filler `gaussian` with `std: {std}`, which must be above 0")]
    Std {
        /// What was written.
        std: f32,
    },
    /// Bilinear kernels are four-dimensional and square.
    #[error("filler `bilinear` needs a (n, c, k, k) blob, not {shape}")]
    NotSquare {
        /// The blob.
        shape: Shape,
    },
}

/// Fills `values`, a blob of `shape`, drawing from `rng` exactly what Caffe draws.
///
/// # Panics
///
/// If `values` is not as long as `shape` says: both come from the same layer.
pub fn fill(
    filler: &FillerParameter,
    shape: &Shape,
    rng: &mut Mt19937,
    values: &mut [f32],
) -> Result<(), FillerError> {
    assert_eq!(values.len(), shape.count(), "a blob has as many values as its shape says");
    let name = find(filler.type_())?;
    if name != "gaussian" && filler.sparse() != -1 {
        return Err(FillerError::Sparse { filler: name });
    }
    if values.is_empty() {
        return Err(FillerError::EmptyBlob { filler: name, shape: shape.clone() });
    }
    match name {
        "constant" => values.fill(filler.value()),
        "uniform" => uniform(filler.min(), filler.max(), rng, values)?,
        "gaussian" => gaussian(filler, shape, rng, values)?,
        "positive_unitball" => positive_unitball(outputs(name, shape)?, rng, values),
        "xavier" => {
            let bound = (3.0 / fan(name, filler, shape)?).sqrt();
            rng.fill_uniform(-bound, bound, values);
        }
        "msra" => rng.fill_gaussian(0.0, (2.0 / fan(name, filler, shape)?).sqrt(), values),
        _ => bilinear(shape, values)?,
    }
    Ok(())
}

/// The type of that name, or the error that lists all.
pub(crate) fn find(name: &str) -> Result<&'static str, FillerError> {
    TYPES
        .into_iter()
        .find(|known| *known == name)
        .ok_or_else(|| FillerError::UnknownType { name: name.to_owned() })
}

fn uniform(min: f32, max: f32, rng: &mut Mt19937, values: &mut [f32]) -> Result<(), FillerError> {
    if !(min.is_finite() && max.is_finite() && min <= max) {
        return Err(FillerError::Bounds { min, max });
    }
    rng.fill_uniform(min, max, values);
    Ok(())
}

fn gaussian(
    filler: &FillerParameter,
    shape: &Shape,
    rng: &mut Mt19937,
    values: &mut [f32],
) -> Result<(), FillerError> {
    let (std, sparse) = (filler.std(), filler.sparse());
    if std.is_nan() || std <= 0.0 {
        return Err(FillerError::Std { std });
    }
    let keep = if sparse == -1 {
        None
    } else {
        let outputs = outputs("gaussian", shape)?;
        usize::try_from(sparse)
            .ok()
            .filter(|&sparse| sparse <= outputs)
            .ok_or(FillerError::SparseRange { sparse, outputs })?;
        Some(sparse as f32 / outputs as f32)
    };
    rng.fill_gaussian(filler.mean(), std, values);
    if let Some(keep) = keep {
        for value in values {
            // A product, as in Caffe: what is dropped keeps its sign on the zero.
            *value *= if rng.bernoulli_f32(keep) { 1.0 } else { 0.0 };
        }
    }
    Ok(())
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

/// Size of the first axis; not 0, since the blob is not empty.
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

/// `(1 - |x / f - c|) (1 - |y / f - c|)` over a `k` by `k` kernel, `f = ceil(k / 2)`.
fn bilinear(shape: &Shape, values: &mut [f32]) -> Result<(), FillerError> {
    let side = match shape.nchw() {
        Some([_, _, h, w]) if h == w => w,
        _ => return Err(FillerError::NotSquare { shape: shape.clone() }),
    };
    let half = side.div_ceil(2) as f32;
    #[expect(clippy::cast_possible_truncation, reason = "Caffe divides in double, stores a float")]
    let centre = ((side - 1) as f64 / (2.0 * f64::from(half))) as f32;
    let weight = |i: usize| 1.0 - (i as f32 / half - centre).abs();
    for (i, value) in values.iter_mut().enumerate() {
        *value = weight(i % side) * weight(i / side % side);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
