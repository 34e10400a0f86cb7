//! Nets written as prototxt, and what becomes of them.

mod autoencoder;
mod driven;
mod refusals;

use base::Shape;
use base::random::Mt19937;
use caffe_format::{LayerParameter, NetParameter, NetState, Phase, text};
use expect_test::{Expect, expect};
use kernels::{Cpu, Simd};
use layers::{DataSource, DataSourceError};
use tensor::{SharedSlab, Slab};

use crate::{
    MemoryPlan, Net, NetError, OpenSources, ParamStorage, Precision, ReplicaState, RunError,
    compile, describe,
};

/// Nets here read no data.
pub(crate) struct NoSources;

impl OpenSources for NoSources {
    fn shapes(&mut self, _: &LayerParameter, _: Phase) -> Result<Vec<Shape>, DataSourceError> {
        Err(DataSourceError("no sources here".into()))
    }

    fn open(
        &mut self,
        _: &LayerParameter,
        _: Phase,
        _: &mut Mt19937,
    ) -> Result<Box<dyn DataSource>, DataSourceError> {
        Err(DataSourceError("no sources here".into()))
    }
}

const INPUT: &str =
    r#"layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 dim: 3 } } }"#;

pub(crate) fn parse(net: &str) -> NetParameter {
    text::read("net", net).unwrap_or_else(|errors| panic!("{errors}"))
}

fn build(net: &str) -> Result<Net, NetError> {
    compile(&parse(net), &mut NoSources, MemoryPlan::KeepDiffs, Precision::F32).map(|(net, _)| net)
}

#[track_caller]
fn net(text: &str) -> Net {
    build(text).unwrap_or_else(|error| panic!("{}", chain(&error)))
}

fn chain(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {}", chain(cause)))
}

#[track_caller]
fn check_error(text: &str, want: Expect) {
    let error = build(text).err().expect("the net is wrong");
    want.assert_eq(&chain(&error));
}

/// A replica with seed 1701.
pub(crate) fn initialise(net: &mut Net) -> (Slab, ReplicaState) {
    net.initialise(Mt19937::new(1701), &mut NoSources).unwrap()
}

/// What one forward and backward leave behind.
pub(crate) struct PassResult {
    pub(crate) loss: f32,
    pub(crate) params: Slab,
    pub(crate) running: Slab,
    pub(crate) pool: Vec<f32>,
}

/// Runs forward and backward.
pub(crate) fn run(net: &mut Net) -> PassResult {
    run_on(net, &Cpu::new(1, Simd::detect()), 1.0)
}

/// As [`run`], with these threads and this loss scale.
pub(crate) fn run_on(net: &mut Net, cpu: &Cpu, loss_scale: f32) -> PassResult {
    let (params, mut replica) = initialise(net);
    let pool = SharedSlab::new(Slab::zeros(net.pool_len()));
    let loss = net.forward(cpu, &params, &mut replica).unwrap();
    net.clear_gradients();
    net.backward(cpu, &params, &pool, loss_scale).unwrap();
    let pool = pool.read().to_vec();
    PassResult { loss, params, running: replica.running, pool }
}

