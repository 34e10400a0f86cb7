//! The cores of this process: which there are, how ranks, workers and threads are placed on them,
//! and who else uses them.

mod core_list;
mod neighbours;
mod pinned;
mod placement;
mod sharing;
mod topology;

pub(crate) use neighbours::Neighbours;
pub(crate) use placement::{AskedPlacement, CorePlacement, Pin};
pub(crate) use sharing::SharedCores;
pub(crate) use topology::Topology;

use std::thread;

/// Cores that this process may run on, less what a control group takes away.
pub(crate) fn available() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// This rank's part of them.
pub(crate) fn per_rank(neighbours: Neighbours) -> usize {
    neighbours.cores_each(Topology::read().cores().len(), available())
}
