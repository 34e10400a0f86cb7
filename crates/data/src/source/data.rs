//! `Data`: records of an LMDB or LevelDB, epoch after epoch. Caffe's `data_layer.cpp`.
//!
//! In key order, or from a [`RecordStore`](crate::store::RecordStore) in the order of
//! [`order`](crate::order). With R replicas each walks over all records and takes every R-th;
//! values of the others are not read. A batch takes the size of its first record; with
//! `batch_size: 1` sizes may differ from record to record. `rand_skip` has no effect, as in
//! Caffe 1.0.

mod lanes;

use std::{
    num::NonZeroU32,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use base::Shape;
use caffe_format::DataParameterDb;

use lanes::FillLanes;

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
    monitor::{FillMonitor, FillStage},
    paths::PathField,
    sample::SampleDecoder,
    state::StreamState,
    store::{self, RecordStore, StoreReader},
    transform::Transformer,
};

/// This source's row in [`SOURCES`](super::SOURCES).
pub(super) const KIND: SourceKind = SourceKind { name: "Data", prefetch: Prefetch::Thread, open };

pub(crate) const SOURCE: PathField =
    PathField { name: "data_param.source", what: "the LMDB or LevelDB" };

struct DatabaseSource {
    reader: Box<dyn RecordReader>,
    order: RecordOrder,
    /// Of the run's shuffle, 0 without one.
    shuffle_seed: u32,
    decoder: SampleDecoder,
    builder: BatchBuilder,
    /// The current record's bytes, unless the reader lends them.
    bytes: Vec<u8>,
    lanes: FillLanes,
    monitor: Arc<FillMonitor>,
    names: RecordNames,
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
        shuffle_seed: 0,
        decoder: SampleDecoder::new(transformer.color()),
        builder: BatchBuilder::new(transformer, batch_size, labels, bad),
        bytes: Vec::new(),
        lanes: FillLanes::default(),
        monitor: Arc::clone(&options.monitor),
        names: names(&path, param.backend()),
    };
    let shapes = source.first_shapes()?;
    source.builder.transformer.seed(rng);
    _ = rng.next_u32(); // the seed of the thread, which draws nothing
    let mut notices = Vec::new();
    if param.rand_skip() > 0 {
        notices.push(OptionNotice::RandSkip);
    }
    let mut names = names(&path, param.backend());
    match options.access.store(layer, phase) {
        Some((store, order)) => {
            source.shuffle_seed = order.shuffle.map_or(0, NonZeroU32::get);
            source.reader = Box::new(StoreReader::new(Arc::clone(&store), order));
            source.reader.advance()?;
            source.names = names_in_store(&store);
            names = names_in_store(&store);
        }
        None if param.shuffle() => notices.push(OptionNotice::Shuffle),
        None => {}
    }
    Ok(OpenedSource { source: Box::new(source), shapes, notices, names })
}

/// Looks up keys by the number of their record, in a reader of its own.
fn names(path: &Path, backend: DataParameterDb) -> RecordNames {
    let path = path.to_owned();
    Box::new(move |record| {
        let mut reader = database::open(&path, backend).ok()?;
        reader.seek(record).ok()?.then(|| reader.record_name())
    })
}

fn names_in_store(store: &Arc<dyn RecordStore>) -> RecordNames {
    let store = Arc::clone(store);
    Box::new(move |record| Some(store::record_name(&*store, record)))
}

impl DatabaseSource {
    /// Shapes of the tops, from the first good record in key order; leaves the reader at the first
    /// record.
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

    /// To the next record of this replica.
    fn next_own(&mut self, batch: &mut SampleBatch) -> Result<(), DataError> {
        while !self.order.is_ours() {
            self.next(batch)?;
        }
        Ok(())
    }

    /// Makes an item of the next record, or passes over it.
    fn fill_item(&mut self, batch: &mut SampleBatch) -> Result<(), DataError> {
        self.next_own(batch)?;
        let begin = self.monitor.now();
        let bytes = self.reader.value(&mut self.bytes)?;
        let begin = self.monitor.add(FillStage::Read, begin);
        let sample = self.decoder.decode(bytes);
        let begin = self.monitor.add(FillStage::Decode, begin);
        let put = sample.and_then(|sample| self.builder.put(&sample, batch));
        self.monitor.add(FillStage::Transform, begin);
        let error = |problem| self.reader.bad_record(problem);
        self.builder.finish_record(batch, self.reader.record(), put, error)?;
        self.next(batch)
    }

    /// Makes items of the next records on several threads.
    fn fill_items(&mut self, threads: usize, batch: &mut SampleBatch) -> Result<(), DataError> {
        let color = self.builder.transformer.color();
        for _ in 0..self.lanes.begin(self.builder.missing(), threads) {
            self.next_own(batch)?;
            let begin = self.monitor.now();
            let bytes = self.reader.value(&mut self.bytes)?;
            self.lanes.push(self.reader.record(), bytes, color);
            self.monitor.add(FillStage::Read, begin);
            self.next(batch)?;
        }
        let put = self.lanes.put(&mut self.builder, batch, &self.monitor);
        put.map_err(|(record, problem)| DataError::Sample {
            path: self.reader.path().to_owned(),
            record: (self.names)(record).unwrap_or_else(|| format!("number {record}")),
            problem,
        })
    }

    /// Moves the reader to where `order` is, from a position in epoch `from`; `false` when there is
    /// no such record.
    fn seek(&mut self, from: u64) -> Result<bool, DataError> {
        if self.order.epochs() != from {
            self.reader.begin_epoch(self.order.epochs())?;
        }
        self.reader.seek(self.order.record())
    }
}

impl RecordSource for DatabaseSource {
    fn fill(&mut self, batch: &mut SampleBatch, stop: &AtomicBool) -> Result<(), DataError> {
        self.builder.begin(batch);
        while !self.builder.is_full() {
            ended(stop)?;
            // Which record follows a bad one is known only when that was decoded.
            match if self.builder.skips_bad() { 1 } else { self.monitor.threads() } {
                1 => self.fill_item(batch)?,
                threads => self.fill_items(threads, batch)?,
            }
        }
        Ok(())
    }

    /// Counts in place of reading, since every record is used.
    fn skip(&mut self, batches: u64) -> Result<(), DataError> {
        let Some(records) = self.builder.skip(batches) else {
            return skip_by_filling(self, batches);
        };
        let (all, from) = (database::count(&mut *self.reader)?, self.order.epochs());
        self.order.skip(records, all);
        self.seek(from)?;
        Ok(())
    }

    fn state(&self) -> StreamState {
        let transform = self.builder.transformer.rng().cloned();
        let shuffle_seed = self.shuffle_seed;
        StreamState { transform, shuffle_seed, ..self.order.state(KIND.name) }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        if state.shuffle_seed != self.shuffle_seed {
            return Err(DataError::OtherOrder);
        }
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
