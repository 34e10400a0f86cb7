//! Flags of `train` about replicas and workers.

use std::thread;

use clap::ValueEnum;
use train::{BUCKET_BYTES, BatchMeaning, BatchNormState, Config, Overlap};

/// Most workers or replicas that can be asked for.
const COUNT_MAX: u64 = 4096;

/// Who runs what. The weights depend on the number of replicas, not on that of workers or threads.
#[derive(Debug, clap::Args)]
pub(crate) struct Parallel {
    /// Workers: thread groups that train replicas side by side
    #[arg(long, value_name = "W", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=COUNT_MAX))]
    pub(crate) workers: u64,
    /// Replicas of the training step, each with a batch of its own [default: one a worker]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u64).range(1..=COUNT_MAX))]
    replicas: Option<u64>,
    /// Whose `batch_size` is: each replica's, as in Caffe, or that of all together
    #[arg(long, value_name = "WHOSE", default_value = "per-replica")]
    batch: Batch,
    /// Sum gradients once this many megabytes wait (10^6 bytes)
    #[arg(long, value_name = "MB", default_value_t = BUCKET_BYTES as f64 / 1e6)]
    bucket_mb: f64,
    /// Whether gradients are summed while backward goes on
    #[arg(long, value_name = "ON", default_value = "on")]
    overlap: Switch,
    /// Which BatchNorm statistics test, snapshot and hash use
    #[arg(long, value_name = "WHICH", default_value = "averaged")]
    batch_norm: Statistics,
    /// Go on even where the weights would not be those of one worker
    #[arg(long)]
    inexact: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Batch {
    PerReplica,
    Global,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Statistics {
    Averaged,
    Replica0,
}

impl Parallel {
    /// Puts the flags into `config`, whose threads are divided among the workers unless they were
    /// asked for.
    pub(crate) fn apply(&self, config: Config, threads_asked: bool) -> Config {
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let workers = count(self.workers);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let share = base::chunk(cores, workers, 0).len().max(1);
        Config {
            workers,
            replicas: self.replicas.map(count),
            batch: match self.batch {
                Batch::PerReplica => BatchMeaning::PerReplica,
                Batch::Global => BatchMeaning::Global,
            },
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "saturating is the intent"
            )]
            bucket_bytes: (self.bucket_mb * 1e6) as usize,
            overlap: match self.overlap {
                Switch::On => Overlap::DuringBackward,
                Switch::Off => Overlap::AfterBackward,
            },
            batch_norm: match self.batch_norm {
                Statistics::Averaged => BatchNormState::Averaged,
                Statistics::Replica0 => BatchNormState::Replica0,
            },
            inexact: self.inexact,
            threads: if threads_asked { config.threads } else { share },
            ..config
        }
    }
}
