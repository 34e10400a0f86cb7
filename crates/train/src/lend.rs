//! Nets lent to a program that runs them layer by layer itself, with all that running needs.

use std::path::Path;
use std::sync::Arc;

use kernels::Cpu;
use net::{Net, Param, ParamStorage, ReplicaState};
use tensor::SharedSlab;

use crate::input_arrays::set_in;
use crate::worker::Worker;
use crate::{Job, Single, TrainError};

/// A net and what it runs with. The slabs may be kept, so that the values in them outlive the net.
pub struct LentNet<'a> {
    /// The net.
    pub net: &'a mut Net,
    /// What it computes with.
    pub cpu: &'a Cpu,
    /// Learned values, in net order.
    pub params: &'a Arc<SharedSlab>,
    /// Gradients, in the places that [`net::Param::gradient`] says.
    pub pool: &'a Arc<SharedSlab>,
    /// Running statistics, random stream and data sources.
    pub replica: &'a mut ReplicaState,
}

impl LentNet<'_> {
    /// Loads the params of layers that a model file has by the same name; the names of the file's
    /// layers that the net does not have.
    pub fn load(&mut self, file: &Path) -> Result<Vec<String>, TrainError> {
        let model = snapshot::load_model(file)?;
        let mut params = self.params.write(0..self.params.len());
        crate::weights::copy(self.net, &model, &mut params, &mut self.replica.running)
            .map_err(|source| TrainError::Weights { path: file.into(), source })
    }

    /// Sets whole batches of the `MemoryData` layer called `layer`, as
    /// [`Single::set_input_arrays`] does.
    pub fn set_input_arrays(
        &mut self,
        layer: &str,
        values: &[f32],
        labels: &[f32],
    ) -> Result<(), TrainError> {
        set_in(self.net, &mut self.replica.sources, layer, values, labels)
    }

    /// Copies the running statistics that `other` has of layers of the same name.
    pub fn copy_running(&mut self, other: &LentNet<'_>) {
        for number in 0..self.net.params().len() {
            let param = &self.net.params()[number];
            let is_same = |theirs: &&Param| {
                theirs.layer == param.layer
                    && theirs.index == param.index
                    && theirs.shape == param.shape
                    && theirs.storage == ParamStorage::Running
            };
            let found = other.net.params().iter().find(is_same);
            if let Some(values) = found.map(|theirs| &other.replica.running[theirs.values.clone()])
                && param.storage == ParamStorage::Running
            {
                self.net.set_running_values(number, values, &mut self.replica.running);
            }
        }
    }
}

impl Single {
    /// The net and what it runs with, in f32.
    pub fn lend(&mut self) -> LentNet<'_> {
        let Self { net, cpu, params, pool, replica, .. } = self;
        LentNet { net, cpu, params, pool, replica }
    }
}

impl Job {
    /// The train net of worker 0 with its first replica.
    pub fn lend_train_net(&mut self) -> LentNet<'_> {
        let Worker { net, cpu, replicas, .. } = &mut self.workers[0];
        let (params, pool) = (&self.shared.params, &self.shared.pools[0]);
        LentNet { net, cpu, params, pool, replica: &mut replicas[0] }
    }

    /// How many test nets there are.
    #[must_use]
    pub fn test_net_count(&self) -> usize {
        self.tests.len()
    }

    /// Lends test net `index` to `run`. Statistics are a copy of the train net's, whose random
    /// stream it draws from; there are no gradients of params.
    ///
    /// # Panics
    ///
    /// If there is no such net.
    pub fn lend_test_net<R>(
        &mut self,
        index: usize,
        run: impl FnOnce(LentNet<'_>) -> R,
    ) -> Result<R, TrainError> {
        let running = self.running()?;
        let worker = &mut self.workers[0];
        let (net, sources) = self.tests[index].net_and_sources_mut();
        let mut replica = ReplicaState {
            running,
            rng: worker.replicas[0].rng.clone(),
            sources: std::mem::take(sources),
            carried: Vec::new(),
            objects: Vec::new(),
        };
        let (params, pool) = (&self.shared.params, &self.no_gradients);
        let lent = LentNet { net, cpu: &worker.cpu, params, pool, replica: &mut replica };
        let result = run(lent);
        *sources = replica.sources;
        worker.replicas[0].rng = replica.rng;
        Ok(result)
    }
}
