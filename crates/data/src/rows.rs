//! Rows that come batch by batch and become the datasets `data` and `label` of an HDF5 file.
//!
//! What Caffe's `HDF5Output` writes: f32, four axes, missing ones 1 at the end. Caffe's own layer
//! fails at its second forward, because the datasets are there already; here the rows of every
//! forward are added, so that a whole test set can be written. They stay in memory until then.

use base::Shape;
use hdf5_pure::{FileBuilder, LibVer};

use crate::error::{DataError, Hdf5Problem};

/// The names, in the order of the layer's bottoms.
pub const DATASETS: [&str; 2] = ["data", "label"];

/// Axes of Caffe's old blobs.
const AXES: usize = 4;

/// What has come so far.
#[derive(Debug, Default)]
pub struct OutputRows {
    datasets: [OutputDataset; 2],
}

#[derive(Debug, Default)]
struct OutputDataset {
    rows: usize,
    /// Axes after the first.
    item: Vec<usize>,
    values: Vec<f32>,
}

impl OutputRows {
    /// Adds one batch: shape and values of both datasets.
    pub fn push(&mut self, batch: [(&Shape, &[f32]); 2]) -> Result<(), DataError> {
        let sizes = batch.map(|(shape, _)| dims(shape));
        for ((dataset, dims), name) in self.datasets.iter().zip(&sizes).zip(DATASETS) {
            if dataset.rows > 0 && dataset.item != dims[1..] {
                let (want, got) = (dataset.item.clone(), dims[1..].to_vec());
                return Err(DataError::Rows { dataset: name, want, got });
            }
        }
        for ((dataset, dims), (_, values)) in self.datasets.iter_mut().zip(sizes).zip(batch) {
            dataset.rows += dims[0];
            dataset.item = dims[1..].to_vec();
            dataset.values.extend_from_slice(values);
        }
        Ok(())
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.datasets[0].rows
    }

    /// Whether nothing has come.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, DataError> {
        let mut file = FileBuilder::new();
        file.with_libver_bounds(LibVer::Earliest, LibVer::V18);
        for (dataset, name) in self.datasets.iter().zip(DATASETS) {
            let dims = [dataset.rows].into_iter().chain(dataset.item.iter().copied());
            let dims: Vec<u64> = dims.map(|dim| dim as u64).collect();
            file.create_dataset(name).with_f32_data(&dataset.values).with_shape(&dims);
        }
        file.finish().map_err(|error| DataError::Hdf5Write(Hdf5Problem::Library(error)))
    }
}

/// Four axes at least.
fn dims(shape: &Shape) -> Vec<usize> {
    let mut dims = shape.dims().to_vec();
    dims.resize(dims.len().max(AXES), 1);
    dims
}

#[cfg(test)]
mod tests {
    use base::Shape;
    use hdf5_pure::File;

    use super::OutputRows;

    #[test]
    fn batches_become_one_file_with_four_axes() {
        let (data, label) = (Shape::new(&[2, 3]).unwrap(), Shape::new(&[2]).unwrap());
        let mut rows = OutputRows::default();
        rows.push([(&data, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), (&label, &[7.0, 8.0])]).unwrap();
        rows.push([(&data, &[6.0; 6]), (&label, &[9.0, 9.0])]).unwrap();
        let file = File::from_bytes(rows.to_bytes().unwrap()).unwrap();
        let [data, label] = ["data", "label"].map(|name| file.dataset(name).unwrap());
        assert_eq!(data.shape().unwrap(), [4, 3, 1, 1]);
        assert_eq!(data.read_f32().unwrap()[..7], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(label.shape().unwrap(), [4, 1, 1, 1]);
        assert_eq!(label.read_f32().unwrap(), [7.0, 8.0, 9.0, 9.0]);
    }

    #[test]
    fn items_of_another_shape_are_refused_and_nothing_is_added() {
        let shape = |dims: &[usize]| Shape::new(dims).unwrap();
        let mut rows = OutputRows::default();
        rows.push([(&shape(&[1, 2]), &[0.0; 2]), (&shape(&[1]), &[0.0])]).unwrap();
        let error = rows.push([(&shape(&[1, 2]), &[0.0; 2]), (&shape(&[1, 4]), &[0.0; 4])]);
        assert_eq!(
            error.unwrap_err().to_string(),
            "dataset `label` has items of shape [1, 1, 1], now one of [4, 1, 1] comes"
        );
        assert_eq!(rows.len(), 1);
    }
}
