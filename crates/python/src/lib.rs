//! `caffe._caffe`: the native half of the Python package `caffe`, pycaffe's API on our engine.
//!
//! `python/caffe/_caffe.pyi` lists what it offers. Modules:
//!
//! | module | what |
//! |---|---|
//! | `net`, `blob`, `net_layers`, `layer_class`, `solver`, `solver_types`, .. | Python's objects |
//! | `net_core`, `core_state`, `homes`, `hooks` | a net behind its objects: it runs layer by layer |
//! | `engine`, `solver_core` | what a net runs on: `train::Single`, or part of a `train::Job` |
//! | `view` | NumPy arrays over memory, and the copies to and from it |
//! | `python_layer` | layers written in Python |
//! | `training`, `command_line` | `caffe.train`, `python -m caffe` |
//!
//! # Memory that scripts see
//!
//! Arrays show memory of three kinds. All of it is a `SharedSlab` that the array keeps
//! alive, whatever becomes of net and solver.
//!
//! 1. **Homes** of blobs and of running statistics (`homes`). The engine never computes in them:
//!    values are copied in and out by raw pointer, and no reference to a home's values exists in
//!    Rust, ever. The engine's own buffers are never shown, so they may be exchanged with the
//!    prefetcher's.
//! 2. **Learned params and their gradients**: the engine's slabs, which are in Caffe's order. Rust
//!    reads and writes them through guards that live within one call into the net, and at most for
//!    one layer or one update; between calls there is none. Layers read params through shared
//!    references. A gradient's memory is written by the backward of its layer, and values and
//!    gradients by the update, which hold exclusive guards meanwhile.
//! 3. **Gradients of what is never learned**: slabs of zeros that the engine does not know.
//!
//! A script that reads or writes an array on one thread while a call runs on another sees any mix
//! of old and new values, as in pycaffe. A second call into a net that is running is an exception
//! (`CallError::Busy`), except from a hook or callback of that call for what only looks.
//!
//! # The interpreter's lock
//!
//! It is released while layers run, and taken for hooks, callbacks and layers written in Python.
//! Nothing waits for the lock of a net while it holds the interpreter's: it gets it or raises.

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
    use crate::net::NetObject;
    #[pymodule_export]
    use crate::solver::{SolverObject, get_solver};
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
