//! Every compression in training: between workers and between ranks, stopped and resumed, in other
//! worlds, and with options that make no sense.

mod folded;

use std::path::{Path, PathBuf};

use collective::Network;
use exchange::compression::{COMPRESSIONS, MomentumUse};
use train::files::solver_from_text;
use train::{
    DecisionOrigin, Event, GradientEvent, Job, JobConfig, NetParameter, NoControl, SumTraffic,
};

use crate::support::{on_ranks, open};

/// One of every row, with options that leave much unsent in a net of 12,000 values.
const ROWS: &[&str] = &[
    "one-bit",
    "power-sgd:rank=1",
    "sparse-chunks:share=0.3,chunk=4096,warmup=2",
    "threshold:tau=3",
    "top-k:share=0.02",
];

/// Rows whose residuals lose nothing without momentum. That of `sparse-chunks` decays with it.
const LOSSLESS: &[usize] = &[0, 1, 3, 4];

/// Two layers, of which the first has three chunks of `sparse-chunks`.
const NET: &str = r#"
    layer { name: "data" type: "DummyData" top: "x" top: "y" dummy_data_param {
            shape { dim: 4 dim: 96 } shape { dim: 4 dim: 2 }
            data_filler { type: "gaussian" std: 1 } data_filler { value: 1 } } }
    layer { name: "hidden" type: "InnerProduct" bottom: "x" top: "hidden"
            inner_product_param { num_output: 128 weight_filler { type: "xavier" } } }
    layer { name: "relu" type: "ReLU" bottom: "hidden" top: "hidden" }
    layer { name: "line" type: "InnerProduct" bottom: "hidden" top: "line"
            inner_product_param { num_output: 2 weight_filler { type: "gaussian" std: 0.02 } } }
    layer { name: "loss" type: "EuclideanLoss" bottom: "line" bottom: "y" top: "loss" }"#;

/// The gradient of this net is its input, whatever the weights are.
const CONSTANT_NET: &str = r#"
    layer { name: "data" type: "DummyData" top: "x" dummy_data_param {
            shape { dim: 4 dim: 96 } data_filler { type: "gaussian" std: 1 } } }
    layer { name: "hidden" type: "InnerProduct" bottom: "x" top: "hidden"
            inner_product_param { num_output: 128 weight_filler { type: "xavier" } } }
    layer { name: "sum" type: "Reduction" bottom: "hidden" top: "sum" loss_weight: 0.1 }"#;

const SGD: &str = "momentum: 0.9 weight_decay: 0.001";

/// Four replicas on four workers that a ring connects.
fn config(compression: &str, folder: &Path, solver: &str, net: &str) -> JobConfig {
    let prefix = folder.join("snap").display().to_string();
    let text = format!(
        "base_lr: 0.003 lr_policy: \"fixed\" random_seed: 5 max_iter: 24 snapshot: 4 \
         snapshot_prefix: \"{prefix}\" {solver} net_param {{ {net} }}"
    );
    JobConfig {
        workers: 4,
        replicas: Some(4),
        bucket_bytes: 1000,
        allreduce: "ring".parse().unwrap(),
        compression: Some(compression.parse().unwrap()),
        compression_always: true,
        ..JobConfig::new(solver_from_text("solver", &text).unwrap())
    }
}

fn state(folder: &Path) -> Option<PathBuf> {
    Some(folder.join("snap_iter_4.solverstate"))
}

/// What a run came to.
struct CompressedRun {
    hash: u64,
    losses: Vec<f32>,
    traffic: Vec<SumTraffic>,
    events: Vec<GradientEvent>,
    model: NetParameter,
}

impl CompressedRun {
    /// Mean of the last six, since every batch is new.
    fn last_loss(&self) -> f32 {
        self.losses.iter().rev().take(6).sum::<f32>() / 6.0
    }
}

