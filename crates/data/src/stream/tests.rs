//! The thread's promises, with sources that misbehave.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
};

use tensor::Slab;

use super::{BatchFiller, BatchStream};
use crate::{
    batch::SampleBatch,
    error::DataError,
    source::{OpenedSource, RecordSource},
    state::StreamState,
};

/// Makes batches numbered from 0 and fails as told at number `fails_at`.
struct Numbers {
    next: u64,
    fails_at: u64,
    failure: fn() -> DataError,
}

impl RecordSource for Numbers {
    fn fill(&mut self, batch: &mut SampleBatch, _: &AtomicBool) -> Result<(), DataError> {
        if self.next == self.fails_at {
            return Err((self.failure)());
        }
        batch.clear(1);
        batch.top_mut(0, &[1000]).unwrap().fill(self.next as f32);
        self.next += 1;
        Ok(())
    }

    fn state(&self) -> StreamState {
        StreamState { position: self.next, ..StreamState::default() }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        self.next = state.position;
        Ok(())
    }
}

fn stream(fails_at: u64, failure: fn() -> DataError, prefetch: usize) -> BatchStream {
    let source = Box::new(Numbers { next: 0, fails_at, failure });
    let names = Box::new(|_| None);
    let opened = OpenedSource { source, shapes: Vec::new(), notices: Vec::new(), names };
    BatchStream::new(opened, prefetch)
}

#[test]
fn a_panic_becomes_an_error_in_its_turn() {
    let mut stream = stream(3, || panic!("out of numbers"), 2);
    for number in 0_u8..3 {
        assert_eq!(stream.next_batch().unwrap().values(0)[0], f32::from(number));
        assert_eq!(stream.state().position, u64::from(number) + 1);
    }
    let error = stream.next_batch().unwrap_err();
    assert_eq!(error.to_string(), "prefetching failed: out of numbers");
    assert!(matches!(stream.next_batch(), Err(DataError::Ended)));
    assert_eq!(stream.state().position, 3, "what was consumed is still known");
}

#[test]
fn an_error_comes_after_the_batches_before_it() {
    for prefetch in [0, 1, 4] {
        let mut stream = stream(2, || DataError::TwoMeans, prefetch);
        assert!(stream.next_batch().is_ok() && stream.next_batch().is_ok());
        assert!(matches!(stream.next_batch(), Err(DataError::TwoMeans)), "prefetch {prefetch}");
    }
}

#[test]
fn buffers_go_round() {
    let mut stream = stream(u64::MAX, || DataError::Ended, 3);
    let places: BTreeSet<usize> =
        (0..50).map(|_| stream.next_batch().unwrap().values(0).as_ptr().addr()).collect();
    assert!(places.len() <= 3, "{} buffers for 3 batches", places.len());
}

/// A net takes a batch by exchanging buffers and returns it at once; its own buffer goes round too.
#[test]
fn buffers_are_exchanged_and_not_copied() {
    let mut stream = stream(u64::MAX, || DataError::Ended, 3);
    let mut blob = Slab::zeros(10); // shorter than a batch: it grows when it is filled
    let mut places = BTreeSet::new();
    for number in 0_u8..50 {
        let (shape, values) = stream.next_batch().unwrap().buffer(0);
        assert_eq!(shape.dims(), [1000]);
        std::mem::swap(&mut blob, values);
        stream.recycle();
        assert!(blob[..1000].iter().all(|&value| value == f32::from(number)));
        assert_eq!(stream.state().position, u64::from(number) + 1);
        places.insert(blob.as_ptr().addr());
    }
    assert!(places.len() <= 4, "{} buffers for 3 batches and a blob", places.len());
}

/// A source that never finishes a batch unless told to stop.
struct Endless;

impl RecordSource for Endless {
    fn fill(&mut self, _: &mut SampleBatch, stop: &AtomicBool) -> Result<(), DataError> {
        while !stop.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        Err(DataError::Ended)
    }

    fn state(&self) -> StreamState {
        StreamState::default()
    }

    fn restore(&mut self, _: &StreamState) -> Result<(), DataError> {
        Ok(())
    }
}

#[test]
fn dropping_ends_a_batch_that_is_being_made() {
    let filler = BatchFiller::start(Box::new(Endless), 2, 0);
    assert!(filler.stop().is_ok());
}

#[test]
fn batches_between_are_passed_over() {
    for prefetch in [0, 1, 3] {
        let mut stream = stream(u64::MAX, || DataError::Ended, prefetch);
        stream.skip(2, 3).unwrap();
        let taken: Vec<f32> = (0..4).map(|_| stream.next_batch().unwrap().values(0)[0]).collect();
        assert_eq!(taken, [2.0, 6.0, 10.0, 14.0]);
        assert_eq!(stream.state().position, 15, "what follows is not passed over yet");
        stream.skip(5, 0).unwrap();
        assert_eq!(stream.next_batch().unwrap().values(0)[0], 20.0);
        assert_eq!(stream.next_batch().unwrap().values(0)[0], 21.0);
    }
}
