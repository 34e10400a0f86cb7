//! Scaled texts, whole.

use caffe_format::{NetParameter, SolverParameter, text};
use expect_test::{Expect, expect};

use super::{ScalingError, ScalingInput, ScalingRule, scale_solver};

const NET: &str = r#"layer {
  name: "data" type: "Data" top: "data" top: "label"
  include { phase: TRAIN }
  data_param { source: "x" batch_size: 64 backend: LMDB } # small
}
layer {
  name: "data" type: "Data" top: "data" top: "label"
  include { phase: TEST }
  data_param { source: "y" batch_size: 100 }
}
layer {
  name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
  inner_product_param { num_output: 10 }
}
layer {
  name: "scale" type: "Scale" bottom: "ip" top: "ip"
  param { lr_mult: 1 decay_mult: 1 }
  scale_param { bias_term: true }
}
"#;

const SOLVER: &str = r#"net: "net.prototxt"
base_lr: 0.01
momentum: 0.9
lr_policy: "inv" gamma: 0.0001
power: 0.75
stepvalue: 100
max_iter: 10000
snapshot: 0
display: 3
"#;

fn scaled(
    solver_text: &str,
    net_text: &str,
    batch: u64,
    rule: ScalingRule,
) -> Result<super::ScaledSolver, ScalingError> {
    let solver: SolverParameter = text::read("solver", solver_text).unwrap();
    let net: NetParameter = text::read("net", net_text).unwrap();
    let input = ScalingInput { solver_text, solver: &solver, net_text, net: &net };
    scale_solver(input, batch, rule, "out/net.prototxt")
}

#[test]
fn the_net_gets_the_batch_and_no_decay_of_biases() {
    let scaled = scaled(SOLVER, NET, 1024, ScalingRule::Linear).unwrap();
    assert_eq!(scaled.old_batch, 64);
    expect![[r#"
        layer {
          name: "data" type: "Data" top: "data" top: "label"
          include { phase: TRAIN }
          data_param { source: "x" batch_size: 1024 backend: LMDB } # small  # was 64: the new batch
        }
        layer {
          name: "data" type: "Data" top: "data" top: "label"
          include { phase: TEST }
          data_param { source: "y" batch_size: 100 }
        }
        layer {
          name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
          inner_product_param { num_output: 10 }
          param { }  # added: the weights, as before
          param { decay_mult: 0 }  # added: biases and normalisation are not decayed in large batches
        }
        layer {
          name: "scale" type: "Scale" bottom: "ip" top: "ip"
          param { lr_mult: 1 decay_mult: 0 }  # was 1: biases and normalisation are not decayed in large batches
          scale_param { bias_term: true }
          param { decay_mult: 0 }  # added: biases and normalisation are not decayed in large batches
        }
    "#]]
    .assert_eq(&scaled.net);
    text::read::<NetParameter>("net", &scaled.net).unwrap();
}

fn solver_is(rule: ScalingRule, want: Expect) {
    let scaled = scaled(SOLVER, NET, 1024, rule).unwrap();
    want.assert_eq(&scaled.solver);
    let read = text::read::<SolverParameter>("solver", &scaled.solver).unwrap();
    assert_eq!(read.max_iter(), 625);
}

#[test]
fn the_linear_rule_scales_rate_and_schedule() {
    solver_is(
        ScalingRule::Linear,
        expect![[r#"
            net: "out/net.prototxt"  # was "net.prototxt": the scaled net
            base_lr: 0.16  # was 0.01: linear rule, batch times 16
            momentum: 0.9
            lr_policy: "inv" gamma: 0.0016  # was 0.0001: per iteration
            power: 0.75
            stepvalue: 6  # was 100: the same number of images at batch 1024
            max_iter: 625  # was 10000: the same number of images at batch 1024
            snapshot: 0
            display: 1  # was 3: the same number of images at batch 1024
            warmup_iter: 31  # added: 5 % of the iterations
            warmup_start_lr: 0.01  # added: where the rise begins
        "#]],
    );
}

#[test]
fn lars_replaces_policy_and_rate() {
    solver_is(
        ScalingRule::Lars,
        expect![[r#"
            net: "out/net.prototxt"  # was "net.prototxt": the scaled net
            base_lr: 8  # was 0.01: LARS rate, grows with the root of the batch
            momentum: 0.9
            lr_policy: "poly" gamma: 0.0001  # was "inv": as You et al.
            power: 2  # was 0.75: as You et al.
            stepvalue: 6  # was 100: the same number of images at batch 1024
            max_iter: 625  # was 10000: the same number of images at batch 1024
            snapshot: 0
            display: 1  # was 3: the same number of images at batch 1024
            type: "LARS"  # added: layer-wise rates for large batches
            trust_coefficient: 0.001  # added: as You et al.
            warmup_iter: 31  # added: 5 % of the iterations
            warmup_start_lr: 0  # added: where the rise begins
        "#]],
    );
}

#[test]
fn what_cannot_be_scaled_is_named() {
    let error = |solver: &str, net: &str, batch, rule| {
        scaled(solver, net, batch, rule).unwrap_err().to_string()
    };
    let linear = ScalingRule::Linear;
    let none = error(SOLVER, "layer { name: \"a\" type: \"ReLU\" }", 64, linear);
    assert_eq!(none, "no data layer of the TRAIN phase has a `batch_size` to scale");
    let two = NET.replace("phase: TEST", "stage: \"x\"");
    let several = error(SOLVER, &two, 64, linear);
    assert!(several.ends_with("different batch sizes: 64 and 100"), "{several}");
    let uneven = error(&format!("{SOLVER}iter_size: 3"), NET, 64, linear);
    assert_eq!(uneven, "batch 64 cannot be divided into `iter_size` 3 equal batches");
    let adam = error(&format!("{SOLVER}type: \"Adam\""), NET, 64, ScalingRule::Lars);
    assert_eq!(adam, "rule `lars` replaces SGD; this solver's type is `Adam`");
    let inline = error("net_param { } base_lr: 1", NET, 64, linear);
    assert_eq!(inline, "the net is inside the solver; move it to a file that `net` names");
}
