//! Datasets of an HDF5 file, through `hdf5-pure`: no C library, sizes checked before memory is
//! taken.
//!
//! The parser is not ours, so a panic inside it is caught and becomes an error that names the file.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use base::Shape;
use hdf5_pure::File;
use smallvec::SmallVec;

use crate::error::{DataError, Hdf5Problem};

/// Datasets with the same number of rows.
pub(super) struct Hdf5Table {
    pub(super) rows: usize,
    pub(super) datasets: Vec<Hdf5Dataset>,
}

/// One dataset, row-major.
pub(super) struct Hdf5Dataset {
    pub(super) dims: Vec<usize>,
    pub(super) values: Vec<f32>,
}

impl Hdf5Dataset {
    /// Shape of a batch of its rows, on the stack for up to 4 axes, as Caffe's blobs have.
    pub(super) fn batch_dims(&self, batch_size: usize) -> SmallVec<[usize; 4]> {
        let mut dims = SmallVec::from_slice(&self.dims);
        dims[0] = batch_size;
        dims
    }
}

impl Hdf5Table {
    /// Reads the datasets called `names`.
    pub(super) fn read(path: &Path, names: &[String]) -> Result<Self, DataError> {
        let shapes = Self::shapes(path, names)?;
        let rows = shapes[0][0];
        let mut datasets = Vec::new();
        for (name, dims) in names.iter().zip(shapes) {
            let values = guarded(path, name, || {
                File::open_streaming(path).and_then(|file| file.dataset(name)?.read_f32())
            })?;
            if values.len() != dims.iter().product::<usize>() {
                return Err(bad(path, name, Hdf5Problem::Count));
            }
            datasets.push(Hdf5Dataset { dims, values });
        }
        Ok(Self { rows, datasets })
    }

    /// Number of rows, without reading values.
    pub(super) fn rows(path: &Path, names: &[String]) -> Result<usize, DataError> {
        Ok(Self::shapes(path, names)?[0][0])
    }

    /// Shapes of the datasets called `names`: at least one axis, and as many rows each, not 0.
    pub(super) fn shapes(path: &Path, names: &[String]) -> Result<Vec<Vec<usize>>, DataError> {
        let mut shapes: Vec<Vec<usize>> = Vec::new();
        for name in names {
            let dims = guarded(path, name, || {
                File::open_streaming(path).and_then(|file| file.dataset(name)?.shape())
            })?;
            let dims: Vec<i64> =
                dims.iter().map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX)).collect();
            let shape = Shape::from_i64(&dims)
                .map_err(|source| DataError::Hdf5Batch { path: path.to_owned(), source })?;
            let dims = shape.dims().to_vec();
            let fits = shapes.first().is_none_or(|first| first.first() == dims.first());
            if !fits || shape.count() == 0 || dims.is_empty() {
                return Err(bad(path, name, Hdf5Problem::Rows));
            }
            shapes.push(dims);
        }
        Ok(shapes)
    }
}

fn guarded<T>(
    path: &Path,
    name: &str,
    read: impl FnOnce() -> Result<T, hdf5_pure::Error>,
) -> Result<T, DataError> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(bad(path, name, Hdf5Problem::Library(error))),
        Err(_) => Err(bad(path, name, Hdf5Problem::Panicked)),
    }
}

fn bad(path: &Path, dataset: &str, problem: Hdf5Problem) -> DataError {
    DataError::Hdf5 { path: path.to_owned(), dataset: dataset.to_owned(), problem }
}
