//! What a data layer is handed: one buffer a top, and where it came from.
//!
//! Batches are recycled between the thread that fills them and the net that reads them: buffers keep
//! their memory, so a steady run allocates none for them.

use base::{Shape, ShapeError};

use crate::state::StreamState;

/// One batch.
#[derive(Debug, Default)]
pub struct Batch {
    tops: Vec<Top>,
    records: Vec<String>,
    /// How often the source started over while this batch was read; Caffe logs each.
    pub restarts: u32,
    /// Bad records that were left out, each with its reason; empty unless skipping was asked for.
    pub skipped: Vec<String>,
    pub(crate) state: StreamState,
}

#[derive(Debug, Default)]
struct Top {
    shape: Shape,
    values: Vec<f32>,
}

impl Batch {
    /// Number of tops.
    #[must_use]
    pub fn tops(&self) -> usize {
        self.tops.len()
    }

    /// Shape of top `index`: (N, C, H, W) for images, (N) for labels.
    #[must_use]
    pub fn shape(&self, index: usize) -> &Shape {
        &self.tops[index].shape
    }

    /// Values of top `index`, row-major.
    #[must_use]
    pub fn values(&self, index: usize) -> &[f32] {
        &self.tops[index].values
    }

    /// Key or file name of record `index` of the batch.
    #[must_use]
    pub fn record_name(&self, index: usize) -> &str {
        self.records.get(index).map_or("", String::as_str)
    }

    /// Where the stream stands after this batch.
    #[must_use]
    pub fn state(&self) -> &StreamState {
        &self.state
    }

    /// Makes room for the next filling; memory is kept.
    pub(crate) fn clear(&mut self, tops: usize) {
        self.tops.resize_with(tops, Top::default);
        self.restarts = 0;
        self.skipped.clear();
        self.records.clear();
    }

    /// Sets the shape of top `index` and gives its values, to be overwritten.
    pub(crate) fn top_mut(
        &mut self,
        index: usize,
        dims: &[usize],
    ) -> Result<&mut [f32], ShapeError> {
        let top = &mut self.tops[index];
        if top.shape.dims() != dims || top.values.is_empty() {
            top.shape = Shape::new(dims)?;
            top.values.resize(top.shape.count(), 0.0);
        }
        Ok(&mut top.values)
    }

    pub(crate) fn push_record(&mut self, name: String) {
        self.records.push(name);
    }
}
