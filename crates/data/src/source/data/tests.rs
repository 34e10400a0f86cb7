//! Which epoch a reader is told of, with records that lie in memory and differ between epochs.

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
    paths::PathRoot,
    sample::SampleDecoder,
    source::{
        OnBadSample, RecordSource, ReplicaSlice,
        batch_builder::{BadSamples, BatchBuilder},
        order::RecordOrder,
    },
    transform::Transformer,
};

/// Records of each epoch.
const RECORDS: u8 = 3;

/// Records in memory, other ones in every epoch, and what was asked for.
struct InMemory {
    /// Those of the present epoch, if one has begun.
    records: Option<[Vec<u8>; RECORDS as usize]>,
    /// One more than the current record.
    next: usize,
    calls: CallLog,
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
        Some(u64::from(RECORDS))
    }

    fn rewind(&mut self) {
        self.next = 0;
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        let found = self.next < usize::from(RECORDS);
        self.next += usize::from(found);
        Ok(found)
    }

    fn seek(&mut self, index: u64) -> Result<bool, DataError> {
        self.next = usize::try_from(index).unwrap() + 1;
        Ok(index < u64::from(RECORDS))
    }

    fn record(&self) -> u64 {
        self.next as u64 - 1
    }

    fn record_name(&self) -> String {
        "key".into()
    }

    fn value<'a>(&'a self, _: &'a mut Vec<u8>) -> Result<&'a [u8], DataError> {
        self.log(format!("read {}", self.next - 1));
        Ok(&self.records.as_ref().expect("an epoch has begun")[self.next - 1])
    }

    fn begin_epoch(&mut self, epoch: u64) -> Result<(), DataError> {
        self.log(format!("epoch {epoch}"));
        let first = u8::try_from(epoch).unwrap() * RECORDS;
        self.records = Some(std::array::from_fn(|i| {
            let number = first + u8::try_from(i).unwrap();
            binary::write(&Datum::raw([1, 1, 1], vec![number], i32::from(number)))
        }));
        self.rewind();
        Ok(())
    }
}

type CallLog = Arc<Mutex<Vec<String>>>;

/// Replica `replica` of `replicas` with batches of two, and what it asks of its reader.
fn source(replica: usize, replicas: usize) -> (DatabaseSource, CallLog) {
    let calls = CallLog::default();
    let transform = TransformationParameter::default();
    let transformer = Transformer::new(&transform, Phase::Train, &PathRoot::default()).unwrap();
    let bad = BadSamples::new(OnBadSample::Fail, replicas);
    let mut source = DatabaseSource {
        reader: Box::new(InMemory { records: None, next: 0, calls: Arc::clone(&calls) }),
        order: RecordOrder::new(ReplicaSlice { replica, replicas }),
        shuffle: None,
        decoder: SampleDecoder::new(Color::AsStored),
        builder: BatchBuilder::new(transformer, 2, true, bad),
        bytes: Vec::new(),
        lanes: Default::default(),
        monitor: Default::default(),
        names: Box::new(|_| None),
    };
    source.first_shapes().unwrap();
    assert_eq!(take(&calls), "epoch 0, read 0");
    (source, calls)
}

/// What was asked for since the last call.
fn take(calls: &CallLog) -> String {
    std::mem::take(&mut *calls.lock().unwrap()).join(", ")
}

/// The values of the next batch, and how many epochs ended in it.
fn fill(source: &mut DatabaseSource) -> (Vec<f32>, u32) {
    let mut batch = SampleBatch::default();
    source.fill(&mut batch, &AtomicBool::new(false)).unwrap();
    assert_eq!(batch.values(0), batch.values(1), "pixel and label of a record are equal");
    (batch.values(0).to_vec(), batch.origin.epochs_ended)
}

#[test]
fn a_reader_is_told_between_the_epochs() {
    let (mut all, calls) = source(0, 1);
    let ended: Vec<u32> = (0..3).map(|_| fill(&mut all).1).collect();
    let want = "read 0, read 1, read 2, epoch 1, read 0, read 1, read 2, epoch 2";
    assert_eq!((take(&calls).as_str(), ended.as_slice()), (want, &[0, 1, 1][..]));
    // Of two replicas each reads every other record, and is told of every epoch.
    let (mut second, calls) = source(1, 2);
    let ended: Vec<u32> = (0..3).map(|_| fill(&mut second).1).collect();
    let want = "read 1, epoch 1, read 0, read 2, epoch 2, read 1, epoch 3, read 0, read 2, epoch 4";
    assert_eq!((take(&calls).as_str(), ended.as_slice()), (want, &[1, 1, 2][..]));
}

/// The batch after `skipped` is the same, whether the ones before are filled, skipped, or known
/// from a state only; the reader is told of an epoch when it changes, and only then.
#[test]
fn a_reader_is_told_when_a_skip_or_a_restore_leaves_the_epoch() {
    for (replica, replicas) in [(0, 1), (1, 2), (2, 3)] {
        for skipped in 0..5 {
            let (mut walked, _) = source(replica, replicas);
            (0..skipped).for_each(|_| drop(fill(&mut walked)));
            let state = walked.state();
            let want = fill(&mut walked);

            let (mut source, calls) = source(replica, replicas);
            let told =
                if state.epochs > 0 { format!("epoch {}", state.epochs) } else { String::new() };
            source.skip(skipped).unwrap();
            assert_eq!(take(&calls), told, "skipped {skipped}");
            assert_eq!(source.state(), state);
            assert_eq!(fill(&mut source), want, "skipped {skipped}, {replica} of {replicas}");

            // Back to where it was, as after prefetching too much.
            let after = source.state();
            _ = take(&calls);
            source.restore(&state).unwrap();
            let told = if after.epochs == state.epochs {
                String::new()
            } else {
                format!("epoch {}", state.epochs)
            };
            assert_eq!(take(&calls), told, "restored after {skipped}");
            assert_eq!(fill(&mut source), want, "restored, {replica} of {replicas}");
        }
    }
}
