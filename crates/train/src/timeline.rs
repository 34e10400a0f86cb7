//! What every worker did when: spans of one iteration after another, as a Chrome trace.
//!
//! A span costs two readings of the clock and 24 bytes; recording ends after [`SPANS_MAX`] a track, so a
//! run of days cannot fill the memory. All ranks set their zero when they leave the same collective, so
//! tracks are apart by the network's latency at most. Perfetto and `chrome://tracing` open the file.

use std::time::Duration;

use base::json_string;
use net::Net;

use crate::{Job, TrainError};

/// Spans kept of each track.
const SPANS_MAX: usize = 200_000;
const SPAN_BYTES: usize = 24;

/// What time was spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A data layer, waiting for its batch.
    Data(usize),
    /// A layer's forward.
    Forward(usize),
    /// A layer's backward.
    Backward(usize),
    /// Summing after backward, waiting included: exposed communication.
    Exchange,
    /// Clipping, decay and the rule.
    Update,
    /// The all-reduce of a bucket between ranks.
    Bucket(usize),
    /// That of losses, outputs and requests.
    News,
}

/// One stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    what: What,
    begin: Duration,
    end: Duration,
}

/// Spans of one track, if they are wanted.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    wanted: bool,
    spans: Vec<Span>,
}

impl Spans {
    pub(crate) fn new(wanted: bool) -> Self {
        Self { wanted, spans: Vec::new() }
    }

    pub(crate) fn add(&mut self, what: What, begin: Duration, end: Duration) {
        if self.wanted && self.spans.len() < SPANS_MAX {
            self.spans.push(Span { what, begin, end });
        }
    }

    /// Adds those of another stretch of the same track.
    pub(crate) fn extend(&mut self, spans: Vec<Span>) {
        let room = SPANS_MAX.saturating_sub(self.spans.len());
        self.spans.extend(spans.into_iter().take(room));
    }

    pub(crate) fn take(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.spans)
    }

    /// For ranks to send: times from `zero` on in nanoseconds.
    pub(crate) fn to_bytes(&self, zero: Duration) -> Vec<u8> {
        let nanoseconds = |at: Duration| {
            u64::try_from(at.saturating_sub(zero).as_nanos()).unwrap_or(u64::MAX).to_le_bytes()
        };
        let span = |span: &Span| {
            let (kind, index) = span.what.code();
            let head = (u64::try_from(index).unwrap_or(0) << 8) | u64::from(kind);
            [head.to_le_bytes(), nanoseconds(span.begin), nanoseconds(span.end)].concat()
        };
        self.spans.iter().flat_map(span).collect()
    }
}

impl What {
    fn code(self) -> (u8, usize) {
        match self {
            Self::Data(layer) => (0, layer),
            Self::Forward(layer) => (1, layer),
            Self::Backward(layer) => (2, layer),
            Self::Exchange => (3, 0),
            Self::Update => (4, 0),
            Self::Bucket(index) => (5, index),
            Self::News => (6, 0),
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
        _ => ("losses and requests".to_owned(), "all-reduce"),
    }
}

/// The tracks of one rank as [`Spans::to_bytes`] gives them, workers first, communication last.
type Tracks = Vec<Vec<u8>>;

impl Job {
    /// A Chrome trace of all ranks' workers if [`Config::timeline`](crate::Config::timeline) was set;
    /// on rank 0. All ranks ask together.
    pub fn timeline(&self) -> Result<Option<String>, TrainError> {
        if !self.config.timeline {
            return Ok(None);
        }
        let workers = self.workers.iter().map(|worker| &worker.ledger.spans);
        let mut ranks: Vec<Tracks> = vec![Vec::new(); self.rank().world()];
        for spans in workers.chain([&self.spans]) {
            let all = self.ranks.gather(spans.to_bytes(self.zero))?;
            ranks.iter_mut().zip(all).for_each(|(tracks, track)| tracks.push(track));
        }
        Ok(self.rank().coordinator().map(|_| chrome_trace(&ranks, self.net())))
    }
}

/// A Chrome trace: ranks are its processes, tracks its threads, times in microseconds.
fn chrome_trace(ranks: &[Tracks], net: &Net) -> String {
    let mut events = Vec::new();
    for (rank, tracks) in ranks.iter().enumerate() {
        events.push(label("process_name", rank, 0, &format!("rank {rank}")));
        for (track, bytes) in tracks.iter().enumerate() {
            let last = track + 1 == tracks.len();
            let name = if last { "communication".to_owned() } else { format!("worker {track}") };
            events.push(label("thread_name", rank, track, &name));
            events.extend(bytes.chunks_exact(SPAN_BYTES).map(|span| event(span, rank, track, net)));
        }
    }
    format!("{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{}\n]}}\n", events.join(",\n"))
}

fn label(kind: &str, rank: usize, track: usize, name: &str) -> String {
    format!(
        r#"{{"ph":"M","name":"{kind}","pid":{rank},"tid":{track},"args":{{"name":{}}}}}"#,
        json_string(name)
    )
}

fn event(span: &[u8], rank: usize, track: usize, net: &Net) -> String {
    let number = |at: usize| {
        let bytes: [u8; 8] = span[at..at + 8].try_into().expect("spans have 24 bytes");
        u64::from_le_bytes(bytes)
    };
    let (name, category) = named(number(0), net);
    let microseconds = |nanoseconds: u64| nanoseconds as f64 / 1e3;
    let (begin, end) = (microseconds(number(8)), microseconds(number(16)));
    format!(
        r#"{{"ph":"X","name":{},"cat":"{category}","pid":{rank},"tid":{track},"ts":{begin:.3},"dur":{:.3}}}"#,
        json_string(&name),
        end - begin
    )
}
