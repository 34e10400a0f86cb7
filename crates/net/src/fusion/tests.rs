//! Fused nets against the same nets layer by layer: the same bits wherever one may look.

use kernels::{Cpu, Simd};

use crate::compile::compile_placed;
use crate::placed::PlacedNet;
use crate::tests::{NoSources, PassResult, initialise, parse, run};
use crate::{MemoryPlan, Net, Precision, compile};

const DATA: &str = r#"
    state { phase: TRAIN }
    layer { name: "in" type: "DummyData" top: "x" top: "t"
      dummy_data_param { shape { dim: 2 dim: 3 dim: 8 dim: 8 } shape { dim: 2 dim: 3 } data_filler { type: "gaussian" } data_filler { type: "gaussian" } } }"#;

fn with_loss(layers: &str) -> String {
    format!(
        r#"{DATA} {layers}
        layer {{ name: "ip" type: "InnerProduct" bottom: "last" top: "ip" inner_product_param {{ num_output: 3 weight_filler {{ type: "xavier" }} }} }}
        layer {{ name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "t" top: "loss" }}"#
    )
}

fn layer(name: &str, kind: &str, bottom: &str, top: &str, options: &str) -> String {
    let bottoms: String = bottom.split(' ').map(|b| format!(r#" bottom: "{b}""#)).collect();
    let tops: String = top.split(' ').map(|t| format!(r#" top: "{t}""#)).collect();
    format!(r#"layer {{ name: "{name}" type: "{kind}"{bottoms}{tops} {options} }}"#)
}

fn conv(name: &str, bottom: &str, outputs: usize, kernel: usize) -> String {
    let pad = kernel / 2;
    layer(
        name,
        "Convolution",
        bottom,
        name,
        &format!(
            r#"convolution_param {{ num_output: {outputs} kernel_size: {kernel} pad: {pad} weight_filler {{ type: "msra" }} bias_filler {{ type: "gaussian" std: 0.1 }} }}"#
        ),
    )
}

fn relu(blob: &str) -> String {
    layer(&format!("relu_{blob}"), "ReLU", blob, blob, "")
}

/// BatchNorm and Scale in place.
fn norm(blob: &str) -> String {
    let filler = r#"scale_param { bias_term: true filler { type: "gaussian" std: 1 } bias_filler { type: "gaussian" std: 1 } }"#;
    layer(&format!("bn_{blob}"), "BatchNorm", blob, blob, "")
        + &layer(&format!("scale_{blob}"), "Scale", blob, blob, filler)
}

fn chain() -> String {
    let leaky = layer("relu_b", "ReLU", "b", "b", "relu_param { negative_slope: 0.1 }");
    let pool = layer("last", "Pooling", "c", "last", "pooling_param { kernel_size: 3 stride: 2 }");
    [
        conv("a", "x", 16, 3),
        relu("a"),
        conv("b", "a", 7, 1),
        leaky,
        conv("c", "b", 8, 3),
        relu("c"),
        pool,
    ]
    .concat()
}

fn residual() -> String {
    [
        conv("a", "x", 8, 3),
        norm("a"),
        relu("a"),
        conv("b", "a", 8, 1),
        norm("b"),
        relu("b"),
        conv("c", "b", 8, 3),
        norm("c"),
        layer("d", "Eltwise", "a c", "d", ""),
        relu("d"),
        conv("e", "d", 8, 1),
        norm("e"),
        layer("last", "Eltwise", "d e", "last", ""),
        relu("last"),
    ]
    .concat()
}

fn inception() -> String {
    let pool = |top: &str, bottom: &str| {
        layer(top, "Pooling", bottom, top, "pooling_param { kernel_size: 3 stride: 1 pad: 1 }")
    };
    [
        conv("a", "x", 6, 3),
        relu("a"),
        conv("b", "a", 5, 1),
        relu("b"),
        conv("c", "a", 9, 3),
        relu("c"),
        pool("p", "a"),
        conv("d", "p", 3, 1),
        relu("d"),
        layer("e", "Concat", "b c d", "e", ""),
        conv("f", "e", 4, 1),
        relu("f"),
        conv("g", "e", 4, 3),
        pool("q", "e"),
        layer("h", "Concat", "f g", "h", ""),
        // A branch that cannot be written in place, and one that others read.
        layer("last", "Concat", "h q", "last", ""),
    ]
    .concat()
}

/// Neighbours that must not be fused, or only in part.
fn awkward() -> String {
    let frozen = "param { lr_mult: 0 } scale_param { bias_term: true }";
    [
        layer("bn_x", "BatchNorm", "x", "n", ""),
        layer("scale_n", "Scale", "n", "n", frozen),
        conv("a", "n", 8, 3),
        relu("a"),
        layer("drop", "Dropout", "a", "a", ""),
        conv("b", "a", 8, 1),
        layer("bn_b", "BatchNorm", "b", "b", ""),
        relu("b"),
        conv("c", "b", 8, 1),
        layer("scale_c", "Scale", "c", "c", ""),
        layer("relu_c", "ReLU", "c", "r", ""),
        layer("sum", "Eltwise", "c r", "s", "eltwise_param { coeff: 2 coeff: -1 }"),
        relu("s"),
        layer("sum2", "Eltwise", "s b", "u", ""),
        layer("sum3", "Eltwise", "u a", "v", ""),
        layer("slice", "Slice", "v", "v1 v2", "slice_param { slice_point: 5 }"),
        layer("silence", "Silence", "v2", "", "").replace(r#" top: """#, ""),
        layer("last", "Flatten", "v1", "last", ""),
    ]
    .concat()
}

/// How the net is placed for training.
fn placed(layers: &str) -> PlacedNet {
    let (net, plan) = (parse(&with_loss(layers)), MemoryPlan::ShareDiffs);
    let placed = compile_placed(&net, &mut NoSources, plan, Precision::F32);
    placed.unwrap_or_else(|error| panic!("{error}")).0
}

fn compiled(layers: &str, plan: MemoryPlan, precision: Precision) -> Net {
    let net = compile(&parse(&with_loss(layers)), &mut NoSources, plan, precision);
    net.unwrap_or_else(|error| panic!("{error}")).0
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// In every precision; the fused net in f32.
#[track_caller]
fn check_same(layers: &str) -> Net {
    let mixed = [Precision::MixedBf16, Precision::MixedF16].map(|p| check_precision(layers, p));
    let fused = check_precision(layers, Precision::F32);
    let activations = |net: &Net| net.memory().activations;
    assert!(mixed.iter().all(|mixed| 3 * activations(mixed) < 2 * activations(&fused)));
    fused
}

#[track_caller]
fn check_precision(layers: &str, precision: Precision) -> Net {
    let mut kept = compiled(layers, MemoryPlan::KeepDiffs, precision);
    let mut fused = compiled(layers, MemoryPlan::ShareDiffs, precision);
    let mut forward = compiled(layers, MemoryPlan::ForwardOnly, precision);
    let PassResult { loss, running, pool, .. } = run(&mut kept);
    let fused_result = run(&mut fused);
    assert_eq!(loss.to_bits(), fused_result.loss.to_bits());
    assert_eq!(bits(&running), bits(&fused_result.running));
    for param in kept.params().iter().filter(|param| param.gradient.is_some()) {
        let range = param.gradient.clone().unwrap();
        let [a, b] = [&pool, &fused_result.pool].map(|pool| bits(&pool[range.clone()]));
        assert!(pool[range].iter().any(|&v| v != 0.0), "{} {} learns", param.layer, param.index);
        assert_eq!(a, b, "gradient {} of {}", param.index, param.layer);
    }
    let cpu = Cpu::new(1, Simd::detect());
    forward_only(&mut forward, &cpu);
    for name in kept.blob_names() {
        let want = bits(&kept.blob(&cpu, name).unwrap().values);
        assert_eq!(want, bits(&fused.blob(&cpu, name).unwrap().values), "data of {name}");
        assert_eq!(want, bits(&forward.blob(&cpu, name).unwrap().values), "forward of {name}");
    }
    assert!(fused.memory().diffs < kept.memory().diffs);
    fused
}

fn forward_only(net: &mut Net, cpu: &Cpu) {
    let (params, mut replica) = initialise(net);
    net.forward(cpu, &params, &mut replica).unwrap();
}

/// Names of layers whose work others do.
fn idle(net: &PlacedNet) -> Vec<&str> {
    net.layers.iter().filter(|layer| !layer.runs()).map(|layer| layer.name()).collect()
}

#[test]
fn convolutions_absorb_their_relus() {
    check_same(&chain());
    assert_eq!(idle(&placed(&chain())), ["relu_a", "relu_b", "relu_c"]);
}

#[test]
fn residual_blocks_absorb_norms_and_sums() {
    check_same(&residual());
    let fused = placed(&residual());
    assert_eq!(idle(&fused).len(), 8);
    // The mask of the sum's ReLU is applied where its diffs are added up.
    let masks: Vec<_> = (fused.layers.iter().enumerate())
        .filter(|(index, l)| {
            (0..l.bottoms.len()).any(|b| fused.masks.of_bottom(*index, b).is_some())
        })
        .map(|(_, layer)| layer.kind.name)
        .collect();
    assert_eq!(masks, ["Split", "Split"]);
    assert!(!fused.buffers.shared_sums.is_empty());
}

#[test]
fn inception_branches_are_channels_of_their_concat() {
    check_same(&inception());
    let fused = placed(&inception());
    let joined: Vec<_> =
        fused.blobs.iter().filter(|b| b.branch.is_some()).map(|b| b.name.as_str()).collect();
    assert_eq!(joined, ["b", "c", "d", "f", "g"]);
    let copied = fused.layers.iter().find(|layer| layer.name() == "last").unwrap();
    assert!(copied.runs());
}

#[test]
fn what_cannot_be_fused_runs_as_it_is_written() {
    let fused = check_same(&awkward());
    assert_eq!(idle(&placed(&awkward())), ["scale_n", "relu_b", "relu_s"]);
    let cpu = Cpu::new(1, Simd::detect());
    assert!(fused.blob_diff(&cpu, "a").is_none(), "its memory is another's by now");
    assert!(fused.blob_diff(&cpu, "loss").is_some());
}

/// A Scale's gradient is made when its BatchNorm runs backward, and not before.
#[test]
fn gradients_are_ready_where_they_are_made() {
    let net = compiled(&residual(), MemoryPlan::ShareDiffs, Precision::F32);
    let at = |name: &str| (0..net.len()).find(|&layer| net.layer_name(layer) == name).unwrap();
    assert!(net.ready_after(at("bn_e")) > net.ready_after(at("scale_e")));
    assert_eq!(net.ready_after(0), net.pool_len());
}
