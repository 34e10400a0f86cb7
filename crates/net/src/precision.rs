//! Mixed precision: which blobs are in half precision.
//!
//! Mixed precision is defined by rounding. Params are rounded for forward and backward; a blob in
//! half precision, data and diff, is rounded by the layer that writes it; what happens inside a
//! layer is f32. So such a blob is stored in 16 bits and loses nothing by it.
//!
//! A blob is in half precision once something learned takes part in it: it is a top of a layer that
//! has params, or that has a bottom in half precision with a gradient. What comes from data layers
//! (images, labels, regions) stays f32, and so do losses, probabilities, indices and statistics
//! ([`TopPrecision`]). The rule looks at the net as written, before any layer is fused or memory is
//! shared, and not at what backward needs: train net and test net, plain and fused, round the same
//! values.

use kernels::{Cpu, HalfFormat, Unary, half};
use layers::TopPrecision;
use serde::{Deserialize, Serialize};

use crate::ids::{BlobId, IdVec};
use crate::shapes::{BuiltLayer, ShapedBlob, ShapedLayer};

/// What blobs and the copies of params that layers compute with are rounded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Precision {
    /// Nothing is rounded.
    #[default]
    F32,
    /// bf16: the range of f32, 8 significant bits.
    MixedBf16,
    /// f16: 11 significant bits up to 65504; gradients need a loss scale.
    MixedF16,
}

base::names!(pub Precision {
    F32 = "f32", MixedBf16 = "mixed-bf16", MixedF16 = "mixed-f16",
});

impl Precision {
    /// What values are rounded to; `None` in f32.
    #[must_use]
    pub fn half(self) -> Option<HalfFormat> {
        match self {
            Self::F32 => None,
            Self::MixedBf16 => Some(HalfFormat::Bf16),
            Self::MixedF16 => Some(HalfFormat::F16),
        }
    }

    /// Whether gradients may overflow or vanish in it, so that the loss needs a scale.
    #[must_use]
    pub fn is_narrow(self) -> bool {
        self.half() == Some(HalfFormat::F16)
    }

    /// The params that layers compute with: `params`, rounded.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn round_params(self, cpu: &Cpu, params: &[f32], rounded: &mut [f32]) {
        match self.half() {
            None => rounded.copy_from_slice(params),
            Some(format) => half::round(cpu, format, Unary::OutOfPlace { x: params, y: rounded }),
        }
    }
}

/// For each blob the format that it is in; `None` for f32.
pub(crate) fn formats(
    layers: &[ShapedLayer],
    blobs: &IdVec<BlobId, ShapedBlob>,
    precision: Precision,
) -> IdVec<BlobId, Option<HalfFormat>> {
    let mut formats = IdVec::like(blobs, None);
    let Some(format) = precision.half() else { return formats };
    // A layer in place decides about the blob for its earlier writers and readers too.
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for ShapedLayer { built: layer, .. } in layers {
            for (index, &top) in layer.tops.iter().enumerate() {
                if formats[top].is_none() && rounds(layer, index, &formats) {
                    (formats[top], changed) = (Some(format), true);
                }
            }
        }
    }
    formats
}

/// Whether the layer rounds its top at `index`.
fn rounds(layer: &BuiltLayer, index: usize, formats: &IdVec<BlobId, Option<HalfFormat>>) -> bool {
    let half = |bottom: usize| layer.bottoms.get(bottom).is_some_and(|&b| formats[b].is_some());
    if layer.traits.tops.is_bottom_data() {
        return half(0); // the same memory
    }
    let gradients = layer.traits.gradient_bottoms;
    let learned = !layer.decls.is_empty()
        || (0..layer.bottoms.len()).any(|bottom| gradients.contains(bottom) && half(bottom));
    let exact = layer.kind.loss || layer.loss_weights[index] != 0.0;
    match layer.traits.top_precision {
        _ if exact => false,
        TopPrecision::Half => learned,
        TopPrecision::FirstHalf => learned && index == 0,
        TopPrecision::LikeBottom => half(index),
        TopPrecision::Full => false,
    }
}

#[cfg(test)]
mod tests;
