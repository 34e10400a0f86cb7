//! The record of a run: what happened, one JSON object per line, in a folder of segments.
//!
//! ```text
//! 000001.thin.jsonl   older iterations: minimum, mean and maximum of 100 at a time
//! 000002.jsonl        10,000 iterations, whole
//! 000003.jsonl        the segment that is being written
//! ```
//!
//! Segments are only appended to. A process that is killed leaves at most a torn last line, which
//! readers skip; the next process begins a segment of its own. A run that resumes from a snapshot
//! says at which iteration it begins, and what was recorded from there on is superseded. Lines are
//! written out once a second and with everything that people wait for, at about a microsecond per
//! iteration.

mod entry;
mod number;
mod segment;
mod write;

pub use entry::{
    DisplayEntry, IterationBin, LayerTime, LayersEntry, MemoryEntry, RankShare, RunBegin, RunEntry,
    SlowLink, SpanEntry, SpansEntry, TestEntry, TimesEntry,
};
pub(crate) use segment::{is_record, read_segments};
pub use write::RecordWriter;

/// Iterations of a segment. The segment before the current one is whole too, so that at least so
/// many of the newest iterations are.
pub const SEGMENT_ITERATIONS: u64 = 10_000;
