//! Lines of the log against what Caffe's say.

use std::time::Duration;

use caffe_format::Phase;
use chrono::{TimeZone, Utc};
use expect_test::{Expect, expect};
use net::{
    DebugBlob, DebugValue, LayerReport, MemoryUse, Mismatch, NetNorms, NetReport, Output,
    SharedParam, SourceReport, TopReport, UnmetRule,
};
use train::files::PrototxtNotice;
use train::{
    Display, Event, FillStage, NetOrigin, OptionNotice, PhaseTimes, RecordMemory, ResumeData,
    ResumeGap, StragglerCause, UpgradeChange,
};

use super::line::LogLine;
use super::{CaffeLine, lines, render};

#[track_caller]
fn check(event: &Event, want: Expect) {
    check_all(std::slice::from_ref(event), want);
}

#[track_caller]
fn check_all(events: &[Event], want: Expect) {
    check_lines(events.iter().flat_map(lines::of), want);
}

#[track_caller]
fn check_lines(lines: impl Iterator<Item = LogLine>, want: Expect) {
    let now = Utc.with_ymd_and_hms(2026, 11, 15, 13, 39, 22).unwrap();
    let now = now + Duration::from_micros(381_027);
    let text: String = lines.map(|line| render(&line, &now, 321)).collect();
    want.assert_eq(&text);
}

fn outputs() -> Vec<Output> {
    let output = |name: &str, loss_weight, values: &[f32]| Output {
        name: name.into(),
        loss_weight,
        values: values.to_vec(),
    };
    vec![output("accuracy", 0.0, &[0.367_187_5]), output("loss", 0.5, &[2.074_834, f32::NAN])]
}

#[test]
fn a_displayed_iteration() {
    let display = Display {
        iter: 37,
        loss: 1.179_584,
        rate: 0.05,
        elapsed: Duration::from_millis(500),
        iterations: 10,
        interval: 10,
        items: 640,
        times: PhaseTimes {
            data: Duration::from_millis(5),
            forward: Duration::from_millis(145),
            backward: Duration::from_millis(300),
            exposed_communication: Duration::from_millis(30),
            update: Duration::from_millis(20),
        },
        traffic: None,
        outputs: outputs(),
    };
    check(
        &Event::Displayed(display),
        expect![[r#"
            I1115 13:39:22.381027   321 solver.cpp:239] Iteration 37 (20 iter/s, 0.5s/10 iters), loss = 1.17958
            I1115 13:39:22.381027   321 solver.cpp:258]     Train net output #0: accuracy = 0.367188
            I1115 13:39:22.381027   321 solver.cpp:258]     Train net output #1: loss = 2.07483 (* 0.5 = 1.03742 loss)
            I1115 13:39:22.381027   321 solver.cpp:258]     Train net output #2: loss = nan (* 0.5 = nan loss)
            I1115 13:39:22.381027   321 sgd_solver.cpp:112] Iteration 37, lr = 0.05
            I1115 13:39:22.381027   321 firecaffe:1] 1280 images/s; data wait 1.0 %, forward 29.0 %, backward 60.0 %, exposed communication 6.0 %, update 4.0 %
        "#]],
    );
}

#[test]
fn a_test_phase() {
    check(
        &Event::Testing { iter: 40, net: 0 },
        expect![[r#"
            I1115 13:39:22.381027   321 solver.cpp:347] Iteration 40, Testing net (#0)
        "#]],
    );
    check(
        &Event::Tested { outputs: outputs(), loss: Some(1.5) },
        expect![[r#"
            I1115 13:39:22.381027   321 solver.cpp:399] Test loss: 1.5
            I1115 13:39:22.381027   321 solver.cpp:414]     Test net output #0: accuracy = 0.367188
            I1115 13:39:22.381027   321 solver.cpp:414]     Test net output #1: loss = 2.07483 (* 0.5 = 1.03742 loss)
            I1115 13:39:22.381027   321 solver.cpp:414]     Test net output #2: loss = nan (* 0.5 = nan loss)
        "#]],
    );
}

