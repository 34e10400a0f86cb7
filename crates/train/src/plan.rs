//! The plan that sums gradients between the workers of one rank, if one was named, and whether the
//! sums of a job are exact.

use std::ops::Range;
use std::sync::Arc;

use exchange::{Exchange, ExchangeConfig};

use crate::{Job, JobConfig, PlacementProblem, Ranks, ReplicaPlacement, TrainError};

/// Prepares `ranks` for the sums that `config` asks for. An algorithm that cannot run is refused,
/// however replicas are placed.
pub(crate) fn configure_sums(config: &JobConfig, ranks: &Ranks) -> Result<(), TrainError> {
    if !ranks.are_several() && config.allreduce.named().iter().any(|named| named.is_library()) {
        return Err(PlacementProblem::MpiAlone.into());
    }
    ranks.configure(config).map_err(TrainError::Algorithm)
}

/// The workers' ends of the plan that was named, where it runs between the workers of one rank;
/// else none, and they read each other's pools.
pub(crate) fn worker_exchanges(config: &JobConfig, placement: ReplicaPlacement) -> Vec<Exchange> {
    let is_named = !config.allreduce.named().is_empty();
    if placement.ranks > 1 || placement.workers == 1 || !is_named {
        return Vec::new();
    }
    let exchange = ExchangeConfig {
        choice: config.allreduce.clone(),
        network: config.network.unwrap_or(ExchangeConfig::LOCAL.network),
        ..ExchangeConfig::LOCAL.with_wire(config.wire)
    };
    let links = transport::local::mesh(placement.workers, placement.workers).into_iter();
    links.map(|link| Exchange::new(Box::new(link), exchange.clone())).collect()
}

impl Job {
    /// Whether every bucket is summed by the canonical tree. The exchange is asked which algorithm
    /// it will use, so the answer holds for the network and wire format of this run.
    pub(crate) fn sums_exactly(&mut self) -> bool {
        let shared = Arc::clone(&self.shared);
        if shared.config.compression.is_some() {
            return false; // residuals depend on who sums what
        }
        let ReplicaPlacement { ranks, workers, .. } = shared.placement;
        let mut lens = shared.buckets.iter().map(Range::len);
        if ranks > 1 {
            return lens.all(|len| shared.ranks.algorithm(len).is_none_or(|a| a.is_exact(ranks)));
        }
        match self.workers[0].reduction.as_mut().and_then(|reduction| reduction.exchange.as_mut()) {
            Some(exchange) => lens.all(|len| exchange.algorithm(len).is_exact(workers)),
            None => true, // direct reads of the pools follow the tree
        }
    }
}
