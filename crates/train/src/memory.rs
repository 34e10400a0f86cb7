//! Whether a job or a net fits into memory, found out before any of it is allocated.
//!
//! Nets are described, which takes no memory of their blobs' size, and what all workers will need
//! is compared with the limit that the caller gives. Prefetched batches are not counted.

use std::fmt;

use base::megabytes;
use net::{MemoryPlan, MemoryUse, Precision, describe};
use serde::{Deserialize, Serialize};

use crate::nets::{NamedNet, SolverNets};
use crate::{FileSources, JobConfig, ReplicaPlacement, TrainError, WhichNet, matrix};

/// How much memory this process may still take, and what says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Bytes.
    pub bytes: usize,
    /// Who sets it.
    pub origin: LimitOrigin,
}

/// Memory that processes of one machine take theirs from together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPool {
    /// What it is.
    pub origin: LimitOrigin,
    /// The path of a control group: processes with the same path share it.
    pub group: String,
    /// Bytes that are left.
    pub bytes: u64,
}

/// What limits the memory of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LimitOrigin {
    /// What the machine has left.
    Machine,
    /// The control group of a container or batch job.
    ControlGroup,
    /// `RLIMIT_AS`, which `ulimit -v` sets.
    AddressSpace,
}

impl fmt::Display for LimitOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Machine => "this machine",
            Self::ControlGroup => "the control group of this container or job",
            Self::AddressSpace => "`ulimit -v`",
        })
    }
}

/// What a job or a net will need, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryNeed {
    /// Workers of this process.
    pub workers: usize,
    /// Their train nets and pools, and the params.
    pub nets: MemoryUse,
    /// The update rule's state.
    pub history: usize,
    /// Blobs and workspaces of the test nets, one copy of each per worker.
    pub tests: usize,
}

impl MemoryNeed {
    /// That of one net that runs by itself.
    fn of_net(nets: MemoryUse) -> Self {
        Self { workers: 1, nets, history: 0, tests: 0 }
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> usize {
        self.nets.total().saturating_add(self.history).saturating_add(self.tests)
    }

    fn check(self, limit: MemoryLimit) -> Result<(), TrainError> {
        if self.total() > limit.bytes {
            return Err(TrainError::Memory { need: self, limit });
        }
        Ok(())
    }
}

impl fmt::Display for MemoryNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.workers == 1 { "" } else { "s" };
        write!(f, "memory plan of {} worker{s}: ", self.workers)?;
        let beside = [("history", self.history), ("test nets", self.tests)];
        let beside = beside.into_iter().filter(|(_, bytes)| *bytes > 0);
        for (name, bytes) in self.nets.named().into_iter().chain(beside) {
            write!(f, "{name} {}, ", megabytes(bytes))?;
        }
        write!(f, "total {}", megabytes(self.total()))
    }
}

/// Refuses a job that does not fit; `histories` is how many values its rule keeps per param. The
/// bytes that it needs, for who needs more: 0 where nobody knows what there is.
pub(crate) fn check_job(
    config: &JobConfig,
    nets: &SolverNets,
    placement: ReplicaPlacement,
    histories: usize,
) -> Result<u64, TrainError> {
    if config.memory_limit.is_none() && config.memory_pools.is_empty() {
        return Ok(0);
    }
    let workers = placement.workers;
    let describe_net = |which, named: &NamedNet, plan| {
        let mut sources = config.shape_sources(&named.origin);
        memory_of(which, &named.net, (plan, config.precision), &mut sources)
    };
    let train = describe_net(WhichNet::Train, &nets.train, config.memory_plan())?;
    let mut need = MemoryNeed {
        workers,
        nets: train.of_workers(workers),
        history: train.params.saturating_mul(histories),
        tests: 0,
    };
    if workers > 1 {
        // The sum of the pools has memory of its own.
        need.nets.gradients = need.nets.gradients.saturating_add(train.gradients);
    }
    for (index, test) in nets.tests.iter().enumerate() {
        let test = describe_net(WhichNet::Test(index), test, MemoryPlan::ForwardOnly)?;
        let one = test.activations.saturating_add(test.workspace);
        need.tests = need.tests.saturating_add(one.saturating_mul(workers));
    }
    config.memory_limit.map_or(Ok(()), |limit| need.check(limit))?;
    Ok(need.total() as u64)
}

/// Refuses a net that does not fit by itself.
pub(crate) fn check_net(
    which: &WhichNet,
    written: &caffe_format::NetParameter,
    options: (MemoryPlan, Precision),
    sources: &mut FileSources,
    limit: MemoryLimit,
) -> Result<(), TrainError> {
    MemoryNeed::of_net(memory_of(which.clone(), written, options, sources)?).check(limit)
}

/// What `written` will need on one worker.
fn memory_of(
    which: WhichNet,
    written: &caffe_format::NetParameter,
    (plan, precision): (MemoryPlan, Precision),
    sources: &mut FileSources,
) -> Result<MemoryUse, TrainError> {
    let written = matrix::attach_matrices(written, sources.root().clone())?;
    let (net, _) = describe(&written, sources, plan, precision)
        .map_err(|source| TrainError::Net { which, source })?;
    Ok(net.memory)
}

#[cfg(test)]
mod tests;
