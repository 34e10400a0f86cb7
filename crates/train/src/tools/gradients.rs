//! Gradients of one backward per rank: what `firecaffe bench compression` compresses.
//!
//! All ranks have the same weights. Images of DummyData layers are drawn anew for each rank, since
//! constant ones would give every rank the same gradient.

use std::ops::Range;

use caffe_format::{FillerParameter, NetParameter};
use exchange::compression::PoolLayout;
use net::MemoryPlan;

use crate::compression::pool_layout;
use crate::files::read_net;
use crate::sync::buckets;
use crate::{Event, NetConfig, Single, TrainError};

/// The gradients of several ranks, and where they lie in the pool.
#[derive(Debug, Clone)]
pub struct NetGradients {
    /// Params in the pool.
    pub layout: PoolLayout,
    /// Buckets of the pool.
    pub buckets: Vec<Range<usize>>,
    /// One per rank, each as long as the pool.
    pub gradients: Vec<Vec<f32>>,
}

/// One forward and backward per rank through the net that `config` names.
pub fn net_gradients(
    config: &NetConfig,
    ranks: u32,
    bucket_bytes: usize,
    events: &mut dyn FnMut(Event),
) -> Result<NetGradients, TrainError> {
    let mut written = read_net(&config.model, config.unknown)?.message;
    vary_images(&mut written);
    let config = NetConfig { memory_plan: MemoryPlan::ShareDiffs, ..config.clone() };
    let mut single = Single::build(&config, &written, events)?;
    let mut gradients = Vec::new();
    for rank in 0..ranks {
        single.reseed(config.seed.wrapping_add(rank));
        single.forward()?;
        single.backward()?;
        gradients.push(single.pool().to_vec());
    }
    let net = single.net();
    Ok(NetGradients { layout: pool_layout(net), buckets: buckets(net, bucket_bytes), gradients })
}

/// Draws the images of DummyData layers; labels, of which a batch has one value per image, stay.
fn vary_images(net: &mut NetParameter) {
    for layer in net.layer.iter_mut().filter(|layer| layer.type_() == "DummyData") {
        let Some(param) = &mut layer.dummy_data_param else { continue };
        let tops = param.shape.len();
        if param.data_filler.len() < tops {
            let first = param.data_filler.first().cloned().unwrap_or_default();
            param.data_filler.resize(tops, first);
        }
        let images = param.shape.iter().map(|shape| shape.dim.len() > 1);
        for (filler, _) in param.data_filler.iter_mut().zip(images).filter(|(_, image)| *image) {
            let (type_, std) = (Some("gaussian".to_owned()), Some(1.0));
            *filler = FillerParameter { type_, std, ..FillerParameter::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::net_gradients;
    use crate::{NetConfig, NetState, Phase};

    #[test]
    fn ranks_have_one_layout_and_different_gradients() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("net.prototxt");
        let text = r#"
            layer { name: "data" type: "DummyData" top: "x" top: "y" dummy_data_param {
                    shape { dim: 4 dim: 3 } shape { dim: 4 } data_filler { value: 1 } } }
            layer { name: "line" type: "InnerProduct" bottom: "x" top: "line"
                    inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
            layer { name: "loss" type: "SoftmaxWithLoss" bottom: "line" bottom: "y" top: "loss" }"#;
        snapshot::atomic::write(&model, text.as_bytes()).unwrap();
        let state = NetState { phase: Some(Phase::Train), ..NetState::default() };
        let config = NetConfig { state, ..NetConfig::new(&model) };
        let found = net_gradients(&config, 3, 0, &mut |_| ()).unwrap();
        assert_eq!(found.layout.params.iter().map(|param| param.range.len()).sum::<usize>(), 8);
        assert_eq!(found.buckets.iter().map(Range::len).collect::<Vec<_>>(), [8]);
        let [a, b, c] = &found.gradients[..] else { panic!("three ranks") };
        assert!(a != b && b != c && a != c && a.iter().any(|&value| value != 0.0));
    }
}
