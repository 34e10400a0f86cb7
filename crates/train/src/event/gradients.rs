//! What a run reports about the sums of its gradients: how they travel, and which were not applied.

use serde::{Deserialize, Serialize};

use crate::SumTraffic;

/// One thing about the sums of gradients.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum GradientEvent {
    /// They do not travel as `f32`; before the first iteration.
    Wire {
        /// The wire format.
        wire: String,
        /// What they are multiplied by; `None` if the format has all exponents.
        scale: Option<f32>,
    },
    /// A resumed run uses another wire format than the snapshot's: its weights will differ from
    /// those of a run without a stop.
    WireChanged {
        /// In the snapshot.
        saved: String,
        /// Of this run.
        now: String,
    },
    /// Where compressing pays; before the first iteration.
    Compression {
        /// With all options.
        compression: String,
        /// Whether each bucket is compressed.
        compressed: Vec<bool>,
        /// Who decided.
        origin: DecisionOrigin,
    },
    /// An option of the compression that this net cannot follow.
    CompressionNotice {
        /// In words.
        text: String,
    },
    /// Residuals of another world or compression go into the first gradient.
    ResidualsFolded {
        /// The compression of the snapshot.
        compression: String,
        /// Ranks, or workers, that had residuals.
        world: usize,
    },
    /// The sums of an iteration, if anything was sent.
    Exchanged {
        /// The iteration.
        iter: u64,
        /// Of this rank.
        traffic: SumTraffic,
    },
    /// A sum overflowed: no weight was written, and the scale was halved.
    StepSkipped {
        /// The iteration.
        iter: u64,
        /// The scale from here on.
        scale: f32,
    },
    /// No sum has overflowed for long: the scale was doubled.
    ScaleDoubled {
        /// The iteration.
        iter: u64,
        /// The scale from here on.
        scale: f32,
    },
    /// At the end of a run whose gradients are scaled.
    StepsSkipped {
        /// Steps that were skipped since the first iteration, before a resume too.
        skipped: u64,
        /// Iterations done.
        done: u64,
        /// The scale in the end.
        scale: f32,
    },
}

/// Who decided which buckets are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum DecisionOrigin {
    /// Rank 0, before the first iteration.
    Measured {
        /// What a rank sends while it receives as much, in 10^9 bytes a second.
        bandwidth_gbs: f64,
        /// What it encodes and decodes.
        codec_gbs: f64,
    },
    /// The run that wrote the snapshot.
    Snapshot,
    /// The caller: all buckets are compressed.
    Always,
}