#[test]
fn snapshots() {
    check(
        &Event::SnapshotWritten {
            model: "a_iter_5.caffemodel".into(),
            state: "a.solverstate".into(),
        },
        expect![[r#"
            I1115 13:39:22.381027   321 solver.cpp:464] Snapshotting to binary proto file a_iter_5.caffemodel
            I1115 13:39:22.381027   321 sgd_solver.cpp:284] Snapshotting solver state to binary proto file a.solverstate
        "#]],
    );
    check(
        &Event::SnapshotWritten {
            model: "a.caffemodel.h5".into(),
            state: "a.solverstate.h5".into(),
        },
        expect![[r#"
            I1115 13:39:22.381027   321 solver.cpp:474] Snapshotting to HDF5 file a.caffemodel.h5
            I1115 13:39:22.381027   321 sgd_solver.cpp:296] Snapshotting solver state to HDF5 file a.solverstate.h5
        "#]],
    );
    check(
        &Event::SnapshotFailed {
            causes: vec!["cannot write a".into(), "No space left on device".into()],
        },
        expect![[r#"
            E1115 13:39:22.381027   321 firecaffe:1] no snapshot was written, training goes on; earlier ones are intact: cannot write a: No space left on device
        "#]],
    );
}

#[test]
fn lines_of_our_own() {
    let memory = MemoryUse {
        params: 1_724_320,
        gradients: 1_724_320,
        activations: 5_169_924,
        diffs: 0,
        workspace: 50_000,
    };
    check(
        &Event::MemoryUse(memory),
        expect![[r#"
            I1115 13:39:22.381027   321 firecaffe:1] Memory plan: parameters 1.7 MB, gradients 1.7 MB, activations 5.2 MB, diffs 0.000 MB, workspace 0.050 MB, total 8.7 MB
        "#]],
    );
    check(
        &Event::Hash { steps: 20, hash: 0x00ab_cdef_0123_4567 },
        expect![[r#"
            I1115 13:39:22.381027   321 firecaffe:1] weights after 20 steps: 00abcdef01234567
        "#]],
    );
    let host = |name: &str, ranks| (name.to_owned(), ranks);
    let joined = |hosts| Event::Joined { hosts, allreduce: "auto".parse().unwrap() };
    let placed = |replicas, workers, exact| Event::ReplicasPlaced {
        items: 64,
        replicas,
        workers,
        rate: 0.01,
        exact,
    };
    let times = PhaseTimes { data: Duration::from_secs(1), ..PhaseTimes::default() };
    check_all(
        &[
            joined(vec![host("a", 2), host("b", 2)]),
            joined(vec![host("a", 2)]),
            placed(1, 1, true),
            placed(6, 3, false),
            Event::Spent { elapsed: Duration::from_secs(8), items: 20, times, emulated: false },
            Event::Spent { elapsed: Duration::ZERO, items: 0, times, emulated: false },
            Event::Emulating {
                machine: "P100".into(),
                source: "a paper".into(),
                dilation: 8,
                compute: Duration::from_micros(76_900),
                pool_bytes: 244_000_000,
            },
            Event::Spent { elapsed: Duration::from_secs(8), items: 20, times, emulated: true },
        ],
        expect![[r#"
            I1115 13:39:22.381027   321 firecaffe:1] 4 ranks on 2 hosts (a: 2, b: 2), all agree; allreduce auto
            I1115 13:39:22.381027   321 firecaffe:1] 2 ranks on 1 host (a: 2), all agree; allreduce auto
            I1115 13:39:22.381027   321 firecaffe:1] global batch 64 = 1 replica x 64 on 1 worker; lr 0.01 (unscaled)
            I1115 13:39:22.381027   321 firecaffe:1] global batch 384 = 6 replicas x 64 on 3 workers; lr 0.01 (unscaled); inexact: the weights depend on the number of workers
            I1115 13:39:22.381027   321 firecaffe:1] 2.50 images/s; data wait 100.0 %, forward 0.0 %, backward 0.0 %, exposed communication 0.0 %, update 0.0 %
            I1115 13:39:22.381027   321 firecaffe:1] emulated: 76.900 ms of computation per replica are waited for, as on P100 (a paper); time passes 8 times slower; gradients 244.0 MB per rank
            I1115 13:39:22.381027   321 firecaffe:1] 2.50 images/s emulated; data wait 100.0 %, forward 0.0 %, backward 0.0 %, exposed communication 0.0 %, update 0.0 %
        "#]],
    );
}

