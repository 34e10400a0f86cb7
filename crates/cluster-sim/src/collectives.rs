//! How long collectives take on a cluster. Of those that all ranks begin together, each length is
//! simulated once; several at a time, since they do not depend on each other.

use crate::cluster::ClusterDescription;
use crate::config::SimulationConfig;
use crate::engine::{self, NetworkModel};
use crate::error::SimulationError;
use crate::program::{CollectiveProgram, ElementCost};
use collective::{Algorithm, AlgorithmChoice};
use exchange::ByteSegmentation;
use exchange::compression::PlannedCollective;
use exchange::wire::{self, WireFormat};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What decides how long a collective takes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CollectiveKey {
    ranks: usize,
    workers: usize,
    what: CollectiveShape,
    segment_bytes: usize,
    lanes: usize,
}

/// What a collective moves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CollectiveShape {
    AllReduce { algorithm: String, values: usize, element_bytes: usize, converts: bool },
    AllGatherV(Vec<usize>),
    AllToAllV(Vec<usize>),
}

/// Times of the collectives of one cluster.
pub(crate) struct CollectiveTimes<'a> {
    cluster: &'a ClusterDescription,
    /// Seconds until the last rank has ended.
    known: BTreeMap<CollectiveKey, f64>,
}

impl<'a> CollectiveTimes<'a> {
    pub(crate) fn new(cluster: &'a ClusterDescription) -> Self {
        Self { cluster, known: BTreeMap::new() }
    }

    /// Seconds of a collective that all ranks begin together.
    pub(crate) fn seconds(
        &mut self,
        collective: &PlannedCollective,
        config: &SimulationConfig,
    ) -> Result<f64, SimulationError> {
        self.learn([collective].into_iter(), config)?;
        let known = self.known.get(&self.key(collective, config));
        Ok(known.copied().unwrap_or(0.0)) // alone nothing is exchanged
    }

    /// Simulates those of `collectives` that are not known. How many threads there are changes
    /// nothing but the time that this takes.
    pub(crate) fn learn<'c>(
        &mut self,
        collectives: impl Iterator<Item = &'c PlannedCollective>,
        config: &SimulationConfig,
    ) -> Result<(), SimulationError> {
        if config.ranks == 1 {
            return Ok(());
        }
        let keyed = collectives.map(|collective| (self.key(collective, config), collective));
        let mut unknown: BTreeMap<_, _> = keyed.collect();
        unknown.retain(|key, _| !self.known.contains_key(key));
        let threads = thread::available_parallelism().map_or(1, usize::from).min(unknown.len());
        let (waiting, found) = (Mutex::new(unknown.into_iter()), Mutex::new(Vec::new()));
        let work = || {
            let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some((key, collective)) = next() {
                let ends = self.ends(collective, config, &vec![0.0; config.ranks]);
                let seconds = ends.map(|ends| ends.into_iter().fold(0.0, f64::max));
                found.lock().unwrap_or_else(PoisonError::into_inner).push((key, seconds));
            }
        };
        thread::scope(|scope| {
            (1..threads).for_each(|_| _ = scope.spawn(work));
            work();
        });
        for (key, seconds) in found.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.known.insert(key, seconds?);
        }
        Ok(())
    }

    fn key(&self, collective: &PlannedCollective, config: &SimulationConfig) -> CollectiveKey {
        let ByteSegmentation { segment_bytes, lanes } = config.segmentation;
        let what = shape(collective, config, self.cluster);
        CollectiveKey { ranks: config.ranks, workers: config.workers, what, segment_bytes, lanes }
    }

    /// When each rank has ended a collective that it begins at `begins[rank]`.
    pub(crate) fn ends(
        &self,
        collective: &PlannedCollective,
        config: &SimulationConfig,
        begins: &[f64],
    ) -> Result<Vec<f64>, SimulationError> {
        let network = NetworkModel::new(self.cluster, config.ranks, config.workers);
        let program = program(collective, config, self.cluster)?;
        Ok(engine::run(&network, &program, begins))
    }
}

/// The algorithm and format of a sum.
fn sum_of<'c>(
    collective: &PlannedCollective,
    config: &'c SimulationConfig,
    cluster: &ClusterDescription,
) -> (Algorithm, &'c WireFormat) {
    match collective {
        PlannedCollective::AllReduce { values } => {
            let bytes = values * config.wire.element_bytes;
            let choice: &AlgorithmChoice = &config.allreduce;
            (choice.algorithm(config.ranks, bytes, &cluster.network()), config.wire)
        }
        _ => (Algorithm::reduction_tree(), wire::F32),
    }
}

fn shape(
    collective: &PlannedCollective,
    config: &SimulationConfig,
    cluster: &ClusterDescription,
) -> CollectiveShape {
    match collective {
        PlannedCollective::AllReduce { values } | PlannedCollective::Sum { values } => {
            let (algorithm, format) = sum_of(collective, config, cluster);
            CollectiveShape::AllReduce {
                algorithm: algorithm.name().to_owned(),
                values: *values,
                element_bytes: format.element_bytes,
                converts: format.conversion.is_some(),
            }
        }
        PlannedCollective::AllGatherV { lens } => CollectiveShape::AllGatherV(lens.clone()),
        PlannedCollective::AllToAllV { outgoing } => CollectiveShape::AllToAllV(outgoing.clone()),
    }
}

fn program(
    collective: &PlannedCollective,
    config: &SimulationConfig,
    cluster: &ClusterDescription,
) -> Result<CollectiveProgram, SimulationError> {
    let segmentation = config.segmentation;
    match collective {
        PlannedCollective::AllReduce { values } | PlannedCollective::Sum { values } => {
            let (algorithm, format) = sum_of(collective, config, cluster);
            let element =
                ElementCost { bytes: format.element_bytes, converts: format.conversion.is_some() };
            let segmentation = segmentation.in_elements(format.element_bytes);
            let program = CollectiveProgram::all_reduce(
                &algorithm,
                config.ranks,
                *values,
                segmentation,
                element,
            );
            program.ok_or(SimulationError::NoPlan { algorithm })
        }
        PlannedCollective::AllGatherV { lens } => {
            Ok(CollectiveProgram::all_gather_v(lens, segmentation.in_elements(1)))
        }
        PlannedCollective::AllToAllV { outgoing } => {
            Ok(CollectiveProgram::all_to_all_v(outgoing, segmentation.in_elements(1)))
        }
    }
}
