//! `net.layers`: an object per layer, made with the net.
//!
//! A layer written in Python is the script's own object, which the engine holds. Its params have
//! memory of their own (`homes`) and do not hold the net: that would be a cycle which nobody frees.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use train::LayerStructure;

use crate::blob::{Blob, BlobVec};
use crate::errors::CallError;
use crate::layer_class::LayerClass;
use crate::net_core::NetCore;
use crate::python_layer::LayerInstance;

/// The layers of a net, splits included, in the order they run.
pub(crate) fn layer_list(py: Python<'_>, core: &Arc<NetCore>) -> PyResult<Py<PyList>> {
    let structure = Arc::clone(&core.state().layers);
    let layers = structure.iter().map(|layer| match script_object(py, core, layer)? {
        Some(object) => Ok(object),
        None => native_layer(py, core, layer),
    });
    Ok(PyList::new(py, layers.collect::<PyResult<Vec<_>>>()?)?.unbind())
}

fn native_layer(
    py: Python<'_>,
    core: &Arc<NetCore>,
    layer: &LayerStructure,
) -> PyResult<Py<PyAny>> {
    let params = layer.params.iter();
    let blobs = params.map(|(number, shape)| Py::new(py, Blob::of_param(core, *number, shape)));
    let blobs = Py::new(py, BlobVec::new(blobs.collect::<PyResult<_>>()?))?;
    Ok(Py::new(py, LayerClass::with(layer.kind, blobs.into_any()))?.into_any())
}

/// The object of a layer written in Python, from now on with the net's params.
fn script_object(
    py: Python<'_>,
    core: &Arc<NetCore>,
    layer: &LayerStructure,
) -> PyResult<Option<Py<PyAny>>> {
    let position = layer.runs.end - 1;
    let object = core.with(|lent, _| {
        let kept = lent.net.layer_object(position).and_then(|object| object.as_ref());
        let instance = kept.and_then(|object| object.downcast_ref::<LayerInstance>());
        Ok(instance.map(|instance| instance.object(py).clone().unbind()))
    })?;
    let Some(object) = object else { return Ok(None) };
    let mut blobs = Vec::new();
    for (number, shape) in &layer.params {
        blobs.push(Py::new(py, Blob::of_memory(shape, core.script_memory(*number, shape)?))?);
    }
    let blobs = Py::new(py, BlobVec::new(blobs))?.into_any();
    let bound =
        object.bind(py).cast::<LayerClass>().map_err(|error| CallError::Python(error.into()))?;
    bound.borrow_mut().set_blobs(blobs);
    Ok(Some(object))
}
