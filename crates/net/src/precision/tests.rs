//! Which blobs are rounded, and that nothing but the precision decides about the bits.

use expect_test::{Expect, expect};
use kernels::{Cpu, Simd};

use crate::tests::{NoSources, parse, run_on};
use crate::{MemoryPlan, Net, Precision, compile};

const PRECISIONS: [Precision; 3] = [Precision::F32, Precision::MixedBf16, Precision::MixedF16];

fn compiled(text: &str, plan: MemoryPlan, precision: Precision) -> Net {
    let net = compile(&parse(text), &mut NoSources, plan, precision);
    net.unwrap_or_else(|error| panic!("{error}")).0
}

/// Blobs in half precision, in the order they are made; the same with every memory plan.
#[track_caller]
fn check_half(text: &str, want: Expect) {
    let half = |plan| {
        let net = compiled(text, plan, Precision::MixedBf16);
        let blobs = net.blobs.iter().filter(|blob| blob.format.is_some() && !blob.hidden);
        blobs.map(|blob| blob.name.clone()).collect::<Vec<_>>().join(" ")
    };
    let plain = half(MemoryPlan::KeepDiffs);
    assert_eq!(plain, half(MemoryPlan::ShareDiffs));
    assert_eq!(plain, half(MemoryPlan::ForwardOnly));
    want.assert_eq(&plain);
}

const DATA: &str = r#"
    layer { name: "in" type: "DummyData" top: "x" top: "label"
      dummy_data_param { shape { dim: 6 dim: 3 dim: 9 dim: 9 } shape { dim: 6 }
        data_filler { type: "gaussian" } data_filler { type: "constant" value: 2 } } }"#;

const CONV: &str = r#"
    layer { name: "conv" type: "Convolution" bottom: "x" top: "conv" convolution_param {
      num_output: 8 kernel_size: 3 weight_filler { type: "xavier" } } }"#;

const LOSS: &str = r#"
    layer { name: "ip" type: "InnerProduct" bottom: "last" top: "ip" inner_product_param {
      num_output: 5 weight_filler { type: "xavier" } } }
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }"#;

#[test]
fn blobs_are_rounded_from_the_first_param_on() {
    let layers = r#"
        layer { name: "power" type: "Power" bottom: "x" top: "x2" power_param { scale: 0.5 } }
        layer { name: "conv" type: "Convolution" bottom: "x2" top: "conv" convolution_param {
          num_output: 8 kernel_size: 3 } }
        layer { name: "pool" type: "Pooling" bottom: "conv" top: "last" top: "mask"
          pooling_param { kernel_size: 2 stride: 2 } }
        layer { name: "silence" type: "Silence" bottom: "mask" }"#;
    check_half(&format!("{DATA}{layers}{LOSS}"), expect!["conv last ip"]);
}

#[test]
fn labels_probabilities_and_indices_are_not_rounded() {
    let layers = r#"
        layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" }
        layer { name: "flat" type: "Flatten" bottom: "conv" top: "last" }
        layer { name: "filter" type: "Filter" bottom: "last" bottom: "label" bottom: "label"
          top: "kept" top: "kept_label" }
        layer { name: "max" type: "ArgMax" bottom: "last" top: "index" }
        layer { name: "prob" type: "Softmax" bottom: "last" top: "prob" }
        layer { name: "silence" type: "Silence" bottom: "kept" bottom: "kept_label"
          bottom: "index" bottom: "prob" }"#;
    check_half(
        &format!("{DATA}{CONV}{layers}{LOSS}"),
        expect![
            "conv last last_flat_0_split_0 last_flat_0_split_1 last_flat_0_split_2 last_flat_0_split_3 kept ip"
        ],
    );
}

#[test]
fn a_layer_in_place_decides_for_the_blob() {
    let layers = r#"
        layer { name: "pool" type: "Pooling" bottom: "x" top: "p"
          pooling_param { kernel_size: 2 stride: 2 } }
        layer { name: "bn" type: "BatchNorm" bottom: "p" top: "p" }
        layer { name: "last" type: "Flatten" bottom: "p" top: "last" }"#;
    check_half(&format!("{DATA}{layers}{LOSS}"), expect!["p last ip"]);
}

