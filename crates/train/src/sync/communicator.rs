//! The member of a step that speaks to other ranks, on a thread of its own, while workers compute.

use crate::step::{StepContext, StepError, StepOutput};
use crate::timeline::{Activity, SpanRecorder};

/// Runs a step's collectives between ranks, in the order that [`sync`](crate::sync) states.
pub(crate) struct Communicator {
    /// When each collective ran.
    pub(crate) spans: SpanRecorder,
}

impl Communicator {
    /// Sums every bucket, then the summary, over ranks.
    pub(crate) fn step(&mut self, context: &StepContext) -> Result<StepOutput, StepError> {
        let (shared, sync) = (&context.shared, &context.sync);
        let sum = shared.sum.as_ref().unwrap_or(&shared.pools[0]);
        let mut output = StepOutput::default();
        for (index, bucket) in shared.buckets.iter().enumerate() {
            sync.wait_summed(index + 1)?;
            let begin = context.now();
            shared.ranks.all_reduce(&mut sum.write(bucket.clone()))?;
            let end = context.now();
            self.spans.add(Activity::Bucket(index), begin, end);
            output.all_reduces.push(begin..end);
        }
        sync.wait_summaries()?;
        let begin = context.now();
        shared.ranks.sum(sync.summary().values())?;
        self.spans.add(Activity::Summary, begin, context.now());
        sync.announce_exchanged();
        Ok(output)
    }
}
