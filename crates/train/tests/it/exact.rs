//! The weights depend on the number of replicas, never on who runs them.

use std::fs;
use std::path::Path;

use train::{BatchMeaning, Event, Job, JobConfig, NoControl, Overlap, Precision};

use crate::support::{case, config, on_ranks, open};

const REPLICAS: usize = 4;

/// Trains `iterations` and gives the hash of the weights.
fn hash(config: JobConfig, iterations: i32) -> u64 {
    let mut config = config;
    config.solver.max_iter = Some(iterations);
    let mut job = open(config);
    job.run(&NoControl, &mut |_| ()).unwrap();
    job.hash().unwrap()
}

fn replicas(name: &str, folder: &Path) -> JobConfig {
    let mut config = JobConfig { replicas: Some(REPLICAS), ..config(&case(name), folder) };
    // A final look at the loss would move running statistics after the last update.
    config.solver.display = Some(0);
    config
}

/// Every way to run four replicas: BatchNorm, clipping and accumulated passes included.
#[test]
fn any_workers_threads_buckets_and_overlap_give_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["sgd_fixed", "batchnorm", "sgd_l1_clip", "sgd_iter_size", "dropout"] {
        let of = |change: &dyn Fn(&mut JobConfig)| {
            let mut config = replicas(name, folder.path());
            change(&mut config);
            hash(config, 6)
        };
        let one = of(&|c| c.workers = 1);
        let same = |what: &str, got: u64| assert_eq!(got, one, "{name}: {what}");
        same("2 workers", of(&|c| c.workers = 2));
        same("4 workers", of(&|c| c.workers = 4));
        same("1 thread", of(&|c| c.threads = 1));
        same("small buckets", of(&|c| (c.workers, c.bucket_bytes) = (2, 1000)));
        same("one bucket", of(&|c| (c.workers, c.bucket_bytes) = (4, usize::MAX)));
        same("no overlap", of(&|c| (c.workers, c.overlap) = (2, Overlap::AfterBackward)));
        let other = of(&|c| c.replicas = Some(2));
        assert_ne!(other, one, "{name}: two replicas are another computation");
    }
}

#[test]
fn a_run_resumes_to_the_bit_with_another_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["sgd_fixed", "batchnorm", "crop_mirror_mean", "dropout", "adam"] {
        let whole = hash(replicas(name, folder.path()), 10);
        let mut half = replicas(name, folder.path());
        (half.workers, half.solver.snapshot) = (2, Some(5));
        hash(half, 5);
        for workers in [1, 4] {
            let mut rest = replicas(name, folder.path());
            rest.resume = Some(folder.path().join("snap_iter_5.solverstate"));
            (rest.workers, rest.replicas) = (workers, None);
            assert_eq!(hash(rest, 10), whole, "{name} resumed on {workers} workers");
        }
    }
}

/// Four replicas of a quarter of the batch see the records of one: Caffe's losses, but for
/// rounding.
#[test]
fn a_global_batch_gives_caffes_losses() {
    for name in ["sgd_fixed", "sgd_l1_clip"] {
        let (case, folder) = (case(name), tempfile::tempdir().unwrap());
        let config = JobConfig {
            replicas: Some(REPLICAS),
            workers: 2,
            batch: BatchMeaning::Global,
            ..config(&case, folder.path())
        };
        let mut shown = Vec::new();
        let mut collect = |event: Event| {
            if let Event::Displayed(display) = event {
                shown.push(display.loss);
            }
        };
        open(config).run(&NoControl, &mut collect).unwrap();
        let log = fs::read_to_string(case.join("log.txt")).unwrap();
        let recorded = log.lines().filter(|line| line.contains(" iters), loss = "));
        let want: Vec<f32> =
            recorded.map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect();
        assert_eq!(shown.len(), want.len());
        for (iter, (got, want)) in shown.iter().zip(&want).enumerate() {
            assert!(
                (got - want).abs() <= 1e-3 * want,
                "{name} iteration {iter}: {got}, not {want}"
            );
        }
    }
}

#[test]
fn what_cannot_be_placed_is_refused_before_the_first_iteration() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |change: &dyn Fn(&mut JobConfig)| {
        let mut config = replicas("sgd_fixed", folder.path());
        change(&mut config);
        Job::open(config, &mut |_| ()).err().unwrap().to_string()
    };
    let text = refused(&|c| (c.workers, c.replicas) = (2, Some(6)));
    assert!(text.contains("nearest is --replicas 4"), "{text}");
    let text = refused(&|c| (c.replicas, c.batch) = (Some(3), BatchMeaning::Global));
    assert!(text.contains("layer `data`: a global batch of 16"), "{text}");
}

