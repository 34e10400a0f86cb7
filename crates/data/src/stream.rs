//! A stream of batches, prefetched by a thread of its own.
//!
//! A fixed number of batches goes round (`data_param.prefetch`, 4 in Caffe). Who has taken a
//! batch's buffers returns it with [`recycle`](BatchStream::recycle), so that it is filled while
//! the net computes. The state that a stream gives belongs to the batch last taken, however far the
//! thread has read. Dropping the stream ends the thread after the record it is at; a panic there
//! becomes an error here. What lies in memory is not prefetched: the caller fills the batch that it
//! asks for.

mod background;
mod prefetch_thread;

use std::sync::atomic::AtomicBool;

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
use prefetch_thread::PrefetchThread;

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
    Caller {
        source: Box<dyn RecordSource>,
        /// Batches to pass over before the next one, and after that before each.
        skipped: u64,
        between: u64,
    },
    Thread(PrefetchThread),
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
        Prefetch::Thread => prefetched(layer),
    };
    Ok(BatchStream::new(opened, prefetch))
}

/// Batches of `layer` that a stream may have read beyond the one last taken.
#[must_use]
pub fn prefetched_batches(layer: &LayerParameter) -> u64 {
    prefetched(layer) as u64
}

fn prefetched(layer: &LayerParameter) -> usize {
    layer.data_param().prefetch().clamp(1, PREFETCH_MAX) as usize
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

    /// What the user should be told once.
    #[must_use]
    pub fn notices(&self) -> &[OptionNotice] {
        &self.notices
    }

    /// Takes the next batch; waits until it is there. The one before is recycled.
    ///
    /// After an error a stream that prefetches has ended.
    pub fn next_batch(&mut self) -> Result<&mut SampleBatch, DataError> {
        self.recycle();
        let next = match &mut self.filler {
            None => Err(DataError::Ended),
            Some(BatchFiller::Caller { source, skipped, between }) => {
                let mut batch = self.current.take().unwrap_or_default();
                let skipped = std::mem::replace(skipped, *between);
                let never = AtomicBool::new(false);
                source.fill_after(skipped, &mut batch, &never).map(|()| batch)
            }
            Some(BatchFiller::Thread(thread)) => match thread.next() {
                Some(Ok(batch)) => Ok(batch),
                Some(Err(error)) => {
                    _ = self.stop();
                    Err(error)
                }
                // The thread is gone without a word: it panicked.
                None => Err(self.stop().err().unwrap_or(DataError::Ended)),
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
            thread.recycle(used);
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
            Some(BatchFiller::Caller { source, .. }) => source.set_input_arrays(values, labels),
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
        self.filler.take().ok_or(DataError::Ended)?.stop()
    }
}

impl Drop for BatchStream {
    fn drop(&mut self) {
        // A panic of the thread was reported, or nobody asked for the batch it was making.
        _ = self.stop();
    }
}

impl BatchFiller {
    /// With `prefetch` batches going round, or none at all; `between` batches are passed over after
    /// each that is taken.
    fn start(source: Box<dyn RecordSource>, prefetch: usize, between: u64) -> Self {
        match prefetch {
            0 => Self::Caller { source, skipped: 0, between },
            _ => Self::Thread(PrefetchThread::start(source, prefetch, between)),
        }
    }

    fn stop(self) -> Result<Box<dyn RecordSource>, DataError> {
        match self {
            Self::Caller { source, .. } => Ok(source),
            Self::Thread(thread) => thread.stop(),
        }
    }
}

#[cfg(test)]
mod tests;
