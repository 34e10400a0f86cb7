//! HDF5Data: rows of the data sets of HDF5 files. Caffe type `HDF5Data`, `hdf5_data_param`. Has no
//! bottoms.
//!
//! A top has the name of the data set that it holds. The [`DataSource`](crate::DataSource) reads
//! and shuffles.

use crate::{Arity, LayerKind, data_layer};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "HDF5Data",
    options: "hdf5_data_param",
    formula: "y_i = the next rows of data set i",
    tops: Arity::at_least(1),
    build: data_layer::build,
    ..LayerKind::WITH_SOURCE
};
