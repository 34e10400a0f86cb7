//! What every worker did when. The binary writes it as a Chrome trace.
//!
//! A span costs two clock readings and 48 bytes. Recording ends after [`SPANS_MAX`] spans per
//! track, so that a run of days cannot fill the memory. All ranks set their zero when they leave
//! the same collective, so tracks of different ranks are apart by at most the latency of the
//! network.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Job, TrainError};

/// Spans kept per track.
const SPANS_MAX: usize = 200_000;

/// What a span of time was spent on. Layers and buckets are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// A data layer, waiting for its batch.
    Data(usize),
    /// A layer's forward.
    Forward(usize),
    /// A layer's backward.
    Backward(usize),
    /// Summing gradients after backward, waiting included.
    ExposedCommunication,
    /// Norms of the summed gradients, or a look whether they are finite.
    Norms,
    /// Waiting for the other workers before the update.
    Barrier,
    /// Clipping, decay and the rule.
    Update,
    /// A worker's part in summing a bucket between the workers; during backward or after it.
    LocalSum(usize),
    /// The all-reduce of a bucket between ranks.
    Bucket(usize),
    /// As `LocalSum` or `Bucket`, of a bucket that is compressed.
    CompressedBucket(usize),
    /// What a compression sums after the last bucket.
    CompressionEnd,
    /// Records in memory, exchanged between ranks.
    Records,
    /// The sum of the step summaries over ranks.
    Summary,
}

/// One activity, in time since the run began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "SpanRecord", from = "SpanRecord")]
pub struct ActivitySpan {
    /// What was done.
    pub activity: Activity,
    /// When it began.
    pub begin: Duration,
    /// When it ended.
    pub end: Duration,
}

/// A span as ranks send it: in nanoseconds and without names, since there are many.
type SpanRecord = (Activity, u64, u64);

impl From<ActivitySpan> for SpanRecord {
    fn from(span: ActivitySpan) -> Self {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        (span.activity, nanoseconds(span.begin), nanoseconds(span.end))
    }
}

impl From<SpanRecord> for ActivitySpan {
    fn from((activity, begin, end): SpanRecord) -> Self {
        Self { activity, begin: Duration::from_nanos(begin), end: Duration::from_nanos(end) }
    }
}

/// Whose spans a track holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackOwner {
    /// A worker, counted from 0 in its rank.
    Worker(usize),
    /// What speaks to other ranks.
    Communicator,
}

/// What one worker or communicator did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineTrack {
    /// Its process.
    pub rank: usize,
    /// Who it was.
    pub owner: TrackOwner,
    /// In the order in which they were recorded; those of sums follow their iteration.
    pub spans: Vec<ActivitySpan>,
}

/// Records the spans of one track, if a timeline is wanted.
#[derive(Debug, Default)]
pub(crate) struct SpanRecorder {
    wanted: bool,
    spans: Vec<ActivitySpan>,
}

impl SpanRecorder {
    pub(crate) fn new(wanted: bool) -> Self {
        Self { wanted, spans: Vec::new() }
    }

    pub(crate) fn add(&mut self, activity: Activity, begin: Duration, end: Duration) {
        if self.wanted && self.spans.len() < SPANS_MAX {
            self.spans.push(ActivitySpan { activity, begin, end });
        }
    }

    /// What was recorded, in time since `zero`.
    pub(crate) fn since(&self, zero: Duration) -> Vec<ActivitySpan> {
        let shifted = |span: &ActivitySpan| ActivitySpan {
            begin: span.begin.saturating_sub(zero),
            end: span.end.saturating_sub(zero),
            ..*span
        };
        self.spans.iter().map(shifted).collect()
    }
}

impl Job {
    /// What every rank's workers and communicators did, in order of ranks, if
    /// [`JobConfig::timeline`](crate::JobConfig::timeline) was set; on rank 0. A collective: all
    /// ranks call it.
    pub fn timeline(&self) -> Result<Option<Vec<TimelineTrack>>, TrainError> {
        if !self.shared.config.timeline {
            return Ok(None);
        }
        let workers = self.workers.iter();
        let workers = workers.map(|w| (TrackOwner::Worker(w.index), &w.times.spans));
        let communicator = self.communicator.iter().map(|c| (TrackOwner::Communicator, &c.spans));
        let mut tracks = Vec::new();
        for (owner, spans) in workers.chain(communicator) {
            let own = serde_json::to_vec(&spans.since(self.started));
            let all = self.shared.ranks.gather(own.expect("numbers can be written"))?;
            for (rank, bytes) in all.iter().enumerate().filter(|_| self.rank().index() == 0) {
                let read = serde_json::from_slice(bytes);
                let spans = read.map_err(|_| TrainError::State { rank })?;
                tracks.push(TimelineTrack { rank, owner, spans });
            }
        }
        tracks.sort_by_key(|track| track.rank);
        Ok(self.rank().is_first().then_some(tracks))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Activity, ActivitySpan, SpanRecorder};

    #[test]
    fn spans_travel_as_nanoseconds_since_the_run_began() {
        let at = Duration::from_nanos;
        let mut recorder = SpanRecorder::new(true);
        recorder.add(Activity::Forward(3), at(1_000_000_007), at(1_000_000_010));
        recorder.add(Activity::Update, at(5), at(1_000_000_009)); // began before the run
        let spans = recorder.since(at(1_000_000_000));
        let text = serde_json::to_string(&spans).unwrap();
        assert_eq!(text, r#"[[{"Forward":3},7,10],["Update",0,9]]"#);
        assert_eq!(serde_json::from_str::<Vec<ActivitySpan>>(&text).unwrap(), spans);
    }
}
