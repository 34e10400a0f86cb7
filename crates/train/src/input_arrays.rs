//! Values that a program sets in a net, and the end of a run for layers that write.

use layers::DataSource;
use net::Net;

use crate::worker::Worker;
use crate::{Job, Single, TrainError};

impl Single {
    /// Sets whole batches of the `MemoryData` layer called `layer`: values (N, C, H, W), and a
    /// label for each item. They are used over and over until others are set.
    pub fn set_input_arrays(
        &mut self,
        layer: &str,
        values: &[f32],
        labels: &[f32],
    ) -> Result<(), TrainError> {
        set_in(&self.net, &mut self.replica.sources, layer, values, labels)
    }

    /// Writes what HDF5Output layers still hold. Dropping does it too, but cannot say when it
    /// fails.
    pub fn finish(&mut self) -> Result<(), TrainError> {
        finish(&self.net, &mut self.replica.sources)
    }
}

impl Job {
    /// Sets whole batches of the `MemoryData` layer of the train net called `layer`, as
    /// [`Single::set_input_arrays`] does.
    pub fn set_input_arrays(
        &mut self,
        layer: &str,
        values: &[f32],
        labels: &[f32],
    ) -> Result<(), TrainError> {
        self.workers.iter_mut().try_for_each(|Worker { net, replicas, .. }| {
            let mut sources = replicas.iter_mut().map(|replica| &mut replica.sources);
            sources.try_for_each(|sources| set_in(net, sources, layer, values, labels))
        })
    }

    /// Writes what HDF5Output layers still hold.
    pub(crate) fn finish_sources(&mut self) -> Result<(), TrainError> {
        for test in &mut self.tests {
            let (net, sources) = test.net_and_sources();
            finish(net, sources)?;
        }
        self.workers.iter_mut().try_for_each(|Worker { net, replicas, .. }| {
            replicas.iter_mut().try_for_each(|replica| finish(net, &mut replica.sources))
        })
    }
}

pub(crate) fn set_in(
    net: &Net,
    sources: &mut [Box<dyn DataSource>],
    layer: &str,
    values: &[f32],
    labels: &[f32],
) -> Result<(), TrainError> {
    let names = net.source_names();
    let Some(index) = names.iter().position(|name| *name == layer) else {
        let known = names.into_iter().map(String::from).collect();
        return Err(TrainError::NoSource { layer: layer.into(), known });
    };
    sources[index]
        .set_input_arrays(values, labels)
        .map_err(|source| TrainError::Source { layer: layer.into(), source })
}

fn finish(net: &Net, sources: &mut [Box<dyn DataSource>]) -> Result<(), TrainError> {
    for (name, source) in net.source_names().into_iter().zip(sources) {
        source.finish().map_err(|source| TrainError::Source { layer: name.into(), source })?;
    }
    Ok(())
}
