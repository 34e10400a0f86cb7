//! `Layer`: a layer as `net.layers` shows it, and the class that layers written in Python extend.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use train::LayerStructure;

use crate::blob::{Blob, BlobVec};
use crate::net_core::NetCore;

/// A layer: its type and its params.
#[pyclass(frozen, subclass, dict, module = "caffe")]
pub(crate) struct Layer {
    kind: &'static str,
    blobs: Py<BlobVec>,
}

impl Layer {
    /// A layer of a net.
    pub(crate) fn of_net(
        py: Python<'_>,
        core: &Arc<NetCore>,
        layer: &LayerStructure,
    ) -> PyResult<Self> {
        let blobs = layer.params.iter();
        let blobs = blobs.map(|(number, shape)| Py::new(py, Blob::of_param(core, *number, shape)));
        let blobs = Py::new(py, BlobVec::new(blobs.collect::<PyResult<_>>()?))?;
        Ok(Self { kind: layer.kind, blobs })
    }
}

#[pymethods]
impl Layer {
    #[new]
    #[pyo3(signature = (*args, **kwargs))]
    fn new(
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        _ = (args, kwargs); // a subclass's own
        Ok(Self { kind: "Python", blobs: Py::new(py, BlobVec::default())? })
    }

    /// Its params: weights first, then bias.
    #[getter]
    pub(crate) fn blobs(&self, py: Python<'_>) -> Py<BlobVec> {
        self.blobs.clone_ref(py)
    }

    /// Its type, as in a prototxt.
    #[getter(r#type)]
    fn kind(&self) -> &'static str {
        self.kind
    }

    /// Called once, before anything else; layers written in Python may define it.
    fn setup(&self, bottom: &Bound<'_, PyAny>, top: &Bound<'_, PyAny>) {
        _ = (bottom, top);
    }

    /// Called before every forward; layers written in Python define it.
    fn reshape(&self, bottom: &Bound<'_, PyAny>, top: &Bound<'_, PyAny>) {
        _ = (bottom, top);
    }
}
