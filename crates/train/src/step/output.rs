//! What an iteration gives: the one output type of a step.

use std::ops::Range;
use std::time::Duration;

use net::{DebugValue, Output};
use solver::Clipped;

use super::StepError;
use crate::Request;
use crate::sync::StepSync;

/// What one iteration gave, on this rank.
#[derive(Debug, Default)]
pub struct StepOutput {
    /// Mean loss over the replicas of all ranks.
    pub loss: f32,
    /// One per replica of this rank, in their order.
    pub replicas: Vec<ReplicaOutput>,
    /// Whether and how `clip_gradients` scaled the gradients.
    pub clipped: Option<Clipped>,
    /// When the reduction of each bucket began and ended: between ranks if there are several, else
    /// between workers.
    pub buckets: Vec<Range<Duration>>,
    /// What was asked of any rank during the iteration.
    pub request: Request,
}

/// What one replica found.
#[derive(Debug, Default)]
pub struct ReplicaOutput {
    /// Mean loss over its `iter_size` batches.
    pub loss: f32,
    /// Outputs of its last batch, in an iteration that is displayed.
    pub outputs: Vec<Output>,
    /// What `debug_info` reports of replica 0.
    pub debug: Vec<DebugValue>,
    /// Layer and blob of the first value that is not finite, if the loss is not.
    pub not_finite: Option<(String, String)>,
}

impl StepOutput {
    /// All members' outputs as one, or the error that explains why there is none. Worker 0 comes
    /// first, the communicator, if there is one, last.
    pub(super) fn merge(
        results: Vec<Result<Self, StepError>>,
        sync: &StepSync,
    ) -> Result<Self, StepError> {
        let mut merged: Option<Self> = None;
        let mut errors = Vec::new();
        for result in results {
            match (result, &mut merged) {
                (Ok(output), None) => merged = Some(output),
                (Ok(output), Some(merged)) => {
                    merged.replicas.extend(output.replicas);
                    if !output.buckets.is_empty() {
                        merged.buckets = output.buckets;
                    }
                }
                (Err(error), _) => errors.push(error),
            }
        }
        if let Some(error) = errors.into_iter().min_by_key(StepError::precedence) {
            return Err(error);
        }
        let mut merged = merged.expect("every member has a result");
        let summary = sync.summary();
        merged.loss = summary.mean_loss();
        merged.request = summary.request();
        Ok(merged)
    }
}
