//! The member of a step that speaks to other ranks, on a thread of its own, while workers compute.

use super::BucketSums;
use crate::step::{StepContext, StepError, StepOutput};
use crate::timeline::{Activity, SpanRecorder};

/// Runs a step's collectives between ranks, in the order that [`sync`](crate::sync) states.
pub(crate) struct Communicator {
    /// What sums buckets.
    pub(crate) sums: BucketSums,
    /// When each collective ran.
    pub(crate) spans: SpanRecorder,
}

impl Communicator {
    /// Sums every bucket, then the summary, over ranks.
    pub(crate) fn step(&mut self, context: &StepContext) -> Result<StepOutput, StepError> {
        let (shared, sync) = (&context.shared, &context.sync);
        let pool = shared.sum.as_ref().unwrap_or(&shared.pools[0]);
        let exchange = || shared.ranks.exchange().expect("a communicator has other ranks");
        let mut output = StepOutput::default();
        for index in 0..shared.buckets.len() {
            sync.wait_summed(index + 1)?;
            let begin = context.now();
            self.sums.sum(index, &shared.buckets, pool, &mut exchange())?;
            let end = context.now();
            let activity = match self.sums.compresses(index) {
                true => Activity::CompressedBucket(index),
                false => Activity::Bucket(index),
            };
            self.spans.add(activity, begin, end);
            output.all_reduces.push(begin..end);
        }
        let begin = context.now();
        let done = self.sums.finish(pool, &mut exchange())?;
        if self.sums.compressor().is_some() {
            self.spans.add(Activity::CompressionEnd, begin, context.now());
        }
        output.traffic = Some(done.traffic);
        if done.not_finite {
            sync.announce_hidden_not_finite();
        }
        sync.wait_summaries()?;
        let begin = context.now();
        shared.ranks.sum(sync.summary().values())?;
        self.spans.add(Activity::Summary, begin, context.now());
        sync.announce_exchanged(done.applied);
        Ok(output)
    }
}
