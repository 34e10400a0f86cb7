//! Residuals of another world enter the first gradient that is applied, whatever happens before.

use std::path::Path;

use train::{Event, GradientEvent, Job, JobConfig, NoControl};

use super::{CONSTANT_NET, config, state};
use crate::support::{on_ranks, open};

/// Iterations of a whole run.
const ITERATIONS: usize = 24;

/// Biases of [`CONSTANT_NET`] have the same gradient in every iteration. With this row all of them
/// are sent in every fourth iteration, three gradients of four.
const OLD_ROW: &str = "threshold:tau=3";

/// Vectors, as biases are, have no residual with the first; the others sum all as they sum these.
const NEW_ROWS: &[Option<&str>] =
    &[Some("one-bit"), Some("power-sgd:rank=1"), Some("sparse-chunks:chunk=4096,warmup=0"), None];

/// Sums overflow at first, if the scale begins anew.
fn steep(compression: &str, folder: &Path) -> JobConfig {
    let net = CONSTANT_NET.replace("loss_weight: 0.1", "loss_weight: 40");
    config(compression, folder, "momentum: 0", &net)
}

/// What a run came to.
#[derive(Debug, PartialEq)]
struct FoldedRun {
    hash: u64,
    skipped: usize,
    bias: f32,
}

fn run(mut job: Job) -> FoldedRun {
    let mut skipped = 0;
    job.run(&NoControl, &mut |event| {
        let skips = matches!(event, Event::Gradients(GradientEvent::StepSkipped { .. }));
        skipped += usize::from(skips);
    })
    .unwrap();
    let bias = job.model().unwrap().layer[1].blobs[1].data[0];
    FoldedRun { hash: job.hash().unwrap(), skipped, bias }
}

/// By workers, or by ranks, of which the first is looked at.
fn run_in(config: &JobConfig, ranks: usize) -> FoldedRun {
    match ranks {
        1 => run(open(config.clone())),
        _ => on_ranks(ranks, config, |config, ranks| {
            run(Job::join(config, ranks, &mut |_| ()).unwrap())
        })
        .swap_remove(0),
    }
}

/// In `f16` the next steps overflow. Their gradients are lost, as in any run, but not the fourth of
/// what the four before them had computed; also if the run stops meanwhile.
#[test]
fn they_wait_until_a_step_is_applied_also_over_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let old = steep(OLD_ROW, folder.path());
    let dense = run_in(&JobConfig { compression: None, ..old.clone() }, 1);
    run_in(&old, 1);
    for row in NEW_ROWS {
        for (ranks, workers) in [(1, 4), (4, 1)] {
            let mut rest = JobConfig {
                wire: "f16".parse().unwrap(),
                compression: row.map(|row| row.parse().unwrap()),
                workers,
                resume: state(folder.path()),
                ..old.clone()
            };
            rest.solver.snapshot = Some(5);
            let resumed = run_in(&rest, ranks);
            assert!(resumed.skipped > 1, "{row:?}: {resumed:?}");
            let part = (ITERATIONS - resumed.skipped) as f32 / ITERATIONS as f32;
            let off = (resumed.bias / (dense.bias * part) - 1.0).abs();
            assert!(off < 1e-3, "{row:?}, {ranks} ranks: {resumed:?}, not {}", dense.bias * part);

            // One step was skipped, and the next will be.
            let resume = Some(folder.path().join("snap_iter_5.solverstate"));
            let again = run_in(&JobConfig { resume, ..rest }, ranks);
            assert_eq!(again.hash, resumed.hash, "{row:?}, {ranks} ranks: {again:?}, {resumed:?}");
        }
    }
}

/// There backward multiplies gradients by the scale, so residuals must be multiplied, too.
#[test]
fn they_follow_the_scale_of_losses() {
    let folder = tempfile::tempdir().unwrap();
    let mixed = config(OLD_ROW, folder.path(), "momentum: 0", CONSTANT_NET)
        .with_precision("mixed-f16".parse().unwrap());
    let dense = run_in(&JobConfig { compression: None, ..mixed.clone() }, 1);
    run_in(&mixed, 1);
    let rest = JobConfig { compression: None, resume: state(folder.path()), ..mixed };
    let resumed = run_in(&rest, 1);
    assert!((resumed.bias / dense.bias - 1.0).abs() < 1e-2, "{resumed:?}, {dense:?}");
}