/// Values of a blob are what the format represents; a loss scale multiplies every gradient.
#[test]
fn stored_values_are_rounded_and_gradients_scaled() {
    let last = CONV.replace("\"conv\"", "\"last\"");
    let text = format!("state {{ phase: TRAIN }}{DATA}{last}{LOSS}");
    let cpu = Cpu::new(1, Simd::detect());
    for precision in PRECISIONS {
        let mut net = compiled(&text, MemoryPlan::KeepDiffs, precision);
        let once = run_on(&mut net, &cpu, 1.0);
        for name in ["last", "ip"] {
            let data = net.blob(&cpu, name).unwrap().values;
            let diff = net.blob_diff(&cpu, name).unwrap().values;
            for values in [data, diff] {
                let mut rounded = values.clone();
                precision.round_params(&cpu, &values, &mut rounded);
                assert_eq!(values, rounded, "{precision}: {name}");
                assert!(values.iter().any(|&v| v != 0.0), "{precision}: {name}");
            }
        }
        let mut net = compiled(&text, MemoryPlan::ShareDiffs, precision);
        let scaled = run_on(&mut net, &cpu, 4.0);
        assert_eq!(scaled.loss.to_bits(), once.loss.to_bits());
        // The smallest f16 is not small, so that a larger scale loses less.
        let lost = if precision == Precision::MixedF16 { 1e-4 } else { 0.0 };
        for (scaled, once) in scaled.pool.iter().zip(&once.pool) {
            assert!((scaled / 4.0 - once).abs() <= lost, "{precision}: {scaled}, {once}");
        }
    }
}

/// Blobs that are too large for one block of images: threads, fusion and memory change no bit.
#[test]
fn blocks_of_images_give_one_result() {
    let data = r#"layer { name: "in" type: "DummyData" top: "x" top: "label"
        dummy_data_param { shape { dim: 5 dim: 3 dim: 40 dim: 40 } shape { dim: 5 }
          data_filler { type: "gaussian" } data_filler { type: "constant" value: 2 } } }"#;
    let layers = r#"
        layer { name: "a" type: "Convolution" bottom: "x" top: "a" convolution_param {
          num_output: 256 kernel_size: 1 weight_filler { type: "xavier" } } }
        layer { name: "relu_a" type: "ReLU" bottom: "a" top: "a" relu_param { negative_slope: 0.1 } }
        layer { name: "b" type: "Pooling" bottom: "a" top: "b"
          pooling_param { kernel_size: 3 stride: 2 } }
        layer { name: "c" type: "Convolution" bottom: "b" top: "c" convolution_param {
          num_output: 256 kernel_size: 1 weight_filler { type: "xavier" } } }
        layer { name: "bn" type: "BatchNorm" bottom: "c" top: "c" }
        layer { name: "relu_c" type: "ReLU" bottom: "c" top: "c" }
        layer { name: "sum" type: "Eltwise" bottom: "b" bottom: "c" top: "last" }
        layer { name: "relu" type: "ReLU" bottom: "last" top: "last" }"#;
    let text = format!("state {{ phase: TRAIN }}{data}{layers}{LOSS}");
    for precision in PRECISIONS {
        let result = |plan, threads| {
            let mut net = compiled(&text, plan, precision);
            let result = run_on(&mut net, &Cpu::new(threads, Simd::detect()), 1.0);
            let blocks = net.layers[1..].iter().map(|layer| layer.blocks(&net.blobs).count());
            assert_eq!(blocks.max() > Some(1), precision != Precision::F32);
            let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            (result.loss.to_bits(), bits(&result.pool), bits(&result.running))
        };
        let want = result(MemoryPlan::KeepDiffs, 1);
        assert!(want == result(MemoryPlan::ShareDiffs, 1), "{precision}: fused");
        assert!(want == result(MemoryPlan::ShareDiffs, 2), "{precision}: two threads");
    }
}
