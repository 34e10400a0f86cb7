//! When a reader is told that an epoch has ended, with records that lie in memory.

use std::{
    path::Path,
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use caffe_format::{Datum, Phase, TransformationParameter, binary};

use super::DatabaseSource;
use crate::{
    batch::SampleBatch,
    database::RecordReader,
    error::DataError,
    image::Color,
    sample::SampleDecoder,
    source::{
        OnBadSample, RecordSource, ReplicaSlice,
        batch_builder::{BadSamples, BatchBuilder},
        order::RecordOrder,
    },
    transform::Transformer,
};

/// Three records in memory, and what was asked for.
struct InMemory {
    records: [Vec<u8>; 3],
    /// One more than the current record.
    next: usize,
    calls: Arc<Mutex<Vec<String>>>,
}

impl InMemory {
    fn log(&self, call: String) {
        self.calls.lock().unwrap().push(call);
    }
}

impl RecordReader for InMemory {
    fn path(&self) -> &Path {
        Path::new("memory")
    }

    fn entries(&self) -> Option<u64> {
        Some(3)
    }

    fn rewind(&mut self) {
        self.next = 0;
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        let found = self.next < 3;
        self.next += usize::from(found);
        Ok(found)
    }

    fn seek(&mut self, index: u64) -> Result<bool, DataError> {
        self.next = usize::try_from(index).unwrap() + 1;
        Ok(index < 3)
    }

    fn key(&self) -> &[u8] {
        b"key"
    }

    fn value<'a>(&'a self, _: &'a mut Vec<u8>) -> Result<&'a [u8], DataError> {
        self.log(format!("read {}", self.next - 1));
        Ok(&self.records[self.next - 1])
    }

    fn end_epoch(&mut self, epoch: u64) -> Result<(), DataError> {
        self.log(format!("end of epoch {epoch}"));
        self.rewind();
        Ok(())
    }
}

/// What is asked of the records while `replica` of `replicas` fills three batches of two.
fn calls(replica: usize, replicas: usize) -> (String, Vec<u32>) {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let records = [0, 1, 2].map(|n| binary::write(&Datum::raw([1, 1, 1], vec![n], i32::from(n))));
    let transform = TransformationParameter::default();
    let transformer = Transformer::new(&transform, Phase::Train, Path::new("")).unwrap();
    let bad = BadSamples::new(OnBadSample::Fail, replicas);
    let mut source = DatabaseSource {
        reader: Box::new(InMemory { records, next: 1, calls: Arc::clone(&calls) }),
        order: RecordOrder::new(ReplicaSlice { replica, replicas }),
        decoder: SampleDecoder::new(Color::AsStored),
        builder: BatchBuilder::new(transformer, 2, true, bad),
        bytes: Vec::new(),
    };
    let mut batch = SampleBatch::default();
    let ended = (0..3).map(|_| {
        source.fill(&mut batch, &AtomicBool::new(false)).unwrap();
        assert_eq!(batch.values(0), batch.values(1), "pixel and label of a record are equal");
        batch.origin.epochs_ended
    });
    let ended = ended.collect();
    let calls = calls.lock().unwrap().join(", ");
    (calls, ended)
}

#[test]
fn a_reader_is_told_between_the_epochs() {
    let (all, ended) = calls(0, 1);
    let want = "read 0, read 1, read 2, end of epoch 0, read 0, read 1, read 2, end of epoch 1";
    assert_eq!((all.as_str(), ended.as_slice()), (want, &[0, 1, 1][..]));
    // Of two replicas each reads every other record, and is told of every epoch.
    let (second, ended) = calls(1, 2);
    let want = "read 1, end of epoch 0, read 0, read 2, end of epoch 1, \
                read 1, end of epoch 2, read 0, read 2, end of epoch 3";
    assert_eq!((second.as_str(), ended.as_slice()), (want, &[1, 1, 2][..]));
}
