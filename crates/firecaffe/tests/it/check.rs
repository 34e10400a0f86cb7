//! `check`: all errors at once; tables when there is none.

use expect_test::{Expect, expect};

use super::support::{Folder, NET, SOLVER};

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

            net.prototxt: no errors
            exit 0
        "#]],
    );
}

#[test]
fn a_good_solver() {
    let folder = Folder::new("max_iter: 5 test_iter: 1 test_interval: 5");
    let net = folder.run(&["check", "net.prototxt"]).succeeds().out;
    let want = net
        .replace("(phase TRAIN)", "(train net)")
        .replace("(phase TEST)", "(test net (#0))")
        .replace("net.prototxt: ", "solver.prototxt: ");
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
