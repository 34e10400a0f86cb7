//! Compiles a net again for the shapes that its first blobs have now.
//!
//! Layers follow new shapes as they run, but memory orders are decided when a net is compiled, and
//! a blob that gets or loses its fourth axis may need another. Params keep their places, so the
//! caller's slabs, pool and replica serve the new net too.

use base::Shape;
use base::random::Mt19937;
use caffe_format::{BlobShape, InputParameter, LayerParameter, NetParameter, Phase};
use layers::{AddedLayers, DataSource, DataSourceError, LayerObject};

use crate::executable::ExecutableLayer;
use crate::{MemoryPlan, Net, NetError, OpenSources, compile};

impl Net {
    /// The net as it was written, compiled for the present shapes of its Input layers' tops. Blobs
    /// begin as zeros; params are those of this net, and layers keep their objects. `added` is what
    /// this net was compiled with.
    pub fn recompile(&mut self, plan: MemoryPlan, added: AddedLayers) -> Result<Self, NetError> {
        let layers = self.structure();
        let shape = |blob: &usize| self.shape_at(*blob).clone();
        let written = layers.iter().map(|layer| match layer.kind {
            "Input" => {
                let shapes = layer.tops.iter().map(shape);
                let shape = shapes.map(|shape| blob_shape(&shape)).collect();
                let input_param = InputParameter { shape, ..InputParameter::default() };
                LayerParameter { input_param: Some(input_param), ..(*layer.written).clone() }
            }
            _ => (*layer.written).clone(),
        });
        let header = self.description.header.clone();
        let written = NetParameter { layer: written.collect(), ..header };
        let sources =
            layers.iter().filter(|layer| self.layers[layer.runs.end - 1].source.is_some());
        let known = sources
            .map(|layer| (layer.written.name().to_owned(), layer.tops.iter().map(shape).collect()));
        let mut known = KnownShapes { sources: known.collect(), added };
        let (mut net, _) = compile(&written, &mut known, plan, self.precision)?;
        for (new, old) in net.params.iter_mut().zip(self.params.iter()) {
            if new.shape.count() != old.shape.count() {
                let (got, want) = (new.shape.clone(), old.shape.clone());
                let (layer, index) = (old.layer.clone(), old.index);
                return Err(NetError::ParamReshaped { layer, index, got, want });
            }
            (new.storage, new.values) = (old.storage, old.values.clone());
            (new.gradient, new.shared_from) = (old.gradient.clone(), old.shared_from.clone());
        }
        net.private = self.private.clone();
        net.private_running = self.private_running.clone();
        net.contributed.iter_mut().zip(self.contributed.iter()).for_each(|(new, old)| *new = *old);
        let objects = |layers: &mut [ExecutableLayer]| -> Vec<LayerObject> {
            let objects = layers.iter_mut().filter_map(|layer| layer.layer.object());
            objects.map(std::mem::take).collect()
        };
        let mut kept = objects(&mut self.layers).into_iter();
        for object in net.layers.iter_mut().filter_map(|layer| layer.layer.object()) {
            *object = kept.next().flatten();
        }
        Ok(net)
    }
}

fn blob_shape(shape: &Shape) -> BlobShape {
    let dim = shape.dims().iter().map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX));
    BlobShape { dim: dim.collect(), ..BlobShape::default() }
}

/// Data layers whose sources are open already: what they announced, by name.
struct KnownShapes {
    sources: Vec<(String, Vec<Shape>)>,
    added: AddedLayers,
}

impl OpenSources for KnownShapes {
    fn shapes(&mut self, layer: &LayerParameter, _: Phase) -> Result<Vec<Shape>, DataSourceError> {
        let known = self.sources.iter().find(|(name, _)| name == layer.name());
        Ok(known.map(|(_, shapes)| shapes.clone()).unwrap_or_default())
    }

    fn added_layers(&self) -> AddedLayers {
        self.added
    }

    fn open(
        &mut self,
        _: &LayerParameter,
        _: Phase,
        _: &mut Mt19937,
    ) -> Result<Box<dyn DataSource>, DataSourceError> {
        Err(DataSourceError("the sources of a net that is compiled again are open".into()))
    }
}
