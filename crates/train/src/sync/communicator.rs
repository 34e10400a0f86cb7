//! The member of a step that speaks to other ranks, on a thread of its own, while workers compute.

use super::BucketSums;
use crate::records::RecordExchange;
use crate::step::{StepContext, StepError, StepOutput};
use crate::timeline::{Activity, SpanRecorder};

/// Runs a step's collectives between ranks, in the order that [`sync`](crate::sync) states.
pub(crate) struct Communicator {
    /// What sums buckets.
    pub(crate) sums: BucketSums,
    /// When each collective ran.
    pub(crate) spans: SpanRecorder,
    /// Records in memory that ranks exchange; nothing to do unless there are any.
    pub(crate) records: RecordExchange,
}

impl Communicator {
    /// Sums every bucket, then the summary, over ranks. Records follow the buckets, evenly.
    pub(crate) fn step(&mut self, context: &StepContext) -> Result<StepOutput, StepError> {
        let (shared, sync) = (&context.shared, &context.sync);
        let pool = shared.sum.as_ref().unwrap_or(&shared.pools[0]);
        let exchange = || shared.ranks.exchange().expect("a communicator has other ranks");
        let mut output = StepOutput::default();
        self.spans.begin_iteration();
        let tasks = self.records.begin_step();
        for index in 0..shared.buckets.len() {
            sync.wait_summed(index + 1)?;
            let begin = context.now();
            {
                let _work = shared.ranks.work();
                let (buckets, scale) = (&shared.buckets[..], context.scale_of_rank());
                self.sums.sum(index, (buckets, pool), scale, &mut exchange())?;
            }
            let end = context.now();
            let activity = match self.sums.compresses(index) {
                true => Activity::CompressedBucket(index),
                false => Activity::Bucket(index),
            };
            self.spans.add(activity, begin, end);
            output.all_reduces.push(begin..end);
            let left = tasks * (shared.buckets.len() - 1 - index) / shared.buckets.len();
            self.exchange_records(context, left)?;
        }
        self.exchange_records(context, 0)?; // a net may have no bucket
        let begin = context.now();
        let done = {
            let _work = shared.ranks.work();
            self.sums.finish(pool, &mut exchange())?
        };
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
        self.records.end_step(); // every replica is in the summary, so it has read its batches
        sync.announce_exchanged(done.applied);
        Ok(output)
    }

    /// Runs this step's exchange of records until `left` collectives are left.
    fn exchange_records(&mut self, context: &StepContext, left: usize) -> Result<(), StepError> {
        let begin = context.now();
        if self.records.run(&context.shared.ranks, left)? > 0 {
            self.spans.add(Activity::Records, begin, context.now());
        }
        Ok(())
    }
}
