//! `Data`: records of an LMDB or LevelDB in key order, over and over. Caffe's `data_layer.cpp`.
//!
//! With R replicas each reads the whole sequence of keys and takes every R-th record; values of the
//! others are not read. A batch takes the size of its first record; with `batch_size: 1` sizes may
//! differ from record to record. `rand_skip` has no effect, as in Caffe 1.0.

use std::sync::atomic::{AtomicBool, Ordering};

use base::{Phase, Shape};

use super::{
    Ahead, Deal, Opened, Request, Source, SourceKind,
    assembly::{Assembly, BadSamples, Place},
    skip_by_filling,
};
use crate::{
    batch::Batch,
    database::{self, Database},
    datum::Record,
    error::{DataError, SampleProblem},
    state::StreamState,
    transform::Transformer,
};

/// This source's row in [`SOURCES`](super::SOURCES).
pub(super) const KIND: SourceKind = SourceKind { name: "Data", ahead: Ahead::Thread, open };

struct Data {
    database: Box<dyn Database>,
    assembly: Assembly,
    bad: BadSamples,
    deal: Deal,
    /// Records passed, in all and in this pass.
    position: u64,
    record: u64,
    passes: u64,
    /// The current record's bytes.
    bytes: Vec<u8>,
}

fn open(request: Request<'_>) -> Result<Opened, DataError> {
    let Request { layer, phase, options, rng } = request;
    let param = layer.data_param();
    let batch_size = param.batch_size() as usize;
    if batch_size == 0 {
        return Err(DataError::Required { field: "data_param.batch_size" });
    }
    let labels = match layer.top.len() {
        1 => false,
        2 => true,
        got => return Err(DataError::Tops { got, want: "needs 1 (data) or 2 (data, label)" }),
    };
    let database = database::open(&options.root.join(param.source()), param.backend())?;
    let mut transformer = Transformer::new(layer.transform_param(), phase, &options.root)?;
    transformer.seed(rng);
    let mut source = Data {
        bad: BadSamples::new(options.on_bad_sample, options.deal.replicas),
        database,
        assembly: Assembly { transformer, batch_size, labels },
        deal: if phase == Phase::Test { Deal::ALL } else { options.deal },
        position: 0,
        record: 0,
        passes: 0,
        bytes: Vec::new(),
    };
    let shapes = source.first_shapes()?;
    source.assembly.transformer.seed(rng);
    _ = rng.next_u32(); // the seed of the thread, which draws nothing
    let mut notices = Vec::new();
    if param.rand_skip() > 0 {
        notices.push("`rand_skip` of Data has no effect (nor has it in Caffe 1.0)".to_owned());
    }
    Ok(Opened { source: Box::new(source), shapes, notices })
}

impl Data {
    /// Shapes of the tops, from the first record; leaves the database at that record.
    fn first_shapes(&mut self) -> Result<Vec<Shape>, DataError> {
        if !self.database.advance()? {
            return Err(DataError::NoRecords { path: self.database.path().to_owned() });
        }
        let shapes = loop {
            self.database.read_value(&mut self.bytes)?;
            let shapes = Record::read(&self.bytes, self.assembly.transformer.color())
                .and_then(|record| self.assembly.shapes(record.size()));
            match shapes {
                Ok(shapes) => break shapes,
                Err(problem) => _ = self.bad.judge(self.database.bad_record(problem))?,
            }
            if !self.database.advance()? {
                return Err(DataError::AllBad { path: self.database.path().to_owned() });
            }
        };
        self.database.rewind();
        self.database.advance()?;
        Ok(shapes)
    }

    /// Caffe's `Next`: to the next record, or from the last to the first.
    fn next(&mut self, batch: &mut Batch) -> Result<(), DataError> {
        self.position += 1;
        self.record += 1;
        if self.database.advance()? {
            return Ok(());
        }
        batch.restarts += 1;
        self.passes += 1;
        self.record = 0;
        self.bad.next_pass(self.database.path())?;
        self.database.rewind();
        self.database.advance()?;
        Ok(())
    }

    /// Number of records; leaves the database anywhere.
    fn count(&mut self) -> Result<u64, DataError> {
        if let Some(count) = self.database.entries() {
            return Ok(count);
        }
        self.database.rewind();
        let mut count = 0;
        while self.database.advance()? {
            count += 1;
        }
        Ok(count)
    }

    fn is_ours(&self) -> bool {
        self.position % self.deal.replicas as u64 == self.deal.replica as u64
    }

    /// Puts the current record into the batch.
    fn put(&mut self, place: &mut Place, batch: &mut Batch) -> Result<(), SampleProblem> {
        let record = Record::read(&self.bytes, self.assembly.transformer.color())?;
        self.assembly.put(place, record.size(), record.values(), record.label(), batch)
    }
}

impl Source for Data {
    fn fill(&mut self, batch: &mut Batch, stop: &AtomicBool) -> Result<(), DataError> {
        batch.clear(self.assembly.tops());
        let mut place = Place::default();
        while place.item < self.assembly.batch_size {
            if stop.load(Ordering::Relaxed) {
                return Err(DataError::Ended);
            }
            while !self.is_ours() {
                self.next(batch)?;
            }
            self.database.read_value(&mut self.bytes)?;
            match self.put(&mut place, batch) {
                Ok(()) => {
                    batch.push_record(self.database.record_name());
                    self.bad.good();
                }
                Err(problem) => {
                    batch.skipped.push(self.bad.judge(self.database.bad_record(problem))?);
                }
            }
            self.next(batch)?;
        }
        batch.state = self.state();
        Ok(())
    }

    /// Counts in place of reading, since every record is used.
    fn skip(&mut self, batches: u64) -> Result<(), DataError> {
        if self.bad.may_skip() {
            return skip_by_filling(self, batches);
        }
        let records = batches * self.assembly.batch_size as u64;
        self.assembly.transformer.skip(records);
        let passed = self.record + records * self.deal.replicas as u64;
        let all = self.count()?;
        self.position += passed - self.record;
        self.passes += passed / all;
        self.record = passed % all;
        self.database.seek(self.record)?;
        Ok(())
    }

    fn state(&self) -> StreamState {
        StreamState {
            source: KIND.name.to_owned(),
            position: self.position,
            record: self.record,
            passes: self.passes,
            transform: self.assembly.transformer.rng().cloned(),
            ..StreamState::default()
        }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        if !self.assembly.transformer.restore(state.transform.as_ref()) {
            return Err(DataError::State { what: "one crops or mirrors at random, the other not" });
        }
        if !self.database.seek(state.record)? {
            return Err(DataError::State { what: "the database has fewer records" });
        }
        (self.position, self.record) = (state.position, state.record);
        self.passes = state.passes;
        Ok(())
    }
}
