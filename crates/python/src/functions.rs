//! Functions of the module that belong to no net: modes, seed, rank and log.
//!
//! What Caffe keeps per thread is here once per process: the seed of the nets that are made from
//! now on, and the rank that `set_solver_rank` names. Libraries below take both as arguments.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use pyo3::prelude::*;

use crate::errors::CallError;
use crate::python_layer::LAYERS;

/// What scripts have set.
struct ModuleSettings {
    /// Seed of the next net.
    seed: AtomicU32,
    /// Nets made since.
    made: AtomicU32,
    native_layout: AtomicBool,
    solver_count: AtomicU32,
    solver_rank: AtomicU32,
    /// Least severity that `log` shows.
    log_level: AtomicU32,
}

static SETTINGS: ModuleSettings = ModuleSettings {
    seed: AtomicU32::new(1),
    made: AtomicU32::new(0),
    native_layout: AtomicBool::new(false),
    solver_count: AtomicU32::new(1),
    solver_rank: AtomicU32::new(0),
    log_level: AtomicU32::new(0),
};

/// The seed of a net that is made now: the first after `set_random_seed` gets the number that it
/// named, each later one the next, so that nets differ as they do in Caffe.
pub(crate) fn next_seed() -> u32 {
    SETTINGS.seed.load(Relaxed).wrapping_add(SETTINGS.made.fetch_add(1, Relaxed))
}

/// Threads of a net: one per core that this process may use.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether views made from now on show the engine's memory order.
pub(crate) fn layout_is_native() -> bool {
    SETTINGS.native_layout.load(Relaxed)
}

/// Which memory order arrays of blobs have that are touched from now on: `caffe`, contiguous in
/// Caffe's order, or `native`, the engine's: image blobs may then have strides, channels last, and
/// are copied without being reordered. Shapes and indices are the same.
#[pyfunction]
pub(crate) fn set_layout(layout: &str) -> PyResult<()> {
    let native = match layout {
        "native" => true,
        "caffe" => false,
        _ => {
            let (got, want) = (format!("`{layout}`"), "`caffe` or `native`");
            return Err(CallError::Argument { argument: "layout", got, want }.into());
        }
    };
    SETTINGS.native_layout.store(native, Relaxed);
    Ok(())
}

/// Computes on the CPU, as always.
#[pyfunction]
pub(crate) fn set_mode_cpu() {}

/// Accepted, since scripts for Caffe call it, and answered by a warning.
#[pyfunction]
pub(crate) fn set_mode_gpu(py: Python<'_>) -> PyResult<()> {
    notice(py, "set_mode_gpu: there is no GPU code here; computing on the CPU")
}

/// Accepted as `set_mode_gpu` is.
#[pyfunction]
pub(crate) fn set_device(py: Python<'_>, device: i64) -> PyResult<()> {
    notice(py, &format!("set_device({device}): there is no GPU code here; computing on the CPU"))
}

fn notice(py: Python<'_>, text: &str) -> PyResult<()> {
    PyModule::import(py, "warnings")?.call_method1("warn", (text,))?;
    Ok(())
}

/// Seeds nets that are made from now on: their fillers, crops and dropout masks.
#[pyfunction]
pub(crate) fn set_random_seed(seed: u32) {
    SETTINGS.seed.store(seed, Relaxed);
    SETTINGS.made.store(0, Relaxed);
}

/// What `set_solver_count` said last.
#[pyfunction]
pub(crate) fn solver_count() -> u32 {
    SETTINGS.solver_count.load(Relaxed)
}

/// Remembered for scripts that ask; `caffe.train` runs several workers.
#[pyfunction]
pub(crate) fn set_solver_count(count: u32) {
    SETTINGS.solver_count.store(count, Relaxed);
}

/// What `set_solver_rank` said last.
#[pyfunction]
pub(crate) fn solver_rank() -> u32 {
    SETTINGS.solver_rank.load(Relaxed)
}

/// Remembered for scripts that ask. Rank 0 alone displays and writes snapshots.
#[pyfunction]
pub(crate) fn set_solver_rank(rank: u32) {
    SETTINGS.solver_rank.store(rank, Relaxed);
}

/// Accepted: workers are threads here.
#[pyfunction]
pub(crate) fn set_multiprocess(multiprocess: bool) {
    _ = multiprocess;
}

/// Whether NCCL is there: never.
#[pyfunction]
pub(crate) fn has_nccl() -> bool {
    false
}

/// Names of all layer types, sorted.
#[pyfunction]
pub(crate) fn layer_type_list() -> Vec<&'static str> {
    let built_in = layers::LAYERS.iter().filter(|kind| !kind.shapes_only);
    let mut names: Vec<_> = built_in.chain(LAYERS.0).map(|kind| kind.name).collect();
    names.sort_unstable();
    names
}

/// Shows what `log` is given, if `level` is 0; the log goes to stderr in any case.
#[pyfunction]
#[pyo3(signature = (level = 0, stderr = false))]
pub(crate) fn init_log(level: u32, stderr: bool) {
    _ = stderr;
    SETTINGS.log_level.store(level, Relaxed);
}

/// Writes a line to stderr.
#[pyfunction]
pub(crate) fn log(message: &str) {
    write_log(message);
}

/// Writes a line to stderr, unless `init_log` asked for less.
pub(crate) fn write_log(message: &str) {
    if SETTINGS.log_level.load(Relaxed) == 0 {
        base::line_to_stderr(message);
    }
}
