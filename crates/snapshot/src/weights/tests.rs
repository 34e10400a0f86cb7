use base::Shape;
use caffe_format::{BlobProto, LayerParameter, NetParameter};
use expect_test::{Expect, expect};

use super::{TargetBlob, TargetLayer, match_layers};

type NamedLayer<'a> = (&'a str, &'a [&'a [usize]]);

fn shape(dims: &[usize]) -> Shape {
    Shape::new(dims).unwrap()
}

fn blob(dims: &[usize]) -> BlobProto {
    BlobProto::from_values(dims, vec![1.0; dims.iter().product()])
}

fn model(layers: &[NamedLayer<'_>]) -> NetParameter {
    let layer = |(name, blobs): &NamedLayer<'_>| LayerParameter {
        name: Some((*name).to_owned()),
        blobs: blobs.iter().map(|dims| blob(dims)).collect(),
        ..LayerParameter::default()
    };
    NetParameter { layer: layers.iter().map(layer).collect(), ..NetParameter::default() }
}

/// A `*` after the name: the layer's blobs belong to another.
fn net(layers: &[NamedLayer<'_>]) -> Vec<TargetLayer> {
    let layer = |(name, blobs): &NamedLayer<'_>| TargetLayer {
        name: name.trim_end_matches('*').to_owned(),
        blobs: blobs
            .iter()
            .map(|dims| TargetBlob { shape: shape(dims), shared: name.ends_with('*') })
            .collect(),
    };
    layers.iter().map(layer).collect()
}

#[track_caller]
fn check(net: &[TargetLayer], model: &NetParameter, want: Expect) {
    want.assert_eq(&match match_layers(net, model) {
        Err(error) => error.to_string(),
        Ok(plan) => {
            let mut lines: Vec<String> = plan
                .copies
                .iter()
                .map(|copy| {
                    let target = &net[copy.target];
                    assert_eq!(*target.name, *model.layer[copy.source].name());
                    assert_eq!(copy.blob(model), &blob(target.blobs[copy.blob].shape.dims()));
                    format!("{}/{}", target.name, copy.blob)
                })
                .collect();
            lines.extend(plan.ignored.iter().map(|name| format!("not {name}")));
            lines.join(", ")
        }
    });
}

#[test]
fn layers_meet_by_name() {
    let net = net(&[("data", &[]), ("conv", &[&[4, 3], &[4]]), ("new", &[&[2]])]);
    check(
        &net,
        &model(&[("conv", &[&[4, 3], &[4]]), ("gone", &[&[9]]), ("data", &[])]),
        expect!["conv/0, conv/1, not gone"],
    );
}

#[test]
fn what_does_not_fit_is_named() {
    let net = net(&[("fc", &[&[10, 3], &[10]])]);
    check(
        &net,
        &model(&[("fc", &[&[5, 3], &[5]])]),
        expect![
            "layer `fc`, blob 0: the model has shape 5 3 (15), the net 10 3 (30) (to learn the layer anew, rename it in the net)"
        ],
    );
    check(
        &net,
        &model(&[("fc", &[&[10, 3]])]),
        expect![
            "layer `fc`: the model has 1 blobs, the net 2 (to learn the layer anew, rename it in the net)"
        ],
    );
    let mut short = model(&[("fc", &[&[10, 3], &[10]])]);
    short.layer[0].blobs[1].data.pop();
    check(&net, &short, expect!["layer `fc`, blob 1 of the model"]);
}

#[test]
fn blobs_of_another_layer_may_be_left_out() {
    let net = net(&[("one", &[&[3]]), ("two*", &[&[3], &[3]])]);
    let mut sparse = model(&[("one", &[&[3]]), ("two", &[&[3], &[3]])]);
    check(&net, &sparse, expect!["one/0, two/0, two/1"]);
    sparse.layer[1].blobs[0] = BlobProto::default();
    check(&net, &sparse, expect!["one/0, two/1"]);
    sparse.layer[1].blobs.clear();
    check(&net, &sparse, expect!["one/0"]);
    sparse.layer[0].blobs.clear();
    check(
        &net,
        &sparse,
        expect![
            "layer `one`: the model has 0 blobs, the net 1 (to learn the layer anew, rename it in the net)"
        ],
    );
}
