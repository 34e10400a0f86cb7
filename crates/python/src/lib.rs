//! `caffe._caffe`: the native half of the Python package `caffe`.
//!
//! `python/caffe/_caffe.pyi` lists what it offers.

use pyo3::prelude::*;

mod blob;
mod command_line;
mod core_state;
mod engine;
mod errors;
mod functions;
mod homes;
mod hooks;
mod layer_class;
mod nccl;
mod net;
mod net_core;
mod net_layers;
mod python_layer;
mod report;
mod solver;
mod solver_core;
mod solver_param;
mod solver_types;
mod timer;
mod training;
mod view;

/// The native half of `caffe`; scripts import `caffe`.
#[pymodule]
mod _caffe {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::blob::{Blob, BlobVec};
    #[pymodule_export]
    use crate::command_line::_command_line;
    #[pymodule_export]
    use crate::functions::{
        has_nccl, init_log, layer_type_list, log, set_device, set_layout, set_mode_cpu,
        set_mode_gpu, set_multiprocess, set_random_seed, set_solver_count, set_solver_rank,
        solver_count, solver_rank,
    };
    #[pymodule_export]
    use crate::layer_class::LayerClass;
    #[pymodule_export]
    use crate::nccl::Nccl;
    #[pymodule_export]
    use crate::net::Net;
    #[pymodule_export]
    use crate::solver::{Solver, get_solver};
    #[pymodule_export]
    use crate::solver_param::SolverParameterView;
    #[pymodule_export]
    use crate::solver_types::{
        AdaDeltaSolver, AdaGradSolver, AdamSolver, NesterovSolver, RMSPropSolver, SGDSolver,
    };
    #[pymodule_export]
    use crate::timer::Timer;
    #[pymodule_export]
    use crate::training::_train;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