/// Trains on `ranks` ranks and gives everyone's hash.
fn hashes_of_ranks(ranks: usize, config: &JobConfig, iterations: i32) -> Vec<u64> {
    let mut config = config.clone();
    config.solver.max_iter = Some(iterations);
    on_ranks(ranks, &config, |config, ranks| {
        let mut job = Job::join(config, ranks, &mut |_| ()).unwrap();
        job.run(&NoControl, &mut |_| ()).unwrap();
        job.hash().unwrap()
    })
}

/// Ranks, workers per rank, and an exact algorithm.
const WORLDS: &[(usize, usize, &str)] = &[
    (2, 1, "auto"),
    (4, 1, "reduction-tree"),
    (2, 2, "halving-doubling"),
    (1, 4, "direct"),
    (1, 2, "reduction-tree"),
    (1, 4, "halving-doubling"),
];

#[test]
fn any_ranks_and_exact_algorithms_give_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["sgd_fixed", "batchnorm", "sgd_l1_clip", "dropout"] {
        let config = replicas(name, folder.path());
        let one = hash(config.clone(), 6);
        for &(ranks, workers, algorithm) in WORLDS {
            for overlap in [Overlap::DuringBackward, Overlap::AfterBackward] {
                let mut config =
                    JobConfig { workers, overlap, bucket_bytes: 2000, ..config.clone() };
                config.allreduce = algorithm.parse().unwrap();
                let hashes = hashes_of_ranks(ranks, &config, 6);
                let what = format!("{name}: {ranks} ranks x {workers}, {algorithm}, {overlap:?}");
                assert!(hashes.iter().all(|&hash| hash == one), "{what}");
            }
        }
    }
}

/// Every node of the canonical tree is rounded, also where nothing is sent: in one worker's sum
/// over its replicas, in the local sum, and in a world of one.
#[test]
fn in_every_wire_format_any_workers_and_ranks_give_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let mut hashes = Vec::new();
    for wire in exchange::wire::WIRE_FORMATS {
        let config = JobConfig { wire, ..replicas("sgd_fixed", folder.path()) };
        let one = hash(config.clone(), 6);
        let same = |what: &str, got: u64| assert_eq!(got, one, "{}: {what}", wire.name);
        same("2 workers", hash(JobConfig { workers: 2, ..config.clone() }, 6));
        same("4 workers", hash(JobConfig { workers: 4, ..config.clone() }, 6));
        for &(ranks, workers, algorithm) in WORLDS {
            let mut config = JobConfig { workers, bucket_bytes: 2000, ..config.clone() };
            config.allreduce = algorithm.parse().unwrap();
            for got in hashes_of_ranks(ranks, &config, 6) {
                same(&format!("{ranks} ranks x {workers}, {algorithm}"), got);
            }
        }
        let alone = JobConfig { replicas: Some(1), ..config };
        hashes.extend([one, hash(alone, 6)]);
    }
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 6, "three formats round differently, also without any sum");
}

/// In mixed precision too: params are rounded where they are updated, whoever does that.
#[test]
fn in_every_precision_any_workers_threads_and_ranks_give_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let mut hashes = Vec::new();
    for name in ["batchnorm", "dropout"] {
        for precision in [Precision::F32, Precision::MixedBf16, Precision::MixedF16] {
            let config = replicas(name, folder.path()).with_precision(precision);
            let one = hash(config.clone(), 6);
            let same = |what: &str, got: u64| assert_eq!(got, one, "{name} {precision}: {what}");
            for (workers, threads) in [(1, 1), (2, 1), (4, 2)] {
                let config = JobConfig { workers, threads, ..config.clone() };
                same(&format!("{workers} workers x {threads}"), hash(config, 6));
            }
            let config = JobConfig { bucket_bytes: 2000, ..config };
            for got in hashes_of_ranks(2, &config, 6) {
                same("2 ranks", got);
            }
            hashes.push(one);
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 6, "every precision rounds differently");
}

