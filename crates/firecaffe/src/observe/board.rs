//! What TensorBoard shows of a run: displays, tests and histograms.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use report::record::RunEntry;
use report::tensorboard::{BoardHistogram, BoardWriter};
use train::{ParamHistograms, ValueHistogram};

use crate::launch;

/// TensorBoard's file of this process.
pub(super) struct Board {
    writer: BoardWriter,
}

impl Board {
    /// Begins a file in `dir` for a run that begins at `iteration`.
    pub(super) fn create(dir: &Path, iteration: u64) -> Result<Self> {
        let unique = format!("{}.{}", launch::host(), std::process::id());
        // Also for a run that starts anew: the folder may have files of one that was killed.
        let writer = BoardWriter::create(dir, now(), &unique, Some(iteration))?;
        Ok(Self { writer })
    }

    /// Adds what an entry of the record says.
    pub(super) fn take(&mut self, entry: &RunEntry) -> Result<()> {
        match entry {
            RunEntry::Display(display) => {
                let speed = display.images_per_s.map(|speed| ("speed/images per second", speed));
                let scalars = [("train/loss", display.loss), ("train/learning rate", display.rate)];
                self.writer.scalars(now(), display.iteration, scalars.into_iter().chain(speed));
            }
            RunEntry::Test(test) => {
                let tag = |name: &str| match test.net {
                    0 => format!("test/{name}"),
                    net => format!("test {net}/{name}"),
                };
                let values: Vec<_> =
                    test.outputs.iter().map(|(name, value)| (tag(name), *value)).collect();
                let values = values.iter().map(|(tag, value)| (tag.as_str(), *value));
                self.writer.scalars(now(), test.iteration, values);
            }
            _ => return Ok(()),
        }
        Ok(self.writer.flush()?)
    }

    /// Adds histograms of every param; they are written out with the next scalar.
    pub(super) fn histograms(&mut self, iteration: u64, params: &[ParamHistograms]) {
        for ParamHistograms { layer, index, values, gradient } in params {
            for (what, histogram) in [("weights", values), ("gradients", gradient)] {
                let tag = format!("{what}/{layer}/{index}");
                self.writer.histogram(now(), iteration, &tag, &shown(histogram));
            }
        }
    }
}

fn shown(histogram: &ValueHistogram) -> BoardHistogram {
    let ValueHistogram { min, max, sum, sum_squares, counts } = histogram.clone();
    BoardHistogram { min, max, sum, sum_squares, counts }
}

/// Seconds since 1970.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
