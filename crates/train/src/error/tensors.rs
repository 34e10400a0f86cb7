//! Why a model cannot become a safetensors file, or the other way round.

use base::ShapeError;
use caffe_format::BlobError;
use caffe_format::text::Diagnostics;
use safetensors::SafeTensorError;

/// What is wrong with the file that was to be converted, whose name the error around it has.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TensorProblem {
    /// A blob of the model is damaged.
    #[error("blob `{blob}`")]
    Blob {
        /// `layer/index`.
        blob: String,
        /// How.
        source: BlobError,
    },

    /// Tensors are named by layer, so names must differ.
    #[error("two layers are called `{layer}`")]
    SameName {
        /// The layer.
        layer: String,
    },

    /// The file is not safetensors.
    #[error(transparent)]
    Format(#[from] SafeTensorError),

    /// The net in the metadata cannot be read.
    #[error(transparent)]
    Net(#[from] Diagnostics),

    /// A tensor whose name does not say where it belongs.
    #[error("tensor `{tensor}` is not called `<layer>/<number>`")]
    Name {
        /// The tensor.
        tensor: String,
    },

    /// A layer's blobs are not all there.
    #[error("there is `{tensor}`, but not `{layer}/{index}`")]
    Gap {
        /// The first tensor after the gap.
        tensor: String,
        /// Its layer.
        layer: String,
        /// The index that is missing.
        index: usize,
    },

    /// A tensor is too large for a blob.
    #[error("tensor `{tensor}`")]
    Shape {
        /// The tensor.
        tensor: String,
        /// Why.
        source: ShapeError,
    },

    /// A tensor of a type that blobs do not have.
    #[error("tensor `{tensor}` is {dtype}, expected F32, F64 or BF16")]
    Type {
        /// The tensor.
        tensor: String,
        /// Its type.
        dtype: String,
    },
}
