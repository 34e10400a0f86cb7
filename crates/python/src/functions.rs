//! Functions of the module that belong to no net: modes, seed, rank and log.
//!
//! What Caffe keeps per thread is here once per process: the seed of the nets that are made from
//! now on, and the rank that `set_solver_rank` names. Libraries below take both as arguments.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::Relaxed};

use pyo3::prelude::*;

/// What scripts have set.
struct Settings {
    /// Seed of the next nets; negative for none.
    seed: AtomicI64,
    solver_count: AtomicU32,
    solver_rank: AtomicU32,
    /// Least severity that `log` shows.
    log_level: AtomicU32,
}

static SETTINGS: Settings = Settings {
    seed: AtomicI64::new(-1),
    solver_count: AtomicU32::new(1),
    solver_rank: AtomicU32::new(0),
    log_level: AtomicU32::new(0),
};

/// The seed that `set_random_seed` named, if it was called.
pub(crate) fn seed() -> Option<u32> {
    u32::try_from(SETTINGS.seed.load(Relaxed)).ok()
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
    SETTINGS.seed.store(seed.into(), Relaxed);
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
    layers::LAYERS.iter().filter(|kind| !kind.shapes_only).map(|kind| kind.name).collect()
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
pub(crate) fn log(py: Python<'_>, message: &str) -> PyResult<()> {
    if SETTINGS.log_level.load(Relaxed) > 0 {
        return Ok(());
    }
    let stderr = PyModule::import(py, "sys")?.getattr("stderr")?;
    stderr.call_method1("write", (format!("{message}\n"),))?;
    Ok(())
}
