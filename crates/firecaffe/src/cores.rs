//! The cores of this process: which there are, how ranks, workers and threads are placed on them,
//! and who else uses them.

mod core_list;
mod pinned;
mod placement;
mod sharing;
mod topology;

pub(crate) use placement::{AskedPlacement, CorePlacement, Pin};
pub(crate) use sharing::SharedCores;
pub(crate) use topology::Topology;

use std::thread;

use crate::launch;

/// Cores that this process may run on, less what a control group takes away.
pub(crate) fn available() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The cores this rank is bound to; if it is bound to none, the machine's cores divided by the
/// ranks on it.
pub(crate) fn per_rank() -> usize {
    let ranks = if Topology::read().is_bound() { 1 } else { launch::ranks_here() };
    (available() / ranks.max(1)).max(1)
}
