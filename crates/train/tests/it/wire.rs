//! Gradients that travel in 16 bits: overflow, the scale that follows it, and resuming in the
//! middle. That workers and ranks do not matter is in [`exact`](crate::exact).

use std::path::Path;

use train::files::solver_from_text;
use train::{Event, GradientEvent, Job, JobConfig, NoControl, StepError, TrainError};

use crate::support::{on_ranks, open};

/// Four replicas of a line whose gradients are about as large as the loss weight.
fn config(wire: &str, loss_weight: f32, folder: &Path) -> JobConfig {
    let prefix = folder.join("snap").display().to_string();
    let text = format!(
        r#"base_lr: 1e-6 lr_policy: "fixed" momentum: 0.9 random_seed: 1 max_iter: 14
           snapshot: 3 snapshot_prefix: "{prefix}" clip_gradients: 1e6
           net_param {{
             layer {{ name: "data" type: "DummyData" top: "x" top: "y" dummy_data_param {{
                      shape {{ dim: 4 dim: 3 }} shape {{ dim: 4 dim: 2 }}
                      data_filler {{ type: "gaussian" std: 1 }} data_filler {{ value: 1 }} }} }}
             layer {{ name: "line" type: "InnerProduct" bottom: "x" top: "line"
                      inner_product_param {{ num_output: 2 weight_filler {{ type: "xavier" }} }} }}
             layer {{ name: "loss" type: "EuclideanLoss" bottom: "line" bottom: "y" top: "loss"
                      loss_weight: {loss_weight} }}
           }}"#
    );
    let solver = solver_from_text("line", &text).unwrap();
    let wire = wire.parse().unwrap();
    JobConfig { replicas: Some(4), wire, ..JobConfig::new(solver) }
}

/// What a run came to: the weights, the iterations that it skipped, and its scale in the end.
#[derive(Debug, PartialEq)]
struct WireRun {
    hash: u64,
    skipped: Vec<u64>,
    total: Option<(u64, f32)>,
}

fn run(mut job: Job) -> WireRun {
    let (mut skipped, mut total) = (Vec::new(), None);
    job.run(&NoControl, &mut |event| match event {
        Event::Gradients(GradientEvent::StepSkipped { iter, .. }) => skipped.push(iter),
        Event::Gradients(GradientEvent::StepsSkipped { skipped, scale, .. }) => {
            total = Some((skipped, scale));
        }
        _ => {}
    })
    .unwrap();
    WireRun { hash: job.hash().unwrap(), skipped, total }
}

#[test]
fn steps_that_overflow_are_skipped_alike_by_any_workers_and_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let config = config("f16", 300.0, folder.path());
    let one = run(open(config.clone()));
    let count = one.skipped.len() as u64;
    assert!((3..8).contains(&count), "{one:?}");
    assert_eq!(one.skipped[..3], [0, 1, 2], "until the scale fits");
    assert_eq!(one.total, Some((count, 1024.0 / (1 << count) as f32)));
    for workers in [2, 4] {
        assert_eq!(run(open(JobConfig { workers, ..config.clone() })), one, "{workers} workers");
    }
    for (ranks, algorithm) in [(2, "auto"), (4, "halving-doubling"), (4, "reduction-tree")] {
        let config = JobConfig { allreduce: algorithm.parse().unwrap(), ..config.clone() };
        let all = on_ranks(ranks, &config, |config, ranks| {
            run(Job::join(config, ranks, &mut |_| ()).unwrap())
        });
        assert!(all.iter().all(|got| *got == one), "{ranks} ranks, {algorithm}");
    }
}

#[test]
fn a_skipped_step_leaves_the_weights_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = open(config("f16", 300.0, folder.path()));
    let mut before = job.hash().unwrap();
    for iter in 0..10 {
        let skipped = job.step(&NoControl, &mut |_| ()).unwrap().skipped;
        let after = job.hash().unwrap();
        assert_eq!(after == before, skipped, "iteration {iter}");
        before = after;
    }
    assert_eq!(job.iter(), 10);
}

