//! A stream of batches, read ahead by a thread of its own.
//!
//! ```text
//!            free: empty batches                  full: filled batches, or an error
//!  caller ──────────────────────▶ thread: fill ──────────────────────▶ caller
//! ```
//!
//! A fixed number of batches goes round (`data_param.prefetch`, 4 in Caffe), so neither queue grows
//! and no batch is allocated once the run is steady. The state handed out belongs to the batch that
//! the caller holds, however far the thread has read. Dropping the stream ends the thread after the
//! record it is at; a panic there becomes an error here.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

use base::{Phase, Shape, random::Mt19937};
use caffe_format::LayerParameter;

use crate::{
    batch::Batch,
    error::DataError,
    source::{self, Ahead, Opened, Options, Request, Source, SourceKind},
    state::StreamState,
};

/// Most batches that are read ahead; more would only take memory.
const PREFETCH_MAX: u32 = 64;

/// Batches of one data layer.
pub struct Stream {
    shapes: Vec<Shape>,
    notices: Vec<String>,
    prefetch: usize,
    /// The last batch handed out.
    current: Option<Batch>,
    /// State before the first batch, or after [`restore`](Self::restore).
    start: StreamState,
    /// `None` after an error.
    worker: Option<Worker>,
}

/// Who fills batches.
enum Worker {
    /// The caller, when it asks.
    Direct(Strider),
    Thread(Thread),
}

/// A source of which some batches are handed out and others passed over.
struct Strider {
    source: Box<dyn Source>,
    /// Passed over after each batch that is handed out.
    between: u64,
    begun: bool,
}

impl Strider {
    fn new(source: Box<dyn Source>, between: u64) -> Self {
        Self { source, between, begun: false }
    }

    fn fill(&mut self, batch: &mut Batch, stop: &AtomicBool) -> Result<(), DataError> {
        if self.begun && self.between > 0 {
            self.source.skip(self.between)?;
        }
        self.begun = true;
        self.source.fill(batch, stop)
    }
}

struct Thread {
    free: SyncSender<Batch>,
    full: Receiver<Result<Batch, DataError>>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Strider>,
}

/// Opens what `layer` reads and starts to read ahead.
///
/// Draws from `rng`, the main stream, exactly what Caffe draws when it sets the layer up.
pub fn open(
    layer: &LayerParameter,
    phase: Phase,
    options: &Options,
    rng: &mut Mt19937,
) -> Result<Stream, DataError> {
    let kind = find(layer)?;
    let Opened { source, shapes, notices } = (kind.open)(Request { layer, phase, options, rng })?;
    let prefetch = match kind.ahead {
        Ahead::Direct => 0,
        Ahead::Thread => layer.data_param().prefetch().clamp(1, PREFETCH_MAX) as usize,
    };
    let start = source.state();
    let worker = Some(Worker::start(source, prefetch, 0));
    Ok(Stream { shapes, notices, prefetch, current: None, start, worker })
}

/// Shapes of the tops of `layer`, without drawing from anybody's random numbers.
pub fn shapes(
    layer: &LayerParameter,
    phase: Phase,
    options: &Options,
) -> Result<Vec<Shape>, DataError> {
    let mut rng = Mt19937::new(0);
    Ok((find(layer)?.open)(Request { layer, phase, options, rng: &mut rng })?.shapes)
}

fn find(layer: &LayerParameter) -> Result<&'static SourceKind, DataError> {
    source::find(layer.type_())
        .ok_or_else(|| DataError::UnknownSource { name: layer.type_().to_owned() })
}

impl Stream {
    /// Shapes of the tops, from the first record.
    #[must_use]
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// What the user should be told once, in sentences.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The next batch; waits until it is there. The one before is recycled.
    ///
    /// After an error the stream has ended, until [`restore`](Self::restore).
    pub fn next_batch(&mut self) -> Result<&Batch, DataError> {
        let used = self.current.take();
        if let Some(used) = &used {
            self.start.clone_from(used.state());
        }
        let next = match &mut self.worker {
            None => Err(DataError::Ended),
            Some(Worker::Direct(strider)) => {
                let mut batch = used.unwrap_or_default();
                strider.fill(&mut batch, &AtomicBool::new(false)).map(|()| batch)
            }
            Some(Worker::Thread(thread)) => match thread.exchange(used) {
                Some(Ok(batch)) => Ok(batch),
                Some(Err(error)) => {
                    _ = self.stop();
                    Err(error)
                }
                None => Err(self.stop().err().unwrap_or(DataError::Ended)),
            },
        };
        next.map(|batch| &*self.current.insert(batch))
    }

