//! The order in which a blob's values lie in memory.

use base::Shape;

/// Memory order of a blob. Only blobs with four axes have a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// (N, C, H, W), as Caffe stores everything.
    RowMajor,
    /// (N, H, W, C): a kernel row of a convolution is `kernel_w * channels` contiguous values.
    ChannelsLast,
}

impl Layout {
    /// Whether both layouts store the values of `shape` in the same order, so that a conversion
    /// moves nothing.
    #[must_use]
    pub fn coincide(shape: &Shape) -> bool {
        shape.nchw().is_none_or(|[_, c, h, w]| c <= 1 || h * w <= 1)
    }
}
