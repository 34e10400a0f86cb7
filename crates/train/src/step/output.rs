//! What an iteration gives: the one output type of a step.

use std::ops::Range;
use std::time::Duration;

use net::{DebugValue, Output};
use solver::Clipped;

use super::{DivergenceRemedy, StepError};
use crate::sync::StepSync;
use crate::{Request, SumTraffic};

/// What one iteration gave, on this rank.
#[derive(Debug, Default)]
pub struct StepOutput {
    /// Mean loss over the replicas of all ranks.
    pub loss: f32,
    /// One per replica of this rank, in their order.
    pub replicas: Vec<ReplicaOutput>,
    /// Whether a sum of gradients overflowed, so that no weight was written.
    pub skipped: bool,
    /// Whether and how `clip_gradients` scaled the gradients.
    pub clipped: Option<Clipped>,
    /// When each bucket was summed between the workers here: from the first that began, adding up
    /// its replicas, to the last that ended.
    pub local_sums: Vec<Range<Duration>>,
    /// When each bucket was all-reduced between ranks; empty if there is one rank.
    pub all_reduces: Vec<Range<Duration>>,
    /// What this rank's sums sent, or worker 0's if a plan runs between workers; `None` if nothing
    /// was sent.
    pub traffic: Option<SumTraffic>,
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
    /// The first value that is not finite, if the loss is not: then the step fails.
    pub(super) not_finite: Option<NotFiniteBlob>,
}

/// Where the first value is that is not finite, in the order in which layers run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotFiniteBlob {
    /// The layer that computed it.
    pub(super) layer: String,
    /// The blob it is in.
    pub(super) blob: String,
    /// What to do about it.
    pub(super) remedy: DivergenceRemedy,
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
                (Ok(output), Some(merged)) => merged.absorb(output),
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

    /// Adds what another member of the step gave.
    fn absorb(&mut self, other: Self) {
        self.replicas.extend(other.replicas);
        extend_spans(&mut self.local_sums, other.local_sums);
        extend_spans(&mut self.all_reduces, other.all_reduces);
        self.traffic = self.traffic.or(other.traffic);
    }
}

/// Extends every span to what another member did for the same bucket; one who has none took no
/// part.
fn extend_spans(spans: &mut Vec<Range<Duration>>, others: Vec<Range<Duration>>) {
    if spans.is_empty() {
        *spans = others;
        return;
    }
    for (span, other) in spans.iter_mut().zip(others) {
        *span = span.start.min(other.start)..span.end.max(other.end);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::time::Duration;

    use super::StepOutput;

    fn spans(milliseconds: &[Range<u64>]) -> Vec<Range<Duration>> {
        let at = Duration::from_millis;
        milliseconds.iter().map(|span| at(span.start)..at(span.end)).collect()
    }

    #[test]
    fn a_bucket_is_summed_from_the_first_worker_to_the_last_and_all_reduced_apart() {
        let worker =
            |sums: &[Range<u64>]| StepOutput { local_sums: spans(sums), ..StepOutput::default() };
        let mut merged = worker(&[3..5, 6..7]);
        merged.absorb(worker(&[4..9, 5..6]));
        merged.absorb(worker(&[2..4, 6..8]));
        merged.absorb(StepOutput { all_reduces: spans(&[9..20, 20..30]), ..StepOutput::default() });
        assert_eq!(merged.local_sums, spans(&[2..9, 5..8]));
        assert_eq!(merged.all_reduces, spans(&[9..20, 20..30]));
    }
}
