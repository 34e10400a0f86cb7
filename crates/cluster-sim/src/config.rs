//! What is simulated: everything that `firecaffe train` can be told and that changes its time.

use collective::AlgorithmChoice;
use exchange::compression::CompressionConfig;
use exchange::wire::WireFormat;
use exchange::{ByteSegmentation, ExchangeConfig};

/// When gradients are reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BucketRule {
    /// As training does it: in buckets of more than this many bytes.
    Bytes(usize),
    /// Every param by itself: what programs without fusion do.
    PerParam,
}

/// One configuration of a job on a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationConfig {
    /// Processes that exchange messages.
    pub ranks: usize,
    /// Devices of each, whose gradients are summed in memory before ranks exchange them.
    pub workers: usize,
    /// Images per iteration on one device.
    pub batch: usize,
    /// `f32` or `mixed`: which of the device's speeds counts.
    pub precision: String,
    /// Which algorithm sums which sizes.
    pub allreduce: AlgorithmChoice,
    /// How elements travel.
    pub wire: &'static WireFormat,
    /// How buckets are divided into messages.
    pub segmentation: ByteSegmentation,
    /// What replaces the reduction, if anything does.
    pub compression: Option<CompressionConfig>,
    /// When gradients are reduced.
    pub buckets: BucketRule,
    /// Whether gradients are reduced during backward, or after it.
    pub overlap: bool,
    /// Bytes of a record, if ranks exchange the records of their shards between epochs; 0 if not.
    pub record_bytes: usize,
    /// Whether ranks exchange losses and requests after the last bucket, as training does; programs
    /// of others do not.
    pub step_summary: bool,
    /// Iterations to average when devices straggle; without stragglers all are alike.
    pub iterations: usize,
}

impl SimulationConfig {
    /// As `train` does it without flags, on `ranks` ranks of one device with `batch` images each.
    #[must_use]
    pub fn new(ranks: usize, batch: usize, buckets: BucketRule) -> Self {
        Self {
            ranks,
            workers: 1,
            batch,
            precision: "f32".to_owned(),
            allreduce: AlgorithmChoice::Auto,
            wire: ExchangeConfig::MPI.wire,
            segmentation: ExchangeConfig::MPI.segmentation,
            compression: None,
            buckets,
            overlap: true,
            record_bytes: 0,
            step_summary: true,
            iterations: 1,
        }
    }

    /// Devices that take part.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.ranks.saturating_mul(self.workers)
    }

    /// Images per iteration on all devices.
    #[must_use]
    pub fn global_batch(&self) -> usize {
        self.devices() * self.batch
    }
}
