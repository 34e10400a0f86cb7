//! The border for programs: nets without files, input arrays, blobs by name.

use train::files::net_from_text;
use train::{NetConfig, Single, chain};

const NET: &str = r#"
    layer { name: "memory" type: "MemoryData" top: "x" top: "label"
            memory_data_param { batch_size: 2 channels: 1 height: 1 width: 2 } }
    layer { name: "ip" type: "InnerProduct" bottom: "x" top: "ip"
            inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
    layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" }
    layer { name: "silence" type: "Silence" bottom: "label" }"#;

fn single() -> Single {
    let net = net_from_text("net", NET).unwrap();
    Single::build(&NetConfig::new("net"), &net, &mut |_| ()).unwrap()
}

#[test]
fn fed_batches_come_in_turn_and_round() {
    let mut single = single();
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    single.set_input_arrays("memory", &values, &[0.0, 1.0, 2.0, 3.0]).unwrap();
    for turn in [0, 1, 0] {
        single.forward().unwrap();
        assert_eq!(single.blob("x").unwrap().values, values[4 * turn..][..4]);
        assert_eq!(
            single.blob("label").unwrap().values,
            [2.0, 3.0].map(|l| l - 2.0 + 2.0 * turn as f32)
        );
        let prob = single.blob("prob").unwrap();
        assert_eq!(prob.shape.dims(), [2, 2]);
        assert!((prob.values[..2].iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
    assert_eq!(single.blob("nothing"), None);
}

#[test]
fn what_cannot_be_fed_is_told() {
    let mut single = single();
    let error = chain(&single.forward().unwrap_err());
    assert!(error.contains("layer `memory`") && error.contains("no data was set"), "{error}");
    let error = chain(&single.set_input_arrays("ip", &[], &[]).unwrap_err());
    assert_eq!(error, "`ip` is not a data layer of the net; it has memory");
    let error = chain(&single.set_input_arrays("memory", &[0.0; 5], &[0.0; 2]).unwrap_err());
    assert!(error.starts_with("layer `memory`: 5 values and 2 labels"), "{error}");
}

/// A model that was saved is the same net when loaded into a deploy version.
#[test]
fn a_model_file_gives_a_deploy_net_its_weights() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.caffemodel");
    let mut trained = single();
    std::fs::write(&file, caffe_format::binary::write(&trained.model())).unwrap();
    let input = r#"layer { name: "data" type: "Input" top: "x" input_param { shape { dim: 2 dim: 1 dim: 1 dim: 2 } } }"#;
    let (_, rest) = NET.split_once("layer { name: \"ip\"").unwrap();
    let (rest, _) = rest.split_once("layer { name: \"silence\"").unwrap();
    let deploy = net_from_text("deploy", &format!("{input} layer {{ name: \"ip\"{rest}")).unwrap();
    let config = NetConfig { weights: vec![file], seed: 2, ..NetConfig::new("deploy") };
    let mut deploy = Single::build(&config, &deploy, &mut |_| ()).unwrap();
    let values = [0.3, -0.7, 1.1, 0.2];
    deploy.set_blob("x", &values).unwrap();
    assert!(deploy.set_blob("x", &[1.0]).is_err());
    trained.set_input_arrays("memory", &values, &[0.0, 0.0]).unwrap();
    trained.forward().unwrap();
    deploy.forward().unwrap();
    assert_eq!(deploy.blob("prob"), trained.blob("prob"));
}
