//! What every worker did when. The binary writes it as a Chrome trace.
//!
//! A span costs two clock readings and 48 bytes. A track keeps its first spans and its latest ones,
//! so that a run of days cannot fill memory or disk; what lies between is counted. All ranks set
//! their zero when they leave the same collective, so tracks of different ranks are apart by at
//! most the latency of the network.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Job, JobConfig, TrainError};

/// Bytes of a span in a Chrome trace at most, its name apart.
const SPAN_BYTES: usize = 150;

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
    /// So many spans that were not kept.
    Dropped(usize),
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrackOwner {
    /// A worker, counted from 0 in its rank.
    Worker(usize),
    /// What speaks to other ranks.
    Communicator,
}

/// What one worker or communicator did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineTrack {
    /// Its process.
    pub rank: usize,
    /// Who it was.
    pub owner: TrackOwner,
    /// In the order in which they were recorded; those of sums follow their iteration.
    pub spans: Vec<ActivitySpan>,
}

/// Spans that a track may keep, so that the trace of all tracks has at most
/// [`JobConfig::timeline_bytes`]; none if no timeline is wanted.
pub(crate) fn spans_max(config: &JobConfig, ranks: usize, longest_name: usize) -> usize {
    let tracks = ranks * (config.workers + 1);
    let bytes = tracks * (SPAN_BYTES + longest_name);
    if config.timeline { config.timeline_bytes / bytes.max(1) } else { 0 }
}

/// Records the spans of one track: the first and the latest, and those of the last iteration.
#[derive(Debug, Default)]
pub(crate) struct SpanRecorder {
    /// Spans kept at most.
    most: usize,
    first: Vec<ActivitySpan>,
    latest: VecDeque<ActivitySpan>,
    dropped: usize,
    /// Those of the iteration that runs, or of the last one.
    iteration: Vec<ActivitySpan>,
}

impl SpanRecorder {
    /// Keeps at most `most` spans.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    pub(crate) fn begin_iteration(&mut self) {
        self.iteration.clear();
    }

    pub(crate) fn add(&mut self, activity: Activity, begin: Duration, end: Duration) {
        let span = ActivitySpan { activity, begin, end };
        self.iteration.push(span);
        if self.first.len() < self.most / 2 {
            self.first.push(span);
        } else if self.most > 0 {
            if self.latest.len() + 1 >= self.most - self.most / 2 {
                self.latest.pop_front();
                self.dropped += 1;
            }
            self.latest.push_back(span);
        }
    }

    /// What was kept, in time since `zero`; one span stands for those that were not.
    pub(crate) fn since(&self, zero: Duration) -> Vec<ActivitySpan> {
        let gap = (self.dropped > 0).then(|| ActivitySpan {
            activity: Activity::Dropped(self.dropped),
            begin: self.first.iter().map(|span| span.end).max().unwrap_or(zero),
            end: self.latest.iter().map(|span| span.begin).min().unwrap_or(zero),
        });
        let kept = self.first.iter().copied().chain(gap).chain(self.latest.iter().copied());
        kept.map(|span| span.since(zero)).collect()
    }
}

impl ActivitySpan {
    fn since(self, zero: Duration) -> Self {
        let since = |time: Duration| time.saturating_sub(zero);
        Self { begin: since(self.begin), end: since(self.end), ..self }
    }
}

impl Job {
    /// What worker 0 and the communicator of this rank did in the last iteration, since it began.
    pub(crate) fn iteration_tracks(&self) -> Vec<TimelineTrack> {
        let worker = &self.workers[0];
        let communicator = self.communicator.iter().map(|c| (TrackOwner::Communicator, &c.spans));
        let tracks = std::iter::once((TrackOwner::Worker(0), &worker.times.spans));
        let zero = worker.times.spans.iteration.iter().map(|span| span.begin).min();
        let zero = zero.unwrap_or_default();
        let track = |(owner, recorder): (_, &SpanRecorder)| TimelineTrack {
            rank: self.rank().index(),
            owner,
            spans: recorder.iteration.iter().map(|span| span.since(zero)).collect(),
        };
        tracks.chain(communicator).map(track).collect()
    }

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
        let mut recorder = SpanRecorder::new(100);
        recorder.add(Activity::Forward(3), at(1_000_000_007), at(1_000_000_010));
        recorder.add(Activity::Update, at(5), at(1_000_000_009)); // began before the run
        let spans = recorder.since(at(1_000_000_000));
        let text = serde_json::to_string(&spans).unwrap();
        assert_eq!(text, r#"[[{"Forward":3},7,10],["Update",0,9]]"#);
        assert_eq!(serde_json::from_str::<Vec<ActivitySpan>>(&text).unwrap(), spans);
    }

    #[test]
    fn the_first_and_the_latest_spans_are_kept_and_the_others_are_counted() {
        let mut recorder = SpanRecorder::new(10);
        for second in 0..100 {
            recorder.begin_iteration();
            let at = Duration::from_secs(second);
            recorder.add(Activity::Update, at, at + Duration::from_millis(500));
        }
        let spans = recorder.since(Duration::ZERO);
        assert_eq!(spans.len(), 10);
        let gap = spans[5];
        assert_eq!((gap.activity, gap.begin), (Activity::Dropped(91), Duration::from_millis(4500)));
        assert_eq!((gap.end, spans[9].begin), (Duration::from_secs(96), Duration::from_secs(99)));
        assert_eq!(recorder.iteration.len(), 1);
    }
}
