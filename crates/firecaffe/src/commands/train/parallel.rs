//! Flags of `train` about replicas, workers and ranks.

use std::path::PathBuf;
use std::time::Duration;

use collective::AlgorithmChoice;
use exchange::compression::CompressionConfig;
use exchange::watch::SILENCE_MAX;
use exchange::wire::WireFormat;
use train::{BUCKET_BYTES, BatchMeaning, BatchNormState, JobConfig, Overlap};

use crate::cores::{self, AskedPlacement, CorePlacement, Neighbours, Pin, Topology};
use crate::options::{bytes_of_megabytes, megabytes, one_of, read_network, silence_max};

/// Most workers or replicas that can be asked for.
const COUNT_MAX: u64 = 4096;

/// Replicas and who runs them. The weights depend on the number of replicas, not on workers or
/// threads.
#[derive(Debug, clap::Args)]
pub(crate) struct ParallelArgs {
    /// Workers of this process: groups of threads that run replicas in parallel [default: 1; where
    /// `--replicas` can be divided so, one per NUMA node]
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u64).range(1..=COUNT_MAX))]
    workers: Option<u64>,
    /// Whether threads stay on the NUMA nodes of their worker: `auto`, unless the launcher bound
    /// this process, or `off`
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = one_of::<Pin>(Pin::NAMES))]
    pin: Pin,
    /// Replicas of the training step, each with its own batch [default: one per worker of every
    /// rank]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u64).range(1..=COUNT_MAX))]
    replicas: Option<u64>,
    /// Whether `batch_size` is that of each replica, as in Caffe, or of all replicas together
    #[arg(long, value_name = "WHOSE", default_value = "per-replica",
          value_parser = one_of::<BatchMeaning>(BatchMeaning::NAMES))]
    batch: BatchMeaning,
    /// Size of a bucket: gradients are summed once this many megabytes (10^6 bytes) are ready
    #[arg(long, value_name = "MB", default_value_t = BUCKET_BYTES as f64 / 1e6, value_parser = megabytes)]
    bucket_mb: f64,
    /// Whether gradients are summed during backward, or after it
    #[arg(long, value_name = "ON", default_value = "on",
          value_parser = one_of::<Overlap>(Overlap::NAMES))]
    overlap: Overlap,
    /// How gradients are summed: an algorithm, `auto` (the cheapest exact one), `auto-any`, or
    /// rules by size like "ring:1M-;direct:0-1M" (docs/algorithms.md). Between ranks; with one rank
    /// a named one runs between its workers, and `auto` is direct reads
    #[arg(long, value_name = "NAME", default_value = "auto")]
    allreduce: AlgorithmChoice,
    /// How gradients travel and are rounded in every sum: `f32`, or in half of its bytes `f16`
    /// (with a scale that adapts to overflow) or `bf16`. Default: as `--precision` rounds
    #[arg(long, value_name = "FORMAT")]
    wire: Option<&'static WireFormat>,
    /// Sum gradients with fewer bytes: NAME:KEY=VALUE,… with NAME `one-bit`, `power-sgd`,
    /// `sparse-chunks`, `threshold` or `top-k` (docs/scaling.md). Between ranks, or between the
    /// workers of one process if `--allreduce` names an algorithm. The weights then depend on the
    /// number of ranks
    #[arg(long, value_name = "NAME")]
    compression: Option<CompressionConfig>,
    /// Compress also where summing densely would take less time
    #[arg(long, requires = "compression")]
    compression_always: bool,
    /// Network parameters for `auto`, as saved by `bench network`
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Under `mpirun`: seconds without a heartbeat after which a rank is reported as lost
    #[arg(long, value_name = "SECONDS", default_value_t = SILENCE_MAX.as_secs_f64(), value_parser = silence_max)]
    silence_max: f64,
    /// Which BatchNorm statistics test, snapshot and hash use
    #[arg(long, value_name = "WHICH", default_value = "averaged",
          value_parser = one_of::<BatchNormState>(BatchNormState::NAMES))]
    batch_norm: BatchNormState,
    /// Allow replicas that are not a power of two per worker and rank, so that the weights differ
    /// from those of one worker
    #[arg(long)]
    inexact: bool,
}

impl ParallelArgs {
    pub(crate) fn silence_max(&self) -> Duration {
        Duration::from_secs_f64(self.silence_max)
    }

    /// A flag that these flags leave without effect, with the reason.
    pub(crate) fn without_effect(&self, launched: bool) -> Option<&'static str> {
        (self.network.is_some() && !launched).then_some(
            "`--network` has no effect on one rank: its workers read each other's memory, or run \
             the algorithm that `--allreduce` names",
        )
    }

    /// Where the threads of one of `world` ranks run; `threads` are those asked for.
    pub(crate) fn place(
        &self,
        threads: Option<usize>,
        world: usize,
        neighbours: Neighbours,
    ) -> CorePlacement {
        let asked = AskedPlacement {
            neighbours,
            workers: self.workers.map(count),
            threads,
            replicas: self.replicas.map(|replicas| count(replicas) / world),
            pin: self.pin,
            available: cores::available(),
        };
        CorePlacement::decide(&Topology::read(), &asked)
    }

    /// Puts the flags into `config`.
    pub(crate) fn apply(&self, config: JobConfig) -> anyhow::Result<JobConfig> {
        Ok(JobConfig {
            replicas: self.replicas.map(count),
            batch: self.batch,
            bucket_bytes: bytes_of_megabytes(self.bucket_mb),
            overlap: self.overlap,
            batch_norm: self.batch_norm,
            inexact: self.inexact,
            allreduce: self.allreduce.clone(),
            wire: self.wire.unwrap_or(config.wire),
            compression: self.compression.clone(),
            compression_always: self.compression_always,
            network: self.network.as_deref().map(read_network).transpose()?,
            ..config
        })
    }
}

fn count(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