#[test]
fn everything_wrong_with_the_wiring_is_said_at_once() {
    check_error(
        &format!(
            r#"{INPUT}
            layer {{ name: "a" type: "Relu" bottom: "x" top: "a" }}
            layer {{ name: "b" type: "ReLU" bottom: "X" top: "b" }}
            layer {{ name: "c" type: "Softmax" bottom: "x" bottom: "a" top: "x2" }}
            layer {{ name: "d" type: "ReLU" bottom: "a" top: "b" propagate_down: true propagate_down: true }}
            layer {{ name: "e" type: "Flatten" bottom: "b" top: "b" }}"#
        ),
        expect![[r#"
            layer `a`: unknown layer type `Relu`; did you mean `ReLU`?
            layer `b`: bottom `X` is not the top of any earlier layer; did you mean `x`?
            layer `c` (Softmax) has 2 bottoms, expected 1
            layer `d`: top `b` is made by layer `b` already; rename one of them
            layer `d` (ReLU) has 0 tops, expected 1
            layer `d`: `propagate_down` is given 2 times, expected none or 1
            layer `e` (Flatten) cannot run in place; give the top its own name instead of `b`"#]],
    );
}

#[test]
fn layers_that_would_read_what_they_overwrote_say_so() {
    for kind in ["Convolution", "InnerProduct", "LRN", "Pooling"] {
        let text = format!(r#"{INPUT} layer {{ name: "l" type: "{kind}" bottom: "x" top: "x" }}"#);
        let error = chain(&build(&text).err().expect("the layer cannot run in place"));
        let want = format!(
            "layer `l` ({kind}) cannot run in place: it would read values that it has overwritten, \
             and so does Caffe, whose results are wrong; give the top its own name instead of `x`"
        );
        assert!(error.contains(&want), "{error}");
    }
}

#[test]
fn a_layer_that_objects_is_named() {
    check_error(
        &format!(r#"{INPUT} layer {{ name: "ip" type: "InnerProduct" bottom: "x" top: "y" }}"#),
        expect![
            "layer `ip` (InnerProduct): `inner_product_param.num_output` is missing: the number of outputs"
        ],
    );
}

#[test]
fn python_layers_are_not_supported() {
    check_error(
        r#"layer { name: "p" type: "Python" top: "x" }"#,
        expect![
            "layer `p`: a net with Python layers needs the Python package: run `pip install ./crates/python` in FireCaffe's source, then `python3 -m caffe` in place of `firecaffe`"
        ],
    );
}

const RULES: &str = r#"
    layer { name: "always" type: "DummyData" top: "a" dummy_data_param { shape { dim: 1 } } }
    layer { name: "train" type: "ReLU" bottom: "a" top: "b" include { phase: TRAIN } }
    layer { name: "not_test" type: "ReLU" bottom: "a" top: "c" exclude { phase: TEST } }
    layer { name: "deep" type: "ReLU" bottom: "a" top: "d" include { min_level: 2 } }
    layer { name: "shallow" type: "ReLU" bottom: "a" top: "e" include { max_level: 1 } }
    layer { name: "staged" type: "ReLU" bottom: "a" top: "f" include { stage: "s" not_stage: "t" } }"#;

#[track_caller]
fn check_filter(phase: Phase, level: i32, stages: &[&str], want: &str) {
    let state = NetState {
        phase: Some(phase),
        level: Some(level),
        stage: stages.iter().map(ToString::to_string).collect(),
        ..NetState::default()
    };
    let written = NetParameter { state: Some(state), ..parse(RULES) };
    let (kept, _) = crate::filter::filter(&written).unwrap();
    let names: Vec<_> = kept.layer.iter().map(|layer| layer.name()).collect();
    assert_eq!(names.join(" "), want);
}

#[test]
fn rules_admit_by_phase_level_and_stage() {
    use Phase::{Test, Train};
    check_filter(Train, 0, &[], "always train not_test shallow");
    check_filter(Test, 2, &[], "always deep");
    check_filter(Test, 1, &["s"], "always shallow staged");
    check_filter(Test, 1, &["s", "t"], "always shallow");
}

#[test]
fn both_kinds_of_rules_are_refused() {
    check_error(
        r#"layer { name: "l" type: "ReLU" include { phase: TEST } exclude { stage: "s" } }"#,
        expect!["layer `l` has both include and exclude rules; keep one kind"],
    );
}

/// Two readers of `x` and one loss on it, named as Caffe names them.
#[test]
fn a_blob_with_several_readers_is_split() {
    let written = parse(&format!(
        r#"{INPUT}
        layer {{ name: "p" type: "Power" bottom: "x" top: "y" loss_weight: 0.5 }}
        layer {{ name: "a" type: "ReLU" bottom: "y" top: "a" }}
        layer {{ name: "b" type: "ReLU" bottom: "y" top: "b" }}"#
    ));
    let split = crate::splits::insert_splits(&written);
    let shown: Vec<_> = (split.layer.iter())
        .map(|l| format!("{} {:?} {:?} {:?}", l.name(), l.bottom, l.top, l.loss_weight))
        .collect();
    expect![[r#"
        in [] ["x"] []
        p ["x"] ["y"] []
        y_p_0_split ["y"] ["y_p_0_split_0", "y_p_0_split_1", "y_p_0_split_2"] [0.5, 0.0, 0.0]
        a ["y_p_0_split_1"] ["a"] []
        b ["y_p_0_split_2"] ["b"] []"#]]
    .assert_eq(&shown.join("\n"));
}

const SHARED: &str = r#"
    layer { name: "in" type: "DummyData" top: "x" dummy_data_param { shape { dim: 2 dim: 3 } data_filler { type: "gaussian" } } }
    layer { name: "first" type: "InnerProduct" bottom: "x" top: "h" param { name: "w" } inner_product_param { num_output: 3 bias_term: false weight_filler { type: "xavier" } } }
    layer { name: "mid" type: "InnerProduct" bottom: "h" top: "m" inner_product_param { num_output: 3 bias_term: false weight_filler { type: "xavier" } } }
    layer { name: "second" type: "InnerProduct" bottom: "m" top: "y" param { name: "w" } inner_product_param { num_output: 3 bias_term: false weight_filler { type: "xavier" } } }
    layer { name: "loss" type: "EuclideanLoss" bottom: "y" bottom: "x" top: "loss" }"#;

/// The pool lists what backward finishes first; a shared weight is finished by the first layer that
/// uses it.
#[test]
fn shared_weights_are_ready_last() {
    let net = net(SHARED);
    let [w, mid] = net.params() else { panic!("two params") };
    assert_eq!(
        (w.layer.as_str(), w.values.clone(), w.gradient.clone()),
        ("first", 0..9, Some(9..18))
    );
    assert_eq!(
        (mid.layer.as_str(), mid.values.clone(), mid.gradient.clone()),
        ("mid", 9..18, Some(0..9))
    );
    let ready: Vec<_> =
        (0..net.len()).rev().map(|l| (net.layer_name(l).to_owned(), net.ready_after(l))).collect();
    let of = |name: &str| ready.iter().find(|(layer, _)| layer == name).unwrap().1;
    assert_eq!((of("second"), of("mid"), of("first")), (0, 9, 18));
}

/// Both uses contribute: by differences of the loss.
#[test]
fn shared_weights_add_their_gradients() {
    let mut net = net(SHARED);
    let PassResult { params: start, pool, .. } = run(&mut net);
    let loss_at = |net: &mut Net, index: usize, step: f32| {
        let cpu = Cpu::new(1, Simd::detect());
        let mut params = start.clone();
        params[index] += step;
        let (_, mut replica) = initialise(net); // the same stream for the inputs
        net.forward(&cpu, &params, &mut replica).unwrap()
    };
    for index in 0..9 {
        let difference = (loss_at(&mut net, index, 1e-2) - loss_at(&mut net, index, -1e-2)) / 2e-2;
        assert!((difference - pool[9 + index]).abs() < 1e-2, "{difference} {}", pool[9 + index]);
    }
}

#[test]
fn shared_weights_must_agree() {
    let wrong = SHARED.replacen("num_output: 3", "num_output: 4", 1);
    check_error(
        &wrong,
        expect!["layer `second`: shares param `w` as 3 3 (9), but layer `first` made it 4 3 (12)"],
    );
    let wrong = SHARED.replacen("name: \"w\"", "name: \"w\" lr_mult: 2", 1);
    net(&wrong); // one may say it for both
    let wrong = wrong.replacen("{ name: \"w\" }", "{ name: \"w\" lr_mult: 3 }", 1);
    check_error(&wrong, expect!["layer `second`: shared param `w` has lr_mult 3, elsewhere 2"]);
}

#[track_caller]
fn check_backward(text: &str, want: &str) {
    let net = net(text);
    let needing: Vec<_> = net
        .description()
        .report
        .layers
        .iter()
        .filter(|l| l.needs_backward)
        .map(|l| &l.name[..])
        .collect();
    assert_eq!(needing.join(" "), want);
}

#[test]
fn backward_reaches_what_learns_and_no_more() {
    let layers = |extra: &str, propagate: &str| {
        format!(
            r#"{extra}
            {INPUT}
            layer {{ name: "t" type: "Input" top: "t" input_param {{ shape {{ dim: 2 dim: 3 }} }} }}
            layer {{ name: "relu" type: "ReLU" bottom: "x" top: "r" }}
            layer {{ name: "ip" type: "InnerProduct" bottom: "r" top: "h" inner_product_param {{ num_output: 3 }} }}
            layer {{ name: "sig" type: "Sigmoid" bottom: "h" top: "s" }}
            layer {{ name: "side" type: "InnerProduct" bottom: "x" top: "side" inner_product_param {{ num_output: 1 }} }}
            layer {{ name: "loss" type: "EuclideanLoss" bottom: "s" bottom: "t" top: "loss" {propagate} }}"#
        )
    };
    check_backward(&layers("", ""), "ip sig loss");
    check_backward(&layers("", "propagate_down: false propagate_down: false"), "loss");
    check_backward(&layers("force_backward: true", ""), "in x_in_0_split t relu ip sig side loss");
}

/// Convolution works channels-last, Softmax row-major: what a user sees is Caffe's order in both.
#[test]
fn conversions_are_hidden_and_blobs_look_as_in_caffe() {
    let net = net(
        r#"layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 dim: 3 dim: 4 dim: 4 } } }
        layer { name: "conv" type: "Convolution" bottom: "x" top: "y" convolution_param { num_output: 5 kernel_size: 1 } }
        layer { name: "soft" type: "Softmax" bottom: "y" top: "z" softmax_param { axis: 2 } }"#,
    );
    let names: Vec<_> = (0..net.len()).map(|layer| net.layer_name(layer)).collect();
    expect![[r#"
        [
            "in",
            "x as ChannelsLast",
            "conv",
            "y as RowMajor",
            "soft",
        ]
    "#]]
    .assert_debug_eq(&names);
    assert_eq!(net.blob_names().collect::<Vec<_>>(), ["x", "y", "z"]);
    let mut net = net;
    let cpu = Cpu::new(1, Simd::detect());
    net.set_blob(&cpu, "y", &(0..160).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
    assert_eq!(net.blob(&cpu, "y").unwrap().values[..3], [0.0, 1.0, 2.0]);
}

#[test]
fn a_blob_that_cannot_be_set_says_why() {
    let text = r#"
        layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 1 dim: 2 dim: 2 dim: 2 } } }
        layer { name: "a" type: "Convolution" bottom: "x" top: "a" convolution_param { num_output: 1 kernel_size: 1 } }
        layer { name: "b" type: "Convolution" bottom: "x" top: "b" convolution_param { num_output: 2 kernel_size: 1 } }
        layer { name: "c" type: "Concat" bottom: "a" bottom: "b" top: "c" }"#;
    let compiled = |plan| compile(&parse(text), &mut NoSources, plan, Precision::F32).unwrap();
    let (mut net, _) = compiled(MemoryPlan::ShareDiffs);
    let cpu = Cpu::new(1, Simd::detect());
    let mut why = |set: fn(&mut Net, &Cpu, &str, &[f32]) -> Result<(), RunError>, name: &str| {
        let error = set(&mut net, &cpu, name, &[0.0; 4]).expect_err("it cannot be set");
        error.to_string()
    };
    expect!["the net has no blob `y` (blobs: x, x_in_0_split_0, x_in_0_split_1, a, b, c)"]
        .assert_eq(&why(Net::set_blob, "y"));
    expect!["blob `x` has shape 1 2 2 2 (8), but 4 values were given"]
        .assert_eq(&why(Net::set_blob, "x"));
    expect!["blob `a` cannot be set: the net was compiled to write it into its Concat's top; compile with `MemoryPlan::KeepDiffs`"]
        .assert_eq(&why(Net::set_blob, "a"));
    expect!["the diff of blob `a` cannot be set: its memory is shared; compile with `MemoryPlan::KeepDiffs`"]
        .assert_eq(&why(Net::set_blob_diff, "a"));
    (net, _) = compiled(MemoryPlan::ForwardOnly);
    let no_diffs = expect![
        "the net keeps no diffs; compile it with `MemoryPlan::ShareDiffs` to run backward, or with `MemoryPlan::KeepDiffs` to set diffs"
    ];
    let error = net.set_blob_diff(&cpu, "c", &[0.0; 12]).expect_err("it has no diff");
    no_diffs.assert_eq(&error.to_string());
    assert!(net.blob_diff(&cpu, "c").is_none());
    let (params, _) = initialise(&mut net);
    let pool = SharedSlab::new(Slab::zeros(net.pool_len()));
    let error = net.backward_layer(0, &cpu, &params, &pool, 1.0).expect_err("it has no diffs");
    no_diffs.assert_eq(&error.to_string());
}

/// A description needs no memory for blobs: those of this net would fill 1 TiB.
#[test]
fn a_net_larger_than_the_machine_can_be_described() {
    let mut text = String::from(
        r#"layer { name: "in" type: "Input" top: "b0" input_param { shape { dim: 1024 dim: 1048576 } } }"#,
    );
    for layer in 1..256 {
        let below = layer - 1;
        text += &format!(
            r#"layer {{ name: "relu{layer}" type: "ReLU" bottom: "b{below}" top: "b{layer}" }}"#
        );
    }
    let (plan, precision) = (MemoryPlan::ForwardOnly, Precision::F32);
    let (net, _) = describe(&parse(&text), &mut NoSources, plan, precision).unwrap();
    assert_eq!(net.memory.activations, 1 << 40);
    let last = net.rows.last().unwrap();
    assert_eq!((net.rows.len(), last.name.as_str(), last.kind), (256, "relu255", "ReLU"));
    let (net, _) =
        compile(&parse(&text), &mut NoSources, MemoryPlan::NoBlobs, Precision::F32).unwrap();
    assert_eq!((net.len(), net.batch_items(), net.memory().activations), (256, 1024, 0));
}

/// A net that is waited for has the layers, params and pool of the one that computes.
#[test]
fn without_blobs_a_net_is_the_same() {
    let text = format!(
        r#"{INPUT} layer {{ name: "a" type: "InnerProduct" bottom: "x" top: "a"
                            inner_product_param {{ num_output: 4 }} }}
           layer {{ name: "relu" type: "ReLU" bottom: "a" top: "a" }}
           layer {{ name: "b" type: "InnerProduct" bottom: "a" top: "b"
                    inner_product_param {{ num_output: 2 }} }}"#
    );
    let compiled = |plan| compile(&parse(&text), &mut NoSources, plan, Precision::F32).unwrap().0;
    let [real, empty] = [MemoryPlan::ShareDiffs, MemoryPlan::NoBlobs].map(compiled);
    let shape = |net: &Net| {
        let ready: Vec<_> = (0..net.len()).map(|layer| net.ready_after(layer)).collect();
        let names: Vec<_> = (0..net.len()).map(|layer| net.layer_name(layer).to_owned()).collect();
        (ready, names, net.pool_len(), net.batch_items())
    };
    assert_eq!(shape(&empty), shape(&real));
    assert!(empty.outputs(&Cpu::new(1, Simd::detect())).is_empty(), "nobody computes them");
}

/// BatchNorm of a test net alone has statistics of its own, zeros; the train net's are not touched.
#[test]
fn a_test_net_may_have_running_params_of_its_own() {
    let norm = |name: &str| {
        format!(
            r#"layer {{ name: "{name}" type: "BatchNorm" bottom: "x" top: "{name}" batch_norm_param {{ use_global_stats: true eps: 0.25 }} }}"#
        )
    };
    let train = net(&format!("{INPUT} {}", norm("both")));
    let mut test = net(&format!("{INPUT} {} {}", norm("own"), norm("both")));
    test.adopt(&train).unwrap();
    let (params, mut replica) = initialise(&mut test);
    replica.running.copy_from_slice(&[6.0, 6.0, 6.0, 0.0, 0.0, 0.0, 2.0]);
    let cpu = Cpu::new(1, Simd::detect());
    test.set_blob(&cpu, "x", &[1.0; 6]).unwrap();
    test.forward(&cpu, &params, &mut replica).unwrap();
    assert_eq!(test.blob(&cpu, "own").unwrap().values, [2.0; 6], "1 / sqrt(eps)");
    assert_eq!(test.blob(&cpu, "both").unwrap().values, [-4.0; 6], "(1 - 6 / 2) / sqrt(eps)");
}

#[test]
fn a_test_net_adopts_what_it_has_in_common() {
    let train = net(SHARED);
    let mut test = net(&format!(
        r#"{SHARED}
        layer {{ name: "own" type: "InnerProduct" bottom: "x" top: "own" inner_product_param {{ num_output: 1 }} }}"#
    ));
    test.adopt(&train).unwrap();
    let storage: Vec<_> = test.params().iter().map(|p| (p.layer.as_str(), p.storage)).collect();
    use ParamStorage::{Private, Slab};
    assert_eq!(storage, [("first", Slab), ("mid", Slab), ("own", Private), ("own", Private)]);
    let square = net(&SHARED.replace("num_output: 3", "num_output: 3 transpose: true"));
    assert!(test.adopt(&square).is_ok(), "square weights fit either way");
}
