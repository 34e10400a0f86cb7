//! The passes, in order.

use base::Shape;
use base::random::Mt19937;
use caffe_format::{LayerParameter, NetParameter, Phase};
use layers::{AddedLayers, DataSource, DataSourceError};

use crate::description::NetDescription;
use crate::filter::{UnmetRule, filter, state_in_words};
use crate::memory::MemoryPlan;
use crate::placed::PlacedNet;
use crate::splits::insert_splits;
use crate::{Net, NetError, Precision, allocate, graph, placed, shapes};

/// What a net gets from outside: batches for its data layers, and layer types beside those of the
/// table. `train` implements it over files; tests over vectors.
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

    /// Layer types of the program that embeds us.
    fn added_layers(&self) -> AddedLayers {
        AddedLayers::default()
    }
}

/// What is known about a net after its layers were filtered.
#[derive(Debug)]
pub struct FilteredNet {
    /// The layers that remain, as written.
    pub layers: Vec<LayerParameter>,
    /// What Caffe logs about those left out.
    pub unmet: Vec<UnmetRule>,
}

/// Compiles `written`, whose `state` says phase, level and stages. Layers of
/// [shapes only](layers::LayerKind::shapes_only) are an error, before any memory is allocated.
pub fn compile(
    written: &NetParameter,
    opener: &mut dyn OpenSources,
    plan: MemoryPlan,
    precision: Precision,
) -> Result<(Net, FilteredNet), NetError> {
    let (placed, description, filtered) = compile_placed(written, opener, plan, precision)?;
    check_runs(&description)?;
    Ok((allocate::allocate(placed, description), filtered))
}

/// Refuses layers of which only the shapes are known.
fn check_runs(net: &NetDescription) -> Result<(), NetError> {
    let Some((fork, layers)) = net.shapes_only() else { return Ok(()) };
    let named = layers.iter().map(|(name, kind)| format!("`{name}` ({kind})"));
    Err(NetError::ShapesOnly { layers: named.collect::<Vec<_>>().join(", "), fork })
}

/// Compiles `written` as far as it can be described, without allocating memory for its blobs.
pub fn describe(
    written: &NetParameter,
    opener: &mut dyn OpenSources,
    plan: MemoryPlan,
    precision: Precision,
) -> Result<(NetDescription, FilteredNet), NetError> {
    let (_, description, filtered) = compile_placed(written, opener, plan, precision)?;
    Ok((description, filtered))
}

/// All passes but the last.
pub(crate) fn compile_placed(
    written: &NetParameter,
    opener: &mut dyn OpenSources,
    plan: MemoryPlan,
    precision: Precision,
) -> Result<(PlacedNet, NetDescription, FilteredNet), NetError> {
    let phase = written.state().phase();
    let (filtered, unmet) = filter(written)?;
    if filtered.layer.is_empty() {
        let state = state_in_words(written.state());
        return Err(NetError::NoLayers { written: written.layer.len(), state });
    }
    let mut split = insert_splits(&filtered);
    let (layers, force_backward) = (std::mem::take(&mut split.layer), split.force_backward());
    let graph = graph::build(layers, opener.added_layers(), force_backward, phase)?;
    let shaped = shapes::infer(graph, opener)?;
    let placed = placed::place(shaped, plan, precision);
    let description = NetDescription::new(&placed, phase, split);
    Ok((placed, description, FilteredNet { layers: filtered.layer, unmet }))
}
