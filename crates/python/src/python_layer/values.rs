//! Values of a Python layer's blobs: copied in before its code runs, and out afterwards.

use base::Shape;
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The class of params that have their own arrays.
pub(super) fn blobs_class(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    PyModule::import(py, "caffe._layers")?.getattr("LayerBlobs")
}

/// A blob's shape.
pub(super) fn shape_of(blob: &Bound<'_, PyAny>) -> PyResult<Shape> {
    let dims: Vec<usize> = blob.getattr("shape")?.extract()?;
    Shape::new(&dims).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Gives a blob a shape.
pub(super) fn reshape_to(blob: &Bound<'_, PyAny>, shape: &Shape) -> PyResult<()> {
    let dims = PyTuple::new(blob.py(), shape.dims())?;
    blob.call_method1("reshape", dims).map(drop)
}

/// Copies values into a blob's array.
pub(super) fn copy_to(array: &Bound<'_, PyAny>, values: &[f32]) -> PyResult<()> {
    let array = array.cast::<PyArrayDyn<f32>>()?;
    let mut held =
        array.try_readwrite().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let into = held.as_slice_mut()?;
    let (got, want) = (into.len(), values.len());
    if got != want {
        return Err(PyValueError::new_err(format!("a blob has {got} values, expected {want}")));
    }
    into.copy_from_slice(values);
    Ok(())
}

/// Copies a blob's array into values.
pub(super) fn copy_from(array: &Bound<'_, PyAny>, values: &mut [f32]) -> PyResult<()> {
    let array = array.cast::<PyArrayDyn<f32>>()?;
    let held = array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let from = held.as_slice()?;
    if from.len() != values.len() {
        return Err(PyValueError::new_err(format!(
            "a blob of {} values was reshaped to {}; bottoms keep their shape, and tops after \
             `forward`",
            values.len(),
            from.len()
        )));
    }
    values.copy_from_slice(from);
    Ok(())
}