fn run(config: JobConfig) -> CompressedRun {
    let mut events = Vec::new();
    let job = Job::open(config, &mut |event| collect(&mut events, event));
    finish(job.unwrap_or_else(|error| panic!("{}", train::chain(&error))), events)
}

fn collect(events: &mut Vec<GradientEvent>, event: Event) {
    if let Event::Gradients(event) = event {
        events.push(event);
    }
}

fn finish(mut job: Job, mut events: Vec<GradientEvent>) -> CompressedRun {
    let (mut losses, mut traffic) = (Vec::new(), Vec::new());
    job.run(&NoControl, &mut |event| match event {
        Event::Stepped { loss, .. } => losses.push(loss),
        Event::Gradients(GradientEvent::Exchanged { traffic: sent, .. }) => traffic.push(sent),
        event => collect(&mut events, event),
    })
    .unwrap();
    let (hash, model) = (job.hash().unwrap(), job.model().unwrap());
    CompressedRun { hash, losses, traffic, events, model }
}

#[test]
fn the_rows_here_are_those_of_the_table() {
    let names: Vec<_> = ROWS.iter().map(|row| row.split(':').next().unwrap()).collect();
    let table: Vec<_> = COMPRESSIONS.iter().map(|kind| kind.name).collect();
    assert_eq!(names, table);
}

/// Between workers or between ranks, during backward or after it: the same world, the same bits.
#[test]
fn every_row_learns_is_repeatable_and_sends_less() {
    let folder = tempfile::tempdir().unwrap();
    let dense = JobConfig { compression: None, ..config(ROWS[0], folder.path(), SGD, NET) };
    let dense = run(dense);
    for row in ROWS {
        let config = config(row, folder.path(), SGD, NET);
        let one = run(config.clone());
        assert_ne!(one.hash, dense.hash, "{row}");
        assert!(one.last_loss() < 0.7 * one.losses[0], "{row}: {:?}", one.losses);
        let [sent, all] = [&one, &dense].map(|run| run.traffic[7].sent_bytes);
        assert!(sent < all * 3 / 4, "{row}: {sent} of {all} bytes");
        let counts_entries = one.traffic[7].entries > 0;
        assert!(
            counts_entries
                || one.traffic.iter().all(|step| step.sent_bytes == step.predicted_bytes),
            "{row}: {:?}",
            one.traffic
        );
        let threads = JobConfig { threads: 2, overlap: train::Overlap::AfterBackward, ..config };
        assert_eq!(run(threads.clone()).hash, one.hash, "{row}: after backward");
        let ranks = JobConfig { workers: 1, ..threads };
        let hashes = on_ranks(4, &ranks, |config, ranks| {
            finish(Job::join(config, ranks, &mut |_| ()).unwrap(), Vec::new()).hash
        });
        assert!(hashes.iter().all(|&hash| hash == one.hash), "{row}: between ranks");
    }
}

/// With `f16` the first steps overflow: what they sent counts as unsent, and residuals follow the
/// scale. Batches are accumulated, and gradients clipped.
#[test]
fn a_stop_leaves_no_trace_in_the_same_world() {
    let folder = tempfile::tempdir().unwrap();
    let solver = format!("{SGD} iter_size: 2 clip_gradients: 30");
    let net = NET.replace("top: \"loss\"", "top: \"loss\" loss_weight: 40");
    for row in ROWS {
        for wire in ["f32", "f16"] {
            let config = JobConfig {
                wire: wire.parse().unwrap(),
                ..config(row, folder.path(), &solver, &net)
            };
            let whole = run(config.clone());
            let skips = |event: &GradientEvent| matches!(event, GradientEvent::StepSkipped { .. });
            assert_eq!(whole.events.iter().any(skips), wire == "f16", "{row} {wire}");
            let rest = JobConfig { resume: state(folder.path()), ..config.clone() };
            assert_eq!(run(rest.clone()).hash, whole.hash, "{row} {wire}: workers");
            let ranks = JobConfig { workers: 1, ..rest };
            let hashes = on_ranks(4, &ranks, |config, ranks| {
                finish(Job::join(config, ranks, &mut |_| ()).unwrap(), Vec::new()).hash
            });
            assert!(hashes.iter().all(|&hash| hash == whole.hash), "{row} {wire}: ranks");
        }
    }
}

