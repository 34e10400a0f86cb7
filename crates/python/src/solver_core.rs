//! A solver behind its Python objects: the job, and who is stepping it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

use train::files::{UnknownFields, read_solver};
use train::{Job, JobConfig};

use crate::engine::{lock, try_lock};
use crate::errors::CallError;
use crate::functions;
use crate::python_layer::LAYERS;

/// A job whose passes Python runs. Its nets hold it, so it lives as long as any of them.
pub(crate) struct SolverCore {
    job: Mutex<Box<Job>>,
    /// The thread that is inside `step` or `solve`.
    stepping: Mutex<Option<ThreadId>>,
    process: u32,
}

/// A call of `step` or `solve`; it ends when this is dropped.
pub(crate) struct Stepping<'a>(&'a SolverCore);

impl SolverCore {
    /// Reads a solver and opens its job; `rule` stands in for the update rule that the file names.
    pub(crate) fn open(file: PathBuf, rule: Option<&str>) -> Result<Arc<Self>, CallError> {
        let read = read_solver(&file, UnknownFields::Reject)?;
        let mut solver = read.message;
        if let Some(rule) = rule {
            solver.type_ = Some(rule.to_owned());
        }
        let config = JobConfig {
            threads: functions::threads(),
            keep_diffs: true,
            seed: functions::next_seed(),
            solver_file: Some(file),
            added_layers: LAYERS,
            ..JobConfig::new(solver)
        };
        let job = Box::new(Job::open(config, &mut |event| crate::report::report(&event))?);
        let (job, stepping) = (Mutex::new(job), Mutex::new(None));
        Ok(Arc::new(Self { job, stepping, process: std::process::id() }))
    }

    /// The job, unless a net of it is running.
    pub(crate) fn job(&self) -> Result<MutexGuard<'_, Box<Job>>, CallError> {
        if self.process != std::process::id() {
            return Err(CallError::Forked);
        }
        try_lock(&self.job)
    }

    /// Begins a call of `step` or `solve`.
    pub(crate) fn begin(&self) -> Result<Stepping<'_>, CallError> {
        if self.process != std::process::id() {
            return Err(CallError::Forked);
        }
        let mut stepping = lock(&self.stepping);
        if stepping.is_some() {
            return Err(CallError::Busy);
        }
        *stepping = Some(thread::current().id());
        Ok(Stepping(self))
    }

    /// Whether another thread is inside `step` or `solve`.
    pub(crate) fn is_stepped_by_another_thread(&self) -> bool {
        lock(&self.stepping).is_some_and(|owner| owner != thread::current().id())
    }
}

impl Drop for Stepping<'_> {
    fn drop(&mut self) {
        *lock(&self.0.stepping) = None;
    }
}
