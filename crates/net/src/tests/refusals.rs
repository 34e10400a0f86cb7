//! Nets that are not compiled, and what is said about them.

use expect_test::expect;

use super::{INPUT, NoSources, build, chain, check_error, parse};
use crate::{MemoryPlan, Precision, describe};

#[test]
fn a_net_has_layers() {
    check_error("name: 'empty'", expect!["the net has no layers"]);
    check_error(
        &INPUT.replace("top:", "include { phase: TRAIN } top:"),
        expect!["the include and exclude rules leave out the net's only layer in phase TEST"],
    );
    let rule = "include { stage: 'a' } top:";
    let two = format!("{INPUT} {INPUT} state {{ phase: TRAIN level: 2 stage: 'b' stage: 'c' }}");
    check_error(
        &two.replace("top:", rule),
        expect![
            "the include and exclude rules leave out all 2 layers in phase TRAIN, level 2, stages b and c"
        ],
    );
}

/// Only the first of them lists all types, and what reads or overwrites their blobs is not wrong.
#[test]
fn unknown_types_are_one_error_each() {
    let unknown = r#"
        layer { name: "a" type: "Foo" bottom: "x" top: "x" }
        layer { name: "b" type: "Bar" bottom: "x" top: "y" top: "x" }
        layer { name: "c" type: "Silence" bottom: "x" bottom: "y" }
        layer { name: "d" type: "FcRistretto" bottom: "z" top: "z" }
        layer { name: "e" type: "Foo" bottom: "y" top: "x" }"#;
    let error = build(&format!("{INPUT}{unknown}")).err().expect("there are no such layers");
    let text = chain(&error);
    let list = crate::error::known_types();
    assert!(list.starts_with("AbsVal, ") && list.ends_with(", WindowData"), "{list}");
    expect![[r#"
        layer `a`: unknown layer type `Foo` (known types: LIST)
        layer `b`: unknown layer type `Bar`
        layer `d`: layer type `FcRistretto` of Ristretto (pmgysel/caffe) is not supported
        layer `d`: bottom `z` is not the top of any earlier layer
        layer `e`: unknown layer type `Foo`
        layer `e`: top `x` is made by layer `in` already; rename one of them"#]]
    .assert_eq(&text.replace(&list, "LIST"));
}

#[test]
fn fillers_are_checked_before_memory_is_allocated() {
    let layer = |name: &str, filler: &str| {
        format!(
            r#"{INPUT} layer {{ name: "{name}" type: "InnerProduct" bottom: "x" top: "y"
            inner_product_param {{ num_output: 2 weight_filler {{ {filler} }} }} }}"#
        )
    };
    check_error(
        &layer("ip", "type: 'gabor'"),
        expect![
            "layer `ip` (InnerProduct): unknown filler type `gabor` (known types: bilinear, constant, gaussian, msra, positive_unitball, uniform, xavier)"
        ],
    );
    check_error(
        &layer("ip", "type: 'gaussian' std: 0"),
        expect![
            "layer `ip` (InnerProduct): filler `gaussian` with `std: 0`, which must be above 0"
        ],
    );
    check_error(
        &layer("ip", "type: 'bilinear'"),
        expect![
            "layer `ip` (InnerProduct): filler `bilinear` needs a (n, c, k, k) blob, not 2 3 (6)"
        ],
    );
}

#[test]
fn no_layer_type_of_a_fork_is_one_of_ours() {
    for fork in caffe_format::forks::FORKS {
        for name in fork.layer_types {
            assert!(layers::find(name).is_none(), "`{name}` of {} is supported", fork.name);
        }
    }
}

/// SSD's layers have shapes, and no net with them is compiled to run.
#[test]
fn layers_of_shapes_only_are_described_but_not_run() {
    let ssd = r#"
      layer { name: "data" type: "AnnotatedData" top: "data" top: "label"
        data_param { batch_size: 2 }
        transform_param { resize_param { height: 8 width: 8 } } }
      layer { name: "loc" type: "InnerProduct" bottom: "data" top: "loc"
        inner_product_param { num_output: 256 } }
      layer { name: "conf" type: "InnerProduct" bottom: "data" top: "conf"
        inner_product_param { num_output: 192 } }
      layer { name: "priors" type: "PriorBox" bottom: "data" bottom: "data" top: "priors"
        prior_box_param { min_size: 4 } }
      layer { name: "loss" type: "MultiBoxLoss" top: "loss"
        bottom: "loc" bottom: "conf" bottom: "priors" bottom: "label"
        multibox_loss_param { num_classes: 3 } }"#;
    let (plan, precision) = (MemoryPlan::ShareDiffs, Precision::F32);
    let (net, _) = describe(&parse(ssd), &mut NoSources, plan, precision).unwrap();
    assert_eq!(net.rows.iter().map(|row| row.params).sum::<usize>(), 193 * 256 + 193 * 192);
    let (fork, layers) = net.shapes_only().unwrap();
    assert_eq!((fork, layers.len()), ("SSD", 3));
    check_error(
        ssd,
        expect![
            "not trained here: `data` (AnnotatedData), `priors` (PriorBox), `loss` (MultiBoxLoss); \
             only the SSD fork of Caffe runs them, and only their shapes are known here, \
             for `check` and `model summary`"
        ],
    );
}