#[test]
fn the_solver_and_where_its_nets_come_from() {
    check(
        &Event::SolverInitialised { prototxt: "base_lr: 0.5\n".into() },
        expect![[r#"
        I1115 13:39:22.381027   321 solver.cpp:45] Initializing solver from parameters: 
        base_lr: 0.5
    "#]],
    );
    let trained = [NetOrigin::Net("a".into()), NetOrigin::NetParam, NetOrigin::TrainNetParam];
    let tested = [NetOrigin::TestNet("b".into()), NetOrigin::TestNetParam, NetOrigin::NetParam];
    let trained = trained.map(|origin| Event::TrainNet { origin });
    let tested = tested.map(|origin| Event::TestNet { index: 1, origin });
    check_all(
        &[trained, tested].concat(),
        expect![[r#"
        I1115 13:39:22.381027   321 solver.cpp:102] Creating training net from net file: a
        I1115 13:39:22.381027   321 solver.cpp:102] Creating training net specified in net_param.
        I1115 13:39:22.381027   321 solver.cpp:102] Creating training net specified in train_net_param.
        I1115 13:39:22.381027   321 solver.cpp:190] Creating test net (#1) specified by test_net file: b
        I1115 13:39:22.381027   321 solver.cpp:190] Creating test net (#1) specified by test_net_param
        I1115 13:39:22.381027   321 solver.cpp:190] Creating test net (#1) specified by net_param
    "#]],
    );
}

#[test]
fn rules_that_a_net_does_not_meet() {
    let stage = || "deploy".to_owned();
    let mismatches = [
        Mismatch::Phase { state: Phase::Train, rule: Phase::Test },
        Mismatch::LevelBelow { level: 0, min: 1 },
        Mismatch::LevelAbove { level: 3, max: 2 },
        Mismatch::StageMissing { stage: stage() },
        Mismatch::StageForbidden { stage: stage() },
    ];
    let rules = mismatches.map(|mismatch| UnmetRule { layer: "data".into(), mismatch });
    check_all(
        &rules.map(Event::UnmetRule),
        expect![[r#"
        I1115 13:39:22.381027   321 net.cpp:296] The NetState phase (0) differed from the phase (1) specified by a rule in layer data
        I1115 13:39:22.381027   321 net.cpp:305] The NetState level (0) is above the min_level (1) specified by a rule in layer data
        I1115 13:39:22.381027   321 net.cpp:305] The NetState level (3) is above the max_level (2) specified by a rule in layer data
        I1115 13:39:22.381027   321 net.cpp:305] The NetState did not contain stage 'deploy' specified by a rule in layer data
        I1115 13:39:22.381027   321 net.cpp:305] The NetState contained a not_stage 'deploy' specified by a rule in layer data
    "#]],
    );
}

