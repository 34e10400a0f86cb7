//! What fills the tops of a data layer, and what takes the bottoms of an output layer.
//!
//! `layers` knows no files: whoever runs the net brings a [`DataSource`] for every layer whose row
//! says `has_source`. The source of an output layer is a [`SinkSource`], through which it reaches
//! its [`OutputSink`].

use base::Shape;
use tensor::Slab;

use crate::{Bottom, Top};

/// Why a source could not deliver; the source's own error, with the record it is about.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct DataSourceError(pub Box<dyn std::error::Error + Send + Sync>);

/// What a source met that is not an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceNotice {
    /// All records were read; the first one comes next.
    Restarted,
    /// A record could not be decoded and was left out.
    RecordSkipped {
        /// Its key or file name.
        record: String,
        /// The error that it would have been, and its causes, outermost first.
        causes: Vec<String>,
    },
}

/// The source of one data layer of one replica.
pub trait DataSource: Send {
    /// Puts the next batch into the tops, row-major, with its shape: by [`Top::swap_in`], or by
    /// [`Top::resize`] and writing.
    fn next(&mut self, tops: &mut [Top<'_>]) -> Result<(), DataSourceError>;

    /// The name of record `item` of the batch last delivered, to name a culprit.
    fn record_name(&self, item: usize) -> Option<String>;

    /// Where the stream is after the batches delivered so far, for a snapshot; opaque to all but
    /// [`DataSource::restore`].
    fn state(&self) -> Vec<u8>;

    /// Goes on from a state of the same source.
    fn restore(&mut self, state: &[u8]) -> Result<(), DataSourceError>;

    /// Passes over `batches` batches: the next one is what it would be had they been delivered.
    /// From then on `between` batches are passed over after each.
    fn skip(&mut self, _batches: u64, _between: u64) -> Result<(), DataSourceError> {
        Ok(())
    }

    /// Takes whole batches of values and labels from the program, if it is a source made for that.
    fn set_input_arrays(
        &mut self,
        _values: &[f32],
        _labels: &[f32],
    ) -> Result<(), DataSourceError> {
        Err(DataSourceError("takes no values from the program".into()))
    }

    /// Called when the run is over: whatever is still to be written must be, or the reason be told.
    fn finish(&mut self) -> Result<(), DataSourceError> {
        Ok(())
    }

    /// What happened since the last call that a run should report.
    fn notices(&mut self) -> Vec<SourceNotice> {
        Vec::new()
    }

    /// Where an output layer's bottoms go; a source of a data layer has none.
    fn sink(&mut self) -> Option<&mut dyn OutputSink> {
        None
    }
}

impl Top<'_> {
    /// Makes the blob hold `values`, row-major, of `shape`, by exchanging the two buffers.
    /// Afterwards `values` is the blob's old buffer, with any length and contents.
    ///
    /// A buffer that is shorter than the blob's is copied instead: other blobs may lie in the same
    /// memory and need its length.
    pub fn swap_in(&mut self, shape: &Shape, values: &mut Slab) {
        if *self.shape != *shape {
            self.shape.clone_from(shape);
        }
        if values.len() >= self.slab.len() {
            std::mem::swap(self.slab, values);
        } else {
            self.data().copy_from_slice(&values[..shape.count()]);
        }
    }
}

/// Takes what an output layer is given, such as a file.
pub trait OutputSink: Send {
    /// Takes the values of one forward, in Caffe's order.
    fn put(&mut self, bottoms: &[Bottom<'_>]) -> Result<(), DataSourceError>;

    /// Called when the run is over.
    fn finish(&mut self) -> Result<(), DataSourceError> {
        Ok(())
    }
}

/// The source of an output layer: it delivers nothing and hands on what comes.
pub struct SinkSource<S>(pub S);

impl<S: OutputSink> DataSource for SinkSource<S> {
    fn next(&mut self, _: &mut [Top<'_>]) -> Result<(), DataSourceError> {
        Ok(())
    }

    fn record_name(&self, _: usize) -> Option<String> {
        None
    }

    fn state(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u8]) -> Result<(), DataSourceError> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), DataSourceError> {
        self.0.finish()
    }

    fn sink(&mut self) -> Option<&mut dyn OutputSink> {
        Some(&mut self.0)
    }
}
