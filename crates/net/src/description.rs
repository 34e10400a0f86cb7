//! What reports and model files need of a compiled net, kept apart from what runs.

use base::Shape;
use caffe_format::{LayerParameter, NetParameter, Phase};
use layers::LayerKind;

use crate::ids::ParamId;
use crate::memory::MemoryUse;
use crate::placed::{PlacedLayer, PlacedNet};
use crate::report::{LayerSummary, LayoutConversion, NetReport};
use crate::{Net, report};

/// A compiled net as its users know it: names, shapes, params and costs.
pub struct NetDescription {
    /// The net's name.
    pub name: String,
    /// Train or test.
    pub phase: Phase,
    /// The layers that remained after filtering, as written, splits left out.
    pub filtered: Vec<LayerParameter>,
    /// One row per layer, in the order they run.
    pub rows: Vec<LayerSummary>,
    /// Every conversion between memory orders, in the order they run.
    pub conversions: Vec<LayoutConversion>,
    /// What Caffe logs while it builds the net.
    pub report: NetReport,
    /// Memory that one worker needs.
    pub memory: MemoryUse,
    /// The filtered net with splits, as it is written into model files.
    pub(crate) split: NetParameter,
    /// In the order they run.
    pub(crate) layers: Vec<LayerDescription>,
}

/// One layer of a [`NetDescription`].
pub(crate) struct LayerDescription {
    pub(crate) kind: &'static LayerKind,
    /// As written, with its phase; of a conversion, its name only.
    pub(crate) written: LayerParameter,
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
            written: layer.written.clone(),
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
    /// Describes a placed net. `split` is `filtered` with splits, which the net was compiled from.
    pub(crate) fn new(
        placed: &PlacedNet,
        phase: Phase,
        filtered: NetParameter,
        split: NetParameter,
    ) -> Self {
        Self {
            name: split.name().into(),
            phase,
            filtered: filtered.layer,
            rows: report::rows(placed),
            conversions: report::conversions(placed),
            report: report::report(placed),
            memory: placed.memory(),
            split,
            layers: placed.layers.iter().map(LayerDescription::new).collect(),
        }
    }
}

impl Net {
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

    /// Whether anything of this net can be trained: it is in the train phase and some loss has
    /// params below.
    #[must_use]
    pub fn trains(&self) -> bool {
        let layers = &self.description.layers;
        self.phase() == Phase::Train && layers.iter().any(|layer| layer.backward)
    }
}
