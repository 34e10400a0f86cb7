//! What belongs to one replica, and its set-up: first values, data sources, and the random numbers
//! both take, in Caffe's order.

use base::Phase;
use base::random::Mt19937;
use layers::{DataSource, ParamDecl};
use tensor::Slab;

use crate::{Home, Net, NetError, OpenSources};

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
    /// [`Net::swap_carried`].
    pub carried: Vec<Vec<f32>>,
}

impl Net {
    /// Set-up of a replica whose random stream is `rng`; the learned params, in net order, and its
    /// state. Layer by layer, a data layer opens its source and every other one fills its params.
    /// Shared params are drawn again by each layer that shares them, and the owner's values kept, as
    /// in Caffe.
    pub fn initialise(
        &mut self,
        rng: Mt19937,
        opener: &mut dyn OpenSources,
    ) -> Result<(Slab, ReplicaState), NetError> {
        let mut params = Slab::zeros(self.home_len(Home::Slab));
        let mut replica = ReplicaState {
            running: Slab::zeros(self.home_len(Home::Running)),
            rng,
            sources: Vec::new(),
            carried: Vec::new(),
        };
        self.private.grow(self.home_len(Home::Private));
        for node in &self.nodes {
            let layer = || node.written.name().to_owned();
            if node.source.is_some() {
                let phase = match node.written.phase() {
                    caffe_format::Phase::Train => Phase::Train,
                    caffe_format::Phase::Test => Phase::Test,
                };
                let source = opener
                    .open(&node.written, phase, &mut replica.rng)
                    .map_err(|source| NetError::Source { layer: layer(), source })?;
                replica.sources.push(source);
            }
            let mut draw = |decl: &ParamDecl| {
                let mut values = vec![0.0; decl.shape.count()];
                match layers::fill(&decl.filler, &decl.shape, &mut replica.rng, &mut values) {
                    Ok(()) => Ok(values),
                    Err(e) => {
                        let kind = node.kind.name;
                        Err(NetError::Layer { layer: layer(), kind, source: e.into() })
                    }
                }
            };
            for (index, decl) in node.layer.params().iter().enumerate() {
                let values = draw(decl)?;
                let param = &self.params[node.params[index]];
                if param.layer != node.written.name() || param.index != index {
                    continue; // shared: its owner's values count
                }
                let home = match param.home {
                    Home::Slab => &mut params,
                    Home::Running => &mut replica.running,
                    Home::Private => &mut self.private,
                };
                home[param.values.clone()].copy_from_slice(&values);
            }
            for decl in &node.layer.discarded() {
                draw(decl)?;
            }
        }
        Ok((params, replica))
    }

    /// Values of all params that live in `home`.
    #[must_use]
    pub fn home_len(&self, home: Home) -> usize {
        let ends = self.params.iter().filter(|p| p.home == home).map(|p| p.values.end);
        ends.max().unwrap_or(0)
    }
}
