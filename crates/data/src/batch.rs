//! What a data layer gets: one buffer per top, and what is known about where it came from.
//!
//! Buffers are [`Slab`]s, like those of a net's blobs, so that a batch is handed over by exchanging
//! buffers: the net gets the values, the batch the blob's old memory, which is filled next. Batches
//! go round between the prefetching thread and the net; in a steady state none of them allocates.

use base::{Shape, ShapeError};
use tensor::Slab;

use crate::DataError;
use crate::state::StreamState;

/// One batch.
#[derive(Debug, Default)]
pub struct SampleBatch {
    tops: Vec<BatchTop>,
    pub(crate) origin: BatchOrigin,
}

#[derive(Debug, Default)]
struct BatchTop {
    shape: Shape,
    /// At least `shape.count()` values.
    values: Slab,
}

/// A bad record that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRecord {
    /// Its key or file name.
    pub record: String,
    /// The error that it would have been, and its causes, outermost first.
    pub causes: Vec<String>,
}

impl SkippedRecord {
    pub(crate) fn new(error: &DataError) -> Self {
        let record = match error {
            DataError::Sample { record, .. } => record.clone(),
            _ => String::new(), // an error of the source itself is not skipped
        };
        let causes = std::iter::successors(Some(error as &dyn std::error::Error), |e| e.source());
        Self { record, causes: causes.map(ToString::to_string).collect() }
    }
}

/// Where the values of a batch came from. Stays with the stream when the buffers move on.
#[derive(Debug, Default)]
pub struct BatchOrigin {
    /// Each item's record, in the numbering of its source.
    pub(crate) records: Vec<u64>,
    /// How many epochs ended while this batch was read; Caffe logs each.
    pub epochs_ended: u32,
    /// Bad records that were left out; empty unless skipping was asked for.
    pub skipped: Vec<SkippedRecord>,
    /// Where the stream stands after this batch.
    pub(crate) state: StreamState,
}

impl SampleBatch {
    /// Shape of top `index`: (N, C, H, W) for images, (N) for labels.
    #[must_use]
    pub fn shape(&self, index: usize) -> &Shape {
        &self.tops[index].shape
    }

    #[cfg(test)]
    pub(crate) fn values(&self, index: usize) -> &[f32] {
        let BatchTop { shape, values } = &self.tops[index];
        &values[..shape.count()]
    }

    /// Shape and buffer of top `index`. The buffer begins with the values, row-major, and may be
    /// longer; it may be exchanged for another of any length: it is overwritten next.
    pub fn buffer(&mut self, index: usize) -> (&Shape, &mut Slab) {
        let BatchTop { shape, values } = &mut self.tops[index];
        (shape, values)
    }

    /// Begins the next filling; memory is kept.
    pub(crate) fn clear(&mut self, tops: usize) {
        self.tops.resize_with(tops, BatchTop::default);
        let BatchOrigin { records, epochs_ended, skipped, state: _ } = &mut self.origin;
        records.clear();
        skipped.clear();
        *epochs_ended = 0;
    }

    /// Sets the shape of top `index` and gives its values, to be overwritten.
    pub(crate) fn top_mut(
        &mut self,
        index: usize,
        dims: &[usize],
    ) -> Result<&mut [f32], ShapeError> {
        let BatchTop { shape, values } = &mut self.tops[index];
        if shape.dims() != dims {
            *shape = Shape::new(dims)?;
        }
        values.grow(shape.count());
        Ok(&mut values[..shape.count()])
    }
}
