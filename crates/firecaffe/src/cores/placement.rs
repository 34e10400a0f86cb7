//! Ranks, workers and threads on NUMA nodes and cores.
//!
//! Threads are pinned to nodes, not to cores: memory of another node is slow, another core of the
//! same node is not. So threads of one process never wait for one core while another is idle, and
//! two jobs on one machine do not choose the same cores. On a machine with one node nothing is
//! pinned. What a launcher has bound stays as it is.

use std::sync::Arc;

use train::{AnyCores, WorkerCores};

use super::core_list::CoreList;
use super::neighbours::Neighbours;
use super::pinned::PinnedWorkers;
use super::topology::Topology;
use crate::log::counted;

/// Whether threads are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pin {
    /// To the NUMA nodes of their worker, unless the launcher bound this process.
    Auto,
    /// Not at all.
    Off,
}

base::names!(pub(crate) Pin { Auto = "auto", Off = "off" });

/// What the flags and the launcher say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskedPlacement {
    /// Who else has these cores.
    pub(crate) neighbours: Neighbours,
    pub(crate) workers: Option<usize>,
    /// Of each worker.
    pub(crate) threads: Option<usize>,
    /// Replicas of this rank, if their number was given.
    pub(crate) replicas: Option<usize>,
    pub(crate) pin: Pin,
    /// Cores that a control group leaves to all ranks here; at most those that this one sees.
    pub(crate) available: usize,
}

/// Where the threads of this rank run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CorePlacement {
    ranks_here: usize,
    pub(crate) workers: usize,
    pub(crate) threads: usize,
    /// NUMA nodes of the rank's cores, and of the machine as far as this process may use it.
    nodes: usize,
    nodes_here: usize,
    /// The cores on which each worker stays; all are the same if nothing is pinned.
    of_workers: Vec<CoreList>,
    rank: CoreList,
    why: PinReason,
}

/// Why threads are pinned, or are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PinReason {
    Pinned,
    BoundByLauncher,
    OneNode,
    AllNodes,
    Crowded,
    Off,
}

impl CorePlacement {
    pub(crate) fn decide(topology: &Topology, asked: &AskedPlacement) -> Self {
        let all = topology.cores();
        let Neighbours { here, sharing, before } = asked.neighbours;
        let own = match sharing <= all.len() {
            true => &all[base::chunk(all.len(), sharing, before)],
            false => &all[..],
        };
        let nodes = topology.nodes_of(own);
        let workers = asked.workers.unwrap_or_else(|| default_workers(nodes.len(), asked.replicas));
        let cores = asked.neighbours.cores_each(all.len(), asked.available);
        let threads = asked.threads.unwrap_or((cores / workers).max(1));
        let rank: CoreList = nodes.iter().flat_map(|node| node.iter()).collect();
        // With a node each, or several workers on each; else all use all.
        let even = workers.is_multiple_of(nodes.len());
        let of_worker = |worker: usize| match even {
            true => nodes[worker * nodes.len() / workers].clone(),
            false => rank.clone(),
        };
        let of_workers: Vec<CoreList> = (0..workers).map(of_worker).collect();
        let crowded = of_workers.iter().any(|cores| {
            let sharing = of_workers.iter().filter(|other| *other == cores).count();
            sharing * threads > cores.len()
        });
        let why = match asked.pin {
            Pin::Off => PinReason::Off,
            Pin::Auto if topology.nodes.len() == 1 => match topology.is_bound() {
                true => PinReason::BoundByLauncher,
                false => PinReason::OneNode,
            },
            Pin::Auto if crowded => PinReason::Crowded,
            Pin::Auto if of_workers.iter().all(|cores| cores.len() == all.len()) => {
                PinReason::AllNodes
            }
            Pin::Auto => PinReason::Pinned,
        };
        let (nodes, nodes_here) = (nodes.len(), topology.nodes.len());
        Self { ranks_here: here, workers, threads, nodes, nodes_here, of_workers, rank, why }
    }

    /// Pins the calling thread, and those it will start, to the rank's nodes; what pins those of
    /// workers.
    pub(crate) fn apply(self) -> Arc<dyn WorkerCores> {
        if self.why != PinReason::Pinned {
            return Arc::new(AnyCores);
        }
        let workers = self.of_workers;
        let pinned = PinnedWorkers { rank: self.rank, workers };
        pinned.enter(usize::MAX);
        Arc::new(pinned)
    }

    /// The choice on one line.
    pub(crate) fn in_words(&self) -> String {
        let pinned = match self.why {
            PinReason::Pinned => {
                let lists: Vec<String> = self.of_workers.iter().map(ToString::to_string).collect();
                match lists.iter().all(|list| *list == lists[0]) {
                    true => "pinned to its nodes".to_owned(),
                    false => format!("workers pinned to cores {}", lists.join(" | ")),
                }
            }
            PinReason::BoundByLauncher => "bound by the launcher".to_owned(),
            PinReason::OneNode => "not pinned: one NUMA node".to_owned(),
            PinReason::AllNodes => "not pinned: every worker uses all nodes".to_owned(),
            PinReason::Crowded => "not pinned: more threads than cores".to_owned(),
            PinReason::Off => "not pinned: --pin off".to_owned(),
        };
        let spread = self.nodes > 1 && self.workers < self.nodes;
        let hint = match spread {
            true => format!(
                "; memory stays local with a rank per NUMA node, or --workers {} --replicas R",
                self.nodes
            ),
            false => String::new(),
        };
        format!(
            "placement: {} here x {} x {}; this rank on cores {} ({} of {}), {pinned}{hint}",
            counted(self.ranks_here, "rank"),
            counted(self.workers, "worker"),
            counted(self.threads, "thread"),
            self.rank,
            self.nodes,
            counted(self.nodes_here, "NUMA node"),
        )
    }
}

/// One worker per NUMA node where the replicas of this rank were given and can be divided so;
/// weights depend on the number of replicas, so the machine must not choose it.
fn default_workers(nodes: usize, replicas: Option<usize>) -> usize {
    let divides = |workers: &usize| replicas.is_some_and(|replicas| replicas % workers == 0);
    let powers = std::iter::successors(Some(1_usize), |power| Some(power * 2));
    powers.take_while(|&power| power <= nodes).filter(divides).last().unwrap_or(1)
}

#[cfg(test)]
mod tests;
