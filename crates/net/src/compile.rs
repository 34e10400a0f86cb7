//! The passes, in order.

use base::random::Mt19937;
use base::{Phase, Shape};
use caffe_format::{LayerParameter, NetParameter};
use layers::{DataSource, DataSourceError};
use tensor::Slab;

use crate::filter::{UnmetRule, filter};
use crate::memory::MemoryPlan;
use crate::splits::insert_splits;
use crate::{
    Net, NetError, backward, fusion, graph, joining, layouts, memory, needs, params, shapes,
};

/// Where data layers get their batches. `train` implements it over files; tests over vectors.
pub trait OpenSources {
    /// Shapes of a data layer's tops, without drawing a random number.
    fn shapes(
        &mut self,
        layer: &LayerParameter,
        phase: Phase,
    ) -> Result<Vec<Shape>, DataSourceError>;

    /// Opens the source for one replica, drawing from its stream as Caffe does at this point.
    fn open(
        &mut self,
        layer: &LayerParameter,
        phase: Phase,
        rng: &mut Mt19937,
    ) -> Result<Box<dyn DataSource>, DataSourceError>;
}

/// Compiles `written`, whose `state` says phase, level and stages. The second value holds what Caffe
/// logs about layers left out.
pub fn compile(
    written: &NetParameter,
    opener: &mut dyn OpenSources,
    plan: MemoryPlan,
) -> Result<(Net, Vec<UnmetRule>), NetError> {
    let phase = match written.state().phase() {
        caffe_format::Phase::Train => Phase::Train,
        caffe_format::Phase::Test => Phase::Test,
    };
    let (filtered, unmet) = filter(written)?;
    let split = insert_splits(&filtered);
    let graph = graph::wire(&split, phase)?;
    let outputs = graph.outputs.clone();
    let (mut nodes, mut blobs) = shapes::infer(graph, opener)?;
    let params = params::assign(&mut nodes)?;
    needs::decide(&mut nodes, &params, split.force_backward());
    layouts::assign(&mut nodes, &mut blobs);
    if plan != MemoryPlan::KeepDiffs {
        fusion::fuse(&mut nodes, &mut blobs, plan);
        joining::join(&mut nodes, &mut blobs);
        fusion::place_masks(&mut nodes);
    }
    needs::mark_live(&nodes, &mut blobs);
    let buffers = memory::assign(&mut nodes, &mut blobs, &outputs, plan);
    let net = Net {
        name: written.name().into(),
        phase,
        written: split,
        filtered: filtered.layer,
        ready: backward::ready_prefixes(&nodes, &params),
        contributed: vec![false; params.len()],
        nodes,
        blobs,
        params,
        outputs,
        data: buffers.data.iter().map(|&len| Slab::zeros(len)).collect(),
        diff: buffers.diff.iter().map(|&len| Slab::zeros(len)).collect(),
        private: Slab::default(),
        plan,
    };
    Ok((net, unmet))
}
