//! Which configuration to run: a search over algorithm, ranks × workers, bucket, wire format,
//! precision, compression and batch, with the reasons.
//!
//! ```text
//!   algorithms × divisions, two bucket sizes ─▶ the best three ─▶ buckets × formats × precisions ─▶ losses
//!                                                      ├────────▶ compressions × buckets
//!                                                      └────────▶ batches × the same
//! ```
//!
//! The search is greedy: all combinations would be thousands. Compressions and batches change what
//! is learned, and are answered apart.
//!
//! Cost: a ring of 512 ranks takes a tenth of a second per length. Lengths repeat: batches and
//! precisions change none.

mod losses;
mod search;
mod what_if;

#[cfg(test)]
mod tests;

pub use losses::TimeLosses;
pub use what_if::WhatIf;

use crate::cluster::ClusterDescription;
use crate::config::SimulationConfig;
use crate::error::SimulationError;
use crate::model::NetModel;
use crate::simulate::{IterationTime, Simulator};
use exchange::compression::CompressionConfig;
use exchange::wire::WireFormat;
use search::Search;

/// What the search may change besides algorithm, ranks × workers and bucket size.
#[derive(Debug, Clone)]
pub struct AdviceOptions {
    /// Wire formats; none: that of the base.
    pub wires: Vec<&'static WireFormat>,
    /// Precisions, as the cluster file names them; those without a speed are left out.
    pub precisions: Vec<String>,
    /// Compressions; they change what is learned, so they are listed apart.
    pub compressions: Vec<CompressionConfig>,
    /// Batches per device; listed apart like compressions.
    pub batches: Vec<usize>,
    /// How many configurations are wanted, with what each loses.
    pub shown: usize,
}

impl Default for AdviceOptions {
    /// Algorithm, ranks × workers and bucket size alone.
    fn default() -> Self {
        Self {
            wires: Vec::new(),
            precisions: Vec::new(),
            compressions: Vec::new(),
            batches: Vec::new(),
            shown: usize::MAX,
        }
    }
}

/// One configuration and what it reaches.
#[derive(Debug, Clone)]
pub struct AdvisedConfig {
    /// What to run.
    pub config: SimulationConfig,
    /// Where an iteration's time goes.
    pub time: IterationTime,
    /// Number of buckets.
    pub buckets: usize,
    /// Images per second on all ranks.
    pub images_per_s: f64,
}

/// A configuration and why it is not faster.
#[derive(Debug, Clone)]
pub struct ExplainedConfig {
    /// What to run, and what it reaches.
    pub found: AdvisedConfig,
    /// What it loses to what.
    pub losses: TimeLosses,
}

/// The answer.
#[derive(Debug, Clone)]
pub struct Advice {
    /// Configurations of the batch that was asked for, without compression, the best first.
    pub configs: Vec<ExplainedConfig>,
    /// The best with each compression, the best first.
    pub compressed: Vec<AdvisedConfig>,
    /// The best with each batch, in the order that was asked for.
    pub batches: Vec<AdvisedConfig>,
    /// What would help the best configuration, the most first.
    pub what_if: Vec<WhatIf>,
}

impl Advice {
    /// The fastest without compression.
    #[must_use]
    pub fn best(&self) -> &AdvisedConfig {
        &self.configs[0].found
    }
}

/// Searches around `base`, whose number of devices stays.
pub fn advise(
    cluster: &ClusterDescription,
    net: &NetModel,
    base: &SimulationConfig,
    options: &AdviceOptions,
) -> Result<Advice, SimulationError> {
    // Stragglers hardly change which configuration is best, but with them no collective is like
    // another: only what is shown meets them.
    let even = ClusterDescription { stragglers: None, ..cluster.clone() };
    let mut search = Search::new(&even, net);
    let found = search.dense(base, options)?;
    let kept = search::kept(&found);
    let mut compressed = Vec::new();
    for compression in &options.compressions {
        compressed.push(search.compressed(&kept, compression)?);
    }
    let mut batches = Vec::new();
    for &batch in &options.batches {
        batches.push(search.with_batch(&kept, batch, options)?);
    }
    let mut late = Simulator::new(cluster);
    let mut again = |found: Vec<AdvisedConfig>| -> Result<Vec<AdvisedConfig>, SimulationError> {
        match &cluster.stragglers {
            Some(_) => found.iter().map(|f| look(&mut late, net, &f.config)).collect(),
            None => Ok(found),
        }
    };
    let mut shown = again(found.into_iter().take(options.shown.max(1)).collect())?;
    let (mut compressed, batches) = (again(compressed)?, again(batches)?);
    sort(&mut shown);
    sort(&mut compressed);
    let what_if = what_if::what_if(cluster, net, &shown[0])?;
    let configs = losses::explain(cluster, net, shown)?;
    Ok(Advice { configs, compressed, batches, what_if })
}

/// Simulates one configuration.
fn look(
    simulator: &mut Simulator<'_>,
    net: &NetModel,
    config: &SimulationConfig,
) -> Result<AdvisedConfig, SimulationError> {
    let found = simulator.iteration(net, config)?;
    Ok(AdvisedConfig {
        config: config.clone(),
        time: found.time,
        buckets: found.buckets,
        images_per_s: config.global_batch() as f64 / found.time.total(),
    })
}

fn sort(configs: &mut [AdvisedConfig]) {
    configs.sort_by(|a, b| b.images_per_s.total_cmp(&a.images_per_s));
}
