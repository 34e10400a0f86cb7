//! `MemoryData`: values that the program sets. Caffe's `memory_data_layer.cpp`.
//!
//! [`set_input_arrays`](crate::BatchStream::set_input_arrays) takes images and labels for one or
//! more batches; they are used in order, over and over, until others are set. Values are taken as
//! they are. There is no thread; of random numbers only the transformer's seed is drawn, as in
//! Caffe.

use std::sync::atomic::AtomicBool;

use base::Shape;

use super::{
    OpenedSource, OptionNotice, Prefetch, RecordSource, SourceKind, SourceRequest, data_and_label,
};
use crate::{
    batch::SampleBatch,
    error::{DataError, SampleProblem},
    state::StreamState,
    transform::Transformer,
};

/// This source's row in [`SOURCES`](super::SOURCES).
pub(super) const KIND: SourceKind =
    SourceKind { name: "MemoryData", prefetch: Prefetch::Caller, open };

struct MemorySource {
    /// Of a batch: N, C, H, W.
    dims: [usize; 4],
    values: Vec<f32>,
    labels: Vec<f32>,
    /// The next item.
    position: usize,
    epochs: u64,
}

fn open(request: SourceRequest<'_>) -> Result<OpenedSource, DataError> {
    let SourceRequest { layer, phase, options, rng } = request;
    let param = layer.memory_data_param();
    data_and_label(layer)?;
    Transformer::new(layer.transform_param(), phase, &options.root)?.seed(rng);
    let dims = [param.batch_size(), param.channels(), param.height(), param.width()];
    if dims.contains(&0) {
        return Err(DataError::Required {
            field: "memory_data_param` with `batch_size`, `channels`, `height` and `width",
        });
    }
    let dims = dims.map(|dim| dim as usize);
    let data = Shape::new(&dims).map_err(too_large)?;
    let label = Shape::new(&dims[..1]).map_err(too_large)?;
    let mut notices = Vec::new();
    if layer.transform_param.is_some() {
        notices.push(OptionNotice::MemoryTransform);
    }
    let source =
        MemorySource { dims, values: Vec::new(), labels: Vec::new(), position: 0, epochs: 0 };
    let names = Box::new(|item: u64| Some(item.to_string()));
    Ok(OpenedSource { source: Box::new(source), shapes: vec![data, label], notices, names })
}

fn too_large(source: base::ShapeError) -> DataError {
    DataError::Sample {
        path: "memory".into(),
        record: "0".to_owned(),
        problem: SampleProblem::Batch(source),
    }
}

impl RecordSource for MemorySource {
    fn fill(&mut self, batch: &mut SampleBatch, _: &AtomicBool) -> Result<(), DataError> {
        if self.labels.is_empty() {
            return Err(DataError::NoInputArrays);
        }
        batch.clear(2);
        let [n, c, h, w] = self.dims;
        let item = c * h * w;
        batch
            .top_mut(0, &self.dims)
            .map_err(too_large)?
            .copy_from_slice(&self.values[self.position * item..][..n * item]);
        batch
            .top_mut(1, &[n])
            .map_err(too_large)?
            .copy_from_slice(&self.labels[self.position..][..n]);
        batch.origin.records.extend((self.position..self.position + n).map(|item| item as u64));
        self.position += n;
        if self.position == self.labels.len() {
            self.position = 0;
            self.epochs += 1;
            batch.origin.epochs_ended = 1;
        }
        Ok(())
    }

    fn set_input_arrays(&mut self, values: &[f32], labels: &[f32]) -> Result<(), DataError> {
        let [n, c, h, w] = self.dims;
        let fits = !labels.is_empty() && labels.len().is_multiple_of(n);
        if !fits || labels.len().checked_mul(c * h * w) != Some(values.len()) {
            return Err(DataError::InputArrays {
                values: values.len(),
                labels: labels.len(),
                want: self.dims,
            });
        }
        (self.values, self.labels) = (values.to_vec(), labels.to_vec());
        (self.position, self.epochs) = (0, 0);
        Ok(())
    }

    /// What a program sets after this begins at its first item.
    fn skip(&mut self, _: u64) -> Result<(), DataError> {
        Ok(())
    }

    fn state(&self) -> StreamState {
        StreamState {
            source: KIND.name,
            position: self.position as u64,
            epochs: self.epochs,
            ..StreamState::default()
        }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        let position = usize::try_from(state.position).ok();
        let position = position.filter(|&position| {
            position == 0 || position < self.labels.len() && position.is_multiple_of(self.dims[0])
        });
        self.position = position.ok_or(DataError::State { what: "fewer items were set" })?;
        self.epochs = state.epochs;
        Ok(())
    }
}
