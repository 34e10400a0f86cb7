//! Which algorithm sums gradients, where the choice is ours to check: between the workers of one
//! rank.

use collective::{AlgorithmChoice, Network};
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
    let config = exchange::ExchangeConfig { choice, ..exchange::ExchangeConfig::LOCAL };
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
    /// Whether gradients are summed by the canonical tree, whatever their size.
    pub(crate) fn sums_exactly(&self) -> bool {
        let ReplicaPlacement { ranks, workers, .. } = self.shared.placement;
        let world = if ranks > 1 { ranks } else { workers };
        let network = Network::GIGABIT;
        let sizes = (self.shared.buckets.iter()).map(|bucket| bucket.len() * size_of::<f32>());
        let choice = &self.shared.config.allreduce;
        world == 1
            || *choice == AlgorithmChoice::Auto
            || sizes.into_iter().all(|size| choice.algorithm(world, size, &network).is_exact(world))
    }
}