#[test]
fn a_compiled_net() {
    let layer = |name: &str, bottoms: &[&str], tops| LayerReport {
        name: name.into(),
        kind: "Any".into(),
        source: None,
        mean_file: None,
        inner: false,
        bottoms: bottoms.iter().map(|&blob| blob.into()).collect(),
        tops,
        shared: Vec::new(),
        needs_backward: true,
    };
    let top = |blob: Option<&str>, shape: &[usize]| TopReport {
        blob: blob.map(Into::into),
        shape: shape.to_vec(),
        in_place: false,
        loss_weight: 0.0,
        bytes: 4 * shape.iter().product::<usize>(),
    };
    let shared = SharedParam { name: "w".into(), owner: "first".into(), index: 0 };
    let report = NetReport {
        layers: vec![
            LayerReport {
                source: Some(SourceReport::ImageList("list.txt".into())),
                mean_file: Some("mean.binaryproto".into()),
                needs_backward: false,
                ..layer("data", &[], vec![top(Some("x"), &[2, 3])])
            },
            LayerReport {
                shared: vec![shared],
                ..layer(
                    "relu",
                    &["x"],
                    vec![TopReport { in_place: true, ..top(Some("x"), &[2, 3]) }],
                )
            },
            LayerReport {
                inner: true,
                ..layer("loss", &["x"], vec![TopReport { loss_weight: 0.5, ..top(None, &[]) }])
            },
        ],
        outputs: vec!["loss".into()],
    };
    check(
        &Event::NetCompiled { prototxt: "name: \"net\"\n".into(), report },
        expect![[r#"
            I1115 13:39:22.381027   321 net.cpp:53] Initializing net from parameters: 
            name: "net"
            I1115 13:39:22.381027   321 layer_factory.hpp:77] Creating layer data
            I1115 13:39:22.381027   321 net.cpp:86] Creating Layer data
            I1115 13:39:22.381027   321 net.cpp:382] data -> x
            I1115 13:39:22.381027   321 data_transformer.cpp:25] Loading mean file from: mean.binaryproto
            I1115 13:39:22.381027   321 image_data_layer.cpp:38] Opening file list.txt
            I1115 13:39:22.381027   321 image_data_layer.cpp:90] output data size: 2,3
            I1115 13:39:22.381027   321 net.cpp:124] Setting up data
            I1115 13:39:22.381027   321 net.cpp:131] Top shape: 2 3 (6)
            I1115 13:39:22.381027   321 net.cpp:139] Memory required for data: 24
            I1115 13:39:22.381027   321 layer_factory.hpp:77] Creating layer relu
            I1115 13:39:22.381027   321 net.cpp:86] Creating Layer relu
            I1115 13:39:22.381027   321 net.cpp:408] relu <- x
            I1115 13:39:22.381027   321 net.cpp:369] relu -> x (in-place)
            I1115 13:39:22.381027   321 net.cpp:124] Setting up relu
            I1115 13:39:22.381027   321 net.cpp:131] Top shape: 2 3 (6)
            I1115 13:39:22.381027   321 net.cpp:139] Memory required for data: 48
            I1115 13:39:22.381027   321 net.cpp:502] Sharing parameters 'w' owned by layer 'first', param index 0
            I1115 13:39:22.381027   321 layer_factory.hpp:77] Creating layer loss
            I1115 13:39:22.381027   321 net.cpp:86] Creating Layer loss
            I1115 13:39:22.381027   321 net.cpp:408] loss <- x
            I1115 13:39:22.381027   321 net.cpp:382] loss -> (automatic)
            I1115 13:39:22.381027   321 layer_factory.hpp:77] Creating layer loss
            I1115 13:39:22.381027   321 net.cpp:124] Setting up loss
            I1115 13:39:22.381027   321 net.cpp:131] Top shape: (1)
            I1115 13:39:22.381027   321 net.cpp:134]     with loss weight 0.5
            I1115 13:39:22.381027   321 net.cpp:139] Memory required for data: 52
            I1115 13:39:22.381027   321 net.cpp:200] loss needs backward computation.
            I1115 13:39:22.381027   321 net.cpp:200] relu needs backward computation.
            I1115 13:39:22.381027   321 net.cpp:202] data does not need backward computation.
            I1115 13:39:22.381027   321 net.cpp:244] This network produces output loss
            I1115 13:39:22.381027   321 net.cpp:257] Network initialization done.
        "#]],
    );
}

#[test]
fn weights_and_snapshots_that_a_run_begins_with() {
    let gap = |data| Event::ResumeGap(ResumeGap { missing: "a.firecaffe".into(), data });
    let events = [
        Event::FineTuning { model: "a.caffemodel".into() },
        Event::LayerIgnored { layer: "fc8".into() },
        Event::Restoring { state: "a.solverstate".into() },
        gap(ResumeData::Start),
        gap(ResumeData::Continue),
        Event::SolverReady,
        Event::Solving { net: "LeNet".into(), policy: "step".into() },
    ];
    check_all(
        &events,
        expect![[r#"
        I1115 13:39:22.381027   321 solver.cpp:70] Finetuning from a.caffemodel
        I1115 13:39:22.381027   321 net.cpp:740] Ignoring source layer fc8
        I1115 13:39:22.381027   321 solver.cpp:295] Restoring previous solver status from a.solverstate
        W1115 13:39:22.381027   321 firecaffe:1] a.firecaffe is not there: data and random numbers begin anew, as in Caffe
        W1115 13:39:22.381027   321 firecaffe:1] a.firecaffe is not there: data goes on where the iterations so far have read to, random numbers of layers begin anew
        I1115 13:39:22.381027   321 solver.cpp:57] Solver scaffolding done.
        I1115 13:39:22.381027   321 solver.cpp:289] Solving LeNet
        I1115 13:39:22.381027   321 solver.cpp:290] Learning Rate Policy: step
    "#]],
    );
}

