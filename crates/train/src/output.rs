//! The file of an HDF5Output layer.
//!
//! Every forward's rows are added. The file is written at the first forward and then whenever the
//! number of forwards has doubled, so that a wrong path shows at once and writing stays cheap; the
//! rest is written when the run is over. It is replaced as a whole each time.

use std::path::{Path, PathBuf};

use caffe_format::LayerParameter;
use data::rows::OutputRows;
use layers::{Bottom, DataSourceError, OutputSink};

/// Takes rows and writes them.
pub(crate) struct Hdf5Sink {
    file: PathBuf,
    rows: OutputRows,
    /// Forwards so far, and at the last writing.
    forwards: u64,
    written: u64,
}

impl Hdf5Sink {
    /// For a layer of type `HDF5Output`; the file's name is relative to `root`. Replicas after the
    /// first write files of their own: `out.h5`, `out.h5.1`, ….
    pub(crate) fn new(layer: &LayerParameter, root: &Path, replica: usize) -> Self {
        let mut file = root.join(layer.hdf5_output_param().file_name()).into_os_string();
        if replica > 0 {
            file.push(format!(".{replica}"));
        }
        let file = PathBuf::from(file);
        Self { file, rows: OutputRows::default(), forwards: 0, written: 0 }
    }

    fn write(&mut self) -> Result<(), DataSourceError> {
        let bytes = self.rows.to_bytes().map_err(|error| DataSourceError(Box::new(error)))?;
        snapshot::atomic::write(&self.file, &bytes)
            .map_err(|error| DataSourceError(Box::new(error)))?;
        self.written = self.forwards;
        Ok(())
    }
}

impl OutputSink for Hdf5Sink {
    fn put(&mut self, bottoms: &[Bottom<'_>]) -> Result<(), DataSourceError> {
        let of = |index: usize| (bottoms[index].shape, bottoms[index].data());
        self.rows.push([of(0), of(1)]).map_err(|error| DataSourceError(Box::new(error)))?;
        self.forwards += 1;
        if self.forwards >= 2 * self.written { self.write() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), DataSourceError> {
        if self.forwards > self.written { self.write() } else { Ok(()) }
    }
}

impl Drop for Hdf5Sink {
    fn drop(&mut self) {
        // A run that failed still leaves what it had; nobody is left to tell if that fails too.
        _ = self.finish();
    }
}
