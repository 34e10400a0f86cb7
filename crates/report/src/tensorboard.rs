//! Files that TensorBoard reads: scalars and histograms as TFRecords of `Event` messages.
//!
//! A resumed run writes a file of its own, which begins with a session that starts at its first
//! iteration: TensorBoard then forgets what older files say of this iteration and later ones.
//! The few messages are encoded here; their fields never change.

mod encode;

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::ReportError;
use encode::{ProtoMessage, framed};

/// A distribution, as TensorBoard shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardHistogram {
    /// The least value.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// Their sum.
    pub sum: f64,
    /// The sum of their squares.
    pub sum_squares: f64,
    /// Values in each of equally wide bins from `min` to `max`.
    pub counts: Vec<u64>,
}

/// Appends to one event file.
#[derive(Debug)]
pub struct BoardWriter {
    file: File,
    path: PathBuf,
    buffer: Vec<u8>,
}

impl BoardWriter {
    /// Begins a file in `dir`, `unix_seconds` since 1970. `unique` tells it from others of the same
    /// second; `restart` is the first iteration of a run that is resumed.
    pub fn create(
        dir: &Path,
        unix_seconds: f64,
        unique: &str,
        restart: Option<u64>,
    ) -> Result<Self, ReportError> {
        fs::create_dir_all(dir)
            .map_err(|source| ReportError::Folder { path: dir.to_owned(), source })?;
        let path = dir.join(format!("events.out.tfevents.{unix_seconds:.0}.{unique}"));
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        let file = file.map_err(|source| ReportError::Append { path: path.clone(), source })?;
        let mut writer = Self { file, path, buffer: Vec::new() };
        writer.event(unix_seconds, 0, |event| event.text(3, "brain.Event:2"));
        if let Some(step) = restart {
            const START: u64 = 1;
            writer.event(unix_seconds, step, |event| {
                event.message(7, |session| session.number(1, START));
            });
        }
        writer.flush()?;
        Ok(writer)
    }

    /// Adds values by name. They are on the disk after [`BoardWriter::flush`].
    pub fn scalars<'a>(
        &mut self,
        unix_seconds: f64,
        step: u64,
        values: impl IntoIterator<Item = (&'a str, f64)>,
    ) {
        let values: Vec<_> = values.into_iter().collect();
        self.event(unix_seconds, step, |event| {
            event.message(5, |summary| {
                for (tag, value) in values {
                    summary.message(1, |entry| {
                        entry.text(1, tag);
                        entry.float(2, value);
                    });
                }
            });
        });
    }

    /// Adds a histogram.
    pub fn histogram(
        &mut self,
        unix_seconds: f64,
        step: u64,
        tag: &str,
        histogram: &BoardHistogram,
    ) {
        let BoardHistogram { min, max, sum, sum_squares, counts } = histogram;
        let count: u64 = counts.iter().sum();
        let width = (max - min) / counts.len().max(1) as f64;
        let limits = (1..=counts.len()).map(|bin| min + width * bin as f64);
        self.event(unix_seconds, step, |event| {
            event.message(5, |summary| {
                summary.message(1, |entry| {
                    entry.text(1, tag);
                    entry.message(5, |histogram| {
                        let sums = [*min, *max, count as f64, *sum, *sum_squares];
                        (1..).zip(sums).for_each(|(field, sum)| histogram.double(field, sum));
                        histogram.doubles(6, limits);
                        histogram.doubles(7, counts.iter().map(|count| *count as f64));
                    });
                });
            });
        });
    }

    /// Writes out what was added.
    pub fn flush(&mut self) -> Result<(), ReportError> {
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(|source| ReportError::Append { path: self.path.clone(), source })
    }

    fn event(&mut self, unix_seconds: f64, step: u64, body: impl FnOnce(&mut ProtoMessage)) {
        let mut event = ProtoMessage::default();
        event.double(1, unix_seconds);
        event.number(2, step);
        body(&mut event);
        self.buffer.extend(framed(&event.bytes()));
    }
}

impl Drop for BoardWriter {
    fn drop(&mut self) {
        // Nobody is left to tell.
        _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::{BoardHistogram, BoardWriter};

    /// `cargo xtask verify report` reads such files with the `tensorboard` package itself.
    #[test]
    fn a_scalar_is_framed_and_encoded_as_tensorboard_does() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = BoardWriter::create(dir.path(), 1.5, "host", Some(7)).unwrap();
        writer.scalars(2.5, 8, [("loss", 0.5)]);
        let counts = vec![1, 2];
        let histogram = BoardHistogram { min: 0.0, max: 4.0, sum: 7.0, sum_squares: 5.0, counts };
        writer.histogram(2.5, 8, "w", &histogram);
        drop(writer);
        let bytes = std::fs::read(dir.path().join("events.out.tfevents.2.host")).unwrap();
        let mut lengths = Vec::new();
        let mut rest = &bytes[..];
        while let Some((head, tail)) = rest.split_first_chunk::<8>() {
            let length = usize::try_from(u64::from_le_bytes(*head)).unwrap();
            lengths.push(length);
            rest = &tail[4 + length + 4..];
        }
        assert_eq!(lengths, [26, 15, 26, 101]);
        // Field 5, a summary, with a value of tag "loss" and simple value 0.5.
        let want = [0x2a, 13, 0x0a, 11, 0x0a, 4, b'l', b'o', b's', b's', 0x15, 0, 0, 0, 0x3f];
        assert!(bytes.windows(want.len()).any(|part| part == want), "{bytes:x?}");
    }
}
