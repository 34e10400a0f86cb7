//! Data layers that read files: `data`'s streams as data sources of `layers`.

use std::path::Path;
use std::sync::Arc;

use base::Shape;
use base::random::Mt19937;
use caffe_format::{LayerParameter, Phase};
use data::{
    BatchStream, FillMonitor, OnBadSample, OptionNotice, PathField, PathRoot, RecordAccess,
    ReplicaSlice, SkippedRecord, SourceOptions, StreamState,
};
use layers::{AddedLayers, DataSource, DataSourceError, SinkSource, SourceNotice, Top};
use net::OpenSources;

use crate::output::Hdf5Sink;
use crate::records::TrainRecords;
use crate::{Event, JobConfig};

const OUTPUT_FILE: PathField =
    PathField { name: "hdf5_output_param.file_name", what: "the file to write" };

/// Opens what data layers read.
pub struct FileSources {
    options: SourceOptions,
    added: AddedLayers,
    notices: Vec<Event>,
}

impl FileSources {
    /// Sources of one replica of a job, whose train net finds its records as `records` says.
    pub(crate) fn new(config: &JobConfig, slice: ReplicaSlice, records: &TrainRecords) -> Self {
        let mut sources =
            Self::alone(&*config.root, config.on_bad_sample).with_layers(config.added_layers);
        sources.options.slice = slice;
        sources.options.access = records.access.clone();
        sources.options.monitor = Arc::clone(&records.monitor);
        sources
    }

    /// Sources for a net that is run without a job: `test`, `time`, `check`.
    #[must_use]
    pub fn alone(root: impl Into<PathRoot>, on_bad_sample: OnBadSample) -> Self {
        let (slice, access) = (ReplicaSlice::ALL, RecordAccess::Database);
        let (root, monitor) = (root.into(), Arc::<FillMonitor>::default());
        let options = SourceOptions { root, slice, on_bad_sample, access, monitor };
        Self { options, added: AddedLayers::default(), notices: Vec::new() }
    }

    /// The same for nets that may have layers of these types too.
    #[must_use]
    pub fn with_layers(mut self, added: AddedLayers) -> Self {
        self.added = added;
        self
    }

    /// The same for a net in the prototxt `file`, which is named in errors about paths.
    #[must_use]
    pub fn of_file(mut self, file: &Path) -> Self {
        self.options.root = self.options.root.of_file(file);
        self
    }

    /// Where relative paths start.
    pub(crate) fn root(&self) -> &PathRoot {
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
            let file = layer.hdf5_output_param().file_name();
            self.options.root.required(file, OUTPUT_FILE).map_err(source_error)?;
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
            let sink = Hdf5Sink::new(layer, &self.root().folder, self.options.slice.replica);
            return Ok(Box::new(SinkSource(sink)));
        }
        let stream = data::open(layer, phase, &self.options, rng).map_err(source_error)?;
        let name = layer.name();
        let event = |&notice: &OptionNotice| Event::SourceOption { layer: name.into(), notice };
        self.notices.extend(stream.notices().iter().map(event));
        let first = self.options.slice.replica == 0;
        Ok(Box::new(FileSource { stream, first, notices: Vec::new() }))
    }

    fn added_layers(&self) -> AddedLayers {
        self.added
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
        let skipped = origin.skipped.iter().cloned();
        self.notices.extend(skipped.map(|SkippedRecord { record, causes }| {
            SourceNotice::RecordSkipped { record, causes }
        }));
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use base::Shape;
    use base::random::Mt19937;
    use caffe_format::{NetParameter, Phase, text};
    use layers::Top;
    use net::OpenSources;
    use tensor::{Layout, Slab};

    use super::{FileSources, OnBadSample};

    const LAYER: &str = r#"layer {
      name: "data" type: "Data" top: "data" top: "label"
      transform_param { crop_size: 20 mirror: true }
      data_param { source: "fashion128_lmdb" batch_size: 50 backend: LMDB prefetch: 2 }
    }"#;

    /// Data and labels of seven batches, in blobs whose buffers are `longer` than needed; and the
    /// number of buffers in which the data was.
    fn batches(longer: usize) -> (Vec<Vec<f32>>, usize) {
        let net: NetParameter = text::read("test", LAYER).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data");
        let mut opener = FileSources::alone(root, OnBadSample::Fail);
        let mut rng = Mt19937::new(1);
        let mut source = opener.open(&net.layer[0], Phase::Train, &mut rng).unwrap();
        let mut shapes = opener.shapes(&net.layer[0], Phase::Train).unwrap();
        let mut slabs: Vec<Slab> =
            shapes.iter().map(|shape| Slab::zeros(shape.count() + longer)).collect();
        let (mut all, mut buffers) = (Vec::new(), Vec::new());
        for _ in 0..7 {
            let layout = Layout::RowMajor;
            let blobs = shapes.iter_mut().zip(&mut slabs);
            let top = |(shape, slab)| Top { shape, layout, slab, placement: None, block: None };
            let mut tops: Vec<Top<'_>> = blobs.map(top).collect();
            source.next(&mut tops).unwrap();
            all.push(tops.iter_mut().flat_map(|top| top.data().to_vec()).collect());
            buffers.push(slabs[0].as_ptr().addr());
        }
        assert_eq!(shapes, [Shape::new(&[50, 1, 20, 20]).unwrap(), Shape::new(&[50]).unwrap()]);
        assert_eq!(source.record_name(49).as_deref(), Some("00000093"), "7 * 50 - 1 mod 128");
        buffers.sort_unstable();
        buffers.dedup();
        (all, buffers.len())
    }

    #[test]
    fn batches_arrive_by_exchanging_buffers_and_are_the_same_by_copying() {
        let (exchanged, buffers) = batches(0);
        assert_eq!(buffers, 3, "two that are prefetched and the blob's");
        let (copied, buffers) = batches(1);
        assert_eq!(buffers, 1, "memory that other blobs may use too stays");
        assert!(exchanged == copied);
    }
}
