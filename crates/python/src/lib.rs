//! `caffe._caffe`: the native half of the Python package `caffe`, pycaffe's API on our engine.
//!
//! `python/caffe/_caffe.pyi` lists what it offers. Modules:
//!
//! | module | what |
//! |---|---|
//! | `net`, `blob`, `net_layers`, `layer_class`, `solver`, `solver_types`, .. | Python's objects |
//! | `net_core`, `core_state`, `homes`, `hooks` | a net behind its objects: it runs layer by layer |
//! | `net_params` | its params, and weights that it shares |
//! | `script_params` | learned params of layers written in Python |
//! | `engine`, `solver_core` | what a net runs on: `train::Single`, or part of a `train::Job` |
//! | `value_locks` | weights that several nets use |
//! | `view` | NumPy arrays over memory, and the copies to and from it |
//! | `python_layer` | layers written in Python |
//! | `training`, `command_line` | `caffe.train`, `python -m caffe` |
//!
//! # Memory that scripts see
//!
//! Arrays show memory of three kinds. All of it is a `SharedSlab` that the array keeps
//! alive, whatever becomes of net and solver.
//!
//! 1. **Homes** of blobs, of running statistics (`homes`) and of the params of layers written in
//!    Python (`script_params`). The engine never computes in them: values are copied in and out by
//!    raw pointer, and no reference to a home's values exists in Rust, ever. The engine's own
//!    buffers are never shown, so they may be exchanged with the prefetcher's. What a layer written
//!    in Python can reach while it runs is of this kind.
//! 2. **Learned params and their gradients**: the engine's slabs, which are in Caffe's order. Rust
//!    reads and writes them through guards that live within one call into the net, and at most for
//!    one layer or one update; between calls there is none. Layers read params through shared
//!    references. A gradient's memory is written by the backward of its layer, and values and
//!    gradients by the update, which hold exclusive guards meanwhile.
//! 3. **Gradients of what is never learned**: slabs of zeros that the engine does not know.
//!
//! A script that reads or writes an array of kind 1 or 3 on one thread while a call runs on another
//! sees any mix of old and new values, as in pycaffe. **Arrays of kind 2 must not be touched on
//! another thread, nor written by a layer in Python, while a pass or an update of their net, or of
//! one that shares them, runs**: Rust holds references to their values then, so what
//! happens is undefined. Nothing checks this, since NumPy reads and writes without us; the
//! alternative is a copy of all params per pass. Hooks and callbacks run while there are no such
//! references.
//!
//! # Who may call
//!
//! A second call into a net that is running is an exception (`CallError::Busy`), except from a hook
//! or callback of that call for what only looks. `EngineLock` decides it: a pass, `step` and
//! `solve` claim their net, or their solver with its nets, for their thread from beginning to end.
//! Calls that use weights which another net changes, or change weights that another net uses, are
//! an exception too (`value_locks`).
//!
//! # The interpreter's lock
//!
//! It is released while layers run, and taken for hooks, callbacks and layers written in Python.
//! Nothing waits for the engine of a net while it holds the interpreter's lock: it gets it or
//! raises. What is known of a net without its engine (`CoreState`) is waited for: whoever has it
//! needs no other lock, and keeps it for copies of blobs at most.

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
mod net_params;
mod python_layer;
mod report;
mod script_params;
mod solver;
mod solver_core;
mod solver_param;
mod solver_types;
mod timer;
mod training;
mod value_locks;
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
