//! The classes of solvers: one per update rule of Caffe's, all made from a prototxt.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::solver::SolverObject;

/// Stochastic gradient descent with momentum; the base of the others.
#[pyclass(frozen, subclass, extends = SolverObject, module = "caffe")]
pub(crate) struct SGDSolver;

#[pymethods]
impl SGDSolver {
    #[new]
    fn new(py: Python<'_>, param_file: PathBuf) -> PyResult<PyClassInitializer<Self>> {
        Ok(sgd(SolverObject::open(py, param_file, Some("SGD"))?))
    }
}

fn sgd(solver: SolverObject) -> PyClassInitializer<SGDSolver> {
    PyClassInitializer::from(solver).add_subclass(SGDSolver)
}

macro_rules! solver_class {
    ($class:ident, $rule:literal, $doc:literal) => {
        #[doc = $doc]
        #[pyclass(frozen, subclass, extends = SGDSolver, module = "caffe")]
        pub(crate) struct $class;

        #[pymethods]
        impl $class {
            #[new]
            fn new(py: Python<'_>, param_file: PathBuf) -> PyResult<PyClassInitializer<Self>> {
                Ok(sgd(SolverObject::open(py, param_file, Some($rule))?).add_subclass(Self))
            }
        }
    };
}

solver_class!(NesterovSolver, "Nesterov", "Nesterov's accelerated gradient.");
solver_class!(AdaGradSolver, "AdaGrad", "AdaGrad.");
solver_class!(RMSPropSolver, "RMSProp", "RMSProp.");
solver_class!(AdaDeltaSolver, "AdaDelta", "AdaDelta.");
solver_class!(AdamSolver, "Adam", "Adam.");

/// The object of a solver with this update rule; of a rule that Caffe does not have, an SGDSolver.
pub(crate) fn of_rule(py: Python<'_>, rule: &str, solver: SolverObject) -> PyResult<Py<PyAny>> {
    let base = sgd(solver);
    Ok(match rule {
        "Nesterov" => Py::new(py, base.add_subclass(NesterovSolver))?.into_any(),
        "AdaGrad" => Py::new(py, base.add_subclass(AdaGradSolver))?.into_any(),
        "RMSProp" => Py::new(py, base.add_subclass(RMSPropSolver))?.into_any(),
        "AdaDelta" => Py::new(py, base.add_subclass(AdaDeltaSolver))?.into_any(),
        "Adam" => Py::new(py, base.add_subclass(AdamSolver))?.into_any(),
        _ => Py::new(py, base)?.into_any(),
    })
}
