//! Data positions of a run whose snapshot does not store them, because Caffe wrote it.
//!
//! Every iteration reads `iter_size` batches and every test phase `test_iter`, so the position of a
//! data layer follows from the iteration. Skipping draws the crops and mirrors of the skipped
//! records. Random numbers that layers draw while they run (Dropout, DummyData) are not replayed.

use std::sync::Arc;

use caffe_format::SolverParameter;

use crate::worker::Worker;
use crate::{Job, TrainError};

/// Moves all data layers to their position before iteration `job.iter` of an uninterrupted run.
pub(crate) fn catch_up(job: &mut Job) -> Result<(), TrainError> {
    let shared = Arc::clone(&job.shared);
    let solver = &shared.config.solver;
    let passes = u64::from(solver.iter_size().unsigned_abs());
    let tests = tests_before(solver, job.iter);
    let batches = job.iter.saturating_mul(passes);
    for Worker { net, replicas, .. } in &mut job.workers {
        replicas.iter_mut().try_for_each(|replica| skip(net, &mut replica.sources, batches))?;
    }
    for (test, &iterations) in job.tests.iter_mut().zip(&solver.test_iter) {
        let batches = tests.saturating_mul(iterations.unsigned_abs().into());
        let (net, sources) = test.net_and_sources();
        skip(net, sources, batches)?;
    }
    Ok(())
}

fn skip(
    net: &net::Net,
    sources: &mut [Box<dyn layers::DataSource>],
    batches: u64,
) -> Result<(), TrainError> {
    for (name, source) in net.source_names().into_iter().zip(sources) {
        source
            .skip(batches, 0)
            .map_err(|source| TrainError::Source { layer: name.into(), source })?;
    }
    Ok(())
}

/// Test phases before iteration `iter`, without the one at `iter` itself, which follows the
/// snapshot.
fn tests_before(solver: &SolverParameter, iter: u64) -> u64 {
    let interval = u64::from(solver.test_interval().unsigned_abs());
    if interval == 0 || iter == 0 {
        return 0;
    }
    iter.div_ceil(interval) - u64::from(!solver.test_initialization())
}

#[cfg(test)]
mod tests {
    use caffe_format::SolverParameter;

    use super::tests_before;

    #[test]
    fn tests_are_counted_as_the_loop_runs_them() {
        for interval in 0..5 {
            for first in [false, true] {
                let solver = SolverParameter {
                    test_interval: Some(interval),
                    test_initialization: Some(first),
                    ..SolverParameter::default()
                };
                for iter in 0..20 {
                    let tests = |i: &u64| {
                        interval > 0
                            && i.is_multiple_of(u64::from(interval.unsigned_abs()))
                            && (*i > 0 || first)
                    };
                    let want = (0..iter).filter(tests).count() as u64;
                    assert_eq!(tests_before(&solver, iter), want, "{interval} {first} {iter}");
                }
            }
        }
    }
}
