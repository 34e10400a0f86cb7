//! Old files against what Caffe 1.0 made of them, and old files that it stops at.

use expect_test::{Expect, expect};

use super::{UpgradeChange, UpgradeError, net, snapshot_prefix, solver};
use crate::{BlobProto, NetParameter, SolverParameter, V1LayerParameter, binary, text};

/// Upgrades a net; prints the changes as comments and the net, or the error.
#[track_caller]
fn check(source: &str, want: Expect) {
    let written: NetParameter = text::read("old", source).unwrap_or_else(|e| panic!("{e}"));
    let got = match net(written) {
        Ok((net, changes)) => {
            let changes: String = changes.iter().map(|change| format!("# {change:?}\n")).collect();
            changes + &text::write(&net)
        }
        Err(error) => error.to_string(),
    };
    want.assert_eq(&got);
}

#[test]
fn nets_become_what_caffe_makes_of_them() {
    for (old, want) in [
        (
            include_str!("../../test_data/legacy/v0_net.prototxt"),
            include_str!("../../test_data/legacy/v0_net.upgraded.prototxt"),
        ),
        (
            include_str!("../../test_data/legacy/v1_train.prototxt"),
            include_str!("../../test_data/legacy/v1_train.upgraded.prototxt"),
        ),
    ] {
        let (got, _) = net(text::read("old", old).unwrap()).unwrap();
        assert_eq!(got, text::read("want", want).unwrap());
        assert_eq!(text::write(&got), want, "byte for byte what Caffe printed");
        assert_eq!(
            net(got.clone()).unwrap(),
            (got, Vec::new()),
            "a net of Caffe 1.0 is left alone"
        );
    }
}

#[test]
fn solvers_become_what_caffe_makes_of_them() {
    let old = include_str!("../../test_data/legacy/old_solver.prototxt");
    let want = include_str!("../../test_data/legacy/old_solver.upgraded.prototxt");
    let (got, changes) = solver(text::read("old", old).unwrap()).unwrap();
    assert_eq!(text::write(&got), want);
    assert_eq!(changes, [UpgradeChange::SolverType { name: "Nesterov".into() }]);
    let both: SolverParameter = text::read("s", "type: 'Adam' solver_type: ADAM").unwrap();
    expect!["the solver has both `type` and the older `solver_type`; keep `type`"]
        .assert_eq(&solver(both).unwrap_err().to_string());
}

#[test]
fn nets_inside_a_solver_are_upgraded() {
    let old = "net_param { layers { name: 'a' type: SILENCE } }
               train_net_param { input: 'x' input_dim: [1, 2, 3, 4] }
               test_net_param { layer { name: 'new' } }
               test_net_param { layers { name: 'b' type: RELU } }";
    let (got, changes) = solver(text::read("old", old).unwrap()).unwrap();
    let inside = |field: &str, change| UpgradeChange::SolverNet {
        field: field.into(),
        change: Box::new(change),
    };
    assert_eq!(
        changes,
        [
            inside("net_param", UpgradeChange::V1Layers),
            inside("train_net_param", UpgradeChange::InputLayer),
            inside("test_net_param", UpgradeChange::V1Layers),
        ]
    );
    let nets = got.net_param.iter().chain(&got.train_net_param).chain(&got.test_net_param);
    let types: Vec<_> = nets.map(|net| net.layer[0].type_().to_owned()).collect();
    assert_eq!(types, ["Silence", "Input", "", "ReLU"]);
    let mixed = text::read("old", "net_param { layers { } layer { } }").unwrap();
    assert_eq!(solver(mixed), Err(UpgradeError::MixedLayers));
}

#[test]
fn snapshots_without_prefix_go_beside_the_solver() {
    let with = |prefix: Option<&str>| SolverParameter {
        snapshot_prefix: prefix.map(str::to_owned),
        ..SolverParameter::EMPTY
    };
    for (prefix, is_directory, want) in [
        (None, false, "nets/lenet_solver"),
        (Some("out"), true, "out/lenet_solver"),
        (Some("out/lenet"), false, "out/lenet"),
    ] {
        assert_eq!(
            snapshot_prefix(&with(prefix), "nets/lenet_solver.prototxt", is_directory),
            want
        );
    }
}

