//! What reports and model files need of a compiled net, kept apart from what runs; and what callers
//! may ask a net.

use std::sync::Arc;

use base::Shape;
use caffe_format::{LayerParameter, NetParameter, Phase};
use layers::LayerKind;

use crate::ids::ParamId;
use crate::memory::MemoryUse;
use crate::params::Param;
use crate::placed::{PlacedLayer, PlacedNet};
use crate::report::{LayerSummary, NetReport};
use crate::{Net, Precision, report};

/// A compiled net as its users know it: names, shapes, params and costs.
pub struct NetDescription {
    /// The net's name.
    pub name: String,
    /// Train or test.
    pub phase: Phase,
    /// One row per layer, in the order they run.
    pub rows: Vec<LayerSummary>,
    /// What Caffe logs while it builds the net.
    pub report: NetReport,
    /// Memory that one worker needs.
    pub memory: MemoryUse,
    /// Parameters in net order.
    pub params: Vec<Param>,
    /// The net as it is written into model files, without its layers.
    pub(crate) header: NetParameter,
    /// In the order they run.
    pub(crate) layers: Vec<LayerDescription>,
}

/// One layer of a [`NetDescription`].
pub(crate) struct LayerDescription {
    pub(crate) kind: &'static LayerKind,
    /// As written, with its phase; of a conversion, its name only.
    pub(crate) written: Arc<LayerParameter>,
    /// Inserted by a pass and not part of Caffe's net: a layout conversion.
    pub(crate) hidden: bool,
    /// Its params in Caffe's order, with the shapes that it declares.
    pub(crate) params: Vec<(ParamId, Shape)>,
    /// Whether each param's gradient is wanted.
    pub(crate) learn: Vec<bool>,
    /// Whether backward runs.
    pub(crate) backward: bool,
}

impl LayerDescription {
    fn new(layer: &PlacedLayer) -> Self {
        Self {
            kind: layer.kind,
            written: Arc::clone(&layer.written),
            hidden: layer.hidden,
            params: layer.params.clone(),
            learn: layer.learn.clone(),
            backward: layer.backward,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.written.name()
    }
}

impl NetDescription {
    /// Describes a placed net; `header` is what was written besides its layers.
    pub(crate) fn new(placed: &PlacedNet, phase: Phase, header: NetParameter) -> Self {
        Self {
            name: header.name().into(),
            phase,
            rows: report::rows(placed),
            report: report::report(placed),
            memory: placed.memory(),
            params: placed.params.iter().cloned().collect(),
            header,
            layers: placed.layers.iter().map(LayerDescription::new).collect(),
        }
    }
}

impl NetDescription {
    /// Layers that can be described but not run, by name and type, and the fork that runs them; of
    /// the first fork, if there were several.
    #[must_use]
    pub fn shapes_only(&self) -> Option<(&'static str, Vec<(&str, &'static str)>)> {
        let only = || self.layers.iter().filter(|layer| layer.kind.shapes_only);
        let fork = only().next()?.kind.fork;
        let of_fork = only().filter(|layer| layer.kind.fork == fork);
        Some((fork, of_fork.map(|layer| (layer.name(), layer.kind.name)).collect()))
    }

    /// Params whose gradients are ready once the layer of this name has run backward, in the order
    /// of the pool.
    #[must_use]
    pub fn gradients_of(&self, layer: &str) -> Vec<&Param> {
        let owned = self.params.iter().filter(|param| param.layer == layer);
        let mut learned: Vec<&Param> = owned.filter(|param| param.gradient.is_some()).collect();
        learned.sort_by_key(|param| param.gradient.as_ref().map(|range| range.start));
        learned
    }

    /// Items in a batch: the first axis of the first top of the first layer.
    #[must_use]
    pub fn batch_items(&self) -> usize {
        let top = self.rows.first().and_then(|row| row.tops.first());
        top.and_then(|shape| shape.dims().first().copied()).unwrap_or(0)
    }
}

impl Net {
    /// What it rounds to.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Layers that run, conversions included; the argument of the per-layer calls is below this.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layers.len()
    }

    /// Whether there are no layers at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// Whether the layer at `index` reads from a source.
    #[must_use]
    pub fn is_data(&self, index: usize) -> bool {
        self.layers[index].source.is_some() && self.layers[index].bottoms.is_empty()
    }

    /// Whether some layer writes to a sink: HDF5Output.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.layers.iter().any(|layer| layer.source.is_some() && !layer.bottoms.is_empty())
    }

    /// Whether a forward draws random numbers from the replica's stream.
    #[must_use]
    pub fn draws(&self) -> bool {
        self.layers.iter().any(|layer| layer.draws)
    }

    /// Layers whose forward depends on earlier ones in ways that no snapshot has.
    pub fn remembering(&self) -> impl Iterator<Item = &str> {
        let layers = self.layers.iter().zip(&self.description.layers);
        layers.filter(|(layer, _)| layer.remembers).map(|(_, is)| is.name())
    }

    /// Items in a batch: the first axis of the first top that a data layer (or any first layer)
    /// makes.
    #[must_use]
    pub fn batch_items(&self) -> usize {
        let layer = self.layers.iter().find(|l| l.source.is_some()).or(self.layers.first());
        let top = layer.and_then(|layer| layer.tops.first());
        top.and_then(|top| self.blobs[top.blob].shape.dims().first().copied()).unwrap_or(0)
    }

    /// Parameters in net order.
    #[must_use]
    pub fn params(&self) -> &[Param] {
        self.params.as_slice()
    }

    /// How much of the pool is ready once layer `index` has run backward: a prefix to which no
    /// remaining layer adds.
    #[must_use]
    pub fn ready_after(&self, index: usize) -> usize {
        self.ready[index]
    }

    /// The net's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// Train or test.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.description.phase
    }

    /// Name of the layer at `index`.
    #[must_use]
    pub fn layer_name(&self, index: usize) -> &str {
        self.description.layers[index].name()
    }

    /// Names of the data layers, in the order of their sources.
    #[must_use]
    pub fn source_names(&self) -> Vec<&str> {
        let layers = self.layers.iter().zip(&self.description.layers);
        layers.filter(|(layer, _)| layer.source.is_some()).map(|(_, is)| is.name()).collect()
    }

    /// What reports and model files need of this net, with the shapes it was compiled for.
    #[must_use]
    pub fn description(&self) -> &NetDescription {
        &self.description
    }

    /// Takes the description of another copy of this net, so that a job holds it once.
    pub fn share_description(&mut self, copy: &Self) {
        self.description = Arc::clone(&copy.description);
    }
}
