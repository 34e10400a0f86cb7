//! The job that `--update`, `--scaling` and `--save-profile` time: a solver's, or a net's with a
//! plain SGD.

use std::sync::Arc;

use anyhow::{Result, bail};
use base::{Clock, median};
use caffe_format::{Phase, SolverParameter};
use train::{Job, JobConfig, NoControl, files};

use super::{TimeArgs, start_backward};
use crate::clock::RealClock;
use crate::log::{Log, prototxt};
use crate::memory_limit::memory_limit;
use crate::options::{DEFAULT_SEED, root};

/// What a net that comes without a solver is trained with. The rate does not change the time; this
/// one is too small for any net to diverge while it is measured.
const SOLVER: &str = r#"
base_lr: 1e-6 lr_policy: "fixed" momentum: 0.9 weight_decay: 0.0005 max_iter: 2147483647"#;

/// Who runs the job, one replica per worker, and whether it records a timeline.
#[derive(Debug, Clone, Copy)]
pub(super) struct JobSize {
    pub(super) workers: usize,
    /// Of each worker.
    pub(super) threads: usize,
    pub(super) timeline: bool,
}

/// A job that tests, displays and saves nothing.
pub(super) fn open(args: &TimeArgs, size: JobSize, log: &Log) -> Result<Job> {
    let JobSize { workers, threads, timeline } = size;
    let solver = solver(args, log)?;
    let config = JobConfig {
        workers,
        threads,
        timeline,
        simd: args.running.compute.simd()?,
        seed: DEFAULT_SEED,
        solver_file: args.solver.clone().or_else(|| args.model.clone()),
        root: root(),
        clock: Arc::new(RealClock::start()),
        unknown: args.running.reading.unknown(),
        memory_limit: memory_limit(),
        ..JobConfig::new(solver).with_precision(args.running.rounding.precision)
    };
    Ok(Job::open(config, &mut |_| {})?)
}

fn solver(args: &TimeArgs, log: &Log) -> Result<SolverParameter> {
    let mut solver = match (&args.solver, &args.model) {
        (Some(path), _) => {
            let read = files::read_solver(path, args.running.reading.unknown())?;
            read.notices.iter().for_each(|notice| log.warn(prototxt::notice(notice)));
            read.message
        }
        (None, Some(path)) => {
            let mut net = args.running.read_net(path, log)?;
            start_backward(&mut net, &args.running.selection.state(Phase::Train), log);
            SolverParameter { net_param: Some(net), ..files::solver_from_text("time", SOLVER)? }
        }
        (None, None) => bail!("give `--model` or `--solver`"),
    };
    args.running.selection.add_to(&mut solver.train_state);
    Ok(SolverParameter {
        test_net: Vec::new(),
        test_net_param: Vec::new(),
        test_state: Vec::new(),
        test_iter: Vec::new(),
        test_interval: None,
        display: Some(0),
        snapshot: Some(0),
        ..solver
    })
}

/// Seconds that parts of one iteration took.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedStep {
    /// Data, forward and backward on worker 0.
    pub(super) pass: f64,
    /// What followed: exposed communication and the update.
    pub(super) rest: f64,
    /// Everything.
    pub(super) all: f64,
}

impl TimedStep {
    /// The median of a part: one iteration that the machine disturbed would spoil a mean.
    pub(super) fn median(steps: &[Self], part: fn(&Self) -> f64) -> f64 {
        median(steps.iter().map(part).collect())
    }
}

/// Runs an iteration that is not counted, then `iterations`; `each` hears every one.
pub(super) fn measure(
    job: &mut Job,
    iterations: u32,
    each: &mut dyn FnMut(TimedStep),
) -> Result<()> {
    let clock = RealClock::start();
    job.step(&NoControl, &mut |_| {})?;
    for _ in 0..iterations {
        let (begin, before) = (clock.now(), job.times());
        job.step(&NoControl, &mut |_| {})?;
        let (end, after) = (clock.now(), job.times());
        let pass = |times: &train::PhaseTimes| times.data + times.forward + times.backward;
        let pass = pass(&after).saturating_sub(pass(&before)).as_secs_f64();
        let all = end.saturating_sub(begin).as_secs_f64();
        each(TimedStep { pass, rest: (all - pass).max(0.0), all });
    }
    Ok(())
}