#[test]
fn v0_parameters_go_to_their_layers_type() {
    check(
        r#"
        layers { layer { name: "d" type: "images" source: "list" batchsize: 8 new_height: 32 new_width: 32 shuffle_images: true rand_skip: 3 scale: 0.5 meanfile: "m" cropsize: 7 mirror: true } top: "d" }
        layers { layer { name: "p" type: "pool" pool: AVE kernelsize: 3 pad: 1 num_output: 5 } bottom: "d" top: "p" }
        layers { layer { name: "w" type: "window_data" source: "w" det_fg_threshold: 0.6 det_crop_mode: "square" } top: "w" }
        "#,
        expect![[r##"
            # DroppedField { layer: "p", field: "num_output", kind: "pool" }
            # V0Layers
            # V1Layers
            layer {
              name: "d"
              type: "ImageData"
              top: "d"
              transform_param {
                scale: 0.5
                mirror: true
                crop_size: 7
                mean_file: "m"
              }
              image_data_param {
                source: "list"
                batch_size: 8
                rand_skip: 3
                shuffle: true
                new_height: 32
                new_width: 32
              }
            }
            layer {
              name: "p"
              type: "Pooling"
              bottom: "d"
              top: "p"
              pooling_param {
                pool: AVE
                kernel_size: 3
                pad: 1
              }
            }
            layer {
              name: "w"
              type: "WindowData"
              top: "w"
              window_data_param {
                source: "w"
                fg_threshold: 0.6
                crop_mode: "square"
              }
            }
        "##]],
    );
}

#[test]
fn transformation_fields_move_and_all_data_layers_get_the_message() {
    check(
        r#"
        layers { name: "a" type: DATA data_param { source: "s" scale: 0.5 mirror: true } transform_param { scale: 2 crop_size: 3 } }
        layers { name: "b" type: IMAGE_DATA }
        layers { name: "c" type: RELU }
        "#,
        expect![[r##"
            # TransformFields
            # V1Layers
            layer {
              name: "a"
              type: "Data"
              transform_param {
                scale: 0.5
                mirror: true
                crop_size: 3
              }
              data_param {
                source: "s"
              }
            }
            layer {
              name: "b"
              type: "ImageData"
              transform_param {
              }
              image_data_param {
              }
            }
            layer {
              name: "c"
              type: "ReLU"
            }
        "##]],
    );
}

#[test]
fn input_fields_become_a_layer() {
    check(
        "input: 'a' input: 'b' input_shape { dim: 1 dim: 2 } input_shape { dim: 3 } layer { name: 'x' }",
        expect![[r##"
            # InputLayer
            layer {
              name: "input"
              type: "Input"
              top: "a"
              top: "b"
              input_param {
                shape {
                  dim: 1
                  dim: 2
                }
                shape {
                  dim: 3
                }
              }
            }
            layer {
              name: "x"
            }
        "##]],
    );
    check(
        "input: 'a' layer { name: 'from a model file' }",
        expect![[r##"
            # DroppedInputs
            layer {
              name: "from a model file"
            }
        "##]],
    );
    check(
        "input: 'a' input: 'b' input_dim: [1, 2, 3, 4, 5]",
        expect![[
            r#"input `b` has no shape: 8 `input_dim` (images, channels, height, width) for 2 inputs are needed, 5 given"#
        ]],
    );
    check(
        "input: 'a' input_dim: [3, 224, 224]",
        expect![[
            r#"input `a` has no shape: 4 `input_dim` (images, channels, height, width) for 1 inputs are needed, 3 given"#
        ]],
    );
    check(
        "input: 'a' input: 'b' input_shape { dim: 1 }",
        expect!["input `b` has no shape: 2 `input_shape` for 2 inputs are needed, 1 given"],
    );
}

#[test]
fn batch_norm_rates_become_zero() {
    check(
        "layer { type: 'BatchNorm' param { lr_mult: 1 } param { name: 'v' } param { } } layer { type: 'BatchNorm' param { lr_mult: 1 } }",
        expect![[r##"
            # BatchNormRates { layers: 1 }
            layer {
              type: "BatchNorm"
              param {
                lr_mult: 0
                decay_mult: 0
              }
              param {
                name: "v"
                lr_mult: 0
                decay_mult: 0
              }
              param {
                lr_mult: 0
                decay_mult: 0
              }
            }
            layer {
              type: "BatchNorm"
              param {
                lr_mult: 1
              }
            }
        "##]],
    );
}

#[test]
fn what_caffe_stops_at() {
    check(
        "layer { name: 'a' } layers { name: 'b' }",
        expect![[
            r#"the net has both `layer` and `layers` blocks; write all as `layer { type: ".." }`"#
        ]],
    );
    check(
        "layers { layer { name: 'a' type: 'convolve' } }",
        expect!["layer `a`: `convolve` is not a type of V0 layers"],
    );
    check(
        "layers { layer { name: 'a' type: 'conv' } bottom: 'x' }",
        expect!["layer `a`: bottom `x` is not an input and not the top of any earlier layer"],
    );
    let padded = |layer: &str| {
        format!(
            "input: 'x' layers {{ layer {{ name: 'p' type: 'padding' pad: 1 }} bottom: 'x' top: 'y' }} layers {{ layer {{ name: 'l' type: {layer} }}"
        )
    };
    check(
        &padded("'relu' } bottom: 'y'"),
        expect!["layer `l`: cannot take in padding layer `p`: it is neither `conv` nor `pool`"],
    );
    check(
        &padded("'conv' } bottom: 'y' bottom: 'x'"),
        expect!["layer `l`: cannot take in padding layer `p`: it has more than one bottom"],
    );
}

#[test]
fn models_with_v1_layers_keep_their_weights() {
    let blob = BlobProto {
        num: Some(1),
        channels: Some(1),
        height: Some(1),
        width: Some(3),
        data: vec![1.0, 2.0, 3.0],
        ..BlobProto::EMPTY
    };
    let layer = V1LayerParameter {
        name: Some("fc".into()),
        blobs: vec![blob.clone()],
        ..V1LayerParameter::EMPTY
    };
    let model = NetParameter { layers: vec![layer], ..NetParameter::EMPTY };
    let (model, _) = net(binary::read(&binary::write(&model)).unwrap()).unwrap();
    assert_eq!((model.layer[0].name(), &model.layer[0].blobs), ("fc", &vec![blob]));
}
