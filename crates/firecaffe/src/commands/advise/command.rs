//! The command line that runs an advised configuration.

use std::fmt;

use cluster_sim::{AdvisedConfig, BucketRule, SimulationConfig};
use exchange::wire::{F32, WireFormat};

use super::super::simulate::ClusterJob;

/// Folder of the solver for another batch.
const SCALED: &str = "scaled";

/// Lines of a shell.
pub(super) struct CommandLine<'a> {
    pub(super) found: &'a AdvisedConfig,
    pub(super) job: &'a ClusterJob,
    pub(super) solver: &'a str,
}

/// Megabytes of a bucket, as `--bucket-mb` takes them.
pub(super) fn bucket_mb(config: &SimulationConfig) -> f64 {
    match config.buckets {
        BucketRule::Bytes(bytes) => bytes as f64 / 1e6,
        BucketRule::PerParam => 0.0,
    }
}

impl fmt::Display for CommandLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { found, job, solver } = self;
        let config = &found.config;
        let is_scaled = config.batch != job.own_batch();
        if is_scaled {
            let batch = config.global_batch();
            writeln!(
                f,
                "firecaffe solver scale --solver {solver} --batch-size {batch} --out {SCALED}"
            )?;
        }
        if config.ranks > 1 {
            let per_node = (job.cluster.devices_per_node / config.workers).max(1);
            let ranks = config.ranks;
            write!(f, "mpirun -n {ranks} --map-by ppr:{per_node}:node --bind-to none ")?;
        }
        match is_scaled {
            true => {
                write!(f, "firecaffe train --solver {SCALED}/solver.prototxt --batch global")?;
            }
            false => write!(f, "firecaffe train --solver {solver}")?,
        }
        if config.workers > 1 {
            write!(f, " --workers {}", config.workers)?;
        }
        write!(f, " --allreduce {} --bucket-mb {}", config.allreduce, bucket_mb(config))?;
        let mixed = (config.precision != "f32").then(|| job.mixed_precision());
        if let Some(precision) = mixed {
            write!(f, " --precision {precision}")?;
        }
        // Without the flag gradients travel as `--precision` rounds.
        let default: &WireFormat = if mixed.is_some() { job.half_wire() } else { F32 };
        if config.wire != default {
            write!(f, " --wire {}", config.wire)?;
        }
        match &config.compression {
            Some(compression) => write!(f, " --compression {compression}"),
            None => Ok(()),
        }
    }
}