/// Weights after dense steps, or after four compressed ones and dense ones that begin with the
/// residuals, are the same but for rounding.
#[test]
fn another_world_loses_nothing_and_says_so() {
    for &row in LOSSLESS {
        let folder = tempfile::tempdir().unwrap();
        let config = config(ROWS[row], folder.path(), "momentum: 0", CONSTANT_NET);
        let dense = run(JobConfig { compression: None, workers: 1, ..config.clone() });
        run(config.clone());
        for workers in [1, 2] {
            let rest = JobConfig {
                resume: state(folder.path()),
                workers,
                compression: None,
                ..config.clone()
            };
            let resumed = run(rest);
            let folded = |event: &GradientEvent| {
                matches!(event, GradientEvent::ResidualsFolded { world: 4, .. })
            };
            assert!(resumed.events.iter().any(folded), "{}", ROWS[row]);
            let [got, want] =
                [&resumed, &dense].map(|run| run.model.layer[1].blobs[0].data.clone());
            let far = got.iter().zip(&want).position(|(got, want)| (got - want).abs() > 1e-4);
            assert_eq!(far, None, "{} on {workers} workers", ROWS[row]);
        }
    }
}

#[test]
fn every_row_goes_on_with_another_number_of_workers_or_another_row() {
    for (index, row) in ROWS.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let config = config(row, folder.path(), SGD, NET);
        let first = run(config.clone()).losses[0];
        let rest = JobConfig { resume: state(folder.path()), ..config };
        let other = ROWS[(index + 1) % ROWS.len()].parse().unwrap();
        for rest in [
            JobConfig { workers: 2, ..rest.clone() },
            JobConfig { compression: Some(other), ..rest.clone() },
            JobConfig { compression: None, workers: 1, ..rest.clone() },
        ] {
            let resumed = run(rest);
            assert!(resumed.last_loss() < 0.7 * first, "{row}: {:?}", resumed.losses);
        }
    }
}

/// Weight decay included: what is not sent stays as it was.
#[test]
fn sparse_chunks_leaves_unsent_chunks_alone() {
    let folder = tempfile::tempdir().unwrap();
    let row = "sparse-chunks:share=0.3,chunk=4096,warmup=0";
    for rule in ["SGD", "Nesterov", "LARS"] {
        let solver = format!("type: \"{rule}\" {SGD} clip_gradients: 5");
        let mut job = open(config(row, folder.path(), &solver, NET));
        let weights = |job: &mut Job| {
            job.step(&NoControl, &mut |_| ()).unwrap();
            job.model().unwrap().layer[1].blobs[0].data.clone()
        };
        let before = weights(&mut job); // in the first step all are sent
        let after = weights(&mut job);
        let changed: Vec<bool> = (before.chunks(4096).zip(after.chunks(4096)))
            .map(|(before, after)| {
                let changed = before.iter().zip(after).filter(|(a, b)| a != b).count();
                assert!(changed == 0 || changed > 3000, "{rule}: {changed} of a chunk");
                changed > 0
            })
            .collect();
        assert_eq!(changed.iter().filter(|&&changed| changed).count(), 1, "{rule}: {changed:?}");
    }
}

