//! Decoding and transforming on several threads, with the bits of one.
//!
//! ```text
//!  prefetching thread   reads a record, draws for it ──▶ queue ──▶ any thread: decodes, transforms
//!                          ▲                                                        │
//!                          └────────────────── the lane is free again ◀─────────────┘
//! ```
//!
//! Records are read, and random numbers drawn, in order by the prefetching thread; which thread
//! works on which record changes nothing. Whenever the queue is long, and when all records of the
//! batch were read, the prefetching thread works on the queue too, so that no thread waits before
//! the batch is almost done. The others are started for each batch, which costs some 20 µs each:
//! little beside a batch of images, and nothing where one thread keeps up.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use crate::{
    database::RecordReader,
    error::{DataError, SampleProblem},
    image::Color,
    monitor::{FillMonitor, FillStage},
    sample::{SampleDecoder, StoredSample},
    transform::{TransformBuffers, TransformDraw, TransformRules},
};

/// Records that wait per thread before the prefetching thread works on one itself.
const WAITING_PER_THREAD: usize = 4;

/// Memory of the records that are worked on, kept from batch to batch.
#[derive(Default)]
pub(super) struct FillLanes {
    free: Vec<FillLane>,
}

/// Memory of one record on its way into a batch.
pub(super) struct FillLane {
    bytes: Vec<u8>,
    /// Where the record's value lies in `bytes`.
    value: Range<usize>,
    decoder: SampleDecoder,
    buffers: TransformBuffers,
}

/// A record that was read and drawn for.
pub(super) struct FillTask<'a> {
    pub(super) lane: FillLane,
    pub(super) record: u64,
    pub(super) drawn: TransformDraw,
    /// Where its values go.
    pub(super) item: &'a mut [f32],
}

/// A record that cannot be used, and why.
pub(super) type FailedRecord = (u64, SampleProblem);

/// What the threads of one batch share.
pub(super) struct FillQueue<'a> {
    state: Mutex<FillQueueState<'a>>,
    changed: Condvar,
    waiting_max: usize,
    color: Color,
    rules: &'a TransformRules,
    monitor: &'a FillMonitor,
}

#[derive(Default)]
struct FillQueueState<'a> {
    /// Tasks with their numbers, from 0.
    tasks: VecDeque<(usize, FillTask<'a>)>,
    pushed: usize,
    closed: bool,
    free: Vec<FillLane>,
    /// The task with the lowest number that failed.
    failed: Option<(usize, FailedRecord)>,
}

impl FillLanes {
    /// Works on what `read` pushes, on `threads` threads. A record that fails comes before an error
    /// of `read`, which has read further.
    pub(super) fn run<'a>(
        &mut self,
        threads: usize,
        color: Color,
        rules: &'a TransformRules,
        monitor: &'a FillMonitor,
        read: impl FnOnce(&FillQueue<'a>) -> Result<(), DataError>,
    ) -> (Result<(), DataError>, Option<FailedRecord>) {
        let state =
            FillQueueState { free: std::mem::take(&mut self.free), ..FillQueueState::default() };
        let queue = FillQueue {
            state: Mutex::new(state),
            changed: Condvar::new(),
            waiting_max: threads * WAITING_PER_THREAD,
            color,
            rules,
            monitor,
        };
        let read = thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| queue.work());
            }
            let close = CloseOnDrop(&queue);
            let read = read(&queue);
            drop(close);
            queue.work();
            read
        });
        let state = queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.free = state.free;
        (read, state.failed.map(|(_, failed)| failed))
    }
}

/// Lets the other threads end, also when reading panics.
struct CloseOnDrop<'q, 'a>(&'q FillQueue<'a>);

impl Drop for CloseOnDrop<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}

impl<'a> FillQueue<'a> {
    fn lock(&self) -> MutexGuard<'_, FillQueueState<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory for the next record. Where many wait already, one is worked on first.
    pub(super) fn lane(&self) -> FillLane {
        let mut state = self.lock();
        if state.tasks.len() >= self.waiting_max
            && let Some((number, task)) = state.tasks.pop_front()
        {
            drop(state);
            return self.work_on(number, task);
        }
        state.free.pop().unwrap_or_else(|| FillLane {
            bytes: Vec::new(),
            value: 0..0,
            decoder: SampleDecoder::new(self.color),
            buffers: TransformBuffers::default(),
        })
    }

    /// Adds a task.
    pub(super) fn push(&self, task: FillTask<'a>) {
        let mut state = self.lock();
        let number = state.pushed;
        state.tasks.push_back((number, task));
        state.pushed += 1;
        drop(state);
        self.changed.notify_one();
    }

    /// Works on tasks until there will be no more.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some((number, task)) = state.tasks.pop_front() {
                drop(state);
                let lane = self.work_on(number, task);
                state = self.lock();
                state.free.push(lane);
            } else if state.closed {
                return;
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Decodes and transforms one record; its lane is free then.
    fn work_on(&self, number: usize, task: FillTask<'a>) -> FillLane {
        let FillTask { mut lane, record, drawn, item } = task;
        if let Err(problem) = lane.fill(self.rules, drawn, item, self.monitor) {
            let mut state = self.lock();
            if state.failed.as_ref().is_none_or(|&(first, _)| number < first) {
                state.failed = Some((number, (record, problem)));
            }
        }
        lane
    }
}

impl FillLane {
    /// Takes the value of the reader's current record: read into this lane, or copied from where it
    /// is lent.
    pub(super) fn read(&mut self, reader: &dyn RecordReader) -> Result<(), DataError> {
        let value = reader.value(&mut self.bytes)?;
        let (start, len) = (value.as_ptr().addr(), value.len());
        let offset = start.checked_sub(self.bytes.as_ptr().addr());
        self.value = match offset.filter(|offset| offset + len <= self.bytes.len()) {
            Some(offset) => offset..offset + len,
            None => {
                let mut unused = Vec::new();
                let lent = reader.value(&mut unused)?;
                self.bytes.clear();
                self.bytes.extend_from_slice(lent);
                0..len
            }
        };
        Ok(())
    }

    /// The record that was read.
    pub(super) fn open(&mut self) -> Result<StoredSample<'_>, SampleProblem> {
        self.decoder.open(&self.bytes[self.value.clone()])
    }

    fn fill(
        &mut self,
        rules: &TransformRules,
        drawn: TransformDraw,
        item: &mut [f32],
        monitor: &FillMonitor,
    ) -> Result<(), SampleProblem> {
        let begin = monitor.now();
        let stored = self.decoder.open(&self.bytes[self.value.clone()])?;
        let sample = stored.decode(rules.decoded_region(drawn))?;
        let begin = monitor.add(FillStage::Decode, begin);
        let filled = rules.apply(&sample, drawn, &mut self.buffers, item);
        monitor.add(FillStage::Transform, begin);
        filled
    }
}
