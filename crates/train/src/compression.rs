//! Compression in training: gradients are summed with fewer bytes, between ranks, or between the
//! workers of one process that a named plan connects.
//!
//! ```text
//!   Job::join     start_compression    checks rule and place, one Compressor per rank (worker)
//!                 restore_residuals    after a stop: loads them, or folds them into a gradient
//!                 decide_compression   rank 0 measures where compressing pays, and tells all
//!   Job::step     sync::BucketSums     sums buckets by the Compressor; sync states when
//!                 update_residuals     after a skipped step, or when the gradient scale changes
//!   snapshot      save_residuals       a file per rank (worker); their hashes go to the sidecar
//! ```
//!
//! With compression the same world gives the same weights; another world gives others.

mod decision;
mod residuals;

use std::sync::Arc;

use base::Rank;
use exchange::compression::{
    CompressionConfig, CompressionError, CompressionSetup, Compressor, MomentumSetup, MomentumUse,
    PoolLayout, PoolParam,
};
use net::Net;

pub(crate) use decision::CompressionDecision;
pub(crate) use residuals::restore_residuals;

use crate::sync::BucketSums;
use crate::{CompressionProblem, Job, TrainError};

/// Rules whose momentum a compression can correct.
const CORRECTED_RULES: &[&str] = &["SGD", "Nesterov"];
/// Rules whose history may stand still where nothing is applied.
const FROZEN_RULES: &[&str] = &["SGD", "Nesterov", "LARS"];

impl Job {
    /// Puts the compression that was asked for in the place of the all-reduces.
    pub(crate) fn start_compression(&mut self) -> Result<(), TrainError> {
        let Some(config) = self.shared.config.compression.clone() else { return Ok(()) };
        let world = self.compression_world().ok_or(CompressionProblem::Nowhere)?;
        self.check_rule(&config)?;
        let fresh = self.new_compressors(&config, world).map_err(CompressionProblem::from)?;
        for (sums, compressor) in self.bucket_sums_mut().zip(fresh) {
            *sums = BucketSums::compressed(compressor);
        }
        if config.kind().momentum == MomentumUse::Corrected {
            let shared = Arc::get_mut(&mut self.shared).expect("no step is running");
            shared.solver = shared.solver.with_corrected_momentum();
        }
        Ok(())
    }

    /// One for this rank, or for each worker.
    fn new_compressors(
        &self,
        config: &CompressionConfig,
        world: usize,
    ) -> Result<Vec<Compressor>, CompressionError> {
        let ranks: Vec<Rank> = match self.communicator {
            Some(_) => vec![self.rank()],
            None => (0..world).filter_map(|worker| Rank::new(worker, world)).collect(),
        };
        ranks.into_iter().map(|rank| config.build(&self.compression_setup(rank))).collect()
    }

    fn check_rule(&self, config: &CompressionConfig) -> Result<(), CompressionProblem> {
        let (compression, rule) = (config.kind().name, self.shared.solver.rule().name);
        let known = match config.kind().momentum {
            MomentumUse::Rule => return Ok(()),
            MomentumUse::FrozenWhereUnsent => FROZEN_RULES,
            MomentumUse::Corrected => CORRECTED_RULES,
        };
        if !known.contains(&rule) {
            return Err(CompressionProblem::Rule { compression, rule, known });
        }
        // It multiplies the history as a whole: not velocity inside residuals, nor frozen history.
        match self.shared.config.solver.momentum_correction() {
            true => Err(CompressionProblem::MomentumCorrection { compression }),
            false => Ok(()),
        }
    }

    /// What a compression on `rank` of any world must know of this job.
    fn compression_setup(&self, rank: Rank) -> CompressionSetup {
        let shared = &self.shared;
        CompressionSetup {
            layout: pool_layout(self.net()),
            buckets: shared.buckets.clone(),
            bucket_bytes: shared.config.bucket_bytes,
            rank,
            wire: shared.config.wire,
            momentum: MomentumSetup {
                value: shared.config.solver.momentum(),
                nesterov: shared.solver.rule().name == "Nesterov",
            },
            seed: u64::from(shared.config.seed),
            clock: Some(Arc::clone(&shared.clock)),
        }
    }

    /// How many ranks, or workers, sum over an exchange; `None` if workers read each other's pools.
    pub(crate) fn compression_world(&self) -> Option<usize> {
        if self.communicator.is_some() {
            return Some(self.rank().world());
        }
        let planned = |worker: &crate::worker::Worker| {
            worker.reduction.as_ref().is_some_and(|reduction| reduction.exchange.is_some())
        };
        self.workers.iter().all(planned).then_some(self.workers.len())
    }

    /// What sums buckets over an exchange: one between ranks, else one per worker.
    pub(crate) fn bucket_sums_mut(&mut self) -> impl Iterator<Item = &mut BucketSums> {
        let is_alone = self.communicator.is_none();
        let workers = self.workers.iter_mut().filter(move |_| is_alone);
        let workers = workers.filter_map(|worker| worker.reduction.as_mut());
        let communicator = self.communicator.iter_mut().map(|communicator| &mut communicator.sums);
        communicator.chain(workers.map(|reduction| &mut reduction.sums))
    }

    /// After a step: what was not applied counts as unsent, residuals follow the gradient scale,
    /// which was multiplied by `scaled`, and folded residuals have entered a gradient.
    pub(crate) fn update_residuals(&mut self, skipped: bool, scaled: f32) {
        if skipped && self.folded().is_some() {
            return self.restart_compression();
        }
        for sums in self.bucket_sums_mut() {
            let Some(compressor) = sums.compressor_mut() else { continue };
            if skipped {
                compressor.step_skipped();
            }
            if scaled != 1.0 {
                compressor.rescale(scaled);
            }
        }
        if !skipped {
            self.set_folded(Vec::new());
        }
    }

    /// What residuals of another world are still to add to a gradient that is applied. All ranks
    /// have some, or none has.
    fn folded(&self) -> Option<&[f32]> {
        let reduction = self.workers[0].reduction.as_ref()?;
        Some(&reduction.folded[..]).filter(|folded| !folded.is_empty())
    }

    fn set_folded(&mut self, folded: Vec<f32>) {
        if let Some(reduction) = &mut self.workers[0].reduction {
            reduction.folded = folded;
        }
    }

    /// Forgets all that was compressed so far: a step that was skipped had folded residuals in its
    /// gradient, and the next one has them again. A row keeps them for some params only.
    fn restart_compression(&mut self) {
        let Some(config) = self.shared.config.compression.clone() else { return };
        let world = self.compression_world().expect("it has started");
        let fresh = self.new_compressors(&config, world).expect("it was built before");
        self.bucket_sums_mut().zip(fresh).for_each(|(sums, fresh)| sums.restart(fresh));
    }
}

/// Where the gradients of `net`'s params are, as matrices with a row per output.
pub(crate) fn pool_layout(net: &Net) -> PoolLayout {
    let mut params: Vec<PoolParam> = (net.params().iter())
        .filter_map(|param| {
            let range = param.gradient.clone()?;
            let rows = param.shape.dims().first().copied().unwrap_or(1);
            let columns = range.len().checked_div(rows).unwrap_or(0);
            Some(PoolParam { range, rows, columns })
        })
        .collect();
    params.sort_by_key(|param| param.range.start);
    PoolLayout { params }
}