/// `debug_info` runs every layer by itself and keeps all diffs; it sees what is trained.
#[test]
fn in_mixed_precision_layers_one_by_one_give_the_bits_of_fused_ones() {
    let folder = tempfile::tempdir().unwrap();
    for precision in [Precision::MixedBf16, Precision::MixedF16] {
        let config = replicas("batchnorm", folder.path()).with_precision(precision);
        let mut plain = config.clone();
        plain.solver.debug_info = Some(true);
        assert_eq!(hash(plain, 6), hash(config, 6), "{precision}");
    }
}

/// Snapshots hold the f32 weights that are learned, and a run goes on in its own precision only.
#[test]
fn a_run_in_mixed_precision_resumes_to_the_bit_and_in_no_other_precision() {
    let folder = tempfile::tempdir().unwrap();
    let run = |precision: Precision, iterations: i32, resume: bool| {
        let mut config = replicas("batchnorm", folder.path()).with_precision(precision);
        (config.solver.snapshot, config.solver.max_iter) = (Some(5), Some(iterations));
        config.resume = resume.then(|| folder.path().join("snap_iter_5.solverstate"));
        Job::open(config, &mut |_| ()).map(|mut job| {
            job.run(&NoControl, &mut |_| ()).unwrap();
            job.hash().unwrap()
        })
    };
    let whole = run(Precision::MixedBf16, 10, false).unwrap();
    run(Precision::MixedBf16, 5, false).unwrap();
    assert_eq!(run(Precision::MixedBf16, 10, true).unwrap(), whole);
    let error = run(Precision::F32, 10, true).unwrap_err();
    let text = train::chain(&error);
    let want = "it was trained in mixed-bf16, not in f32; resume with `--precision mixed-bf16`";
    assert!(text.ends_with(want), "{text}");
    run(Precision::F32, 5, false).unwrap();
    let text = train::chain(&run(Precision::MixedF16, 10, true).unwrap_err());
    assert!(text.contains("trained in f32, not in mixed-f16"), "{text}");
}

/// A recurrent net whose sequences go on from batch to batch: each replica has a state of its own.
#[test]
fn replicas_keep_their_own_recurrent_state_and_snapshots_hold_it() {
    let net = r#"
        layer { name: "points" type: "MemoryData" top: "x" top: "y"
                memory_data_param { batch_size: 6 channels: 4 height: 1 width: 1 } }
        layer { name: "steps" type: "Reshape" bottom: "x" top: "steps"
                reshape_param { shape { dim: 3 dim: 2 dim: 4 } } }
        layer { name: "goes_on" type: "DummyData" top: "cont" dummy_data_param {
                shape { dim: 3 dim: 2 } data_filler { type: "constant" value: 1 } } }
        layer { name: "lstm" type: "LSTM" bottom: "steps" bottom: "cont" top: "lstm"
                recurrent_param { num_output: 3 weight_filler { type: "xavier" } } }
        layer { name: "flat" type: "Reshape" bottom: "lstm" top: "flat"
                reshape_param { shape { dim: 6 dim: 3 } } }
        layer { name: "ip" type: "InnerProduct" bottom: "flat" top: "ip"
                inner_product_param { num_output: 1 weight_filler { type: "xavier" } } }
        layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "y" top: "loss" }"#;
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("lstm").display().to_string();
    let run = |workers: usize, iterations: i32, resume: Option<i32>| {
        let text = format!(
            "base_lr: 0.1 lr_policy: \"fixed\" random_seed: 3 snapshot: 4 \
             max_iter: {iterations} snapshot_prefix: \"{prefix}\" net_param {{ {net} }}"
        );
        let solver = train::files::solver_from_text("lstm", &text).unwrap();
        let resume = resume.map(|iter| format!("{prefix}_iter_{iter}.solverstate").into());
        let mut job =
            open(JobConfig { workers, replicas: Some(4), resume, ..JobConfig::new(solver) });
        let values: Vec<f32> = (0..24).map(|i| ((i * 7) % 11) as f32 / 11.0).collect();
        job.set_input_arrays("points", &values, &[0.1, 0.9, 0.3, 0.7, 0.2, 0.5]).unwrap();
        job.run(&NoControl, &mut |_| ()).unwrap();
        job.hash().unwrap()
    };
    let one = run(1, 8, None);
    assert_eq!(run(2, 8, None), one);
    assert_eq!(run(4, 8, None), one);
    run(2, 4, None);
    assert_eq!(run(4, 8, Some(4)), one, "resumed");
}
