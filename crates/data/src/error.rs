//! What can go wrong between a file and a batch.

mod format;
mod sample;

use std::{io, path::PathBuf};

use caffe_format::binary::BinaryError;

pub use format::{Hdf5Problem, IdxProblem};
pub use sample::SampleProblem;

use crate::{image::ImageError, leveldb::LevelDbError, lmdb::LmdbError, paths::MisplacedPath};

/// Why no batch came. Every variant names the file, the record or the field to blame; the layer is
/// added by whoever knows it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// Not a layer that reads data.
    #[error("layer type `{name}` is not a source of data (known: {})", crate::source::names())]
    UnknownSource {
        /// What was written after `type:`.
        name: String,
    },
    /// A field that must be set is not, or is 0.
    #[error("`{field}` must be set and above 0")]
    Required {
        /// The field, with the message it belongs to.
        field: &'static str,
    },
    /// A path that must be set is not.
    #[error("`{field}` is missing: the path of {what}")]
    NoPath {
        /// The field, with the message it belongs to.
        field: &'static str,
        /// What should be there.
        what: &'static str,
    },
    /// A path that exists where the prototxt is.
    #[error("`{field}`: {path}")]
    Misplaced {
        /// The field, with the message it belongs to.
        field: &'static str,
        /// The path and where it is.
        path: MisplacedPath,
    },
    /// A source has a fixed number of tops.
    #[error("has {got} tops, {want}")]
    Tops {
        /// How many were written.
        got: usize,
        /// What is possible.
        want: &'static str,
    },
    /// A field of a fork with a value that is not supported.
    #[error("`{field}` is {got}, expected {want}")]
    ForkValue {
        /// The field, with the message it belongs to.
        field: &'static str,
        /// As written.
        got: String,
        /// What is supported.
        want: &'static str,
    },
    /// `height` and `width` of `resize_param` are too large.
    #[error("an image of `height` and `width` of `transform_param.resize_param`")]
    ResizeSize(#[source] ImageError),
    /// Two ways to state a mean.
    #[error("`mean_file` and `mean_value` exclude each other")]
    TwoMeans,
    /// Two colour conversions.
    #[error("`force_color` and `force_gray` exclude each other")]
    TwoColors,
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A mean file is damaged.
    #[error("{} is not a mean file", path.display())]
    Mean {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: BinaryError,
    },
    /// A mean file does not hold one image.
    #[error("{} holds {values} values of shape {dims:?}, not one image (1, C, H, W)", path.display())]
    MeanShape {
        /// The file.
        path: PathBuf,
        /// Its shape.
        dims: Vec<i64>,
        /// Its number of values.
        values: usize,
    },
    /// An idx file is not one, or does not fit its partner.
    #[error("{} cannot be used as an idx file of images or labels", path.display())]
    Idx {
        /// The file.
        path: PathBuf,
        /// What was found.
        #[source]
        problem: IdxProblem,
    },
    /// A batch of CIFAR-10 is not whole records.
    #[error("{} has {bytes} bytes, not a whole number of CIFAR-10's records of 3073", path.display())]
    Cifar {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: usize,
    },
    /// A line of a list is not a name and a label.
    #[error("{}, line {line}: expected a file name, a space and a label", path.display())]
    List {
        /// The list.
        path: PathBuf,
        /// From 1.
        line: usize,
    },
    /// More lines than can be counted in 32 bits.
    #[error("{} has more than 4294967295 lines", path.display())]
    LongList {
        /// The list.
        path: PathBuf,
    },
    /// `rand_skip` may skip everything.
    #[error("`rand_skip` skips {records} records, {} has fewer", path.display())]
    Skip {
        /// The list.
        path: PathBuf,
        /// How many were to be skipped.
        records: usize,
    },
    /// `new_height` and `new_width` are too large.
    #[error("an image of `new_height` and `new_width`")]
    NewSize(#[source] ImageError),
    /// A database is damaged or absent.
    #[error(transparent)]
    Lmdb(#[from] LmdbError),
    /// A database is damaged or absent.
    #[error(transparent)]
    LevelDb(#[from] LevelDbError),
    /// A source without records.
    #[error("{} holds no records", path.display())]
    NoRecords {
        /// The database or list.
        path: PathBuf,
    },
    /// A record that cannot be used.
    #[error("record `{record}` of {}", path.display())]
    Sample {
        /// The database or list.
        path: PathBuf,
        /// Its key or file name.
        record: String,
        /// What is wrong with it.
        #[source]
        problem: SampleProblem,
    },
    /// Bad records are skipped, but there is no good one.
    #[error("no record of {} could be used", path.display())]
    AllBad {
        /// The database or list.
        path: PathBuf,
    },
    /// A window file is not written as it should be.
    #[error("{}, line {line}: {what}", path.display())]
    Windows {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What was expected.
        what: &'static str,
    },
    /// Windows are cropped from colour images.
    #[error("{} is about images of {channels} channels, not 3", path.display())]
    WindowChannels {
        /// The window file.
        path: PathBuf,
        /// Of its last image.
        channels: usize,
    },
    /// Nothing would be left of the box.
    #[error("`context_pad: {pad}` on both sides leaves nothing of `crop_size: {crop}`")]
    ContextPad {
        /// As written.
        pad: usize,
        /// As written.
        crop: usize,
    },
    /// HDF5Data takes values as they are.
    #[error("{name} does not transform; leave out `transform_param`")]
    NoTransform {
        /// The layer type.
        name: &'static str,
    },
    /// A dataset that cannot be read.
    #[error("dataset `{dataset}` of {}", path.display())]
    Hdf5 {
        /// The file.
        path: PathBuf,
        /// The top it belongs to.
        dataset: String,
        /// What is wrong with it.
        #[source]
        problem: Hdf5Problem,
    },
    /// Rows of one dataset have one shape.
    #[error("dataset `{dataset}` has items of shape {want:?}, now one of {got:?} comes")]
    Rows {
        /// The dataset.
        dataset: &'static str,
        /// Of the first batch.
        want: Vec<usize>,
        /// Of this one.
        got: Vec<usize>,
    },
    /// A file could not be put together.
    #[error("cannot make an HDF5 file")]
    Hdf5Write(#[source] Hdf5Problem),
    /// Files of a list must agree.
    #[error("dataset `{dataset}` of {} is {dims:?}, the batch is {want}", path.display())]
    Hdf5Shape {
        /// The file.
        path: PathBuf,
        /// The top it belongs to.
        dataset: String,
        /// Its shape.
        dims: Vec<usize>,
        /// The batch that earlier rows began.
        want: base::Shape,
    },
    /// A dataset or a batch of it does not fit a blob.
    #[error("{}: rows that do not fit a blob", path.display())]
    Hdf5Batch {
        /// The file.
        path: PathBuf,
        /// What is too large.
        source: base::ShapeError,
    },
    /// `MemoryData` before its values were set, or values set for another source.
    #[error(
        "no data was set: MemoryData gets its values from the program, other layers from files"
    )]
    NoInputArrays,
    /// What was set is not a whole number of batches.
    #[error("{values} values and {labels} labels are not whole batches of shape {want:?}")]
    InputArrays {
        /// How many values.
        values: usize,
        /// How many labels.
        labels: usize,
        /// A batch: N, C, H, W.
        want: [usize; 4],
    },
    /// A saved position belongs to something else.
    #[error("the saved position does not fit: {what}")]
    State {
        /// In what it differs.
        what: &'static str,
    },
    /// A database that is not as it was when it was opened.
    #[error("{} changed while it was being loaded", path.display())]
    Changed {
        /// The database.
        path: PathBuf,
    },
    /// A record was asked for in a shard that another one holds: the shards' owner has erred.
    #[error("a record of {} is not in this rank's memory ({slot})", path.display())]
    NotInShard {
        /// The database.
        path: PathBuf,
        /// Which.
        slot: String,
    },
    /// A saved position of a run that shuffles in another way, or does not.
    #[error(
        "the saved run read its records in another order: give the `--shuffle`, `--data-groups` \
         and `--exchange-every` that it had, or `--resume-data start`"
    )]
    OtherOrder,
    /// The prefetching thread panicked.
    #[error("prefetching failed: {message}")]
    Panicked {
        /// The panic's message.
        message: String,
    },
    /// The stream was closed, or failed before and was asked again.
    #[error("the stream has ended")]
    Ended,
}

/// An error and its causes on one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(|cause| format!(": {}", chain(cause)));
    format!("{error}{}", cause.unwrap_or_default())
}
