//! A solver behind its Python objects: the job, and who is stepping it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, MutexGuard};

use train::files::{UnknownFields, read_solver};
use train::{Event, Job, JobConfig};

use crate::engine::{EngineLock, ThreadClaim};
use crate::errors::CallError;
use crate::functions;
use crate::python_layer::LAYERS;
use crate::report::report;
use crate::value_locks::ValueLocks;

/// A job whose passes Python runs. Its nets hold it, so it lives as long as any of them.
pub(crate) struct SolverCore {
    job: EngineLock<Box<Job>>,
    /// Of the weights, which its test nets use too.
    pub(crate) values: ValueLocks,
    /// Whether a call of `step` or `solve` is under way.
    stepping: AtomicBool,
    /// Iterations done, for whoever asks while the job runs.
    iter: AtomicU64,
    process: u32,
}

/// A call of `step` or `solve`; it ends when this is dropped.
pub(crate) struct Stepping<'a> {
    core: &'a SolverCore,
    _claim: ThreadClaim<'a>,
}

impl SolverCore {
    /// Reads a solver and opens its job; `rule` stands in for the update rule that the file names.
    pub(crate) fn open(file: PathBuf, rule: Option<&str>) -> Result<Arc<Self>, CallError> {
        let read = read_solver(&file, UnknownFields::Reject)?;
        read.notices.into_iter().for_each(|notice| report(&Event::Prototxt(notice)));
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
        let job = Box::new(Job::open(config, &mut |event| report(&event))?);
        Ok(Arc::new(Self {
            iter: AtomicU64::new(job.iter()),
            job: EngineLock::new(job),
            values: ValueLocks::new(),
            stepping: AtomicBool::new(false),
            process: std::process::id(),
        }))
    }

    /// The job, unless a net of it is running or another thread steps it.
    pub(crate) fn job(&self) -> Result<MutexGuard<'_, Box<Job>>, CallError> {
        self.check_process()?;
        self.job.lock()
    }

    /// Keeps other threads out of the job.
    pub(crate) fn claim(&self) -> Result<ThreadClaim<'_>, CallError> {
        self.check_process()?;
        self.job.claim()
    }

    /// Begins a call of `step` or `solve`.
    pub(crate) fn begin(&self) -> Result<Stepping<'_>, CallError> {
        let claim = self.claim()?;
        if self.stepping.swap(true, Relaxed) {
            return Err(CallError::Busy);
        }
        Ok(Stepping { core: self, _claim: claim })
    }

    /// Iterations done; known in the middle of one too, and on any thread.
    pub(crate) fn iter(&self) -> u64 {
        self.iter.load(Relaxed)
    }

    /// Notes how many iterations the job has done.
    pub(crate) fn note_iter(&self, job: &Job) {
        self.iter.store(job.iter(), Relaxed);
    }

    fn check_process(&self) -> Result<(), CallError> {
        match self.process == std::process::id() {
            true => Ok(()),
            false => Err(CallError::Forked),
        }
    }
}

impl Drop for Stepping<'_> {
    fn drop(&mut self) {
        self.core.stepping.store(false, Relaxed);
    }
}
