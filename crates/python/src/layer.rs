//! `Layer`: a layer as `net.layers` shows it, and the class that layers written in Python extend.
//!
//! The params of a layer written in Python are its own while its code runs, filled by the engine
//! before. From outside they are the net's, as of any layer: it has both.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use train::LayerStructure;

use crate::blob::{Blob, BlobVec};
use crate::engine::lock;
use crate::net_core::NetCore;

/// A layer: its type and its params.
#[pyclass(frozen, subclass, dict, module = "caffe")]
pub(crate) struct Layer {
    kind: &'static str,
    blobs: Py<BlobVec>,
    /// The net's, of a layer written in Python that a script got from a net.
    in_net: Mutex<Option<Py<BlobVec>>>,
    /// Whether the code of such a layer runs.
    runs: AtomicBool,
}

impl Layer {
    /// A layer of a net.
    pub(crate) fn of_net(
        py: Python<'_>,
        core: &Arc<NetCore>,
        layer: &LayerStructure,
    ) -> PyResult<Self> {
        Ok(Self::with(layer.kind, params(py, core, layer)?))
    }

    fn with(kind: &'static str, blobs: Py<BlobVec>) -> Self {
        Self { kind, blobs, in_net: Mutex::default(), runs: AtomicBool::new(false) }
    }

    /// Shows the params of `layer`, whose code this object is, to scripts.
    pub(crate) fn show_params_of(
        &self,
        py: Python<'_>,
        core: &Arc<NetCore>,
        layer: &LayerStructure,
    ) -> PyResult<()> {
        let blobs = params(py, core, layer)?;
        *lock(&self.in_net) = Some(blobs);
        Ok(())
    }

    /// Says whether the layer's own code runs from now on.
    pub(crate) fn set_running(&self, runs: bool) {
        self.runs.store(runs, Ordering::Relaxed);
    }

    /// The params that its code sees.
    pub(crate) fn own_blobs(&self, py: Python<'_>) -> Vec<Py<Blob>> {
        self.blobs.get().to_vec(py)
    }
}

/// The params of a layer of a net.
fn params(py: Python<'_>, core: &Arc<NetCore>, layer: &LayerStructure) -> PyResult<Py<BlobVec>> {
    let blobs = layer.params.iter();
    let blobs = blobs.map(|(number, shape)| Py::new(py, Blob::of_param(core, *number, shape)));
    Py::new(py, BlobVec::new(blobs.collect::<PyResult<_>>()?))
}

/// An error that names what the class of a layer lacks.
fn undefined(layer: &Bound<'_, Layer>, method: &str, does: &str) -> PyResult<()> {
    let class = layer.get_type().qualname()?;
    Err(PyNotImplementedError::new_err(format!(
        "class `{class}` must define `{method}`, which {does}"
    )))
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
        Ok(Self::with("Python", Py::new(py, BlobVec::default())?))
    }

    /// Its params: weights first, then bias.
    #[getter]
    pub(crate) fn blobs(&self, py: Python<'_>) -> Py<BlobVec> {
        let in_net = lock(&self.in_net);
        match &*in_net {
            Some(blobs) if !self.runs.load(Ordering::Relaxed) => blobs.clone_ref(py),
            _ => self.blobs.clone_ref(py),
        }
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
    fn reshape(
        slf: &Bound<'_, Self>,
        bottom: &Bound<'_, PyAny>,
        top: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        _ = (bottom, top);
        undefined(slf, "reshape(self, bottom, top)", "gives each top its shape")
    }

    /// Layers written in Python define it.
    fn forward(
        slf: &Bound<'_, Self>,
        bottom: &Bound<'_, PyAny>,
        top: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        _ = (bottom, top);
        undefined(slf, "forward(self, bottom, top)", "writes the data of each top")
    }

    /// Layers written in Python define it.
    fn backward(
        slf: &Bound<'_, Self>,
        top: &Bound<'_, PyAny>,
        propagate_down: &Bound<'_, PyAny>,
        bottom: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        _ = (top, propagate_down, bottom);
        let does = "writes the diff of each bottom that `propagate_down` asks for";
        undefined(slf, "backward(self, top, propagate_down, bottom)", does)
    }
}
