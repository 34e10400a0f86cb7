//! The sources of data: one row a Caffe layer type that reads something.

mod assembly;
mod data;
mod hdf5;
mod hdf5_data;
mod image_data;
pub(crate) mod list;
mod memory_data;
mod window_data;
mod windows;

use std::{path::PathBuf, sync::atomic::AtomicBool};

use base::{Phase, Shape, random::Mt19937};
use caffe_format::LayerParameter;

use crate::{batch::Batch, error::DataError, state::StreamState};

/// Every source, sorted by the string after `type:`.
///
/// To add one: write `src/source/<name>.rs` with a `KIND`, add a `mod` line above and a row below.
pub const SOURCES: &[SourceKind] =
    &[data::KIND, hdf5_data::KIND, image_data::KIND, memory_data::KIND, window_data::KIND];

/// A row of [`SOURCES`].
pub struct SourceKind {
    /// Caffe's layer type.
    pub name: &'static str,
    /// Whether a thread reads ahead.
    pub(crate) ahead: Ahead,
    /// Opens files, draws from the main stream in Caffe's order, and reads the first record.
    pub(crate) open: fn(Request<'_>) -> Result<Opened, DataError>,
}

/// Whether a thread reads ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// Files are slow, so a thread reads before anybody asks.
    Thread,
    /// What is in memory is copied when asked for.
    Direct,
}

/// What a source is opened with.
pub(crate) struct Request<'a> {
    pub(crate) layer: &'a LayerParameter,
    pub(crate) phase: Phase,
    pub(crate) options: &'a Options,
    pub(crate) rng: &'a mut Mt19937,
}

/// An opened source, not started yet.
pub(crate) struct Opened {
    pub(crate) source: Box<dyn Source>,
    /// Of the tops of the first batch.
    pub(crate) shapes: Vec<Shape>,
    /// What the user should know, for instance that a field has no effect.
    pub(crate) notices: Vec<String>,
}

/// What does not stand in the prototxt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Paths in the prototxt are relative to this folder; `.` as in Caffe.
    pub root: PathBuf,
    /// Which records are ours.
    pub deal: Deal,
    /// What happens to a record that cannot be used.
    pub on_bad_sample: OnBadSample,
}

/// Which share of the records a stream hands out: record `i` of the endless stream goes to replica
/// `i mod replicas`. As in Caffe, everything is ours in the TEST phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deal {
    /// Below `replicas`.
    pub replica: usize,
    /// At least 1.
    pub replicas: usize,
}

impl Deal {
    /// All records.
    pub const ALL: Self = Self { replica: 0, replicas: 1 };
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

/// Fills batches. Runs on the thread that reads ahead.
pub(crate) trait Source: Send {
    /// Overwrites `batch` with the next one and its state. Returns [`DataError::Ended`] soon after
    /// `stop` is set.
    fn fill(&mut self, batch: &mut Batch, stop: &AtomicBool) -> Result<(), DataError>;
    /// Passes over `batches` batches as if they had been filled: the next one is the same.
    fn skip(&mut self, batches: u64) -> Result<(), DataError> {
        skip_by_filling(self, batches)
    }
    /// Where the source stands now.
    fn state(&self) -> StreamState;
    /// Takes values from the program, if this source is made for it.
    fn set_input_arrays(&mut self, _values: &[f32], _labels: &[f32]) -> Result<(), DataError> {
        Err(DataError::NoInputArrays)
    }
    /// Goes to a place that [`state`](Self::state) gave in this run or an earlier one.
    fn restore(&mut self, state: &StreamState) -> Result<(), DataError>;
}

/// Passes over batches by making them: slow, but right for every source.
fn skip_by_filling(source: &mut (impl Source + ?Sized), batches: u64) -> Result<(), DataError> {
    let (mut batch, never) = (Batch::default(), AtomicBool::new(false));
    (0..batches).try_for_each(|_| source.fill(&mut batch, &never))
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
