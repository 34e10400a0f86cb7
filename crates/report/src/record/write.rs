//! Appends to a record.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::segment::{segments, thin, whole};
use super::{RunEntry, SEGMENT_ITERATIONS};
use crate::ReportError;

/// Seconds after which lines are written out.
const FLUSH_SECONDS: f64 = 1.0;
/// Bytes after which they are, too.
const BUFFER_BYTES: usize = 1 << 16;

/// Appends entries to the segments of a folder.
#[derive(Debug)]
pub struct RecordWriter {
    dir: PathBuf,
    file: File,
    path: PathBuf,
    number: u64,
    /// Lines that are not written out yet.
    buffer: Vec<u8>,
    /// When lines were last written out.
    flushed: f64,
    /// Iterations in this segment.
    iterations: u64,
}

impl RecordWriter {
    /// Begins a segment after those that `dir` has. The folder is made if it is missing.
    pub fn open(dir: &Path) -> Result<Self, ReportError> {
        let failed = |source| ReportError::Folder { path: dir.to_owned(), source };
        fs::create_dir_all(dir).map_err(failed)?;
        let number = segments(dir)?.last().map_or(1, |last| last.number + 1);
        let (path, file) = create(dir, number)?;
        let dir = dir.to_owned();
        Ok(Self { dir, file, path, number, buffer: Vec::new(), flushed: 0.0, iterations: 0 })
    }

    /// Appends an entry, `seconds` after the process began.
    pub fn write(&mut self, entry: &RunEntry, seconds: f64) -> Result<(), ReportError> {
        serde_json::to_writer(&mut self.buffer, entry).expect("names and numbers can be written");
        self.buffer.push(b'\n');
        let is_due = seconds - self.flushed >= FLUSH_SECONDS;
        if entry.is_kept() || is_due || self.buffer.len() > BUFFER_BYTES {
            self.flushed = seconds;
            self.flush()?;
        }
        if let RunEntry::Steps(bin) = entry {
            self.iterations += bin.count;
            if self.iterations >= SEGMENT_ITERATIONS {
                self.next_segment()?;
            }
        }
        Ok(())
    }

    /// Writes out what has been collected, in one call: what a kill tears is the last line.
    pub fn flush(&mut self) -> Result<(), ReportError> {
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(|source| ReportError::Append { path: self.path.clone(), source })
    }

    /// Begins the next segment, and thins those before the one that ends here.
    fn next_segment(&mut self) -> Result<(), ReportError> {
        self.flush()?;
        for old in segments(&self.dir)? {
            if old.number < self.number && !old.is_thin {
                thin(&old)?;
            }
        }
        self.number += 1;
        self.iterations = 0;
        (self.path, self.file) = create(&self.dir, self.number)?;
        Ok(())
    }
}

impl Drop for RecordWriter {
    fn drop(&mut self) {
        // Nobody is left to tell.
        _ = self.flush();
    }
}

fn create(dir: &Path, number: u64) -> Result<(PathBuf, File), ReportError> {
    let path = whole(dir, number);
    let file = OpenOptions::new().append(true).create_new(true).open(&path);
    let file = file.map_err(|source| ReportError::Append { path: path.clone(), source })?;
    Ok((path, file))
}
