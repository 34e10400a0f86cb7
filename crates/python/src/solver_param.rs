//! `solver.param`: the fields of a solver that scripts read, and the rate that they change.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::errors::CallError;
use crate::solver_core::SolverCore;

/// Some fields of a solver's prototxt.
#[pyclass(frozen, name = "SolverParameter", module = "caffe")]
pub(crate) struct SolverParameterView {
    core: Arc<SolverCore>,
}

impl SolverParameterView {
    pub(crate) fn new(core: Arc<SolverCore>) -> Self {
        Self { core }
    }
}

#[pymethods]
impl SolverParameterView {
    /// The learning rate that the policy starts from; setting it changes the next iteration's.
    #[getter]
    fn base_lr(&self) -> PyResult<f32> {
        Ok(self.core.job()?.solver_param().base_lr())
    }

    #[setter]
    fn set_base_lr(&self, rate: f32) -> PyResult<()> {
        Ok(self.core.job()?.set_base_lr(rate).map_err(CallError::from)?)
    }

    /// Iterations of `solve`.
    #[getter]
    fn max_iter(&self) -> PyResult<i32> {
        Ok(self.core.job()?.solver_param().max_iter())
    }

    /// Iterations between displays.
    #[getter]
    fn display(&self) -> PyResult<i32> {
        Ok(self.core.job()?.solver_param().display())
    }

    /// Whether gradients are summed layer by layer during backward, where there are several
    /// workers.
    #[getter]
    fn layer_wise_reduce(&self) -> PyResult<bool> {
        Ok(self.core.job()?.solver_param().layer_wise_reduce())
    }
}
