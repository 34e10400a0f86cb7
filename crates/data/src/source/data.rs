//! `Data`: records of an LMDB or LevelDB in key order, epoch after epoch. Caffe's `data_layer.cpp`.
//!
//! With R replicas each walks over all keys and takes every R-th record; values of the others are
//! not read. A batch takes the size of its first record; with `batch_size: 1` sizes may differ from
//! record to record. `rand_skip` has no effect, as in Caffe 1.0.

use std::{path::Path, sync::atomic::AtomicBool};

use base::Shape;
use caffe_format::DataParameterDb;

use super::{
    OpenedSource, OptionNotice, Prefetch, RecordNames, RecordSource, SourceKind, SourceRequest,
    batch_builder::{BadSamples, BatchBuilder},
    ended,
    order::RecordOrder,
    required, skip_by_filling,
};
use crate::{
    batch::SampleBatch,
    database::{self, RecordReader},
    error::DataError,
    paths::PathField,
    sample::SampleDecoder,
    state::StreamState,
    transform::Transformer,
};

/// This source's row in [`SOURCES`](super::SOURCES).
pub(super) const KIND: SourceKind = SourceKind { name: "Data", prefetch: Prefetch::Thread, open };

const SOURCE: PathField = PathField { name: "data_param.source", what: "the LMDB or LevelDB" };

struct DatabaseSource {
    reader: Box<dyn RecordReader>,
    order: RecordOrder,
    decoder: SampleDecoder,
    builder: BatchBuilder,
    /// The current record's bytes, unless the reader lends them.
    bytes: Vec<u8>,
}

fn open(request: SourceRequest<'_>) -> Result<OpenedSource, DataError> {
    let SourceRequest { layer, phase, options, rng } = request;
    let param = layer.data_param();
    let batch_size = required(param.batch_size(), "data_param.batch_size")?;
    let labels = match layer.top.len() {
        1 => false,
        2 => true,
        got => return Err(DataError::Tops { got, want: "needs 1 (data) or 2 (data, label)" }),
    };
    let path = options.root.readable(param.source(), SOURCE)?;
    let reader = database::open(&path, param.backend())?;
    let mut transformer = Transformer::new(layer.transform_param(), phase, &options.root)?;
    transformer.seed(rng);
    let bad = BadSamples::new(options.on_bad_sample, options.slice.replicas);
    let mut source = DatabaseSource {
        reader,
        order: RecordOrder::new(options.slice.in_phase(phase)),
        decoder: SampleDecoder::new(transformer.color()),
        builder: BatchBuilder::new(transformer, batch_size, labels, bad),
        bytes: Vec::new(),
    };
    let shapes = source.first_shapes()?;
    source.builder.transformer.seed(rng);
    _ = rng.next_u32(); // the seed of the thread, which draws nothing
    let mut notices = Vec::new();
    if param.rand_skip() > 0 {
        notices.push(OptionNotice::RandSkip);
    }
    let names = names(&path, param.backend());
    Ok(OpenedSource { source: Box::new(source), shapes, notices, names })
}

/// Looks up keys by the index of their record, in a reader of its own.
fn names(path: &Path, backend: DataParameterDb) -> RecordNames {
    let path = path.to_owned();
    Box::new(move |index| {
        let mut reader = database::open(&path, backend).ok()?;
        reader.seek(index).ok()?.then(|| reader.record_name())
    })
}

impl DatabaseSource {
    /// Shapes of the tops, from the first good record; leaves the reader at the first record.
    fn first_shapes(&mut self) -> Result<Vec<Shape>, DataError> {
        self.reader.begin_epoch(self.order.epochs())?;
        if !self.reader.advance()? {
            return Err(DataError::NoRecords { path: self.reader.path().to_owned() });
        }
        let shapes = loop {
            let bytes = self.reader.value(&mut self.bytes)?;
            let sample = self.decoder.decode(bytes);
            match sample.and_then(|sample| self.builder.shapes(sample.size)) {
                Ok(shapes) => break shapes,
                Err(problem) => self.builder.pass_over(self.reader.bad_record(problem))?,
            }
            if !self.reader.advance()? {
                return Err(DataError::AllBad { path: self.reader.path().to_owned() });
            }
        };
        self.reader.rewind();
        self.reader.advance()?;
        Ok(shapes)
    }

    /// Caffe's `Next`: to the next record, or from the last to the first.
    fn next(&mut self, batch: &mut SampleBatch) -> Result<(), DataError> {
        self.order.advance();
        if self.reader.advance()? {
            return Ok(());
        }
        self.order.end_epoch();
        self.builder.end_epoch(batch, self.reader.path())?;
        self.reader.begin_epoch(self.order.epochs())?;
        self.reader.advance()?;
        Ok(())
    }

    /// Moves the reader to where `order` is, from a position in epoch `from`; `false` when there is
    /// no such record.
    fn seek(&mut self, from: u64) -> Result<bool, DataError> {
        if self.order.epochs() != from {
            self.reader.begin_epoch(self.order.epochs())?;
        }
        self.reader.seek(self.order.record())
    }

    /// Number of records; leaves the reader anywhere.
    fn count(&mut self) -> Result<u64, DataError> {
        if let Some(count) = self.reader.entries() {
            return Ok(count);
        }
        self.reader.rewind();
        let mut count = 0;
        while self.reader.advance()? {
            count += 1;
        }
        Ok(count)
    }
}

impl RecordSource for DatabaseSource {
    fn fill(&mut self, batch: &mut SampleBatch, stop: &AtomicBool) -> Result<(), DataError> {
        self.builder.begin(batch);
        while !self.builder.is_full() {
            ended(stop)?;
            while !self.order.is_ours() {
                self.next(batch)?;
            }
            let bytes = self.reader.value(&mut self.bytes)?;
            let sample = self.decoder.decode(bytes);
            let put = sample.and_then(|sample| self.builder.put(&sample, batch));
            let error = |problem| self.reader.bad_record(problem);
            self.builder.finish_record(batch, self.order.record(), put, error)?;
            self.next(batch)?;
        }
        Ok(())
    }

    /// Counts in place of reading, since every record is used.
    fn skip(&mut self, batches: u64) -> Result<(), DataError> {
        let Some(records) = self.builder.skip(batches) else {
            return skip_by_filling(self, batches);
        };
        let (all, from) = (self.count()?, self.order.epochs());
        self.order.skip(records, all);
        self.seek(from)?;
        Ok(())
    }

    fn state(&self) -> StreamState {
        let transform = self.builder.transformer.rng().cloned();
        StreamState { transform, ..self.order.state(KIND.name) }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        self.builder.transformer.restore(state.transform.as_ref())?;
        let from = self.order.epochs();
        self.order.restore(state);
        if !self.seek(from)? {
            return Err(DataError::State { what: "the database has fewer records" });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
