//! `check`: all errors at once; tables when there is none.

use expect_test::{Expect, expect};

use super::support::{Folder, NET, Ran, SOLVER};

/// Both streams, with the verdict at the end.
#[track_caller]
fn check(folder: &Folder, file: &str, want: Expect) {
    let ran = folder.run(&["check", file]);
    want.assert_eq(&format!("{}{}exit {:?}\n", ran.out, ran.err, ran.code.unwrap()));
}

#[test]
fn a_good_net() {
    check(
        &Folder::new(""),
        "net.prototxt",
        expect![[r#"
            small (phase TRAIN)
            layer  type             top shapes      parameters  multiply-adds  activations
            data   Data             16x1x28x28, 16           0              0     0.050 MB
            conv   Convolution      16x4x12x12             104        230,400     0.037 MB
            relu   ReLU             16x4x12x12               0              0     0.000 MB
            pool   Pooling          16x4x6x6                 0              0     0.009 MB
            ip     InnerProduct     16x10                1,450         23,040     0.001 MB
            loss   SoftmaxWithLoss  1                        0              0     0.000 MB
            total                                        1,554        253,440     0.106 MB
            Memory plan: parameters 0.006 MB, gradients 0.006 MB, activations 0.106 MB, diffs 0.046 MB, workspace 0.010 MB, total 0.175 MB

            small (phase TEST)
            layer               type             top shapes      parameters  multiply-adds  activations
            data                Data             16x1x28x28, 16           0              0     0.050 MB
            label_data_1_split  Split            16, 16                   0              0     0.000 MB
            conv                Convolution      16x4x12x12             104        230,400     0.037 MB
            relu                ReLU             16x4x12x12               0              0     0.000 MB
            pool                Pooling          16x4x6x6                 0              0     0.009 MB
            ip                  InnerProduct     16x10                1,450         23,040     0.001 MB
            ip_ip_0_split       Split            16x10, 16x10             0              0     0.000 MB
            loss                SoftmaxWithLoss  1                        0              0     0.000 MB
            accuracy            Accuracy         1                        0              0     0.000 MB
            total                                                     1,554        253,440     0.106 MB
            Memory plan: parameters 0.006 MB, gradients 0.006 MB, activations 0.106 MB, diffs 0.000 MB, workspace 0.010 MB, total 0.129 MB

            net.prototxt: no errors in phase TRAIN; phase TEST
            exit 0
        "#]],
    );
}

/// Blobs from the first param on take half the memory, params a rounded copy more.
#[test]
fn memory_in_mixed_precision() {
    let folder = Folder::new("");
    let plan = |precision: &str| {
        let ran = folder.run(&["check", "--precision", precision, "net.prototxt"]).succeeds();
        ran.out.lines().find(|line| line.starts_with("Memory plan")).unwrap().to_owned()
    };
    assert_eq!(plan("mixed-bf16"), plan("mixed-f16"));
    let want = expect![
        "Memory plan: parameters 0.012 MB, gradients 0.006 MB, activations 0.078 MB, diffs 0.023 MB, workspace 0.157 MB, total 0.277 MB"
    ];
    want.assert_eq(&plan("mixed-bf16"));
}

#[test]
fn a_good_solver() {
    let folder = Folder::new("max_iter: 5 test_iter: 1 test_interval: 5");
    let net = folder.run(&["check", "net.prototxt"]).succeeds().out;
    let want = net
        .replace("(phase TRAIN)", "(train net)")
        .replace("(phase TEST)", "(test net (#0))")
        .replace(
            "net.prototxt: no errors in phase TRAIN; phase TEST",
            "solver.prototxt: no errors",
        );
    assert_eq!(folder.run(&["check", "solver.prototxt"]).succeeds().out, want);
}

#[test]
fn a_net_that_does_not_parse() {
    let folder = Folder::new("");
    let net = NET.replace("num_output", "num_outputs").replace("pool: MAX", "pool: MEX");
    folder.write("net.prototxt", net);
    check(
        &folder,
        "net.prototxt",
        expect![[r#"
            net.prototxt:10:23: `ConvolutionParameter` has no field `num_outputs`
              convolution_param { num_outputs: 4 kernel_size: 5 stride: 2 weight_filler { type: "xavier" } }
                                  ^
            hint: did you mean `num_output`?
            net.prototxt:15:25: `MEX` is not a value of `PoolingParameter.PoolMethod`
              pooling_param { pool: MEX kernel_size: 2 stride: 2 }
                                    ^
            hint: did you mean `MAX`?
            net.prototxt:19:25: `InnerProductParameter` has no field `num_outputs`
              inner_product_param { num_outputs: 10 weight_filler { type: "xavier" } }
                                    ^
            hint: did you mean `num_output`?
            firecaffe: net.prototxt: 3 errors
            exit 1
        "#]],
    );
}

#[test]
fn a_net_that_does_not_fit_together() {
    let folder = Folder::new("");
    let net = NET
        .replace("bottom: \"pool\"", "bottom: \"poool\"")
        .replace("type: \"Accuracy\"", "type: \"Acuracy\"");
    folder.write("net.prototxt", net);
    check(
        &folder,
        "net.prototxt",
        expect![[r#"
            phase TRAIN: layer `ip`: bottom `poool` is not the top of any earlier layer; did you mean `pool`?
            phase TEST: layer `accuracy`: unknown layer type `Acuracy`; did you mean `Accuracy`?
            firecaffe: net.prototxt: 2 errors
            exit 1
        "#]],
    );
}

#[test]
fn a_solver_with_two_kinds_of_errors() {
    let folder = Folder::new("");
    let solver = SOLVER.replace("\"fixed\"", "\"sometimes\"").replace("net.", "absent.");
    folder.write("solver.prototxt", solver);
    check(
        &folder,
        "solver.prototxt",
        expect![[r#"
            `lr_policy`: unknown policy `sometimes` (known: fixed, step, exp, inv, multistep, poly, sigmoid)
            cannot read absent.prototxt: No such file or directory (os error 2)
            firecaffe: solver.prototxt: 2 errors
            exit 1
        "#]],
    );
}

#[test]
fn a_missing_file() {
    check(
        &Folder::empty(),
        "absent.prototxt",
        expect![[r#"
            cannot read absent.prototxt: No such file or directory (os error 2)
            firecaffe: absent.prototxt: 1 error
            exit 1
        "#]],
    );
}

/// Each kind once, with its count; one line each when there are many; what they are in is told by
/// the other fields.
#[test]
fn unknown_fields_take_at_most_fifty_lines() {
    let folder = Folder::empty();
    let fields = |kinds: usize| -> String { (0..kinds).map(|k| format!("own_{k}: 1 ")).collect() };
    let layer = |kinds| format!("layer {{ type: 'ReLU' {} }} ", fields(kinds));
    for (file, text, owner, kinds) in [
        ("net", layer(60) + &layer(60), "LayerParameter", 60),
        ("few", layer(12) + &layer(12), "LayerParameter", 12),
        ("old", "layers { name: 'a' type: RELU zip: 1 zip: 2 }".into(), "V1LayerParameter", 1),
        ("solver", format!("base_lr: 1 net: 'x' {0} {0}", fields(45)), "SolverParameter", 45),
        ("model", format!("name: 'n' state {{ phase: TRAIN {0} {0} }}", fields(3)), "NetState", 3),
    ] {
        folder.write(file, text);
        let ran = folder.run(&["check", file]);
        let s = if kinds == 1 { "" } else { "s" };
        assert!(ran.fails().ends_with(&format!("{file}: {kinds} error{s}")), "{}", ran.err);
        assert!(ran.err.contains(&format!("`{owner}` has no field")), "{}", ran.err);
        assert!(ran.err.contains("(2 times)"), "{}", ran.err);
        let lines = ran.err.lines().count();
        let want = match kinds {
            60 => 50,
            45 => 46,
            _ => 3 * kinds + 1,
        };
        assert_eq!(lines, want, "{}", ran.err);
        assert_eq!(ran.err.contains("and 12 more\n"), kinds == 60, "{}", ran.err);
    }
    let ran = folder.run(&["check", "--allow-unknown", "net"]);
    assert!(ran.err.lines().count() <= 50, "{}", ran.err);
}

/// A file that is no prototxt is one error.
#[test]
fn binary_files_are_not_read_as_text() {
    let folder = Folder::new("max_iter: 1");
    folder.train(&[]).succeeds();
    for file in ["snap_iter_1.caffemodel", "snap_iter_1.solverstate", "train_lmdb/data.mdb"] {
        let ran = folder.run(&["check", file]);
        assert!(ran.fails().ends_with(&format!("{file}: 1 error")), "{}", ran.err);
        assert!(ran.err.contains("is this a binary file?"), "{}", ran.err);
    }
}

/// A net with data for phase TEST in two stages only, as BVLC's `mnist_autoencoder.prototxt`.
const STAGES: &str = r#"
    layer { name: "data" type: "Input" top: "x" input_param { shape { dim: 2 } }
            include { phase: TRAIN } }
    layer { name: "data" type: "Input" top: "x" input_param { shape { dim: 3 } }
            include { phase: TEST stage: "on-train" } }
    layer { name: "data" type: "Input" top: "x" input_param { shape { dim: 4 } }
            include { phase: TEST stage: "on-test" } }
    layer { name: "relu" type: "ReLU" bottom: "x" top: "y" }
"#;

#[test]
fn a_net_is_checked_in_the_stages_that_it_names() {
    let folder = Folder::empty();
    folder.write("net", STAGES);
    let last = |ran: &str| ran.lines().last().unwrap().to_owned();
    let ran = folder.run(&["check", "net"]).succeeds();
    let unmeant = "phase TEST is not meant to be built: layer `relu`: bottom `x` is not the top of";
    assert!(ran.out.contains(unmeant), "{}", ran.out);
    let want =
        "net: no errors in phase TRAIN; phase TEST, stage on-train; phase TEST, stage on-test";
    assert_eq!(last(&ran.out), want);
    let ran = folder.run(&["check", "net", "--stage", "on-test"]).succeeds();
    assert_eq!(
        last(&ran.out),
        "net: no errors in phase TRAIN, stage on-test; phase TEST, stage on-test"
    );
    // Nothing makes `z` in any state; nothing makes `x` in phase TEST.
    for (net, error) in [
        (STAGES.replace("bottom: \"x\"", "bottom: \"z\""), "bottom `z` is not the top"),
        (STAGES.replace("phase: TEST stage", "phase: TRAIN stage"), "phase TEST: layer `relu`"),
        (
            format!(
                "{STAGES} layer {{ name: 'b' type: 'Bias' top: 'b' bottom: 'w' include {{ stage: 'on' }} }}"
            ),
            "phase TRAIN, stage on: layer `b`: bottom `w`",
        ),
    ] {
        folder.write("net", net);
        let ran = folder.run(&["check", "net"]);
        ran.fails();
        assert!(ran.err.contains(error), "{}", ran.err);
    }
}

/// BVLC's examples are written for the root of the checkout, and run in their own folders.
#[test]
fn a_net_above_the_working_directory_is_found() {
    let folder = Folder::empty();
    std::fs::create_dir_all(folder.path("examples/small")).unwrap();
    folder.write("examples/small/net.prototxt", NET);
    let solver = SOLVER.replace("net.prototxt", "examples/small/net.prototxt");
    folder.write("examples/small/solver.prototxt", solver);
    let mut check = folder.command(&["check", "solver.prototxt"]);
    let ran = Ran::from(check.current_dir(folder.path("examples/small")).output().unwrap());
    ran.fails();
    let root = folder.path("").canonicalize().unwrap();
    let remedy = format!("`cd {}`, or change the path", root.display());
    assert!(ran.err.contains(&remedy), "{}", ran.err);
}
