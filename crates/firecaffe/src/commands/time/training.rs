//! The job that `--update` and `--scaling` time: a solver's, or a net's with a plain SGD.

use anyhow::Result;
use base::Clock;
use caffe_format::SolverParameter;
use train::{Config, Job, files};

use super::Args;
use crate::log::Log;
use crate::options::{DEFAULT_SEED, root};

/// What a net that comes without a solver is trained with. The rate does not change the time; this one
/// is too small for any net to diverge while it is measured.
const SOLVER: &str = r#"
base_lr: 1e-6 lr_policy: "fixed" momentum: 0.9 weight_decay: 0.0005 max_iter: 2147483647"#;

/// A job on `workers` workers of `threads` threads, one replica each. It tests, displays and saves nothing.
pub(super) fn open(args: &Args, workers: usize, threads: usize, log: &Log) -> Result<Job> {
    let solver = solver(args, log)?;
    let config = Config {
        workers,
        threads,
        simd: args.compute.simd()?,
        seed: DEFAULT_SEED,
        root: root(),
        unknown: args.reading.unknown(),
        ..Config::new(solver)
    };
    Ok(Job::open(config, &mut |_| {})?)
}

fn solver(args: &Args, log: &Log) -> Result<SolverParameter> {
    let mut solver = match (&args.solver, &args.model) {
        (Some(path), _) => {
            let read = files::read_solver(path, args.reading.unknown())?;
            read.notices.iter().for_each(|notice| log.warn(notice));
            read.message
        }
        (None, model) => {
            let net = model.as_ref().map(|path| path.display().to_string());
            SolverParameter { net, ..files::solver_from_text("time", SOLVER)? }
        }
    };
    args.selection.add_to(&mut solver.train_state);
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
pub(super) struct Step {
    /// Data, forward and backward on worker 0.
    pub(super) pass: f64,
    /// What followed: exposed communication and the update.
    pub(super) rest: f64,
    /// Everything.
    pub(super) all: f64,
}

/// Runs an iteration that is not counted, then `iterations`; `each` hears every one.
pub(super) fn measure(
    job: &mut Job,
    iterations: u32,
    clock: &dyn Clock,
    each: &mut dyn FnMut(Step),
) -> Result<()> {
    job.step(clock, &mut |_| {})?;
    for _ in 0..iterations {
        let (begin, before) = (clock.now(), job.times());
        job.step(clock, &mut |_| {})?;
        let (end, after) = (clock.now(), job.times());
        let pass = |times: &train::Times| times.data + times.forward + times.backward;
        let pass = pass(&after).saturating_sub(pass(&before)).as_secs_f64();
        let all = end.saturating_sub(begin).as_secs_f64();
        each(Step { pass, rest: (all - pass).max(0.0), all });
    }
    Ok(())
}

/// The middle one, or the mean of the middle two; 0 for none.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
    match (values.get(low), values.get(high)) {
        (Some(low), Some(high)) => f64::midpoint(*low, *high),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    #[expect(clippy::float_cmp, reason = "halves are exact")]
    fn medians_of_odd_even_and_no_values() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(Vec::new()), 0.0);
    }
}
