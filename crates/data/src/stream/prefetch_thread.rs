//! The thread that fills batches before they are asked for.
//!
//! ```text
//!            free: batches to be filled            full: filled batches, or an error
//!  caller ──────────────────────▶ thread: fill ──────────────────────▶ caller
//! ```
//!
//! As many batches go round as the thread was started with, so neither queue grows and no batch is
//! allocated in the steady state.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

use super::background;
use crate::{batch::SampleBatch, error::DataError, source::RecordSource};

/// A running thread; it gives its source back when it ends.
pub(super) struct PrefetchThread {
    free: SyncSender<SampleBatch>,
    full: Receiver<Result<SampleBatch, DataError>>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Box<dyn RecordSource>>,
}

impl PrefetchThread {
    /// With `prefetch` batches going round; `between` batches are passed over after each.
    pub(super) fn start(source: Box<dyn RecordSource>, prefetch: usize, between: u64) -> Self {
        let (free, to_fill) = sync_channel(prefetch);
        let (filled, full) = sync_channel(prefetch + 1);
        let stop = Arc::new(AtomicBool::new(false));
        for _ in 0..prefetch {
            free.send(SampleBatch::default()).expect("there is room for all");
        }
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            background::enter();
            run(source, between, &to_fill, &filled, &stopped)
        });
        Self { free, full, stop, thread }
    }

    /// Waits for the next batch or error; `None` when the thread has panicked, or had ended with an
    /// error before.
    pub(super) fn next(&self) -> Option<Result<SampleBatch, DataError>> {
        self.full.recv().ok()
    }

    /// Returns a batch to be filled again.
    pub(super) fn recycle(&self, batch: SampleBatch) {
        // The thread may have ended with an error that waits in `full`.
        _ = self.free.send(batch);
    }

    /// Ends the thread after the record it is at.
    pub(super) fn stop(self) -> Result<Box<dyn RecordSource>, DataError> {
        self.stop.store(true, Ordering::Relaxed);
        // Both ends hang up, so the thread waits for neither.
        drop((self.free, self.full));
        self.thread.join().map_err(|panic| DataError::Panicked { message: message(&*panic) })
    }
}

/// The thread: until told to stop, or until an error has been sent.
fn run(
    mut source: Box<dyn RecordSource>,
    between: u64,
    free: &Receiver<SampleBatch>,
    full: &SyncSender<Result<SampleBatch, DataError>>,
    stop: &AtomicBool,
) -> Box<dyn RecordSource> {
    let mut skipped = 0;
    while let Ok(mut batch) = free.recv() {
        let filled = source.fill_after(skipped, &mut batch, stop).map(|()| batch);
        skipped = between;
        let failed = filled.is_err();
        if full.send(filled).is_err() || failed {
            break;
        }
    }
    source
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