#[test]
fn what_data_layers_and_debug_info_report() {
    let layer = || "conv".to_owned();
    let debug = |blob| Event::Debug(DebugValue::Mean { layer: layer(), blob, mean: 1.0 / 3.0 });
    let norms = |l1, l2| NetNorms { l1, l2 };
    let events = [
        Event::SourceOption { layer: "data".into(), notice: OptionNotice::RandSkip },
        Event::Prototxt(PrototxtNotice::Upgraded {
            file: "a".into(),
            change: UpgradeChange::V1Layers,
        }),
        Event::DataRestarted { layer: "data".into() },
        Event::RecordSkipped {
            layer: "data".into(),
            record: "7".into(),
            causes: vec!["record 7".into(), "no image".into()],
        },
        debug(DebugBlob::Top("a".into())),
        debug(DebugBlob::Param("0".into())),
        debug(DebugBlob::BottomDiff("a".into())),
        debug(DebugBlob::ParamDiff(1)),
        Event::Debug(DebugValue::Norms { data: norms(1.5, 1.25), diff: norms(0.5, 1e-7) }),
    ];
    check_all(
        &events,
        expect![[r#"
        W1115 13:39:22.381027   321 firecaffe:1] layer `data`: `rand_skip` of Data has no effect (nor has it in Caffe 1.0)
        W1115 13:39:22.381027   321 firecaffe:1] a: upgraded V1 layers
        I1115 13:39:22.381027   321 data_layer.cpp:73] Restarting data prefetching from start.
        I1115 13:39:22.381027   321 firecaffe:1] skipped record 7: no image
        I1115 13:39:22.381027   321 net.cpp:591]     [Forward] Layer conv, top blob a data: 0.333333
        I1115 13:39:22.381027   321 net.cpp:591]     [Forward] Layer conv, param blob 0 data: 0.333333
        I1115 13:39:22.381027   321 net.cpp:607]     [Backward] Layer conv, bottom blob a diff: 0.333333
        I1115 13:39:22.381027   321 net.cpp:607]     [Backward] Layer conv, param blob 1 diff: 0.333333
        I1115 13:39:22.381027   321 net.cpp:632]     [Backward] All net params (data, diff): L1 norm = (1.5, 0.5); L2 norm = (1.25, 1e-07)
    "#]],
    );
}

/// Every line of `caffe.cpp`, in its order.
#[test]
fn lines_of_caffes_commands() {
    let output = &outputs()[1];
    let lines = [
        CaffeLine::UseCpu,
        CaffeLine::ResumingFrom("a.solverstate".as_ref()),
        CaffeLine::StartingOptimization,
        CaffeLine::OptimizationDone,
        CaffeLine::RunningFor { iterations: 50 },
        CaffeLine::BatchOutput { batch: 3, output, value: 0.25 },
        CaffeLine::MeanLoss(1.5),
        CaffeLine::MeanOutput { output, value: 0.25 },
        CaffeLine::PerformingForward,
        CaffeLine::InitialLoss(2.25),
        CaffeLine::PerformingBackward,
        CaffeLine::BenchmarkBegins,
        CaffeLine::TestingFor { iterations: 50 },
        CaffeLine::IterationTime { iteration: 1, time: 31.25 },
        CaffeLine::AverageTimePerLayer,
        CaffeLine::LayerForward { layer: "conv1", average: 0.333_333_3 },
        CaffeLine::LayerBackward { layer: "a layer = long", average: 2.0 },
        CaffeLine::AverageForward(10.0),
        CaffeLine::AverageBackward(20.0),
        CaffeLine::AverageForwardBackward(30.0),
        CaffeLine::TotalTime(1500.0),
        CaffeLine::BenchmarkEnds,
    ];
    check_lines(
        lines.into_iter().map(CaffeLine::logged),
        expect![[r#"
        I1115 13:39:22.381027   321 caffe.cpp:197] Use CPU.
        I1115 13:39:22.381027   321 caffe.cpp:234] Resuming from a.solverstate
        I1115 13:39:22.381027   321 caffe.cpp:239] Starting Optimization
        I1115 13:39:22.381027   321 caffe.cpp:250] Optimization Done.
        I1115 13:39:22.381027   321 caffe.cpp:281] Running for 50 iterations.
        I1115 13:39:22.381027   321 caffe.cpp:304] Batch 3, loss = 0.25
        I1115 13:39:22.381027   321 caffe.cpp:309] Loss: 1.5
        I1115 13:39:22.381027   321 caffe.cpp:321] loss = 0.25 (* 0.5 = 0.125 loss)
        I1115 13:39:22.381027   321 caffe.cpp:352] Performing Forward
        I1115 13:39:22.381027   321 caffe.cpp:357] Initial loss: 2.25
        I1115 13:39:22.381027   321 caffe.cpp:358] Performing Backward
        I1115 13:39:22.381027   321 caffe.cpp:366] *** Benchmark begins ***
        I1115 13:39:22.381027   321 caffe.cpp:367] Testing for 50 iterations.
        I1115 13:39:22.381027   321 caffe.cpp:395] Iteration: 1 forward-backward time: 31.25 ms.
        I1115 13:39:22.381027   321 caffe.cpp:398] Average time per layer: 
        I1115 13:39:22.381027   321 caffe.cpp:401]      conv1	forward: 0.333333 ms.
        I1115 13:39:22.381027   321 caffe.cpp:404] a layer = long	backward: 2 ms.
        I1115 13:39:22.381027   321 caffe.cpp:409] Average Forward pass: 10 ms.
        I1115 13:39:22.381027   321 caffe.cpp:411] Average Backward pass: 20 ms.
        I1115 13:39:22.381027   321 caffe.cpp:413] Average Forward-Backward: 30 ms.
        I1115 13:39:22.381027   321 caffe.cpp:415] Total Time: 1500 ms.
        I1115 13:39:22.381027   321 caffe.cpp:416] *** Benchmark ends ***
    "#]],
    );
}

