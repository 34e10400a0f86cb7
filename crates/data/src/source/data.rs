//! `Data`: records of an LMDB or LevelDB, epoch after epoch. Caffe's `data_layer.cpp`.
//!
//! In key order, or from a [`RecordStore`](crate::store::RecordStore) in the order of
//! [`order`](crate::order). With R replicas each walks over all records and takes every R-th;
//! values of the others are not read. A batch takes the size of its first record; with
//! `batch_size: 1` sizes may differ from record to record. `rand_skip` has no effect, as in
//! Caffe 1.0.

mod lanes;

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use base::Shape;
use caffe_format::DataParameterDb;

use lanes::{FillLanes, FillTask};

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
    order::{RecordSharing, RunShuffle},
    paths::PathField,
    sample::SampleDecoder,
    state::StreamState,
    store::{self, RecordStore, ReplicaStore, StoreReader},
    transform::Transformer,
};

/// This source's row in [`SOURCES`](super::SOURCES).
pub(super) const KIND: SourceKind = SourceKind { name: "Data", prefetch: Prefetch::Thread, open };

pub(crate) const SOURCE: PathField =
    PathField { name: "data_param.source", what: "the LMDB or LevelDB" };

struct DatabaseSource {
    reader: Box<dyn RecordReader>,
    order: RecordOrder,
    /// The run's; `None` for key order.
    shuffle: Option<RunShuffle>,
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
        shuffle: None,
        decoder: SampleDecoder::new(transformer.rules().color()),
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
    match options.access.of_replica(layer, phase, options.slice) {
        Some(ReplicaStore { store, order, slice, shuffle }) => {
            source.shuffle = shuffle;
            source.order = RecordOrder::new(slice);
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
        let monitor = &*self.monitor;
        let mut begin = monitor.now();
        let bytes = self.reader.value(&mut self.bytes)?;
        begin = monitor.add(FillStage::Read, begin);
        let put = self.decoder.open(bytes).and_then(|stored| {
            let record = (stored.size, stored.label);
            self.builder.put(record, batch, |region| {
                let sample = stored.decode(region);
                begin = monitor.add(FillStage::Decode, begin);
                sample
            })
        });
        monitor.add(FillStage::Transform, begin);
        let error = |problem| self.reader.bad_record(problem);
        self.builder.finish_record(batch, self.reader.record(), put, error)?;
        self.next(batch)
    }

    /// Makes all items of the batch on several threads.
    fn fill_items(
        &mut self,
        threads: usize,
        batch: &mut SampleBatch,
        stop: &AtomicBool,
    ) -> Result<(), DataError> {
        let item_len = self.begin_batch(batch)?;
        let (mut lanes, monitor) = (std::mem::take(&mut self.lanes), Arc::clone(&self.monitor));
        let (color, rules) = (
            self.builder.transformer.rules().color(),
            Arc::clone(self.builder.transformer.rules()),
        );
        // Threads write to the values, which are apart from what reading writes to the batch.
        let mut values = std::mem::take(batch.buffer(0).1);
        let items = values.chunks_exact_mut(item_len);
        let (read, failed) = lanes.run(threads, color, &rules, &monitor, |queue| {
            for item in items {
                ended(stop)?;
                self.next_own(batch)?;
                let mut lane = queue.lane();
                let begin = monitor.now();
                lane.read(&*self.reader)?;
                monitor.add(FillStage::Read, begin);
                let record = self.reader.record();
                let stored = lane.open().map(|stored| (stored.size, stored.label));
                let drawn = stored.and_then(|stored| self.builder.draw(stored, batch));
                let drawn = drawn.map_err(|problem| self.reader.bad_record(problem))?;
                queue.push(FillTask { lane, record, drawn, item });
                self.builder.add_item(batch, record);
                self.next(batch)?;
            }
            Ok(())
        });
        *batch.buffer(0).1 = values;
        self.lanes = lanes;
        let Some((record, problem)) = failed else { return read };
        let path = self.reader.path().to_owned();
        let record = (self.names)(record).unwrap_or_else(|| format!("number {record}"));
        Err(DataError::Sample { path, record, problem })
    }

    /// Shapes the batch by its first record; how many values an item has.
    fn begin_batch(&mut self, batch: &mut SampleBatch) -> Result<usize, DataError> {
        self.next_own(batch)?;
        let bytes = self.reader.value(&mut self.bytes)?;
        let stored = self.decoder.open(bytes);
        let item_len = stored.and_then(|stored| self.builder.shape(stored.size, batch));
        item_len.map_err(|problem| self.reader.bad_record(problem))
    }

    /// The shuffle as it is saved: a seed of 0 means that there is none.
    fn saved_shuffle(&self) -> (u32, RecordSharing) {
        self.shuffle.map_or_else(Default::default, |shuffle| (shuffle.seed.get(), shuffle.sharing))
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
        // Which record follows a bad one is known only when that was decoded.
        let threads = if self.builder.skips_bad() { 1 } else { self.monitor.threads() };
        if threads > 1 {
            return self.fill_items(threads, batch, stop);
        }
        while !self.builder.is_full() {
            ended(stop)?;
            self.fill_item(batch)?;
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
        let (shuffle_seed, sharing) = self.saved_shuffle();
        StreamState { transform, shuffle_seed, sharing, ..self.order.state(KIND.name) }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        if (state.shuffle_seed, state.sharing) != self.saved_shuffle() {
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
