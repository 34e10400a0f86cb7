//! What is done to a gradient before the update rule reads it, in Caffe's order.
//!
//! Mean over replicas, clipping (`ClipGradients`), division by `iter_size` (`Normalize`), weight
//! decay (`Regularize`): three multiplications and at most one multiply and add per value, each
//! rounded to f32, into a buffer of one block that stays in the first-level cache.

/// Weight decay that is added to the gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum WeightDecay {
    /// `g`.
    None,
    /// `g + decay * w`.
    L2(f32),
    /// `g + decay * sign(w)`.
    L1(f32),
}

/// The factors of one iteration and one parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GradientPreparation {
    /// One over the number of replicas.
    pub(crate) scale: f32,
    /// At most 1; 1 when the norm is within bounds.
    pub(crate) clip: f32,
    /// One over `iter_size`.
    pub(crate) normalise: f32,
    pub(crate) decay: WeightDecay,
}

impl GradientPreparation {
    /// Writes the prepared gradient of one block to `prepared`.
    #[inline(always)] // into code compiled for the worker's SIMD level
    pub(crate) fn block(&self, values: &[f32], gradient: &[f32], prepared: &mut [f32]) {
        let Self { scale, clip, normalise, decay } = *self;
        let plain = |g: f32| g * scale * clip * normalise;
        let block = prepared.iter_mut().zip(gradient).zip(values);
        match decay {
            WeightDecay::None => block.for_each(|((p, &g), _)| *p = plain(g)),
            WeightDecay::L2(decay) => block.for_each(|((p, &g), &w)| *p = plain(g) + decay * w),
            WeightDecay::L1(decay) => {
                block.for_each(|((p, &g), &w)| *p = plain(g) + decay * sign(w))
            }
        }
    }
}

/// Caffe's sign: 0 for 0 (and for NaN), where `f32::signum` gives 1.
#[inline(always)]
fn sign(w: f32) -> f32 {
    f32::from(i8::from(w > 0.0) - i8::from(w < 0.0))
}
