//! Which blobs of a model go where in a net: `--weights`, and the model of a resumed run.
//!
//! As Caffe's `CopyTrainedLayersFrom`: layers meet by name. A layer that the net does not have is
//! ignored, one that both have must agree in number and shapes of blobs. A layer that the model
//! does not have keeps what it has.

use base::Shape;
use caffe_format::{BlobError, BlobProto, NetParameter};

/// A layer of the net that is to receive weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetLayer {
    /// Its name.
    pub name: String,
    /// Its blobs, in order.
    pub blobs: Vec<TargetBlob>,
}

/// A blob of the net that is to receive weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetBlob {
    /// Its shape.
    pub shape: Shape,
    /// Whether it belongs to an earlier layer (`param { name }`): HDF5 models leave such blobs out.
    pub shared: bool,
}

/// What to copy, in the order of the model's layers, and what was ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopyPlan {
    /// The copies; get values with [`BlobCopy::blob`] and [`BlobProto::values`].
    pub copies: Vec<BlobCopy>,
    /// Names of layers that the net does not have.
    pub ignored: Vec<String>,
}

/// One blob to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobCopy {
    /// Index of the layer among the targets.
    pub target: usize,
    /// Index of the layer in the model.
    pub source: usize,
    /// Index of the blob in both layers.
    pub blob: usize,
}

/// Why a model does not fit a net.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// Numbers of blobs differ.
    #[error("layer `{layer}`: the model has {got} blobs, the net {want} ({REMEDY})")]
    BlobCount {
        /// The layer.
        layer: String,
        /// Blobs in the model.
        got: usize,
        /// Blobs in the net.
        want: usize,
    },
    /// Shapes differ.
    #[error("layer `{layer}`, blob {blob}: the model has shape {got}, the net {want} ({REMEDY})")]
    Shape {
        /// The layer.
        layer: String,
        /// Which blob.
        blob: usize,
        /// In the model.
        got: Shape,
        /// In the net.
        want: Shape,
    },
    /// The blob itself is wrong.
    #[error("layer `{layer}`, blob {blob} of the model")]
    Blob {
        /// The layer.
        layer: String,
        /// Which blob.
        blob: usize,
        /// The cause.
        source: BlobError,
    },
}

const REMEDY: &str = "to learn the layer anew, rename it in the net";

/// Plans the copying of `model` into `targets`. Nothing is copied unless all of it can be.
pub fn match_layers(
    targets: &[TargetLayer],
    model: &NetParameter,
) -> Result<CopyPlan, WeightsError> {
    let mut plan = CopyPlan::default();
    for (source, layer) in model.layer.iter().enumerate() {
        let name = layer.name();
        let Some(target) = targets.iter().position(|target| target.name == name) else {
            plan.ignored.push(name.to_owned());
            continue;
        };
        let blobs = &targets[target].blobs;
        let left_out = blobs.get(layer.blobs.len()..);
        if left_out.is_none_or(|blobs| blobs.iter().any(|blob| !blob.shared)) {
            let (layer, got) = (name.to_owned(), layer.blobs.len());
            return Err(WeightsError::BlobCount { layer, got, want: blobs.len() });
        }
        for (blob, (have, want)) in layer.blobs.iter().zip(blobs).enumerate() {
            if want.shared && is_absent(have) {
                continue;
            }
            check(name, blob, have, &want.shape)?;
            plan.copies.push(BlobCopy { target, source, blob });
        }
    }
    Ok(plan)
}

impl BlobCopy {
    /// The blob to copy from.
    #[must_use]
    pub fn blob<'a>(&self, model: &'a NetParameter) -> &'a BlobProto {
        &model.layer[self.source].blobs[self.blob]
    }
}

/// How a blob is marked that an HDF5 model leaves out.
pub(crate) fn is_absent(blob: &BlobProto) -> bool {
    *blob == BlobProto::default()
}

fn check(name: &str, blob: usize, have: &BlobProto, want: &Shape) -> Result<(), WeightsError> {
    let wrong = |source| WeightsError::Blob { layer: name.to_owned(), blob, source };
    let got = have.dims().map_err(wrong)?;
    if !have.fits(want.dims()) {
        let got = Shape::new(&got).expect("a blob's dims are within a shape's limits");
        let (layer, want) = (name.to_owned(), want.clone());
        return Err(WeightsError::Shape { layer, blob, got, want });
    }
    have.values().map(drop).map_err(wrong)
}

#[cfg(test)]
mod tests;
