//! Where backward starts in a net without a loss, such as a deploy net: at a diff of 1 on every
//! output. A loss weight of 1 is that diff.

use std::collections::BTreeMap;

use caffe_format::{LayerParameter, NetParameter, NetState};
use net::filter::filter;

/// Gives every output of a net that has no loss in `state` the loss weight 1; their names, none if
/// there is a loss. What is wrong with the net is reported when it is built.
pub fn weigh_outputs(net: &mut NetParameter, state: &NetState) -> Vec<String> {
    let mut outputs = BTreeMap::new();
    for (index, layer) in net.layer.iter().enumerate().filter(|(_, layer)| is_in(layer, state)) {
        if is_loss(layer) {
            return Vec::new();
        }
        for bottom in &layer.bottom {
            outputs.remove(bottom);
        }
        // In place, the last layer that writes a blob is the one that counts.
        for (top, name) in layer.top.iter().enumerate() {
            outputs.insert(name.clone(), (index, top));
        }
    }
    for &(layer, top) in outputs.values() {
        let layer = &mut net.layer[layer];
        layer.loss_weight.resize(layer.top.len(), 0.0);
        layer.loss_weight[top] = 1.0;
    }
    outputs.into_keys().collect()
}

fn is_loss(layer: &LayerParameter) -> bool {
    let by_type = layers::find(layer.type_()).is_some_and(|kind| kind.loss);
    by_type || layer.loss_weight.iter().any(|&weight| weight != 0.0)
}

/// Whether the rules of `layer` admit `state`.
fn is_in(layer: &LayerParameter, state: &NetState) -> bool {
    let (state, layer) = (Some(state.clone()), vec![layer.clone()]);
    let alone = NetParameter { state, layer, ..NetParameter::default() };
    filter(&alone).is_ok_and(|(kept, _)| !kept.layer.is_empty())
}

#[cfg(test)]
mod tests {
    use caffe_format::{NetParameter, NetState, Phase, text};

    use super::weigh_outputs;

    /// The outputs that were weighed, and the loss weights of all layers.
    fn weigh(net: &str, phase: Phase) -> (Vec<String>, Vec<Vec<f32>>) {
        let mut net: NetParameter = text::read("net", net).unwrap();
        let state = NetState { phase: Some(phase), ..NetState::default() };
        let outputs = weigh_outputs(&mut net, &state);
        (outputs, net.layer.into_iter().map(|layer| layer.loss_weight).collect())
    }

    #[test]
    fn outputs_weigh_one_unless_there_is_a_loss() {
        let net = r#"
            layer { name: "in" type: "Input" top: "x" }
            layer { name: "cut" type: "Slice" bottom: "x" top: "a" top: "b" }
            layer { name: "ip" type: "InnerProduct" bottom: "a" top: "y" }
            layer { name: "relu" type: "ReLU" bottom: "y" top: "y" }
            layer { name: "loss" type: "EuclideanLoss" bottom: "y" bottom: "b" top: "loss"
                    include { phase: TRAIN } }"#;
        let (outputs, weights) = weigh(net, Phase::Test);
        assert_eq!(outputs, ["b", "y"]);
        assert_eq!(weights, [vec![], vec![0.0, 1.0], vec![], vec![1.0], vec![]]);
        let weighed = net.replace("type: \"ReLU\"", "type: \"ReLU\" loss_weight: 2");
        for (net, phase) in [(net, Phase::Train), (&weighed, Phase::Test)] {
            let (outputs, weights) = weigh(net, phase);
            assert!(outputs.is_empty(), "{outputs:?}");
            assert_eq!(weights[1], [0.0; 0], "nothing is changed");
        }
    }
}