/// Where only rounds take time, two all-reduces do not pay, and the bits are those of dense sums.
#[test]
fn compression_is_used_where_it_pays_and_a_resumed_run_decides_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let config = JobConfig {
        compression_always: false,
        ..config("power-sgd:rank=1", folder.path(), SGD, NET)
    };
    let on = |bandwidth_gbs, resume| {
        let network = Some(Network { latency_us: 1.0, bandwidth_gbs, reduce_gbs: 9.0 });
        let run = run(JobConfig { network, resume, ..config.clone() });
        let decision = run.events.iter().find_map(|event| match event {
            GradientEvent::Compression { compressed, origin, .. } => {
                Some((compressed.iter().filter(|&&compressed| compressed).count(), *origin))
            }
            _ => None,
        });
        (run.hash, decision.unwrap())
    };
    let dense = run(JobConfig { compression: None, ..config.clone() }).hash;
    let (hash, (compressed, origin)) = on(1e9, None);
    assert_eq!((hash, compressed), (dense, 0));
    assert!(matches!(origin, DecisionOrigin::Measured { .. }), "{origin:?}");
    let (resumed, decision) = on(1e-6, state(folder.path()));
    assert_eq!((resumed, decision), (dense, (0, DecisionOrigin::Snapshot)));
    let (hash, (compressed, _)) = on(1e-6, None);
    assert!(hash != dense && compressed > 0);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |row: &str, solver: &str, change: &dyn Fn(&mut JobConfig)| {
        let mut config = config(row, folder.path(), solver, NET);
        change(&mut config);
        train::chain(&Job::open(config, &mut |_| ()).err().unwrap())
    };
    for change in [
        &(|config: &mut JobConfig| config.workers = 1) as &dyn Fn(&mut JobConfig),
        &|config: &mut JobConfig| config.allreduce = "auto".parse().unwrap(),
    ] {
        let text = refused("one-bit", SGD, change);
        assert!(text.contains("`--compression` needs messages"), "{text}");
    }
    let text = refused("top-k", "type: \"LARS\" momentum: 0.9", &|_| ());
    let want = "compression `top-k` changes what momentum means and works with `type: SGD, \
                Nesterov` only, not with LARS";
    assert_eq!(text, want);
    let text = refused("sparse-chunks", "type: \"Adam\" momentum: 0.9", &|_| ());
    assert!(text.contains("`type: SGD, Nesterov, LARS` only, not with Adam"), "{text}");
    for (row, kind) in ROWS.iter().zip(COMPRESSIONS) {
        let opened = Job::open(
            config(row, folder.path(), "momentum: 0.9 momentum_correction: true", NET),
            &mut |_| (),
        );
        let text = opened.err().map(|error| train::chain(&error)).unwrap_or_default();
        let refused = text.contains("does not work with `momentum_correction`");
        assert_eq!(refused, kind.momentum != MomentumUse::Rule, "{row}: {text}");
    }
    let text = refused("top-k", "momentum: 1", &|_| ());
    assert!(text.contains("at least 0 and below 1, not 1"), "{text}");

    run(config("one-bit", folder.path(), SGD, NET));
    let names = snapshot::SnapshotPaths::of_state(&state(folder.path()).unwrap()).unwrap();
    let text = refused("one-bit", SGD, &|config| {
        (config.resume, config.bucket_bytes) = (state(folder.path()), 1 << 20);
    });
    assert!(text.contains("snap_iter_4.residuals.") && text.contains("`--bucket-mb`"), "{text}");
    std::fs::remove_file(names.residuals(3, 4)).unwrap();
    let text = refused("one-bit", SGD, &|config| config.resume = state(folder.path()));
    assert!(text.contains("snap_iter_4.residuals.3-of-4"), "{text}");
    let latest = snapshot::find_latest(&folder.path().join("snap").display().to_string());
    let latest = latest.unwrap().expect("the last is complete");
    assert_eq!((latest.iteration, latest.skipped.len()), (24, 0));
    std::fs::write(folder.path().join("snap_iter_24.residuals.0-of-4"), b"other").unwrap();
    let latest = snapshot::find_latest(&folder.path().join("snap").display().to_string());
    let latest = latest.unwrap().expect("iteration 20 is complete");
    assert_eq!((latest.iteration, latest.skipped.len()), (20, 1), "residuals do not match");
}
