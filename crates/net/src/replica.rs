//! What belongs to one replica, and its set-up: first values, data sources, and the random numbers
//! both take, in Caffe's order.

use base::random::Mt19937;
use layers::{DataSource, LayerObject, ParamDecl};
use tensor::Slab;

use crate::description::LayerDescription;
use crate::ids::ParamId;
use crate::{Net, NetError, OpenSources, ParamStorage};

/// The state of one replica. A worker that runs several replicas in turn runs its one net with the
/// state of each.
pub struct ReplicaState {
    /// Running params (BatchNorm's statistics), in net order.
    pub running: Slab,
    /// The random stream that dropout and `DummyData` draw from.
    pub rng: Mt19937,
    /// One source per data layer, in net order.
    pub sources: Vec<Box<dyn DataSource>>,
    /// What recurrent layers carry from batch to batch while another replica runs:
    /// `Net::swap_carried`.
    pub carried: Vec<Vec<f32>>,
    /// The same of layers that keep objects, in net order: those of this replica while another one
    /// runs.
    pub objects: Vec<LayerObject>,
}

impl ReplicaState {
    /// Opens the source of a data layer.
    fn open_source(
        &mut self,
        is: &LayerDescription,
        opener: &mut dyn OpenSources,
    ) -> Result<(), NetError> {
        let opened = opener.open(&is.written, is.written.phase(), &mut self.rng);
        let named = |source| NetError::Source { layer: is.name().to_owned(), source };
        self.sources.push(opened.map_err(named)?);
        Ok(())
    }
}

impl Net {
    /// Set-up of a replica whose random stream is `rng`; the learned params, in net order, and its
    /// state. Layer by layer, a data layer opens its source and every other one fills its params.
    /// Shared params are drawn again by each layer that shares them, and the owner's values kept,
    /// as in Caffe.
    pub fn initialise(
        &mut self,
        rng: Mt19937,
        opener: &mut dyn OpenSources,
    ) -> Result<(Slab, ReplicaState), NetError> {
        let mut params = Slab::zeros(self.storage_len(ParamStorage::Slab));
        let mut replica = ReplicaState {
            running: Slab::zeros(self.storage_len(ParamStorage::Running)),
            rng,
            sources: Vec::new(),
            carried: Vec::new(),
            objects: Vec::new(),
        };
        self.private.grow(self.storage_len(ParamStorage::Private));
        self.private_running.grow(self.storage_len(ParamStorage::PrivateRunning));
        for (exec, is) in self.layers.iter().zip(&self.description.layers) {
            let layer = || is.name().to_owned();
            if exec.source.is_some() {
                replica.open_source(is, opener)?;
            }
            let mut draw = |decl: &ParamDecl| {
                if let Some(values) = &decl.values {
                    return Ok(values.to_vec());
                }
                let mut values = vec![0.0; decl.shape.count()];
                match layers::fill(&decl.filler, &decl.shape, &mut replica.rng, &mut values) {
                    Ok(()) => Ok(values),
                    Err(e) => {
                        let kind = is.kind.name;
                        Err(NetError::Layer { layer: layer(), kind, source: e.into() })
                    }
                }
            };
            for (index, decl) in exec.layer.params().iter().enumerate() {
                let values = draw(decl)?;
                let param = &self.params[is.params[index].0];
                if param.layer != is.name() || param.index != index {
                    continue; // shared: its owner's values count
                }
                let memory = match param.storage {
                    ParamStorage::Slab => &mut params,
                    ParamStorage::Running => &mut replica.running,
                    ParamStorage::Private => &mut self.private,
                    ParamStorage::PrivateRunning => &mut self.private_running,
                };
                memory[param.values.clone()].copy_from_slice(&values);
            }
            for decl in &exec.layer.discarded() {
                draw(decl)?;
            }
        }
        if let Some(format) = self.precision.half() {
            // Never learned, so that they need no master copy.
            format.round(&mut self.private);
        }
        Ok((params, replica))
    }

    /// Set-up of a replica of a net that does not compute: data layers open their sources, and no
    /// param is drawn.
    pub fn open_sources(
        &self,
        rng: Mt19937,
        opener: &mut dyn OpenSources,
    ) -> Result<ReplicaState, NetError> {
        let (running, sources) = (Slab::default(), Vec::new());
        let (carried, objects) = (Vec::new(), Vec::new());
        let mut replica = ReplicaState { running, rng, sources, carried, objects };
        let layers = self.layers.iter().zip(&self.description.layers);
        for (_, is) in layers.filter(|(exec, _)| exec.source.is_some()) {
            replica.open_source(is, opener)?;
        }
        Ok(replica)
    }

    /// Whether a batch goes on from the one before.
    pub fn carries(&mut self) -> bool {
        self.layers.iter_mut().any(|layer| !layer.layer.carried().is_empty())
    }

    /// Makes the layers go on from what they carried and kept for `replica`. Recurrent state begins
    /// as zeros when it is not there or belongs to other shapes; a layer without an object for this
    /// replica keeps the one that it was compiled with, if no other replica has taken it.
    pub fn begin_replica(&mut self, replica: &mut ReplicaState) {
        self.swap_carried(&mut replica.carried);
        let objects = self.layers.iter_mut().filter_map(|layer| layer.layer.object());
        for (own, kept) in objects.zip(&mut replica.objects) {
            *own = kept.take();
        }
    }

    /// Gives `replica` what the layers carry and keep, after its batches.
    pub fn end_replica(&mut self, replica: &mut ReplicaState) {
        self.swap_carried(&mut replica.carried);
        let objects = self.layers.iter_mut().filter_map(|layer| layer.layer.object());
        for (index, own) in objects.enumerate() {
            if replica.objects.len() == index {
                replica.objects.push(None);
            }
            replica.objects[index] = own.take();
        }
    }

    fn swap_carried(&mut self, carried: &mut Vec<Vec<f32>>) {
        let own = self.layers.iter_mut().flat_map(|layer| layer.layer.carried());
        for (index, own) in own.enumerate() {
            if carried.len() == index {
                carried.push(Vec::new());
            }
            if carried[index].len() != own.len() {
                carried[index] = vec![0.0; own.len()];
            }
            std::mem::swap(own, &mut carried[index]);
        }
    }

    /// What the layer at `index` keeps, if it is one that keeps an object.
    pub fn layer_object(&mut self, index: usize) -> Option<&mut LayerObject> {
        self.layers[index].layer.object()
    }

    /// The first layer that computes with running statistics of `replica` that are all zero, so
    /// that no run and no model has ever set them.
    #[must_use]
    pub fn empty_statistics(&self, replica: &ReplicaState) -> Option<&str> {
        let is_zero = |&param: &ParamId| {
            let (param, own) = (&self.params[param], &self.private_running);
            let memory =
                if param.storage == ParamStorage::Running { &replica.running } else { own };
            memory[param.values.clone()].iter().all(|&value| value == 0.0)
        };
        let empty = self.layers.iter().position(|layer| {
            layer.reads_running && !layer.running.is_empty() && layer.running.iter().all(is_zero)
        });
        empty.map(|index| self.layer_name(index))
    }

    /// Values of all params that are in `storage`.
    fn storage_len(&self, storage: ParamStorage) -> usize {
        let ends = self.params.iter().filter(|p| p.storage == storage).map(|p| p.values.end);
        ends.max().unwrap_or(0)
    }
}