#[test]
fn where_records_are_read_and_what_holds_them_up() {
    let ready = |shuffle, memory| Event::RecordsReady {
        layer: "data".into(),
        records: 60_000,
        shuffle,
        memory,
    };
    let waits = |slowest, threads| Event::DataWait { percent: 12.34, slowest, threads };
    check_all(
        &[
            Event::PreparingRecords { layer: "data".into(), done: 1, all: 2 },
            ready(Some(1701), None),
            ready(None, Some(RecordMemory { shard: 48_000_000, exchange: 2_500_000 })),
            Event::RecordsPlaced { bytes: 36_000_000, time: Duration::from_millis(500) },
            Event::SourceOption { layer: "data".into(), notice: OptionNotice::Shuffle },
            waits(Some(FillStage::Decode), 1),
            waits(None, 2),
        ],
        expect![[r#"
        I1115 13:39:22.381027   321 firecaffe:1] layer `data`: 60000 records, every epoch in a random order (seed 1701)
        I1115 13:39:22.381027   321 firecaffe:1] layer `data`: 60000 records, in key order; in memory, 48.0 MB per rank and up to 2.5 MB for their exchange
        I1115 13:39:22.381027   321 firecaffe:1] records are where they are used first: 36.0 MB from other ranks in 0.500 s (72 MB/s)
        W1115 13:39:22.381027   321 firecaffe:1] layer `data`: `data_param.shuffle` has no effect: only training shuffles, tests read in key order
        W1115 13:39:22.381027   321 firecaffe:1] waited for data 12.3 % of the time: decoding is the bottleneck, on 1 thread per replica
        W1115 13:39:22.381027   321 firecaffe:1] waited for data 12.3 % of the time
    "#]],
    );
}

#[test]
fn who_holds_the_others_up_is_named() {
    check_all(
        &[
            Event::Straggler {
                rank: 2,
                host: "c".into(),
                percent: 43.6,
                iterations: 120,
                cause: StragglerCause::Data,
            },
            Event::SlowLink { hosts: ["a".into(), "c".into()], mbits: 94.4, usual_mbits: 940.0 },
        ],
        expect![[r#"
        W1115 13:39:22.381027   321 firecaffe:1] rank 2 on c holds the others up: it has taken 44 % longer than they for 120 iterations, for its data
        W1115 13:39:22.381027   321 firecaffe:1] the link between a and c holds the others up: it carries 94 Mbit/s, most links 940
    "#]],
    );
}
