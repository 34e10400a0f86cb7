//! What every worker did when, as a Chrome trace, which Perfetto and `chrome://tracing` open.
//!
//! A span costs two clock readings and 24 bytes. Recording ends after [`SPANS_MAX`] spans per
//! track, so that a run of days cannot fill the memory. All ranks set their zero when they leave
//! the same collective, so tracks of different ranks are apart by at most the latency of the
//! network.

use std::time::Duration;

use net::Net;
use serde::Serialize;

use crate::{Job, TrainError};

/// Spans kept per track.
const SPANS_MAX: usize = 200_000;
const SPAN_BYTES: usize = 24;

/// What a span of time was spent on. Layers and buckets are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    /// A data layer, waiting for its batch.
    Data(usize),
    /// A layer's forward.
    Forward(usize),
    /// A layer's backward.
    Backward(usize),
    /// Summing gradients after backward, waiting included.
    ExposedCommunication,
    /// Clipping, decay and the rule.
    Update,
    /// This worker's part in summing a bucket between the workers; during backward or after it.
    LocalSum(usize),
    /// The all-reduce of a bucket between ranks.
    Bucket(usize),
    /// The sum of the step summaries over ranks.
    Summary,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ActivitySpan {
    activity: Activity,
    begin: Duration,
    end: Duration,
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

    /// For ranks to send: times from `zero` on in nanoseconds.
    pub(crate) fn to_bytes(&self, zero: Duration) -> Vec<u8> {
        let nanoseconds = |at: Duration| {
            u64::try_from(at.saturating_sub(zero).as_nanos()).unwrap_or(u64::MAX).to_le_bytes()
        };
        let span = |span: &ActivitySpan| {
            let (kind, index) = span.activity.code();
            let head = (u64::try_from(index).unwrap_or(0) << 8) | u64::from(kind);
            [head.to_le_bytes(), nanoseconds(span.begin), nanoseconds(span.end)].concat()
        };
        self.spans.iter().flat_map(span).collect()
    }

    /// Every span by category and name, one per line, in the order in which they began.
    #[cfg(test)]
    pub(crate) fn describe(&self, net: &Net) -> String {
        let mut spans = self.spans.clone();
        spans.sort_by_key(|span| span.begin);
        let line = |span: &ActivitySpan| {
            let (kind, index) = span.activity.code();
            let (name, category) = named(((index as u64) << 8) | u64::from(kind), net);
            format!("{category}: {name}")
        };
        spans.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl Activity {
    fn code(self) -> (u8, usize) {
        match self {
            Self::Data(layer) => (0, layer),
            Self::Forward(layer) => (1, layer),
            Self::Backward(layer) => (2, layer),
            Self::ExposedCommunication => (3, 0),
            Self::Update => (4, 0),
            Self::Bucket(index) => (5, index),
            Self::Summary => (6, 0),
            Self::LocalSum(index) => (7, index),
        }
    }
}

/// Name and category of a span by its code.
fn named(code: u64, net: &Net) -> (String, &'static str) {
    let index = usize::try_from(code >> 8).unwrap_or(usize::MAX);
    let layer = || if index < net.len() { net.layer_name(index) } else { "?" }.to_owned();
    match code & 0xff {
        0 => (layer(), "data"),
        1 => (layer(), "forward"),
        2 => (layer(), "backward"),
        3 => ("wait for sums".to_owned(), "exposed communication"),
        4 => ("update".to_owned(), "update"),
        5 => (format!("bucket {index}"), "all-reduce"),
        7 => (format!("bucket {index}"), "local sum"),
        _ => ("losses and requests".to_owned(), "all-reduce"),
    }
}

/// The tracks of one rank as [`SpanRecorder::to_bytes`] gives them, workers first, communication
/// last.
type Tracks = Vec<Vec<u8>>;

impl Job {
    /// A Chrome trace of all ranks' workers if [`JobConfig::timeline`](crate::JobConfig::timeline)
    /// was set; on rank 0. All ranks ask together.
    pub fn timeline(&self) -> Result<Option<String>, TrainError> {
        if !self.shared.config.timeline {
            return Ok(None);
        }
        let workers = self.workers.iter().map(|worker| &worker.times.spans);
        let communicator = self.communicator.iter().map(|communicator| &communicator.spans);
        let mut ranks: Vec<Tracks> = vec![Vec::new(); self.rank().world()];
        for spans in workers.chain(communicator) {
            let all = self.shared.ranks.gather(spans.to_bytes(self.started))?;
            ranks.iter_mut().zip(all).for_each(|(tracks, track)| tracks.push(track));
        }
        Ok(self.rank().is_first().then(|| chrome_trace(&ranks, self.net(), self.workers.len())))
    }
}

/// A Chrome trace: ranks are its processes, tracks its threads (workers, then the communicator),
/// times are in microseconds.
fn chrome_trace(ranks: &[Tracks], net: &Net, workers: usize) -> String {
    let mut events = Vec::new();
    for (rank, tracks) in ranks.iter().enumerate() {
        events.push(TraceEvent::label("process_name", rank, 0, format!("rank {rank}")));
        for (track, bytes) in tracks.iter().enumerate() {
            let is_worker = track < workers;
            let name =
                if is_worker { format!("worker {track}") } else { "communication".to_owned() };
            events.push(TraceEvent::label("thread_name", rank, track, name));
            let spans = bytes.chunks_exact(SPAN_BYTES);
            events.extend(spans.map(|span| TraceEvent::span(span, rank, track, net)));
        }
    }
    let trace = Trace { unit: "ms", events };
    serde_json::to_string(&trace).expect("strings and numbers can be written") + "\n"
}

/// The file, in the form that `chrome://tracing` defines.
#[derive(Serialize)]
struct Trace {
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
    #[serde(rename = "traceEvents")]
    events: Vec<TraceEvent>,
}

#[derive(Serialize)]
struct TraceEvent {
    /// `M` for a label, `X` for a span.
    ph: &'static str,
    name: String,
    #[serde(flatten)]
    fields: TraceFields,
    pid: usize,
    tid: usize,
}

#[derive(Serialize)]
#[serde(untagged)]
enum TraceFields {
    Label {
        args: TraceLabel,
    },
    Span {
        cat: &'static str,
        /// Begin, in microseconds.
        ts: f64,
        /// Duration, in microseconds.
        dur: f64,
    },
}

#[derive(Serialize)]
struct TraceLabel {
    name: String,
}

impl TraceEvent {
    fn label(kind: &str, pid: usize, tid: usize, name: String) -> Self {
        let fields = TraceFields::Label { args: TraceLabel { name } };
        Self { ph: "M", name: kind.into(), pid, tid, fields }
    }

    fn span(bytes: &[u8], pid: usize, tid: usize, net: &Net) -> Self {
        let number = |at: usize| {
            let bytes: [u8; 8] = bytes[at..at + 8].try_into().expect("spans have 24 bytes");
            u64::from_le_bytes(bytes)
        };
        let (name, cat) = named(number(0), net);
        let microseconds = |nanoseconds: u64| nanoseconds as f64 / 1e3;
        let (begin, end) = (number(8), number(16));
        let (ts, dur) = (microseconds(begin), microseconds(end.saturating_sub(begin)));
        Self { ph: "X", name, pid, tid, fields: TraceFields::Span { cat, ts, dur } }
    }
}
