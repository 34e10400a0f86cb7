//! Model files through the tools: upgraded, drawn, converted, and features of one written out.

use std::fs;

use caffe_format::{DataParameterDb, Datum, NetParameter, binary, text};
use expect_test::expect;
use train::files::net_from_text;
use train::tools::{
    Direction, Features, draw, extract_features, from_safetensors, to_safetensors, upgrade_net,
    upgrade_solver,
};
use train::{NetConfig, Single, chain};

use crate::support::{case, compare, equal};

#[test]
fn a_model_survives_safetensors() {
    let folder = tempfile::tempdir().unwrap();
    let [tensors, back] = ["x.safetensors", "x.caffemodel"].map(|name| folder.path().join(name));
    let model = case("sgd_fixed").join("snap_iter_20.caffemodel");
    to_safetensors(&model, &tensors).unwrap();
    let bytes = fs::read(&tensors).unwrap();
    let read = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(read.tensor("conv1/0").unwrap().shape(), [6, 1, 5, 5]);
    from_safetensors(&tensors, &back).unwrap();
    let (got, want) = (snapshot::load_model(&back).unwrap(), snapshot::load_model(&model).unwrap());
    compare(&got, &want, equal);
    assert_eq!(got, want);
}

#[test]
fn safetensors_of_others_become_layers_with_blobs() {
    use safetensors::tensor::{Dtype, TensorView};
    let folder = tempfile::tempdir().unwrap();
    let [tensors, model] = ["x.safetensors", "x.caffemodel"].map(|name| folder.path().join(name));
    let write = |names: [&str; 2]| {
        let one = 1.0_f64.to_le_bytes();
        let views = [
            (names[0], TensorView::new(Dtype::BF16, vec![2], &[0x80, 0x3f, 0, 0xc0]).unwrap()),
            (names[1], TensorView::new(Dtype::F64, vec![1], &one).unwrap()),
        ];
        fs::write(&tensors, safetensors::serialize(views, None).unwrap()).unwrap();
        from_safetensors(&tensors, &model)
    };
    write(["a/b/0", "a/b/1"]).unwrap();
    let layer = &snapshot::load_model(&model).unwrap().layer[0];
    assert_eq!((layer.name(), &layer.blobs[0].data[..]), ("a/b", &[1.0, -2.0][..]));
    assert_eq!(layer.blobs[1].data, [1.0]);
    let error = chain(&write(["a/0", "a/2"]).unwrap_err());
    assert!(error.ends_with("x.safetensors: there is `a/2`, but not `a/1`"), "{error}");
    let error = chain(&write(["a.weight", "a/0"]).unwrap_err());
    assert!(error.ends_with("tensor `a.weight` is not called `<layer>/<number>`"), "{error}");
}

#[test]
fn old_files_are_brought_up_to_date_in_their_own_form() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
    let source = r#"layers { name: "relu" type: RELU bottom: "a" top: "b" }"#;
    fs::write(&old, source).unwrap();
    assert!(!upgrade_net(&old, &new).unwrap().is_empty());
    let upgraded = fs::read_to_string(&new).unwrap();
    let written: NetParameter = text::read("old", source).unwrap();
    fs::write(&old, binary::write(&written)).unwrap();
    upgrade_net(&old, &new).unwrap();
    let net: NetParameter = binary::read(&fs::read(&new).unwrap()).unwrap();
    assert_eq!(text::write(&net), upgraded);
    assert_eq!(net.layer[0].type_(), "ReLU");

    fs::write(&old, "solver_type: ADAM\n").unwrap();
    upgrade_solver(&old, &new).unwrap();
    assert_eq!(fs::read_to_string(&new).unwrap(), "type: \"Adam\"\n");
    fs::write(&old, [0xff; 9]).unwrap();
    assert!(chain(&upgrade_net(&old, &new).unwrap_err()).contains("old is not a valid net"));
}

#[test]
fn a_net_is_drawn() {
    let net = net_from_text(
        "net",
        r#"name: "small \"net\""
           layer { name: "data" type: "Input" top: "data" }
           layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
                   convolution_param { num_output: 8 kernel_h: 3 kernel_w: 5 pad: 1 } }
           layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
           layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool"
                   pooling_param { pool: AVE global_pooling: true } }"#,
    )
    .unwrap();
    let want = expect![[r##"
        digraph "small \"net\"" {
          rankdir=LR;
          l0 [label="data\n(Input)" shape=box style=filled fillcolor="#6495ed"];
          l0 -> b0;
          l1 [label="conv\n(Convolution)\nkernel 3x5 stride 1 pad 1" shape=box style=filled fillcolor="#6495ed"];
          b0 -> l1;
          l1 -> b1 [label="8"];
          l2 [label="relu\n(ReLU)" shape=box style=filled fillcolor="#90ee90"];
          b1 -> l2;
          l2 -> b1;
          l3 [label="pool\n(Pooling)\nAVE over the whole image" shape=box style=filled fillcolor="#6495ed"];
          b1 -> l3;
          l3 -> b2;
          b0 [label="data" shape=octagon style=filled fillcolor="#e0e0e0"];
          b1 [label="conv" shape=octagon style=filled fillcolor="#e0e0e0"];
          b2 [label="pool" shape=octagon style=filled fillcolor="#e0e0e0"];
        }
    "##]];
    want.assert_eq(&draw(&net, Direction::LeftRight));
}

#[test]
fn features_become_records() {
    let folder = tempfile::tempdir().unwrap();
    let net = net_from_text(
        "net",
        r#"layer { name: "memory" type: "MemoryData" top: "x" top: "label"
                   memory_data_param { batch_size: 2 channels: 3 height: 1 width: 2 } }
           layer { name: "double" type: "Power" bottom: "x" top: "y" power_param { scale: 2 } }
           layer { name: "silence" type: "Silence" bottom: "label" }"#,
    )
    .unwrap();
    let mut single = Single::build(&NetConfig::new("net"), &net, &mut |_| ()).unwrap();
    let values: Vec<f32> = (0..24).map(|i| i as f32).collect();
    single.set_input_arrays("memory", &values, &[0.0; 4]).unwrap();
    let path = folder.path().join("features");
    let mut features = Features {
        blobs: vec![("y".into(), path.clone())],
        backend: DataParameterDb::Lmdb,
        batches: 2,
    };
    let mut batches = 0;
    let written = extract_features(&mut single, &features, &mut |_| batches += 1).unwrap();
    assert_eq!((written, batches), (4, 2));
    let mut database = data::database::open(&path, DataParameterDb::Lmdb).unwrap();
    let mut bytes = Vec::new();
    for (item, want) in values.chunks(6).enumerate() {
        assert!(database.advance().unwrap());
        assert_eq!(database.record_name(), format!("{item:010}"));
        let datum: Datum = binary::read(database.value(&mut bytes).unwrap()).unwrap();
        assert_eq!([datum.channels(), datum.height(), datum.width()], [3, 1, 2]);
        assert_eq!(datum.float_data, want.iter().map(|v| 2.0 * v).collect::<Vec<_>>());
    }
    assert!(!database.advance().unwrap());
    features.blobs[0].0 = "z".into();
    let error = extract_features(&mut single, &features, &mut |_| ()).unwrap_err();
    assert_eq!(error.to_string(), "the net has no blob `z`");
}
