//! Set-up of one replica: first values, sources, and the random numbers both take, in Caffe's order.

use base::Phase;
use base::random::Mt19937;
use layers::{DataSource, ParamDecl};
use tensor::Slab;

use crate::{Home, Net, NetError, OpenSources};

/// What one replica starts with.
pub struct Initial {
    /// Learned params in net order.
    pub params: Slab,
    /// Running params in net order.
    pub running: Slab,
    /// One source per data layer, in net order.
    pub sources: Vec<Box<dyn DataSource>>,
}

impl Net {
    /// Goes through set-up on the stream `rng`: layer by layer, a data layer opens its source and every
    /// other one fills its params. Shared params are drawn again by each layer that shares them, and
    /// the owner's values kept, as in Caffe.
    pub fn initialise(
        &mut self,
        rng: &mut Mt19937,
        opener: &mut dyn OpenSources,
    ) -> Result<Initial, NetError> {
        let mut initial = Initial {
            params: Slab::zeros(self.home_len(Home::Slab)),
            running: Slab::zeros(self.home_len(Home::Running)),
            sources: Vec::new(),
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
                    .open(&node.written, phase, rng)
                    .map_err(|source| NetError::Source { layer: layer(), source })?;
                initial.sources.push(source);
            }
            let mut draw = |decl: &ParamDecl| {
                let mut values = vec![0.0; decl.shape.count()];
                match layers::fill(&decl.filler, &decl.shape, rng, &mut values) {
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
                    Home::Slab => &mut initial.params,
                    Home::Running => &mut initial.running,
                    Home::Private => &mut self.private,
                };
                home[param.values.clone()].copy_from_slice(&values);
            }
            for decl in &node.layer.discarded() {
                draw(decl)?;
            }
        }
        Ok(initial)
    }

    /// Values of all params that live in `home`.
    #[must_use]
    pub fn home_len(&self, home: Home) -> usize {
        let ends = self.params.iter().filter(|p| p.home == home).map(|p| p.values.end);
        ends.max().unwrap_or(0)
    }
}
