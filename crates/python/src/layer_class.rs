//! `caffe.Layer`: the class that Python layers are derived from.

use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A layer of a net: its type and params. Python layers are derived from it and define `setup`,
/// `reshape`, `forward` and `backward`.
#[pyclass(name = "Layer", module = "caffe", subclass)]
pub(crate) struct LayerClass {
    kind: String,
    blobs: Py<PyAny>,
}

impl LayerClass {
    /// A layer of the type `kind` whose params are `blobs`.
    pub(crate) fn with(kind: &str, blobs: Py<PyAny>) -> Self {
        Self { kind: kind.into(), blobs }
    }

    /// Gives it other params: the net's own instead of copies.
    pub(crate) fn set_blobs(&mut self, blobs: Py<PyAny>) {
        self.blobs = blobs;
    }
}

#[pymethods]
impl LayerClass {
    /// Takes any arguments: a layer's class may have an `__init__` of its own.
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(
        py: Python<'_>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let blobs = PyModule::import(py, "caffe._layers")?.getattr("LayerBlobs")?.call0()?;
        Ok(Self::with("Python", blobs.unbind()))
    }

    /// The params.
    #[getter]
    fn blobs(&self, py: Python<'_>) -> Py<PyAny> {
        self.blobs.clone_ref(py)
    }

    /// The string after `type:` in the prototxt.
    #[getter]
    fn r#type(&self) -> &str {
        &self.kind
    }

    /// Does nothing unless the layer's class defines it.
    fn setup(&self, _bottom: &Bound<'_, PyAny>, _top: &Bound<'_, PyAny>) {}

    /// To be defined by the layer's class.
    fn reshape(
        slf: &Bound<'_, Self>,
        _bottom: &Bound<'_, PyAny>,
        _top: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        undefined(slf, "reshape(self, bottom, top)", "gives each top its shape")
    }

    /// To be defined by the layer's class.
    fn forward(
        slf: &Bound<'_, Self>,
        _bottom: &Bound<'_, PyAny>,
        _top: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        undefined(slf, "forward(self, bottom, top)", "writes each top's data")
    }

    /// To be defined by the layer's class.
    fn backward(
        slf: &Bound<'_, Self>,
        _top: &Bound<'_, PyAny>,
        _propagate_down: &Bound<'_, PyAny>,
        _bottom: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let does = "writes the diff of each bottom that `propagate_down` asks for";
        undefined(slf, "backward(self, top, propagate_down, bottom)", does)
    }
}

fn undefined(layer: &Bound<'_, LayerClass>, method: &str, does: &str) -> PyResult<()> {
    let class = layer.get_type().qualname()?;
    Err(PyNotImplementedError::new_err(format!(
        "class `{class}` must define `{method}`, which {does}"
    )))
}
