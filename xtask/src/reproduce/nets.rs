//! The papers' networks, from the prototxts of `bench/models`.

use std::path::Path;

use anyhow::{Context, Result};
use caffe_format::{NetParameter, NetState, Phase};
use cluster_sim::{LayerModel, NetModel, ParamModel};
use net::{MemoryPlan, NetDescription, Precision, describe};
use train::files::{UnknownFields, read_net};
use train::{FileSources, OnBadSample, PathRoot};

use crate::shell;

/// The networks of the three papers.
pub(super) struct PaperNets {
    pub(super) alexnet: NetModel,
    pub(super) googlenet: NetModel,
    pub(super) nin: NetModel,
    pub(super) resnet: NetModel,
}

impl PaperNets {
    pub(super) fn read() -> Result<Self> {
        Ok(Self {
            alexnet: with_batch_norm(read("alexnet_b32")?),
            googlenet: read("googlenet_b16")?,
            nin: read("nin_b32")?,
            resnet: without_shortcut_norms(read("resnet50_b8")?),
        })
    }

    /// All of them with their names, the one with the fewest parameters first.
    pub(super) fn named(&self) -> [(&NetModel, &'static str); 4] {
        [
            (&self.nin, "NiN"),
            (&self.googlenet, "GoogLeNet"),
            (&self.resnet, "ResNet-50"),
            (&self.alexnet, "AlexNet"),
        ]
    }
}

fn read(name: &str) -> Result<NetModel> {
    let path = shell::root().join(format!("bench/models/{name}.prototxt"));
    Ok(NetModel::of(&describe_file(&path)?))
}

/// The training net of a prototxt.
pub(crate) fn describe_file(path: &Path) -> Result<NetDescription> {
    let written = read_net(path, UnknownFields::Reject)?.message;
    let state = NetState { phase: Some(Phase::Train), ..NetState::default() };
    let written = NetParameter { state: Some(state), ..written };
    let root = PathRoot::from(Path::new("").to_path_buf()).of_file(path);
    let mut sources = FileSources::alone(root, OnBadSample::Fail);
    let (net, _) = describe(&written, &mut sources, MemoryPlan::ShareDiffs, Precision::F32)
        .with_context(|| path.display().to_string())?;
    Ok(net)
}

/// GradientFlow's AlexNet has a batch normalisation after each convolution: 26 gradient tensors.
fn with_batch_norm(mut net: NetModel) -> NetModel {
    let mut layers = Vec::new();
    for layer in net.layers {
        let channels = layer.params.first().map(|weights| weights.rows);
        let is_convolution = layer.name.starts_with("conv");
        layers.push(layer);
        if let Some(rows) = channels.filter(|_| is_convolution) {
            layers.push(LayerModel {
                name: "batch norm".to_owned(),
                params: vec![ParamModel { rows, columns: 1 }; 2],
                forward_ops: 0.0,
                backward_ops: 0.0,
            });
        }
    }
    net.layers = layers;
    net
}

/// GradientFlow's ResNet-50 has 153 gradient tensors. Ours has 161: two more after each of the four
/// projections of shortcuts.
fn without_shortcut_norms(mut net: NetModel) -> NetModel {
    for layer in &mut net.layers {
        if layer.name.starts_with("scale_") && layer.name.ends_with("_sc") {
            layer.params.clear();
        }
    }
    net
}

#[cfg(test)]
mod tests {
    use super::PaperNets;

    /// As many gradient tensors and parameters as the papers state.
    #[test]
    fn nets_are_those_of_the_papers() {
        let nets = PaperNets::read().unwrap();
        let tensors = |net: &super::NetModel| -> usize {
            net.layers.iter().map(|layer| layer.params.len()).sum()
        };
        let millions = |net: &super::NetModel| net.values() as f64 / 1e6;
        assert_eq!((tensors(&nets.alexnet), tensors(&nets.resnet)), (26, 153));
        assert!((millions(&nets.alexnet) - 60.9).abs() < 0.2, "{}", millions(&nets.alexnet));
        assert!((millions(&nets.resnet) - 25.5).abs() < 0.1, "{}", millions(&nets.resnet));
        assert!((millions(&nets.nin) - 7.595).abs() < 0.01, "{}", millions(&nets.nin));
        assert!((millions(&nets.googlenet) - 13.4).abs() < 0.1, "{}", millions(&nets.googlenet));
    }
}