    /// Hands values to a `MemoryData` layer: whole batches of (N, C, H, W) and their labels.
    pub fn set_input_arrays(&mut self, values: &[f32], labels: &[f32]) -> Result<(), DataError> {
        match &mut self.worker {
            Some(Worker::Direct(strider)) => strider.source.set_input_arrays(values, labels),
            _ => Err(DataError::NoInputArrays),
        }
    }

    /// Where the stream stands after the batches handed out so far.
    #[must_use]
    pub fn state(&self) -> &StreamState {
        self.current.as_ref().map_or(&self.start, Batch::state)
    }

    /// Goes on where a stream of the same layer stood, to the bit.
    pub fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        if state.source != self.state().source {
            return Err(DataError::State { what: "it belongs to another kind of layer" });
        }
        let mut source = self.stop()?;
        self.current = None;
        source.restore(state)?;
        self.start = state.clone();
        self.worker = Some(Worker::start(source, self.prefetch, 0));
        Ok(())
    }

    /// Passes over `batches` batches: the next one is what it would be had they been handed out. From
    /// then on `between` batches are passed over after each. Databases and lists of images are not
    /// decoded for it.
    pub fn skip(&mut self, batches: u64, between: u64) -> Result<(), DataError> {
        let from = self.state().clone();
        let mut source = self.stop()?;
        self.current = None;
        source.restore(&from)?; // the thread has read ahead
        source.skip(batches)?;
        self.start = source.state();
        self.worker = Some(Worker::start(source, self.prefetch, between));
        Ok(())
    }

    /// Ends the thread and takes the source back.
    fn stop(&mut self) -> Result<Box<dyn Source>, DataError> {
        Ok(self.worker.take().ok_or(DataError::Ended)?.stop()?.source)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // A panic of the thread was reported, or nobody asked for the batch it was making.
        _ = self.stop();
    }
}

impl Worker {
    /// With `prefetch` batches going round, or none at all.
    fn start(source: Box<dyn Source>, prefetch: usize, between: u64) -> Self {
        let strider = Strider::new(source, between);
        if prefetch == 0 {
            Self::Direct(strider)
        } else {
            Self::Thread(Thread::start(strider, prefetch))
        }
    }

    fn stop(self) -> Result<Strider, DataError> {
        match self {
            Self::Direct(strider) => Ok(strider),
            Self::Thread(thread) => thread.stop(),
        }
    }
}

impl Thread {
    fn start(source: Strider, prefetch: usize) -> Self {
        let (free, to_fill) = sync_channel(prefetch);
        let (filled, full) = sync_channel(prefetch + 1);
        let stop = Arc::new(AtomicBool::new(false));
        for _ in 0..prefetch {
            free.send(Batch::default()).expect("there is room for all");
        }
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || read_ahead(source, &to_fill, &filled, &stopped));
        Self { free, full, stop, thread }
    }

    /// Gives a used batch back and waits for the next; `None` when the thread is gone.
    fn exchange(&self, used: Option<Batch>) -> Option<Result<Batch, DataError>> {
        if let Some(used) = used {
            // The thread may have ended with an error that waits in `full`.
            _ = self.free.send(used);
        }
        self.full.recv().ok()
    }

    fn stop(self) -> Result<Strider, DataError> {
        self.stop.store(true, Ordering::Relaxed);
        // Both ends hang up, so the thread waits for neither.
        drop((self.free, self.full));
        self.thread.join().map_err(|panic| DataError::Panicked { message: message(&*panic) })
    }
}

/// The thread: until told to stop, or until an error has been sent.
fn read_ahead(
    mut source: Strider,
    free: &Receiver<Batch>,
    full: &SyncSender<Result<Batch, DataError>>,
    stop: &AtomicBool,
) -> Strider {
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
