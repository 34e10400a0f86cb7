//! A timeline as a Chrome trace, which Perfetto and `chrome://tracing` open.

use std::time::Duration;

use serde::Serialize;
use train::{Activity, ActivitySpan, TimelineTrack, TrackOwner};

/// A Chrome trace without events.
pub(crate) const EMPTY_TRACE: &str = "{\"traceEvents\":[]}\n";

/// A Chrome trace: ranks are its processes, tracks its threads, times are in microseconds. Layers
/// are named by `layer_name`.
pub(crate) fn chrome_trace<'a>(
    tracks: &[TimelineTrack],
    layer_name: &dyn Fn(usize) -> &'a str,
) -> String {
    let mut events = Vec::new();
    let mut thread = 0;
    for (index, TimelineTrack { rank, owner, spans }) in tracks.iter().enumerate() {
        let is_first = index.checked_sub(1).is_none_or(|before| tracks[before].rank != *rank);
        if is_first {
            thread = 0;
            events.push(TraceEvent::label("process_name", *rank, 0, format!("rank {rank}")));
        }
        events.push(TraceEvent::label("thread_name", *rank, thread, track_name(*owner)));
        events.extend(spans.iter().map(|span| TraceEvent::span(span, *rank, thread, layer_name)));
        thread += 1;
    }
    let trace = Trace { unit: "ms", events };
    serde_json::to_string(&trace).expect("strings and numbers can be written") + "\n"
}

/// Spans of a track that were not kept.
pub(crate) fn dropped_spans(track: &TimelineTrack) -> usize {
    let dropped = track.spans.iter().map(|span| match span.activity {
        Activity::Dropped(count) => count,
        _ => 0,
    });
    dropped.sum()
}

/// What a track is called.
pub(crate) fn track_name(owner: TrackOwner) -> String {
    match owner {
        TrackOwner::Worker(index) => format!("worker {index}"),
        TrackOwner::Communicator => "communication".to_owned(),
    }
}

/// Name and category of a span.
pub(crate) fn activity_name<'a>(
    activity: Activity,
    layer_name: &dyn Fn(usize) -> &'a str,
) -> (String, &'static str) {
    let layer = |index: usize| layer_name(index).to_owned();
    match activity {
        Activity::Data(index) => (layer(index), "data"),
        Activity::Forward(index) => (layer(index), "forward"),
        Activity::Backward(index) => (layer(index), "backward"),
        Activity::ExposedCommunication => ("wait for sums".into(), "exposed communication"),
        Activity::Norms => ("norms".into(), "update"),
        Activity::Barrier => ("wait for workers".into(), "exposed communication"),
        Activity::Update => ("update".into(), "update"),
        Activity::LocalSum(index) => (format!("bucket {index}"), "local sum"),
        Activity::Bucket(index) => (format!("bucket {index}"), "all-reduce"),
        Activity::CompressedBucket(index) => (format!("bucket {index}"), "compressed sum"),
        Activity::CompressionEnd => ("rest of the buckets".into(), "compressed sum"),
        Activity::Records => ("records".into(), "all-to-all"),
        Activity::Summary => ("losses and requests".into(), "all-reduce"),
        Activity::Dropped(count) => (format!("{count} spans dropped"), "dropped"),
    }
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

    fn span<'a>(
        span: &ActivitySpan,
        pid: usize,
        tid: usize,
        layer_name: &dyn Fn(usize) -> &'a str,
    ) -> Self {
        let (name, cat) = activity_name(span.activity, layer_name);
        let microseconds = |time: Duration| time.as_nanos() as f64 / 1e3;
        let dur = microseconds(span.end.saturating_sub(span.begin));
        let fields = TraceFields::Span { cat, ts: microseconds(span.begin), dur };
        Self { ph: "X", name, pid, tid, fields }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use expect_test::expect;
    use train::files::net_from_text;
    use train::{Activity, ActivitySpan, NetConfig, Single, TimelineTrack, TrackOwner};

    use super::chrome_trace;

    #[test]
    fn ranks_are_processes_and_tracks_are_threads() {
        let net = net_from_text(
            "net",
            r#"layer { name: "x" type: "Input" top: "x" input_param { shape { dim: 1 } } }"#,
        )
        .unwrap();
        let single = Single::build(&NetConfig::new("net"), &net, &mut |_| ()).unwrap();
        let span = |activity, begin, end| ActivitySpan {
            activity,
            begin: Duration::from_nanos(begin),
            end: Duration::from_nanos(end),
        };
        let track = |rank, owner, spans| TimelineTrack { rank, owner, spans };
        let tracks = [
            track(0, TrackOwner::Worker(0), vec![span(Activity::Forward(0), 1500, 4000)]),
            track(0, TrackOwner::Communicator, vec![span(Activity::Bucket(2), 4000, 5000)]),
            track(1, TrackOwner::Worker(0), vec![span(Activity::Norms, 5000, 5001)]),
        ];
        let trace = chrome_trace(&tracks, &|layer| single.net().layer_name(layer))
            .replace("},{\"ph\"", "},\n{\"ph\"");
        expect![[r#"
            {"displayTimeUnit":"ms","traceEvents":[{"ph":"M","name":"process_name","args":{"name":"rank 0"},"pid":0,"tid":0},
            {"ph":"M","name":"thread_name","args":{"name":"worker 0"},"pid":0,"tid":0},
            {"ph":"X","name":"x","cat":"forward","ts":1.5,"dur":2.5,"pid":0,"tid":0},
            {"ph":"M","name":"thread_name","args":{"name":"communication"},"pid":0,"tid":1},
            {"ph":"X","name":"bucket 2","cat":"all-reduce","ts":4.0,"dur":1.0,"pid":0,"tid":1},
            {"ph":"M","name":"process_name","args":{"name":"rank 1"},"pid":1,"tid":0},
            {"ph":"M","name":"thread_name","args":{"name":"worker 0"},"pid":1,"tid":0},
            {"ph":"X","name":"norms","cat":"update","ts":5.0,"dur":0.001,"pid":1,"tid":0}]}
        "#]]
        .assert_eq(&trace);
    }
}
