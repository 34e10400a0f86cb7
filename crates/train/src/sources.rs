//! Data layers that read files: `data`'s streams as data sources of `layers`.

use std::path::{Path, PathBuf};

use base::Shape;
use base::random::Mt19937;
use caffe_format::{LayerParameter, Phase};
use data::{BatchStream, OnBadSample, OptionNotice, ReplicaSlice, SourceOptions, StreamState};
use layers::{DataSource, DataSourceError, SinkSource, SourceNotice, Top};
use net::OpenSources;

use crate::output::Hdf5Sink;
use crate::{Event, JobConfig};

/// Opens what data layers read.
pub struct FileSources {
    options: SourceOptions,
    notices: Vec<Event>,
}

impl FileSources {
    /// Sources of replica `replica` of `replicas`: record i of a stream goes to replica i mod
    /// replicas.
    #[must_use]
    pub fn new(config: &JobConfig, replica: usize, replicas: usize) -> Self {
        let mut sources = Self::alone(config.root.clone(), config.on_bad_sample);
        sources.options.slice = ReplicaSlice { replica, replicas };
        sources
    }

    /// Sources for a net that is run without a job: `test`, `time`, `check`.
    #[must_use]
    pub fn alone(root: PathBuf, on_bad_sample: OnBadSample) -> Self {
        let slice = ReplicaSlice { replica: 0, replicas: 1 };
        Self { options: SourceOptions { root, slice, on_bad_sample }, notices: Vec::new() }
    }

    /// Folder that relative paths start from.
    pub(crate) fn root(&self) -> &Path {
        &self.options.root
    }

    /// What streams had to say when they were opened; asked once.
    pub fn notices(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.notices)
    }
}

impl OpenSources for FileSources {
    fn shapes(
        &mut self,
        layer: &LayerParameter,
        phase: Phase,
    ) -> Result<Vec<Shape>, DataSourceError> {
        if is_output(layer) {
            return Ok(Vec::new());
        }
        data::shapes(layer, phase, &self.options).map_err(source_error)
    }

    fn open(
        &mut self,
        layer: &LayerParameter,
        phase: Phase,
        rng: &mut Mt19937,
    ) -> Result<Box<dyn DataSource>, DataSourceError> {
        if is_output(layer) {
            let sink = Hdf5Sink::new(layer, self.root(), self.options.slice.replica);
            return Ok(Box::new(SinkSource(sink)));
        }
        let stream = data::open(layer, phase, &self.options, rng).map_err(source_error)?;
        let name = layer.name();
        let event = |&notice: &OptionNotice| Event::SourceOption { layer: name.into(), notice };
        self.notices.extend(stream.notices().iter().map(event));
        let first = self.options.slice.replica == 0;
        Ok(Box::new(FileSource { stream, first, notices: Vec::new() }))
    }
}

/// A stream as a data source.
struct FileSource {
    stream: BatchStream,
    /// Whether it is replica 0's, which says what all would say.
    first: bool,
    notices: Vec<SourceNotice>,
}

impl DataSource for FileSource {
    fn next(&mut self, tops: &mut [Top<'_>]) -> Result<(), DataSourceError> {
        let batch = self.stream.next_batch().map_err(source_error)?;
        for (index, top) in tops.iter_mut().enumerate() {
            let (shape, values) = batch.buffer(index);
            top.swap_in(shape, values);
        }
        self.stream.recycle();
        let origin = self.stream.origin();
        let restarts = if self.first { origin.epochs_ended } else { 0 };
        for _ in 0..restarts {
            self.notices.push(SourceNotice::Restarted);
        }
        let skipped = |reason: &String| SourceNotice::RecordSkipped { reason: reason.clone() };
        self.notices.extend(origin.skipped.iter().map(skipped));
        Ok(())
    }

    fn record_name(&self, item: usize) -> Option<String> {
        self.stream.record_name(item)
    }

    fn state(&self) -> Vec<u8> {
        self.stream.state().to_bytes()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), DataSourceError> {
        let state = StreamState::from_bytes(state).ok_or_else(|| {
            DataSourceError("the stored position of a data layer is damaged".into())
        })?;
        self.stream.restore(&state).map_err(source_error)
    }

    fn skip(&mut self, batches: u64, between: u64) -> Result<(), DataSourceError> {
        self.stream.skip(batches, between).map_err(source_error)
    }

    fn set_input_arrays(&mut self, values: &[f32], labels: &[f32]) -> Result<(), DataSourceError> {
        self.stream.set_input_arrays(values, labels).map_err(source_error)
    }

    fn notices(&mut self) -> Vec<SourceNotice> {
        std::mem::take(&mut self.notices)
    }
}

/// Whether the layer writes rather than reads.
fn is_output(layer: &LayerParameter) -> bool {
    layer.type_() == "HDF5Output"
}

fn source_error(error: data::DataError) -> DataSourceError {
    DataSourceError(Box::new(error))
}
