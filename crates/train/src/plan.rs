//! Which algorithm sums gradients, where the choice is ours to check: between the workers of one
//! rank.

use std::ops::Range;
use std::sync::Arc;

use collective::AlgorithmChoice;
use exchange::Exchange;

use crate::{Job, JobConfig, ReplicaPlacement, TrainError};

/// The ends of the plan that was asked for by name between the workers of one rank; else none, and
/// they read each other's pools.
pub(crate) fn workers_plan(
    config: &JobConfig,
    placement: ReplicaPlacement,
) -> Result<Vec<Exchange>, TrainError> {
    let by_name = !matches!(config.allreduce, AlgorithmChoice::Auto | AlgorithmChoice::AutoAny);
    if placement.ranks > 1 || placement.workers == 1 || !by_name {
        return Ok(Vec::new());
    }
    if names(&config.allreduce).iter().any(|name| name == "mpi") {
        return Err(TrainError::MpiAlone);
    }
    let choice = config.allreduce.clone();
    let wire = config.wire;
    let config = exchange::ExchangeConfig { choice, ..exchange::ExchangeConfig::LOCAL };
    let config = config.with_wire(wire);
    let links = transport::local::mesh(placement.workers, placement.workers).into_iter();
    Ok(links.map(|link| Exchange::new(Box::new(link), config.clone())).collect())
}

/// Algorithms that a choice names.
fn names(choice: &AlgorithmChoice) -> Vec<String> {
    match choice {
        AlgorithmChoice::Auto | AlgorithmChoice::AutoAny => Vec::new(),
        AlgorithmChoice::Named(algorithm) => vec![algorithm.name().to_owned()],
        AlgorithmChoice::Rules(rules) => {
            rules.iter().map(|rule| rule.algorithm.name().to_owned()).collect()
        }
    }
}

impl Job {
    /// Whether every bucket is summed by the canonical tree. The exchange is asked which algorithm
    /// it will use, so the answer holds for the network and wire format of this run.
    pub(crate) fn sums_exactly(&mut self) -> bool {
        let shared = Arc::clone(&self.shared);
        let ReplicaPlacement { ranks, workers, .. } = shared.placement;
        let mut lens = shared.buckets.iter().map(Range::len);
        if ranks > 1 {
            return lens.all(|len| shared.ranks.algorithm(len).is_none_or(|a| a.is_exact(ranks)));
        }
        match self.workers[0].reduction.as_mut().and_then(|reduction| reduction.plan.as_mut()) {
            Some(plan) => lens.all(|len| plan.algorithm(len).is_exact(workers)),
            None => true, // direct reads of the pools follow the tree
        }
    }
}
