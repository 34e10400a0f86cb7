//! What a run reports about the sums of its gradients: how they travel, and which were not applied.

use serde::{Deserialize, Serialize};

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
