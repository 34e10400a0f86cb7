//! A stream of batches, prefetched by a thread of its own.
//!
//! ```text
//!            free: batches to be filled            full: filled batches, or an error
//!  caller ──────────────────────▶ thread: fill ──────────────────────▶ caller
//! ```
//!
//! A fixed number of batches goes round (`data_param.prefetch`, 4 in Caffe), so neither queue grows
//! and no batch is allocated in the steady state. Who has taken a batch's buffers returns it with
//! [`recycle`](BatchStream::recycle), so that it is filled while the net computes. The state that a
//! stream gives belongs to the batch last taken, however far the thread has read. Dropping the
//! stream ends the thread after the record it is at; a panic there becomes an error here.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

use base::{Shape, random::Mt19937};
use caffe_format::{LayerParameter, Phase};

use crate::{
    batch::{BatchOrigin, SampleBatch},
    error::DataError,
    source::{
        self, OpenedSource, OptionNotice, Prefetch, RecordNames, RecordSource, SourceKind,
        SourceOptions, SourceRequest,
    },
    state::StreamState,
};

/// Most batches that are prefetched; more would only take memory.
const PREFETCH_MAX: u32 = 64;

/// Batches of one data layer.
pub struct BatchStream {
    shapes: Vec<Shape>,
    notices: Vec<OptionNotice>,
    names: RecordNames,
    prefetch: usize,
    /// The batch last taken, until it is recycled.
    current: Option<SampleBatch>,
    /// Of the batch last taken; before the first one, only the state is set.
    origin: BatchOrigin,
    /// `None` after an error.
    filler: Option<BatchFiller>,
}

/// Who fills batches.
enum BatchFiller {
    /// The caller, when it asks.
    Caller(StridedSource),
    Thread(PrefetchThread),
}

/// A source of which some batches are taken and others passed over.
struct StridedSource {
    source: Box<dyn RecordSource>,
    /// Passed over after each batch that is taken.
    between: u64,
    begun: bool,
}

impl StridedSource {
    fn new(source: Box<dyn RecordSource>, between: u64) -> Self {
        Self { source, between, begun: false }
    }

    fn fill(&mut self, batch: &mut SampleBatch, stop: &AtomicBool) -> Result<(), DataError> {
        if self.begun && self.between > 0 {
            self.source.skip(self.between)?;
        }
        self.begun = true;
        self.source.fill(batch, stop)?;
        batch.origin.state = self.source.state();
        Ok(())
    }
}

struct PrefetchThread {
    free: SyncSender<SampleBatch>,
    full: Receiver<Result<SampleBatch, DataError>>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<StridedSource>,
}

/// Opens what `layer` reads and starts to prefetch.
///
/// Draws from `rng`, the main stream, exactly what Caffe draws when it sets the layer up.
pub fn open(
    layer: &LayerParameter,
    phase: Phase,
    options: &SourceOptions,
    rng: &mut Mt19937,
) -> Result<BatchStream, DataError> {
    let kind = find(layer)?;
    let opened = (kind.open)(SourceRequest { layer, phase, options, rng })?;
    let prefetch = match kind.prefetch {
        Prefetch::Caller => 0,
        Prefetch::Thread => layer.data_param().prefetch().clamp(1, PREFETCH_MAX) as usize,
    };
    Ok(BatchStream::new(opened, prefetch))
}

/// Shapes of the tops of `layer`, without drawing from anybody's random numbers.
pub fn shapes(
    layer: &LayerParameter,
    phase: Phase,
    options: &SourceOptions,
) -> Result<Vec<Shape>, DataError> {
    let mut rng = Mt19937::new(0);
    Ok((find(layer)?.open)(SourceRequest { layer, phase, options, rng: &mut rng })?.shapes)
}

fn find(layer: &LayerParameter) -> Result<&'static SourceKind, DataError> {
    source::find(layer.type_())
        .ok_or_else(|| DataError::UnknownSource { name: layer.type_().to_owned() })
}

impl BatchStream {
    fn new(opened: OpenedSource, prefetch: usize) -> Self {
        let OpenedSource { source, shapes, notices, names } = opened;
        let origin = BatchOrigin { state: source.state(), ..BatchOrigin::default() };
        let filler = Some(BatchFiller::start(source, prefetch, 0));
        Self { shapes, notices, names, prefetch, current: None, origin, filler }
    }

    /// Shapes of the tops, from the first record.
    #[must_use]
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// What the user should be told once, in sentences.
    #[must_use]
    pub fn notices(&self) -> &[OptionNotice] {
        &self.notices
    }

    /// Takes the next batch; waits until it is there. The one before is recycled.
    ///
    /// After an error the stream has ended, until [`restore`](Self::restore).
    pub fn next_batch(&mut self) -> Result<&mut SampleBatch, DataError> {
        self.recycle();
        let next = match &mut self.filler {
            None => Err(DataError::Ended),
            Some(BatchFiller::Caller(source)) => {
                let mut batch = self.current.take().unwrap_or_default();
                source.fill(&mut batch, &AtomicBool::new(false)).map(|()| batch)
            }
            Some(BatchFiller::Thread(thread)) => match thread.full.recv() {
                Ok(Ok(batch)) => Ok(batch),
                Ok(Err(error)) => {
                    _ = self.stop();
                    Err(error)
                }
                // The thread is gone without a word: it panicked.
                Err(_) => Err(self.stop().err().unwrap_or(DataError::Ended)),
            },
        };
        let mut batch = next?;
        std::mem::swap(&mut self.origin, &mut batch.origin);
        Ok(self.current.insert(batch))
    }

