//! `--log-json FILE`: one JSON object per line for what a program wants to plot.
//!
//! ```text
//! {"event":"display","iteration":100,"seconds":1.25,"loss":0.51,"lr":0.01,"outputs":{"loss":0.51}}
//! {"event":"test","iteration":100,"seconds":1.31,"net":0,"outputs":{"accuracy":0.81}}
//! {"event":"snapshot","iteration":100,"seconds":1.4,"model":"a_iter_100.caffemodel","state":"…"}
//! ```
//!
//! An output of several values is an array. A value that is not finite is `null`. In an emulated
//! run every object has `"emulated":true`.

mod record;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use train::{Event, GradientEvent};

use record::{JsonRecord, RecordFields, rounded};

/// A file that events are appended to as they happen.
pub(crate) struct JsonLog {
    file: File,
    /// Iterations done, according to the events so far.
    iteration: u64,
    /// The net whose test phase runs.
    testing: usize,
    /// Those of the iteration that runs.
    buckets: Vec<Event>,
    /// Whether computation is waited for. Nothing is displayed then, and every step is reported.
    emulated: bool,
}

impl JsonLog {
    /// Creates the file, or empties an existing one.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path)?;
        Ok(Self { file, iteration: 0, testing: 0, buckets: Vec::new(), emulated: false })
    }

    /// Appends what there is to say about an event, `seconds` after the program began. Buckets are
    /// reported in every iteration; those of an iteration that has a record follow it.
    pub(crate) fn event(&mut self, event: &Event, seconds: f64) -> io::Result<()> {
        self.follow(event);
        match event {
            Event::BucketReduced { .. } => Ok(()),
            Event::Gradients(GradientEvent::Exchanged { .. }) if !self.emulated => Ok(()),
            Event::Displayed(_) | Event::Gradients(GradientEvent::Exchanged { .. }) => {
                self.write(event, seconds)?;
                let buckets = std::mem::take(&mut self.buckets);
                buckets.iter().try_for_each(|bucket| self.write(bucket, seconds))
            }
            _ => self.write(event, seconds),
        }
    }

    fn write(&mut self, event: &Event, seconds: f64) -> io::Result<()> {
        let Some(fields) = RecordFields::of(event, self.testing) else { return Ok(()) };
        let iteration = match event {
            Event::Displayed(display) => display.iter,
            Event::Hash { steps, .. } => *steps,
            Event::FinalLoss { iter, .. }
            | Event::BucketReduced { iter, .. }
            | Event::Gradients(GradientEvent::Exchanged { iter, .. }) => *iter,
            _ => self.iteration,
        };
        let (seconds, emulated) = (rounded(seconds, 6), self.emulated);
        let record = JsonRecord { event: fields.name(), iteration, seconds, emulated, fields };
        let mut line = serde_json::to_string(&record)?;
        line.push('\n');
        self.file.write_all(line.as_bytes())
    }

    /// Remembers where the run is, for events that do not say it.
    fn follow(&mut self, event: &Event) {
        match event {
            Event::Stepped { done, .. } => {
                self.iteration = *done;
                self.buckets.clear();
            }
            Event::BucketReduced { .. } => self.buckets.push(event.clone()),
            Event::Emulating { .. } => self.emulated = true,
            Event::Testing { iter, net } => (self.iteration, self.testing) = (*iter, *net),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
