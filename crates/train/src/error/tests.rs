//! What every error of set-up and resuming says.

use std::io;
use std::path::PathBuf;

use expect_test::{Expect, expect};

use crate::{
    BlobError, ComparedItem, CompressionError, CompressionProblem, DivergenceRemedy, MisplacedPath,
    PlacementProblem, ResumeProblem, SolverProblem, StepError, TensorProblem, TrainError, WhichNet,
    WorkerCount, chain,
};

#[track_caller]
fn check(errors: Vec<TrainError>, want: Expect) {
    let lines: Vec<String> = errors.iter().map(|error| chain(error)).collect();
    want.assert_eq(&lines.join("\n"));
}

#[test]
fn the_solver_is_wrong() {
    let errors = vec![
        SolverProblem::SolverField { field: "average_loss", value: 0, least: 1 },
        SolverProblem::NoTestInterval,
        SolverProblem::NoSnapshotPrefix,
        SolverProblem::NetTwice,
        SolverProblem::NoTrainNet,
        SolverProblem::SeveralTrainNets,
        SolverProblem::TestIterCount { test_iter: 1, nets: 2 },
        SolverProblem::TestStateCount { test_state: 1, nets: 2 },
        SolverProblem::TestShapes { layer: "ip".into(), which: WhichNet::Test(0) },
    ];
    let errors: Vec<TrainError> = errors.into_iter().map(TrainError::from).collect();
    assert!(errors.iter().all(TrainError::is_about_solver));
    check(
        errors,
        expect![[r#"
            solver: `average_loss` must be 1 or more, not 0
            solver: `test_iter` without a positive `test_interval`
            solver: `snapshot` without `snapshot_prefix`
            solver: `net` and `net_param` exclude each other
            solver: no train net; give one of `net`, `net_param`, `train_net`, `train_net_param`
            solver: more than one train net; keep one of `net`, `net_param`, `train_net`, `train_net_param`
            solver: 1 `test_iter` for 2 test nets; give one each
            solver: 1 `test_state` for 2 test nets; give none or one each
            solver: layer `ip` has other parameter shapes in the train net than in test net 0"#]],
    );
}

#[test]
fn replicas_cannot_be_placed() {
    let workers = |ranks, workers| WorkerCount { ranks, workers };
    let problems = [
        PlacementProblem::NoReplicas,
        PlacementProblem::TooFewReplicas { replicas: 1, workers: workers(1, 2) },
        PlacementProblem::Inexact {
            replicas: 6,
            workers: workers(2, 1),
            nearest: 4,
            divides: true,
        },
        PlacementProblem::Inexact {
            replicas: 5,
            workers: workers(1, 2),
            nearest: 4,
            divides: false,
        },
        PlacementProblem::InexactWorkers { workers: workers(2, 3), divides: true },
        PlacementProblem::SnapshotReplicas { saved: 2, asked: 4 },
        PlacementProblem::GlobalBatch { layer: "data".into(), batch: 16, replicas: 3 },
        PlacementProblem::MpiAlone,
    ];
    check(
        problems.map(TrainError::from).into(),
        expect![[r#"
            at least one replica and one worker are needed
            --replicas 1 is too few for 2 workers: give at least as many replicas as workers
            6 replicas on 2 ranks of 1 worker would not give the bits of one worker: the number of replicas per worker must be a power of two; nearest is --replicas 4, or --inexact
            5 replicas on 2 workers would not give the bits of one worker: the number of replicas per worker must be a power of two; nearest is --replicas 4
            2 ranks of 3 workers would not give the bits of one worker: with several ranks, the number of workers per rank must be a power of two, or --inexact
            the snapshot was written by 2 replicas; resume with --replicas 2, not 4
            layer `data`: a global batch of 16 cannot be divided among 3 replicas: change `batch_size` or --replicas
            allreduce `mpi` is the MPI library's own: it needs several ranks (`mpirun`)"#]],
    );
}

#[test]
fn a_snapshot_does_not_fit() {
    let layer = || "ip".to_owned();
    let problems = [
        ResumeProblem::Iteration { iter: -1 },
        ResumeProblem::HistoryCount { got: 2, rule: "Adam", want: 8 },
        ResumeProblem::HistoryBlob(BlobError::TooManyAxes { axes: 33 }),
        ResumeProblem::HistoryLength { layer: layer(), got: 1, want: 2 },
        ResumeProblem::Random(base::random::StateError::Zero),
        ResumeProblem::Carried { replica: 1 },
        ResumeProblem::Scale,
        ResumeProblem::Decision,
        ResumeProblem::Residuals(CompressionError::OtherRank { expected: [0, 2], found: [0, 4] }),
        ResumeProblem::Statistics { layer: layer() },
        ResumeProblem::NoPosition { layer: layer() },
        ResumeProblem::Position {
            layer: layer(),
            source: layers::DataSourceError("it is damaged".into()),
        },
    ];
    let error = |source| TrainError::Resume { path: "a.solverstate".into(), source };
    check(
        problems.map(error).into(),
        expect![[r#"
            cannot resume from a.solverstate: its iteration is -1
            cannot resume from a.solverstate: it has 2 history blobs, rule Adam needs 8 for this net
            cannot resume from a.solverstate: 33 axes, but a blob has at most 32
            cannot resume from a.solverstate: history of layer `ip` has 1 values, expected 2
            cannot resume from a.solverstate: random state is all zeros
            cannot resume from a.solverstate: the recurrent state of replica 1 is damaged
            cannot resume from a.solverstate: its scale of gradients is damaged
            cannot resume from a.solverstate: its decision where compressing pays is damaged
            cannot resume from a.solverstate: its residuals do not fit this net, or were saved with another `--bucket-mb`: residuals of rank 0 of 4 do not fit rank 0 of 2
            cannot resume from a.solverstate: it has statistics of layer `ip` that do not fit this net
            cannot resume from a.solverstate: it has no position for data layer `ip`
            cannot resume from a.solverstate: data layer `ip`: it is damaged"#]],
    );
}

#[test]
fn gradients_cannot_be_compressed() {
    let problems = [
        CompressionProblem::Nowhere,
        CompressionProblem::Rule {
            compression: "top-k",
            rule: "Adam",
            known: &["SGD", "Nesterov"],
        },
        CompressionProblem::MomentumCorrection { compression: "sparse-chunks" },
        CompressionProblem::Unfit(CompressionError::UnknownName { name: "zip".into() }),
    ];
    check(
        problems.map(TrainError::from).into(),
        expect![[r#"
            `--compression` needs messages: start several ranks (`mpirun`), or several `--workers` with a named `--allreduce` such as `ring`
            compression `top-k` changes what momentum means and works with `type: SGD, Nesterov` only, not with Adam
            compression `sparse-chunks` changes what momentum means and does not work with `momentum_correction`: remove that from the solver, or use a compression that leaves momentum to the rule (one-bit, power-sgd, threshold)
            unknown compression `zip` (known: one-bit, power-sgd, sparse-chunks, threshold, top-k)"#]],
    );
}

#[test]
fn a_model_cannot_be_converted() {
    let tensor = || "ip/1".to_owned();
    let problems = [
        TensorProblem::SameName { layer: "ip".into() },
        TensorProblem::Format(safetensors::SafeTensorError::HeaderTooLarge),
        TensorProblem::Name { tensor: "weight".into() },
        TensorProblem::Gap { tensor: tensor(), layer: "ip".into(), index: 0 },
        TensorProblem::Shape {
            tensor: tensor(),
            source: base::ShapeError::TooManyAxes { axes: 33 },
        },
        TensorProblem::Type { tensor: tensor(), dtype: "I8".into() },
    ];
    let error = |source| TrainError::Tensors { path: "a.safetensors".into(), source };
    check(
        problems.map(error).into(),
        expect![[r#"
            cannot convert a.safetensors: two layers are called `ip`
            cannot convert a.safetensors: header too large
            cannot convert a.safetensors: tensor `weight` is not called `<layer>/<number>`
            cannot convert a.safetensors: there is `ip/1`, but not `ip/0`
            cannot convert a.safetensors: tensor `ip/1`: 33 axes, at most 32 are possible
            cannot convert a.safetensors: tensor `ip/1` is I8, expected F32, F64 or BF16"#]],
    );
}

#[test]
fn nets_files_and_blobs() {
    let misplaced = || MisplacedPath {
        written: "a".into(),
        start: PathBuf::new(),
        found: "examples/mnist".into(),
    };
    check(
        vec![
            TrainError::Read { path: "a".into(), source: io::ErrorKind::NotFound.into() },
            TrainError::Net {
                which: WhichNet::Train,
                source: net::NetError::BothRules { layer: "data".into() },
            },
            TrainError::MisplacedNet { path: misplaced() },
            TrainError::MisplacedMatrix { layer: "gain".into(), path: misplaced() },
            TrainError::NoBlob { blob: "fc8".into() },
            TrainError::NoSource { layer: "x".into(), known: Vec::new() },
            TrainError::NoSource { layer: "x".into(), known: vec!["a".into(), "b".into()] },
            TrainError::Source {
                layer: "data".into(),
                source: layers::DataSourceError("takes no values from the program".into()),
            },
        ],
        expect![[r#"
            cannot read a: entity not found
            train net: layer `data` has both include and exclude rules; keep one kind
            cannot read a net of the solver: a does not exist, but examples/mnist/a does: paths start from the working directory; `cd examples/mnist`, or change the path
            layer `gain`: `infogain_loss_param.source`: a does not exist, but examples/mnist/a does: paths start from the working directory; `cd examples/mnist`, or change the path
            the net has no blob `fc8`
            `x` is not a data layer of the net; it has none
            `x` is not a data layer of the net; it has a, b
            layer `data`: takes no values from the program"#]],
    );
}

#[test]
fn an_iteration_fails() {
    let layer = || "conv1".to_owned();
    let differs = |what| TrainError::Differs { rank: 1, host: "b".into(), usual: 0, what };
    let loss = |remedy| {
        let (layer, blob) = (layer(), "conv1".to_owned());
        StepError::Loss { iter: 3, loss: f32::NAN, layer, blob, remedy }
    };
    let remedy = DivergenceRemedy::LowerRate;
    check(
        vec![
            loss(DivergenceRemedy::LowerRate).into(),
            loss(DivergenceRemedy::LoadStatistics { layer: "bn1".into() }).into(),
            StepError::LossElsewhere { iter: 3 }.into(),
            StepError::Gradient { iter: 3, layer: layer(), index: 1, remedy }.into(),
            StepError::CompressedGradient { iter: 3, remedy: DivergenceRemedy::LowerRate }.into(),
            StepError::OtherWorker.into(),
            StepError::Ended.into(),
            differs(ComparedItem::Solver),
            differs(ComparedItem::TestNet(1)),
            differs(ComparedItem::Data { layer: "data".into() }),
            TrainError::State { rank: 1 },
        ],
        expect![[r#"
            iteration 3: the loss is NaN; the first value that is not finite is in blob `conv1` of layer `conv1`. Lower `base_lr`, or set `clip_gradients`
            iteration 3: the loss is NaN; the first value that is not finite is in blob `conv1` of layer `conv1`. Layer `bn1` normalises with running statistics (`use_global_stats`) that are empty, all zero: load a model that has them (`--weights`), or remove `use_global_stats`
            iteration 3: the loss of a replica on another rank is not finite
            iteration 3: the gradient of param 1 of layer `conv1` is not finite. Lower `base_lr`, or set `clip_gradients`
            iteration 3: a gradient that was compressed is not finite. Lower `base_lr`, or set `clip_gradients`
            another worker failed
            an earlier iteration failed, which ended the job: open it again from a snapshot
            rank 1 on b differs from rank 0 in the solver: give all ranks the same
            rank 1 on b differs from rank 0 in test net 1: give all ranks the same
            rank 1 on b differs from rank 0 in the data of layer `data`: give all ranks the same
            rank 1 sent a state that cannot be read"#]],
    );
}
