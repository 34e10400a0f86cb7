//! What is simulated: everything that `firecaffe train` can be told and that changes its time.

use collective::AlgorithmChoice;
use exchange::ByteSegmentation;
use exchange::compression::CompressionConfig;
use exchange::wire::WireFormat;

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