/// The snapshot of iteration 3 is in the middle of the steps that are skipped.
#[test]
fn scale_and_count_survive_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let whole = run(open(config("f16", 300.0, folder.path())));
    let resume = Some(folder.path().join("snap_iter_3.solverstate"));
    let rest = JobConfig { resume, ..config("f16", 300.0, folder.path()) };
    let resumed = run(open(rest.clone()));
    assert_eq!((resumed.hash, resumed.total), (whole.hash, whole.total));

    let mut changed = None;
    let other = JobConfig { wire: "bf16".parse().unwrap(), ..rest };
    Job::open(other, &mut |event| {
        if let Event::Gradients(GradientEvent::WireChanged { saved, now }) = event {
            changed = Some((saved, now));
        }
    })
    .unwrap();
    assert_eq!(changed, Some(("f16".to_owned(), "bf16".to_owned())), "another format is told");
}

#[test]
fn overflow_at_scale_1_ends_the_run_and_formats_with_all_exponents_do_not_overflow() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = open(config("f16", 1e8, folder.path()));
    let error = job.run(&NoControl, &mut |_| ()).unwrap_err();
    assert!(matches!(error, TrainError::Step(StepError::Gradient { iter: 10, .. })), "{error}");
    for wire in ["f32", "bf16"] {
        let ran = run(open(config(wire, 1e8, folder.path())));
        assert_eq!((ran.skipped, ran.total), (Vec::new(), None), "{wire}");
    }
}

/// The gradient is 1200 in every iteration, and its rate half of that before. Three iterations in
/// `f32`, then five whose sums overflow in `f16`: in the next one momentum's
/// sum is that of four gradients, whatever happened to the rate in between.
#[test]
fn momentum_is_corrected_for_rates_of_skipped_steps_also_after_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let at = |wire: &str, max_iter: u64, from: Option<u64>| {
        let prefix = folder.path().join("snap").display().to_string();
        let text = format!(
            r#"base_lr: 1e-4 lr_policy: "step" stepsize: 1 gamma: 0.5 momentum: 0.9
               momentum_correction: true random_seed: 1 max_iter: {max_iter} snapshot: 1
               snapshot_prefix: "{prefix}"
               net_param {{
                 layer {{ name: "data" type: "DummyData" top: "x" dummy_data_param {{
                          shape {{ dim: 4 dim: 3 }} data_filler {{ value: 1 }} }} }}
                 layer {{ name: "line" type: "InnerProduct" bottom: "x" top: "line"
                          inner_product_param {{ num_output: 1 bias_term: false
                          weight_filler {{ type: "xavier" }} }} }}
                 layer {{ name: "sum" type: "Reduction" bottom: "line" top: "sum"
                          loss_weight: 300 }}
               }}"#
        );
        let state = |iter| folder.path().join(format!("snap_iter_{iter}.solverstate"));
        let solver = solver_from_text("line", &text).unwrap();
        let wire = wire.parse().unwrap();
        open(JobConfig { wire, resume: from.map(state), ..JobConfig::new(solver) })
    };
    run(at("f32", 3, None));
    assert_eq!(run(at("f16", 8, Some(3))).skipped, [3, 4, 5, 6, 7]);
    let weight = |job: &Job| job.model().unwrap().layer[1].blobs[0].data[0];
    for from in [3, 5, 8] {
        let mut job = at("f16", 9, Some(from));
        let before = weight(&job);
        job.run(&NoControl, &mut |_| ()).unwrap();
        let rate = 1e-4 / 256.0;
        let want = rate * 1200.0 * (1.0 + 0.9 + 0.81 + 0.729);
        let got = before - weight(&job);
        assert!((got / want - 1.0).abs() < 1e-3, "from {from}: {got}, not {want}");
    }
}
