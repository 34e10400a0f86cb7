//! `NCCL`, which Caffe uses between GPUs: here to say what to use instead.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::CallError;

/// Raises when it is made.
#[pyclass(frozen, name = "NCCL", module = "caffe")]
pub(crate) struct Nccl;

#[pymethods]
impl Nccl {
    #[new]
    #[pyo3(signature = (*args, **kwargs))]
    fn new(args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        _ = (args, kwargs);
        Err(CallError::Nccl.into())
    }

    /// Raises.
    #[staticmethod]
    fn new_uid() -> PyResult<()> {
        Err(CallError::Nccl.into())
    }

    /// Raises.
    fn bcast(&self) -> PyResult<()> {
        Err(CallError::Nccl.into())
    }
}
