//! Segments on the disk: names, reading, and thinning of old ones.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::{IterationBin, RunEntry, TimesEntry};
use crate::ReportError;

/// Iterations of a bin, and displays that are kept in an old segment: one for each.
const BIN: u64 = 100;
/// Iterations whose times of ranks are added up in an old segment.
const TIMES_BIN: u64 = 1000;
/// Longest line that is read: more than a solver and a thousand layers need.
const LINE_MAX: usize = 64 << 20;

const WHOLE: &str = ".jsonl";
const THIN: &str = ".thin.jsonl";

/// One segment's file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SegmentFile {
    pub(super) number: u64,
    /// Thinned already.
    pub(super) is_thin: bool,
    pub(super) path: PathBuf,
}

/// The segments of `dir` in order. One that was thinned counts once, even if a kill has left both
/// of its files.
pub(super) fn segments(dir: &Path) -> Result<Vec<SegmentFile>, ReportError> {
    let failed = |source| ReportError::Read { path: dir.to_owned(), source };
    let mut found = Vec::new();
    for file in fs::read_dir(dir).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let (number, is_thin) = match (name.strip_suffix(THIN), name.strip_suffix(WHOLE)) {
            (Some(number), _) => (number, true),
            (None, Some(number)) => (number, false),
            (None, None) => continue,
        };
        if let Ok(number) = number.parse() {
            found.push(SegmentFile { number, is_thin, path });
        }
    }
    found.sort_by_key(|file| (file.number, !file.is_thin));
    found.dedup_by_key(|file| file.number); // the thin file stands first and stays
    Ok(found)
}

/// Whether `dir` has a record.
pub(crate) fn is_record(dir: &Path) -> bool {
    segments(dir).is_ok_and(|found| !found.is_empty())
}

/// The path of a whole segment.
pub(super) fn whole(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:06}{WHOLE}"))
}

/// Passes every entry of `dir` to `take`, oldest first; how many lines could not be read, the last
/// ones of segments apart.
pub(crate) fn read_segments(
    dir: &Path,
    take: &mut dyn FnMut(RunEntry),
) -> Result<usize, ReportError> {
    let found = segments(dir)?;
    if found.is_empty() {
        return Err(ReportError::NoRecord { path: dir.to_owned() });
    }
    found.iter().try_fold(0, |damaged, file| Ok(damaged + read(&file.path, take)?))
}

/// Passes every entry of a segment to `take`; how many lines before the last could not be read.
fn read(path: &Path, take: &mut dyn FnMut(RunEntry)) -> Result<usize, ReportError> {
    let failed = |source| ReportError::Read { path: path.to_owned(), source };
    let mut file = BufReader::new(fs::File::open(path).map_err(failed)?);
    let (mut line, mut damaged) = (Vec::new(), 0);
    loop {
        line.clear();
        let mut limited = std::io::Read::take(&mut file, LINE_MAX as u64);
        let bytes = limited.read_until(b'\n', &mut line).map_err(failed)?;
        match serde_json::from_slice(&line) {
            _ if bytes == 0 => return Ok(damaged),
            Ok(entry) if line.ends_with(b"\n") => take(entry),
            _ if line.ends_with(b"\n") => damaged += 1,
            _ => {} // torn: the process was killed while it wrote
        }
    }
}

/// Replaces a whole segment by a thin one.
pub(super) fn thin(file: &SegmentFile) -> Result<(), ReportError> {
    let mut thinned = ThinSegment::default();
    read(&file.path, &mut |entry| thinned.add(entry))?;
    let name = format!("{:06}{THIN}", file.number);
    snapshot::atomic::write(&file.path.with_file_name(name), thinned.finish().as_bytes())?;
    // From here on the thin file counts, whether or not this succeeds.
    _ = fs::remove_file(&file.path);
    Ok(())
}

/// Collects what a thin segment consists of, in order.
#[derive(Default)]
struct ThinSegment {
    text: String,
    bin: Option<IterationBin>,
    times: Option<TimesEntry>,
    /// The iteration of the last display that was kept.
    display: Option<u64>,
    /// The latest of each kind: layers, spans, memory, hash.
    latest: [Option<RunEntry>; 4],
}

impl ThinSegment {
    fn add(&mut self, entry: RunEntry) {
        match entry {
            RunEntry::Steps(next) => {
                let joined = match self.bin.take() {
                    Some(bin) if bin.first / BIN == next.last / BIN && bin.last < next.first => {
                        bin.joined(&next)
                    }
                    Some(bin) => {
                        self.push(&RunEntry::Steps(bin));
                        next
                    }
                    None => next,
                };
                self.bin = Some(joined);
            }
            RunEntry::Times(next) => match &mut self.times {
                Some(sum) if sum.iterations < TIMES_BIN => sum.add(&next),
                times => {
                    let full = times.replace(next);
                    full.into_iter().for_each(|times| self.push(&RunEntry::Times(times)));
                }
            },
            RunEntry::Display(display) => {
                let bin = Some(display.iteration / BIN);
                if self.display != bin {
                    self.display = bin;
                    self.push(&RunEntry::Display(display));
                }
            }
            RunEntry::Layers(_) => self.latest[0] = Some(entry),
            RunEntry::Spans(_) => self.latest[1] = Some(entry),
            RunEntry::Memory(_) => self.latest[2] = Some(entry),
            RunEntry::Hash { .. } => self.latest[3] = Some(entry),
            kept => {
                // In order: a beginning supersedes what lies before it.
                self.flush();
                self.push(&kept);
            }
        }
    }

    fn flush(&mut self) {
        let bins = self.bin.take().map(RunEntry::Steps);
        let times = self.times.take().map(RunEntry::Times);
        let latest = std::mem::take(&mut self.latest);
        let all = bins.into_iter().chain(times).chain(latest.into_iter().flatten());
        all.for_each(|entry| self.push(&entry));
    }

    fn push(&mut self, entry: &RunEntry) {
        self.text += &serde_json::to_string(entry).expect("names and numbers can be written");
        self.text.push('\n');
    }

    fn finish(mut self) -> String {
        self.flush();
        self.text
    }
}
