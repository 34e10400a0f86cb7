//! What tells the snapshots of one run from those of another.

use caffe_format::text;
use snapshot::hash;

use crate::nets::SolverNets;
use crate::{JobConfig, ReplicaPlacement};

/// A hash of what a run is started with and what its weights depend on, as far as it is written
/// down: runs of the same configuration have the same, whatever their workers and ranks. A resumed
/// run takes that of its snapshot instead, so that a solver may change on the way.
pub(crate) fn run_id(config: &JobConfig, nets: &SolverNets, placement: ReplicaPlacement) -> u64 {
    let tests = nets.tests.iter().map(|test| &test.net);
    let mut all = text::write(&config.solver);
    for net in std::iter::once(&nets.train.net).chain(tests) {
        all += &text::write(net);
    }
    for weights in &config.weights {
        all += &format!("weights {}\n", weights.display());
    }
    let (replicas, batch, seed) = (placement.replicas, config.batch, config.seed);
    let (wire, precision) = (config.wire, config.precision);
    all += &format!("replicas {replicas} batch {batch} seed {seed} wire {wire} {precision}\n");
    if let Some(compression) = &config.compression {
        all += &format!("compression {compression}\n");
    }
    hash::hash(all.as_bytes())
}