    /// Returns the batch last taken to the thread, which fills it again. Its values are gone then;
    /// [`origin`](Self::origin), [`record_name`](Self::record_name) and [`state`](Self::state)
    /// stay.
    pub fn recycle(&mut self) {
        if let Some(BatchFiller::Thread(thread)) = &self.filler
            && let Some(used) = self.current.take()
        {
            // The thread may have ended with an error that waits in `full`.
            _ = thread.free.send(used);
        }
    }

    /// What is known about the batch last taken.
    #[must_use]
    pub fn origin(&self) -> &BatchOrigin {
        &self.origin
    }

    /// Key or file name of the record that became item `item` of the batch last taken. It is looked
    /// up now, which may read files again: for errors.
    #[must_use]
    pub fn record_name(&self, item: usize) -> Option<String> {
        (self.names)(*self.origin.records.get(item)?)
    }

    /// Gives values to a `MemoryData` layer: whole batches of (N, C, H, W) and their labels.
    pub fn set_input_arrays(&mut self, values: &[f32], labels: &[f32]) -> Result<(), DataError> {
        match &mut self.filler {
            Some(BatchFiller::Caller(strided)) => strided.source.set_input_arrays(values, labels),
            _ => Err(DataError::NoInputArrays),
        }
    }

    /// Where the stream stands after the batches taken so far.
    #[must_use]
    pub fn state(&self) -> &StreamState {
        &self.origin.state
    }

    /// Goes on where a stream of the same layer stood, to the bit.
    pub fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        if state.source != self.state().source {
            return Err(DataError::State { what: "it belongs to another kind of layer" });
        }
        let mut source = self.stop()?;
        source.restore(state)?;
        self.start(source, state.clone(), 0);
        Ok(())
    }

    /// Passes over `batches` batches: the next one is what it would be had they been taken. From
    /// then on `between` batches are passed over after each. Records of databases and lists are not
    /// decoded for it.
    pub fn skip(&mut self, batches: u64, between: u64) -> Result<(), DataError> {
        let mut source = self.stop()?;
        source.restore(self.state())?; // the thread has read ahead
        source.skip(batches)?;
        let state = source.state();
        self.start(source, state, between);
        Ok(())
    }

    fn start(&mut self, source: Box<dyn RecordSource>, state: StreamState, between: u64) {
        self.origin = BatchOrigin { state, ..BatchOrigin::default() };
        self.filler = Some(BatchFiller::start(source, self.prefetch, between));
    }

    /// Ends the thread and takes the source back.
    fn stop(&mut self) -> Result<Box<dyn RecordSource>, DataError> {
        self.current = None;
        Ok(self.filler.take().ok_or(DataError::Ended)?.stop()?.source)
    }
}

impl Drop for BatchStream {
    fn drop(&mut self) {
        // A panic of the thread was reported, or nobody asked for the batch it was making.
        _ = self.stop();
    }
}

impl BatchFiller {
    /// With `prefetch` batches going round, or none at all.
    fn start(source: Box<dyn RecordSource>, prefetch: usize, between: u64) -> Self {
        let source = StridedSource::new(source, between);
        if prefetch == 0 {
            Self::Caller(source)
        } else {
            Self::Thread(PrefetchThread::start(source, prefetch))
        }
    }

    fn stop(self) -> Result<StridedSource, DataError> {
        match self {
            Self::Caller(source) => Ok(source),
            Self::Thread(thread) => thread.stop(),
        }
    }
}

impl PrefetchThread {
    fn start(source: StridedSource, prefetch: usize) -> Self {
        let (free, to_fill) = sync_channel(prefetch);
        let (filled, full) = sync_channel(prefetch + 1);
        let stop = Arc::new(AtomicBool::new(false));
        for _ in 0..prefetch {
            free.send(SampleBatch::default()).expect("there is room for all");
        }
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || prefetch_batches(source, &to_fill, &filled, &stopped));
        Self { free, full, stop, thread }
    }

    fn stop(self) -> Result<StridedSource, DataError> {
        self.stop.store(true, Ordering::Relaxed);
        // Both ends hang up, so the thread waits for neither.
        drop((self.free, self.full));
        self.thread.join().map_err(|panic| DataError::Panicked { message: message(&*panic) })
    }
}

/// The thread: until told to stop, or until an error has been sent.
fn prefetch_batches(
    mut source: StridedSource,
    free: &Receiver<SampleBatch>,
    full: &SyncSender<Result<SampleBatch, DataError>>,
    stop: &AtomicBool,
) -> StridedSource {
    while let Ok(mut batch) = free.recv() {
        let filled = source.fill(&mut batch, stop).map(|()| batch);
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

#[cfg(test)]
mod tests;
