//! From a job to a snapshot.

use caffe_format::{SolverParameterSnapshotFormat, SolverState, text};
use net::{Home, Param};
use snapshot::{Batch, Format, Replica, RunState, Snapshot, Statistics, hash};
use tensor::Slab;

use crate::{Event, Job};

impl Job {
    /// Writes a snapshot of the present state. A full disk is reported, not fatal: the previous
    /// snapshot is intact and training goes on.
    pub(crate) fn snapshot(&mut self, events: &mut dyn FnMut(Event)) {
        let prefix = self.config.root.join(self.config.solver.snapshot_prefix());
        let format = match self.config.solver.snapshot_format() {
            SolverParameterSnapshotFormat::Binaryproto => Format::Binary,
            SolverParameterSnapshotFormat::Hdf5 => Format::Hdf5,
        };
        let snapshot =
            Snapshot { model: self.model(), state: self.solver_state(), run: self.run_state() };
        match snapshot::save(&prefix.to_string_lossy(), format, snapshot) {
            Ok(names) => {
                events(Event::SnapshotWritten { model: names.model, state: names.state });
            }
            Err(error) => events(Event::SnapshotFailed(crate::chain(&error))),
        }
    }

    /// Caffe's part: iteration and history, a blob for every param in net order.
    fn solver_state(&self) -> SolverState {
        let blob = |slab: &Slab, param: &Param| {
            let values = match param.home {
                Home::Slab => slab[param.values.clone()].to_vec(),
                Home::Running | Home::Private => vec![0.0; param.values.len()],
            };
            snapshot::blob::pack(&param.shape, values)
        };
        let params = self.worker.net.params();
        SolverState {
            iter: Some(i32::try_from(self.iter).unwrap_or(i32::MAX)),
            current_step: Some(
                i32::try_from(self.solver.rates.current_step(self.iter.saturating_sub(1)))
                    .unwrap_or(i32::MAX),
            ),
            history: (self.history.iter())
                .flat_map(|slab| params.iter().map(move |param| blob(slab, param)))
                .collect(),
            ..SolverState::default()
        }
    }

    /// Our part: where data and random numbers are.
    fn run_state(&self) -> RunState {
        let named = |name: &str, feed: &dyn layers::Feed| (name.to_owned(), feed.state());
        let mut feeds: Vec<_> = (self.worker.net.feed_names().into_iter())
            .zip(&self.replica.feeds)
            .map(|(name, feed)| named(name, feed.as_ref()))
            .collect();
        for (index, test) in self.tests.iter().enumerate() {
            let names = test.net.feed_names();
            let tests = names.into_iter().zip(&test.feeds);
            feeds.extend(
                tests.map(|(name, feed)| named(&test_feed_name(index, name), feed.as_ref())),
            );
        }
        let running = self.worker.net.params().iter().filter(|p| p.home == Home::Running);
        let statistics = running
            .map(|param| Statistics {
                layer: param.layer.clone(),
                blob: u32::try_from(param.index).unwrap_or(u32::MAX),
                values: self.replica.running[param.values.clone()].to_vec(),
            })
            .collect();
        RunState {
            seed: self.config.solver.random_seed(),
            batch: Batch::PerReplica,
            solver_hash: hash::hash(text::write(&self.config.solver).as_bytes()),
            replicas: vec![Replica {
                feeds,
                random: self.replica.rng.state(),
                statistics,
                extra: Vec::new(),
            }],
            extra: Vec::new(),
        }
    }
}

/// The name a test net's data layer goes by among the feeds of a snapshot.
pub(crate) fn test_feed_name(net: usize, layer: &str) -> String {
    format!("test {net}/{layer}")
}
