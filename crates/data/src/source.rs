//! The sources of records: one row per Caffe layer type that reads something.

mod batch_builder;
pub(crate) mod data;
mod hdf5;
mod hdf5_data;
mod image_data;
mod image_files;
pub(crate) mod list;
mod memory_data;
mod order;
mod window_data;
mod window_file;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use base::{Shape, random::Mt19937};
use caffe_format::{LayerParameter, Phase};
use serde::{Deserialize, Serialize};

use crate::{
    batch::SampleBatch, error::DataError, monitor::FillMonitor, paths::PathRoot,
    state::StreamState, store::RecordAccess,
};

/// Every source, sorted by the string after `type:`.
///
/// To add one: write `src/source/<name>.rs` with a `KIND`, add a `mod` line above and a row below.
pub const SOURCES: &[SourceKind] =
    &[data::KIND, hdf5_data::KIND, image_data::KIND, memory_data::KIND, window_data::KIND];

/// A row of [`SOURCES`].
pub struct SourceKind {
    /// Caffe's layer type.
    pub name: &'static str,
    /// Who fills the batches.
    pub(crate) prefetch: Prefetch,
    /// Opens files, draws from the main stream in Caffe's order, and reads the first record.
    pub(crate) open: fn(SourceRequest<'_>) -> Result<OpenedSource, DataError>,
}

/// Who fills the batches of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefetch {
    /// A thread of its own, before they are asked for: files are slow.
    Thread,
    /// The caller, when it asks: the values are in memory.
    Caller,
}

/// What a source is opened with.
pub(crate) struct SourceRequest<'a> {
    pub(crate) layer: &'a LayerParameter,
    pub(crate) phase: Phase,
    pub(crate) options: &'a SourceOptions,
    pub(crate) rng: &'a mut Mt19937,
}

/// An opened source, not started yet.
pub(crate) struct OpenedSource {
    pub(crate) source: Box<dyn RecordSource>,
    /// Of the tops of the first batch.
    pub(crate) shapes: Vec<Shape>,
    /// What the user should know, for instance that a field has no effect.
    pub(crate) notices: Vec<OptionNotice>,
    pub(crate) names: RecordNames,
}

/// Finds the name of a record that a batch holds, when an error needs it. The source itself is busy
/// on its thread; a batch therefore keeps each record's number, and this makes a name of it.
pub(crate) type RecordNames = Box<dyn Fn(u64) -> Option<String> + Send>;

/// What does not stand in the prototxt.
#[derive(Debug, Clone)]
pub struct SourceOptions {
    /// Where paths in the prototxt start.
    pub root: PathRoot,
    /// Which records are this replica's.
    pub slice: ReplicaSlice,
    /// What happens to a record that cannot be used.
    pub on_bad_sample: OnBadSample,
    /// Where `Data` layers in the TRAIN phase find their records.
    pub access: RecordAccess,
    /// On how many threads `Data` layers work, and what takes their time.
    pub monitor: Arc<FillMonitor>,
}

/// The records of one replica: position `p` of the endless stream belongs to replica `p mod
/// replicas`. As in Caffe, a net in the TEST phase reads all records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplicaSlice {
    /// Below `replicas`.
    pub replica: usize,
    /// At least 1.
    pub replicas: usize,
}

impl ReplicaSlice {
    /// All records.
    pub const ALL: Self = Self { replica: 0, replicas: 1 };

    fn in_phase(self, phase: Phase) -> Self {
        if phase == Phase::Test { Self::ALL } else { self }
    }
}

/// An option of a data layer that has no effect, or another one than its name suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OptionNotice {
    /// `rand_skip` of a Data layer has no effect, as in Caffe 1.0.
    RandSkip,
    /// `data_param.shuffle` where records are read in key order: in the TEST phase, and outside
    /// training.
    Shuffle,
    /// An ImageData layer without `shuffle` gives every replica the same images.
    SameImages,
    /// `transform_param` of a MemoryData layer has no effect.
    MemoryTransform,
}

/// What happens to a record that cannot be used: a damaged image, another size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnBadSample {
    /// The stream fails, naming the record.
    Fail,
    /// The next record takes its place; the batch lists it.
    Skip,
}

base::names!(pub OnBadSample { Fail = "fail", Skip = "skip" });

/// Fills batches. Runs on the prefetching thread.
pub(crate) trait RecordSource: Send {
    /// Overwrites `batch` with the next one. Returns [`DataError::Ended`] soon after `stop` is set.
    fn fill(&mut self, batch: &mut SampleBatch, stop: &AtomicBool) -> Result<(), DataError>;
    /// Passes over `skipped` batches, fills the next one and notes where the stream stands then.
    fn fill_after(
        &mut self,
        skipped: u64,
        batch: &mut SampleBatch,
        stop: &AtomicBool,
    ) -> Result<(), DataError> {
        if skipped > 0 {
            self.skip(skipped)?;
        }
        self.fill(batch, stop)?;
        batch.origin.state = self.state();
        Ok(())
    }
    /// Passes over `batches` batches as if they had been filled: the next one is the same.
    fn skip(&mut self, batches: u64) -> Result<(), DataError> {
        skip_by_filling(self, batches)
    }
    /// The position after the batches filled so far. Allocates nothing.
    fn state(&self) -> StreamState;
    /// Takes values from the program, if this source is made for it.
    fn set_input_arrays(&mut self, _values: &[f32], _labels: &[f32]) -> Result<(), DataError> {
        Err(DataError::NoInputArrays)
    }
    /// Goes to a position that [`state`](Self::state) gave in this process or an earlier one.
    fn restore(&mut self, state: &StreamState) -> Result<(), DataError>;
}

/// Passes over batches by making them: slow, but right for every source.
fn skip_by_filling(
    source: &mut (impl RecordSource + ?Sized),
    batches: u64,
) -> Result<(), DataError> {
    let (mut batch, never) = (SampleBatch::default(), AtomicBool::new(false));
    (0..batches).try_for_each(|_| source.fill(&mut batch, &never))
}

/// An error once the stream is being closed, so that a batch that nobody waits for is left.
fn ended(stop: &AtomicBool) -> Result<(), DataError> {
    if stop.load(Ordering::Relaxed) { Err(DataError::Ended) } else { Ok(()) }
}

/// A number that must be set, from the field called `field`.
fn required(value: u32, field: &'static str) -> Result<usize, DataError> {
    if value == 0 { Err(DataError::Required { field }) } else { Ok(value as usize) }
}

/// For sources that always have two tops.
fn data_and_label(layer: &LayerParameter) -> Result<(), DataError> {
    match layer.top.len() {
        2 => Ok(()),
        got => Err(DataError::Tops { got, want: "needs 2 (data, label)" }),
    }
}

/// Looks up the string after `type:` in a prototxt.
#[must_use]
pub fn find(name: &str) -> Option<&'static SourceKind> {
    SOURCES.iter().find(|kind| kind.name == name)
}

/// All names, for the error that lists them.
pub(crate) fn names() -> String {
    SOURCES.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::SOURCES;

    #[test]
    fn table_is_sorted_so_names_are_unique() {
        assert!(SOURCES.is_sorted_by(|a, b| a.name < b.name));
    }
}
