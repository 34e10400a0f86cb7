//! Prototxt in, message or report out.

mod errors;

use expect_test::{Expect, expect};

use super::{UnknownFields, read, read_with, write};
use crate::{LayerParameter, NetParameter};

/// Reads a net and prints it, or the report on it.
#[track_caller]
fn check(source: &str, want: Expect) {
    let got = match read::<NetParameter>("net.prototxt", source) {
        Ok(net) => write(&net),
        Err(report) => report.to_string(),
    };
    want.assert_eq(&got);
}

/// As [`check`], inside a layer, to keep the tests short.
#[track_caller]
fn check_layer(source: &str, want: Expect) {
    let got = match read::<LayerParameter>("l", source) {
        Ok(layer) => write(&layer),
        Err(report) => report.to_string(),
    };
    want.assert_eq(&got);
}

#[test]
fn what_caffe_users_write() {
    check(
        r#"
        # LeNet, in every spelling at once
        name: 'Le' "Net";
        layer { name: "conv1" type: "Convolution", bottom: "data" top: "conv1"
          param { lr_mult: 1 } param: { lr_mult: 2f }
          convolution_param < num_output: 0x14 kernel_size: [5, 05] stride: 1 weight_filler { type: "xavier" } >
        }
        "#,
        expect![[r#"
            name: "LeNet"
            layer {
              name: "conv1"
              type: "Convolution"
              bottom: "data"
              top: "conv1"
              param {
                lr_mult: 1
              }
              param {
                lr_mult: 2
              }
              convolution_param {
                num_output: 20
                kernel_size: 5
                kernel_size: 5
                stride: 1
                weight_filler {
                  type: "xavier"
                }
              }
            }
        "#]],
    );
}

#[test]
fn values_in_every_spelling() {
    check(
        r#"
        layer { name: "pool" pooling_param { pool: AVE kernel_size: 2 global_pooling: t } }
        layer { name: "lrn" lrn_param { alpha: 1e-4 beta: .75 k: -1. norm_region: 1 } loss_weight: inf loss_weight: -inf loss_weight: nan }
        layer { name: "tab\t\"quote\" \x41\101 \'" propagate_down: [true, False, 1, 0] include: [{ phase: TEST }, { phase: TRAIN stage: "a" }] }
        layer { blobs { data: [] data: 1 data: [2, 3] shape { dim: 3 } } }
        "#,
        expect![[r#"
            layer {
              name: "pool"
              pooling_param {
                pool: AVE
                kernel_size: 2
                global_pooling: true
              }
            }
            layer {
              name: "lrn"
              loss_weight: inf
              loss_weight: -inf
              loss_weight: nan
              lrn_param {
                alpha: 0.0001
                beta: 0.75
                norm_region: WITHIN_CHANNEL
                k: -1
              }
            }
            layer {
              name: "tab\t\"quote\" AA \'"
              include {
                phase: TEST
              }
              include {
                phase: TRAIN
                stage: "a"
              }
              propagate_down: true
              propagate_down: false
              propagate_down: true
              propagate_down: false
            }
            layer {
              blobs {
                data: 1
                data: 2
                data: 3
                shape {
                  dim: 3
                }
              }
            }
        "#]],
    );
}

#[test]
fn unknown_fields_are_counted() {
    let source = "layer { zip: 1 zip { zap: 2 } }\nlayer { zip: 3 pooling_param { zip: 4 } }";
    let want = expect![[r#"
        f:1:9: `LayerParameter` has no field `zip` (3 times)
        layer { zip: 1 zip { zap: 2 } }
                ^
        f:2:32: `PoolingParameter` has no field `zip`
        layer { zip: 3 pooling_param { zip: 4 } }
                                       ^"#]];
    let (net, warnings): (NetParameter, _) = read_with("f", source, UnknownFields::Warn).unwrap();
    assert_eq!(net.layer.len(), 2);
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    want.assert_eq(&warnings.join("\n"));
    want.assert_eq(&read::<NetParameter>("f", source).unwrap_err().to_string());
    // What looks like a missing brace is an error of its own each time.
    let braces = "layer { pooling_param { top: 'a' }\nlayer { pooling_param { top: 'b' }";
    let errors = read::<NetParameter>("f", braces).unwrap_err();
    let count = errors.errors().iter().filter(|error| error.message.contains("`top`")).count();
    assert_eq!(count, 2, "{errors}");
}

#[test]
fn allowed_unknown_fields_become_warnings() {
    let source = "layer { name: \"a\" yolo_param { classes: 3 layer { } } focal: 'x' 'y', }\nlayer { name: \"b\" }";
    let (net, warnings): (NetParameter, _) = read_with("f", source, UnknownFields::Warn).unwrap();
    expect![[r#"
        layer {
          name: "a"
        }
        layer {
          name: "b"
        }
    "#]]
    .assert_eq(&write(&net));
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    expect![[r#"
        f:1:19: `LayerParameter` has no field `yolo_param`
        layer { name: "a" yolo_param { classes: 3 layer { } } focal: 'x' 'y', }
                          ^
        f:1:55: `LayerParameter` has no field `focal`
        layer { name: "a" yolo_param { classes: 3 layer { } } focal: 'x' 'y', }
                                                              ^"#]]
    .assert_eq(&warnings.join("\n"));
}
