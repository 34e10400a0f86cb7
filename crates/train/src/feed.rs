//! What a program hands to a net that runs, and the end of a run for layers that write.

use layers::Feed;
use net::Net;

use crate::{Job, Single, TrainError};

impl Single {
    /// Hands whole batches to the `MemoryData` layer called `layer`: values (N, C, H, W), and a label for
    /// each item. They come round until others are fed.
    pub fn feed(&mut self, layer: &str, values: &[f32], labels: &[f32]) -> Result<(), TrainError> {
        give(&self.net, &mut self.feeds, layer, values, labels)
    }

    /// Writes what HDF5Output layers still hold. Dropping does it too, but cannot say when it fails.
    pub fn finish(&mut self) -> Result<(), TrainError> {
        finish(&self.net, &mut self.feeds)
    }
}

impl Job {
    /// Hands whole batches to the `MemoryData` layer of the train net called `layer`, as
    /// [`Single::feed`] does.
    pub fn feed(&mut self, layer: &str, values: &[f32], labels: &[f32]) -> Result<(), TrainError> {
        for replica in &mut self.replicas {
            give(&self.workers[0].net, &mut replica.feeds, layer, values, labels)?;
        }
        Ok(())
    }

    /// The same for a layer of test net `test`.
    pub fn feed_test(
        &mut self,
        test: usize,
        layer: &str,
        values: &[f32],
        labels: &[f32],
    ) -> Result<(), TrainError> {
        let Some(test) = self.tests.get_mut(test) else {
            return Err(TrainError::NoFeed {
                layer: layer.into(),
                known: "no such test net".into(),
            });
        };
        let (net, feeds) = test.net_and_feeds();
        give(net, feeds, layer, values, labels)
    }

    /// Writes what HDF5Output layers still hold.
    pub(crate) fn finish_feeds(&mut self) -> Result<(), TrainError> {
        for test in &mut self.tests {
            let (net, feeds) = test.net_and_feeds();
            finish(net, feeds)?;
        }
        let net = &self.workers[0].net;
        self.replicas.iter_mut().try_for_each(|replica| finish(net, &mut replica.feeds))
    }
}

fn give(
    net: &Net,
    feeds: &mut [Box<dyn Feed>],
    layer: &str,
    values: &[f32],
    labels: &[f32],
) -> Result<(), TrainError> {
    let names = net.feed_names();
    let Some(index) = names.iter().position(|name| *name == layer) else {
        let known = if names.is_empty() { "none".into() } else { names.join(", ") };
        return Err(TrainError::NoFeed { layer: layer.into(), known });
    };
    feeds[index]
        .feed(values, labels)
        .map_err(|source| TrainError::Feed { layer: layer.into(), source })
}

fn finish(net: &Net, feeds: &mut [Box<dyn Feed>]) -> Result<(), TrainError> {
    for (name, feed) in net.feed_names().into_iter().zip(feeds) {
        feed.finish().map_err(|source| TrainError::Feed { layer: name.into(), source })?;
    }
    Ok(())
}
